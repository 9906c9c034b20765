"""A user's purge killed at random moments: the next process finishes it, and no file holds anything of the user."""

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from core.caller import DEFAULT_TENANT
from core.ids import User
from core.keys import UserKey, encoded
from core.model.user import UserState
from memorybank.v1.conversation_pb2 import Turn
from memorybank.v1.instructions_pb2 import Owner, SourceRef
from memorybank.v1.query_graph_pb2 import NewNode
from memorybank.v1.types_pb2 import SPACE_SOURCE_CLIENT, EmbeddingSpace, Vector
from memorybank_client import MemoryBankClient, NotFound, Unavailable
from service.adapters.store.sqlite_store import SqliteStore
from service.assembly.stores import DATABASE
from tests.support.process import modelless_process
from tests.support.scale import scaled

KILLS = scaled(4) - 3  # one, in soak 37
MORE = 30  # at most, until one falls amid a purge: on a busy machine a moment may be too early, or too late
QUICK = {"banks.resume_after_seconds": "0.1", "banks.upkeep_seconds": "0.1"}
NEIGHBOUR = "bob 的邻居-1000"
PATH = "AGENTS.md"
LARGE = 12  # hundreds of nodes: they are purged in portions of 500
NEAR = Vector(f32=np.array([0.6, 0.8], dtype="<f4").tobytes())


def marks(user: str) -> tuple[str, str]:
    """Words that nobody else says, in two scripts."""
    number = user.rpartition("-")[2]
    return f"quokkafern{number}x", f"青瓷瓶下的钥匙{number}号"


async def remember(client: MemoryBankClient, user: str) -> None:
    """Something of every kind: conversations, facts, instructions, runs, banks with files."""
    english, chinese = marks(user)
    owner = Owner(user=user)
    for number in range(3):
        turns = [Turn(input=f"{english} {n}?", reply=f"{chinese},第{n}次。") for n in range(8)]
        await client.add_turns(user=user, conversation_id=f"c{number}", turns=turns)
        for content in (f"The {english} lives in hall {number}.", f"{chinese}在{number}号楼。"):
            await client.store_fact(user=user, collection=f"work/{number}", content=content)
        bank_id = f"bank-{user.rpartition('-')[2]}.{number}"
        await client.create_bank(bank_id=bank_id, user=user, goal=f"Find {english}")
        await client.memorize(bank_id=bank_id, text=f"{english} was seen at noon.\n\n{chinese}丢了。")
        await client.upload_attachment(f"{english} {chinese}".encode() * 50, bank_id=bank_id)
    large = f"bank-{user.rpartition('-')[2]}.large"
    space = EmbeddingSpace(name="of-the-caller", dimension=2, source=SPACE_SOURCE_CLIENT)
    await client.create_bank(bank_id=large, user=user, embedding_space=space)
    for hundred in range(LARGE):
        nodes = [NewNode(summary=f"{english} {chinese} {hundred}.{n}", embedding=NEAR) for n in range(100)]
        await client.batch_add_nodes(bank_id=large, nodes=nodes)
    await client.put_source(owner=owner, path=PATH, text=f"- {english}\n- {chinese}\n")
    for number in range(3):
        refs = [SourceRef(owner=owner, path=PATH)]
        await client.load_sources(refs=refs, user=user, run_id=f"{english}-{number}")


async def purge(client: MemoryBankClient, user: str) -> None:
    await client.purge_user(user=user, include_banks=True)


async def standing(folder: Path, user: str) -> str:
    """Where the user's purge stands on disk: not begun, under way (amid an aggregate's rows, or not), or over."""
    store = await SqliteStore.open(folder / DATABASE)
    state = await store.load(UserKey(tenant=DEFAULT_TENANT, user=User(user)))
    amid = await store.file.read(
        lambda rows: rows.execute("SELECT 1 FROM aggregates WHERE head = ''").fetchone()
    )
    await store.close()
    if amid:
        return "amid rows"
    if state is None:
        return "over"
    return "under way" if state.record.state is UserState.PURGING else "not begun"


async def until_gone(client: MemoryBankClient, user: str) -> None:
    """Wait until the service has purged the user, whom nobody asks to be purged any more."""
    async with asyncio.timeout(120):
        while True:
            try:
                await client.get_user(user=user)
            except NotFound:
                return
            await asyncio.sleep(0.02)


async def nothing_is_left(folder: Path, user: str) -> None:
    """Neither a row nor, in any file of the folder, a byte of what was said or of the name."""
    store = await SqliteStore.open(folder / DATABASE)
    keys = await store.keys_of_user(DEFAULT_TENANT, user, include_banks=True, limit=10)
    await store.close()
    assert keys == []
    told = [text.encode() for text in (*marks(user), user, encoded(user))]
    assert files_with(folder, told) == []


def files_with(folder: Path, told: list[bytes]) -> list[tuple[str, str]]:
    """The files that hold one of the texts, and which."""
    found = []
    for file in (path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        found += [(str(file.relative_to(folder)), text.decode()) for text in told if text in content]
    return found


async def memory_of(client: MemoryBankClient, user: str) -> list[object]:
    """All that was said of a user, as callers see it."""
    banks = sorted(bank.bank_id for bank in (await client.list_banks(user=user)).banks)
    return [
        [
            [
                (turn.input, turn.reply)
                for turn in (await client.list_turns(user=user, conversation_id=c)).turns
            ]
            for c in ("c0", "c1", "c2")
        ],
        [
            sorted(r.content for r in (await client.list_records(user=user, collection=f"work/{n}")).records)
            for n in range(3)
        ],
        (await client.get_source(owner=Owner(user=user), path=PATH)).source.text,
        [sorted(n.summary for n in (await client.list_nodes(bank_id=bank)).nodes) for bank in banks],
        [len((await client.list_interactions(bank_id=bank)).interactions) for bank in banks],
    ]


@pytest.mark.slow
async def test_a_purge_killed_at_random_moments_is_finished_by_the_next_process(tmp_path: Path) -> None:
    chance, outcomes, amid = random.Random(16), Counter[str](), 0
    theirs, whole = list[object](), 0.0
    for number in range(1, KILLS + MORE + 1):
        user = f"林晚晴-{number}"
        async with modelless_process(tmp_path, QUICK) as server, server.client(retries=False) as client:
            if not theirs:
                await remember(client, NEIGHBOUR)
                theirs = await memory_of(client, NEIGHBOUR)
                await remember(client, "林晚晴-0")
                start = time.perf_counter()
                await purge(client, "林晚晴-0")
                whole = time.perf_counter() - start
            await remember(client, user)
            purging = asyncio.create_task(purge(client, user))
            moment = chance.uniform(0.0, whole)
            await asyncio.sleep(moment)  # the moment of the kill is the point
            await server.kill()
            await asyncio.gather(purging, return_exceptions=True)
            assert purging.exception() is None or isinstance(purging.exception(), Unavailable)
        outcome = await standing(tmp_path, user)
        outcomes[outcome] += 1
        amid = outcomes["under way"] + outcomes["amid rows"]
        if outcome == "over":
            whole = moment  # the purge that was measured was slower than they are

        async with modelless_process(tmp_path, QUICK) as server, server.client() as client:
            if outcome == "not begun":
                await purge(client, user)
            await until_gone(client, user)
            assert await memory_of(client, NEIGHBOUR) == theirs
            await server.stop()
        await nothing_is_left(tmp_path, user)
        if amid and number >= KILLS:
            break

    assert amid
    print(f"{number} kills within {whole * 1_000:.0f} ms of a purge: {dict(outcomes)}; no byte left")
