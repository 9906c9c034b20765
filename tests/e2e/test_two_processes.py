"""Two server processes over one SQLite file, and over one PostgreSQL database: every write is seen by the next read,
none is lost, nobody starves.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1.long_term_pb2 import User
from memorybank.v1.types_pb2 import CONFLICT_STATUS_OPEN, NODE_STATE_CONTESTED
from memorybank_client import FailedPrecondition, MemoryBankClient, NotFound
from tests.support.postgres import empty_database
from tests.support.process import CLIENT_SPACE, modelless_process, vector
from tests.support.scale import scaled

READS = 100 if scaled(1) == 1 else 10_000
WRITERS = 8
SECONDS = scaled(1) * 3.0
LEAST_EACH, LEAST_SHARE = 2, 0.0 if scaled(1) == 1 else 0.05
"""Of all commits, a writer's: in three seconds one process may have had the processors."""
RACES = scaled(4)
CHANGES = 8 if scaled(1) == 1 else 100

Clients = tuple[MemoryBankClient, MemoryBankClient]

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(loop_scope="module", scope="module", params=["sqlite", "postgres"])
async def clients(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Clients]:
    """Of two processes; they carry nothing from one call to the next: what is fresh must be asked for."""
    folder = tmp_path_factory.mktemp(request.param)
    of_postgres = request.param == "postgres"
    settings = {"store.url": empty_database().url} if of_postgres else {}
    folders = [folder / name if of_postgres else folder for name in ("1", "2")]
    async with AsyncExitStack() as closing:
        starting = [closing.enter_async_context(modelless_process(each, settings)) for each in folders]
        opening = [
            MemoryBankClient(server.address, read_your_writes=False).within(180)
            for server in await asyncio.gather(*starting)
        ]
        one, other = [await closing.enter_async_context(client) for client in opening]
        yield one, other


async def come_and_go(clients: Clients, stop: asyncio.Event) -> int:
    """Banks of the same few ids are made, written, read and purged through either process; how many.

    Each life is of another length, so that a revision of one is often a revision of the one before too.
    """
    chance, lives = random.Random(3), 0
    while not stop.is_set():
        bank_id, marked = f"passing-{lives % 3}", f"life-{lives}"
        await chance.choice(clients).create_bank(bank_id=bank_id, embedding_space=CLIENT_SPACE)
        for number in range(chance.randint(1, 5)):
            writer = chance.choice(clients)
            added = await writer.add_node(
                bank_id=bank_id, node_id=f"n{number}", summary=marked, embedding=vector(lives)
            )
            reader = chance.choice(clients)
            found = await reader.search(bank_id=bank_id, text="life", min_revision=added.revision)
            assert [hit.node.summary for hit in found.hits] == [marked] * (number + 1), "another life's nodes"
        purged = await chance.choice(clients).delete_bank(bank_id=bank_id)
        for client in clients:
            with pytest.raises(NotFound):
                await client.get_node(bank_id=bank_id, node_id="n0", min_revision=purged.revision)
        lives += 1
    return lives


async def test_a_read_after_a_write_is_never_stale_through_either_process(clients: Clients) -> None:
    reads, chance, stop = READS, random.Random(5), asyncio.Event()
    milliseconds: list[float] = []
    await clients[0].create_bank(bank_id="reads", embedding_space=CLIENT_SPACE)
    passing = asyncio.create_task(come_and_go(clients, stop))
    for turn in range(reads):
        writer, reader = clients[turn % 2], clients[chance.random() < 0.75 and 1 - turn % 2]
        node_id, word = f"n{turn % 100}", f"word{turn}"
        if turn >= 100:
            await writer.delete_node(bank_id="reads", node_id=node_id)
        added = await writer.add_node(
            bank_id="reads", node_id=node_id, summary=word, keywords=[word], embedding=vector(turn)
        )
        start = time.perf_counter()
        found = await reader.search(bank_id="reads", text=word, top_k=1, min_revision=added.revision)
        milliseconds.append(1_000 * (time.perf_counter() - start))
        assert [hit.node.summary for hit in found.hits] == [word], f"stale at turn {turn}"
    stop.set()
    lives = await passing
    milliseconds.sort()
    print(
        f"{reads} reads after writes, none stale, {lives} other banks come and gone; "
        f"p50 {milliseconds[reads // 2]:.1f} ms, p99 {milliseconds[reads * 99 // 100]:.1f} ms"
    )


async def test_eight_writers_through_two_processes_lose_nothing_and_none_of_them_starves(
    clients: Clients,
) -> None:
    made = await clients[0].create_bank(bank_id="writers", embedding_space=CLIENT_SPACE)
    end = time.perf_counter() + SECONDS
    revisions: dict[str, int] = {}

    async def write(writer: int) -> None:
        client, number = clients[writer % 2], 0
        while time.perf_counter() < end:
            node_id = f"w{writer}-{number}"
            added = await client.add_node(
                bank_id="writers", node_id=node_id, summary=node_id, embedding=vector(number)
            )
            assert revisions.setdefault(node_id, added.revision) == added.revision
            number += 1

    await asyncio.gather(*(write(writer) for writer in range(WRITERS)))

    last = max(revisions.values())
    assert sorted(revisions.values()) == list(range(made.revision + 1, last + 1)), (
        "a revision was given twice, or to nobody"
    )
    for client in clients:
        assert await node_ids(client, last) == set(revisions)
    shares = Counter(node_id.partition("-")[0] for node_id in revisions)
    print(f"{len(revisions)} commits in {SECONDS:.0f} s, by writer {dict(sorted(shares.items()))}")
    assert len(shares) == WRITERS
    assert min(shares.values()) >= max(LEAST_EACH, LEAST_SHARE * len(revisions))


async def node_ids(client: MemoryBankClient, revision: int) -> set[str]:
    """All nodes, page by page."""
    found: set[str] = set()
    token = ""
    while True:
        page = await client.list_nodes(
            bank_id="writers", min_revision=revision, page_size=500, page_token=token
        )
        assert found.isdisjoint(node.node_id for node in page.nodes)
        found |= {node.node_id for node in page.nodes}
        token = page.next_page_token
        if not token:
            return found


async def test_no_write_is_refused_for_what_the_other_process_has_purged_or_changed(clients: Clients) -> None:
    mask, user = FieldMask(paths=["enabled"]), "ada"
    for turn in range(CHANGES):
        one, other = clients if turn % 2 else clients[::-1]
        for client in (one, other):
            await client.create_bank(bank_id="purged", embedding_space=CLIENT_SPACE, allow_existing=True)
        await other.add_node(bank_id="purged", node_id="n", summary=f"{turn}", embedding=vector(turn))
        await other.store_fact(user=user, collection="facts", content=f"第 {turn} 条")
        await one.delete_bank(bank_id="purged")
        await one.create_bank(bank_id="purged", embedding_space=CLIENT_SPACE)
        await other.add_node(bank_id="purged", node_id="n", summary=f"{turn}", embedding=vector(turn))

        for enabled in (False, True):
            await one.update_user(user=User(user=user, enabled=enabled), update_mask=mask)
            if enabled:
                await other.store_fact(user=user, collection="facts", content=f"fact {turn}")
            else:
                with pytest.raises(FailedPrecondition):
                    await other.store_fact(user=user, collection="facts", content=f"fact {turn}")
        await one.delete_bank(bank_id="purged")
        await one.purge_user(user=user)


PAIRS = [
    ("公司的CEO是张三。", "公司的CEO是李四。"),
    ("The CEO of the company is Anna Berg.", "The CEO of the company is Karl Brandt."),
    ("The bridge was opened in 1931.", "The bridge was opened in 1937."),
    ("大桥的长度是320米。", "大桥的长度是450米。"),
]


async def test_two_contradictory_memories_that_race_are_always_found_in_conflict(clients: Clients) -> None:
    for race in range(RACES):
        bank_id, sides = f"race-{race}", PAIRS[race % len(PAIRS)]
        order = clients if (race + race // len(PAIRS)) % 2 == 0 else clients[::-1]
        await clients[0].create_bank(bank_id=bank_id)

        told = await asyncio.gather(
            *(client.memorize(bank_id=bank_id, text=text) for client, text in zip(order, sides, strict=True))
        )

        revision = max(answer.revision for answer in told)
        for client in clients:
            listed = await client.list_conflicts(bank_id=bank_id, min_revision=revision)
            (conflict,) = listed.conflicts
            assert conflict.status == CONFLICT_STATUS_OPEN
            assert {side.node_id for side in conflict.sides} == {
                n for answer in told for n in answer.node_ids
            }
            nodes = (await client.list_nodes(bank_id=bank_id, min_revision=revision)).nodes
            assert [node.state for node in nodes] == [NODE_STATE_CONTESTED] * 2
        first = sum(bool(answer.conflict_ids) for answer in told)
        assert first == 1, "who comes second finds the conflict"
    print(f"{RACES} races of two processes, every one found in conflict")
