"""A replica of an earlier commit beside one of this, on one PostgreSQL: as in an upgrade, replica by replica.

The schema is this commit's: it is migrated first, and a version runs on its own schema and on the next. The earlier
one is the wheel that `make upgrade-wheel` builds from the repository's history.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from core.model.access import EVERY_SCOPE
from memorybank.v1.types_pb2 import Bank, Node
from memorybank_client import MemoryBankClient, MemoryBankError
from service.adapters.store.postgres_store import PostgresStore
from service.assembly.minting import credentials_of
from tests.e2e.test_killed import NOTES, QUICK
from tests.e2e.test_reworded_killed import TOLD, stale, standing
from tests.mesh.fleet import nodes_of
from tests.support.api_keys import key_for
from tests.support.postgres import empty_database
from tests.support.process import (
    CHECKOUT,
    CLIENT_SPACE,
    forked_process,
    server_process,
    vector,
)
from tests.support.scale import scaled
from tests.support.server import settings_for

EARLIER = next(iter(sorted(CHECKOUT.glob("build/upgrade/*/installed"))), None)
SECONDS = scaled(30)  # of writes: in soak five minutes
BANKS = 3
PAUSE = 0.05  # seconds between two nodes of a writer
TEXT = "The ferry to Naxos leaves at nine, says sheet {}. 渡轮九点出发。"

Told = dict[str, dict[str, int]]
"""Of each bank the nodes that were acknowledged, and the revision at which each last changed."""

pytestmark = pytest.mark.skipif(
    scaled(1) == 1 or EARLIER is None, reason="in soak, once `make upgrade-wheel` has built the earlier one"
)


@asynccontextmanager
async def earlier_process(folder: Path, settings: dict[str, str]) -> AsyncIterator[str]:
    """The address of the earlier program, over a folder of its own."""
    assert EARLIER is not None
    given = {f"MEMORYBANK_{name.replace('.', '__').upper()}": value for name, value in settings.items()}
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service", "serve", "--listen", "127.0.0.1:0", "--data", str(folder)),
            cwd=EARLIER,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(EARLIER), **given},
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
    try:
        assert process.stdout is not None
        said = (await process.stdout.readline()).decode()
        assert said.startswith("listening on "), (folder / "log").read_text()
        yield said.removeprefix("listening on ").strip()
    finally:
        process.kill()
        await process.communicate()


class Writer:
    """Adds nodes with their records, and labels what the other replica added, as long as it is told to."""

    def __init__(self, name: str, client: MemoryBankClient, told: Told, kinds: Counter[str]) -> None:
        self.name, self._client, self._told, self._kinds = name, client, told, kinds
        self.written = 0

    async def write(self, bank: str, until: float) -> None:
        now, told = asyncio.get_running_loop().time, self._told[bank]
        while now() < until:
            name = f"{self.name}-{self.written}"
            self.written += 1
            add = {"summary": name, "verbatim": TEXT.format(name), "embedding": vector(1)}
            if added := await self._done("add_node", bank_id=bank, node_id=name, request_id=name, **add):
                told[name] = added.revision
            if other := next((each for each in told if not each.startswith(self.name)), ""):
                node = Node(node_id=other, labels={"seen": self.name})
                labels = FieldMask(paths=["labels"])
                if done := await self._done("update_node", bank_id=bank, node=node, update_mask=labels):
                    told[other] = done.revision
            await asyncio.sleep(PAUSE)

    async def _done(self, verb: str, **fields: Any) -> Any:
        try:
            return await getattr(self._client, verb)(**fields)
        except MemoryBankError as refusal:
            self._kinds[f"{verb}: {refusal}"] += 1
            return None


async def test_an_earlier_replica_and_this_one_write_the_same_banks_and_each_reads_what_both_wrote(
    tmp_path: Path,
) -> None:
    server = empty_database()
    settings = {"store.url": server.url, "auth.required": "true"}
    told: Told = {f"b{number}": {} for number in range(BANKS)}
    kinds: Counter[str] = Counter()
    async with AsyncExitStack() as closing:
        enter = closing.enter_async_context
        credentials = await enter(credentials_of(settings_for(tmp_path, store={"url": server.url})))
        keys = {
            name: (await key_for(credentials, scopes=EVERY_SCOPE, subject=name))[1] for name in ("old", "new")
        }
        (tmp_path / "old").mkdir()
        addresses = {
            "old": await enter(earlier_process(tmp_path / "old", settings)),
            "new": (await enter(server_process(tmp_path / "new", settings))).address,
        }
        clients = {
            name: (
                await enter(MemoryBankClient(address, metadata=[("authorization", f"Bearer {keys[name]}")]))
            ).within(180)
            for name, address in addresses.items()
        }
        for bank in told:
            await clients["new"].create_bank(bank_id=bank, embedding_space=CLIENT_SPACE)
        writers = [Writer(name, client, told, kinds) for name, client in clients.items()]
        until = asyncio.get_running_loop().time() + SECONDS
        await asyncio.gather(*(writer.write(bank, until) for writer in writers for bank in told))

        (tmp_path / "late").mkdir()
        late = await enter(
            earlier_process(tmp_path / "late", settings)
        )  # it loads what both wrote, row by row
        bearer = [("authorization", f"Bearer {keys['old']}")]
        clients["late"] = (await enter(MemoryBankClient(late, metadata=bearer))).within(180)
        for client in clients.values():
            for bank, nodes in told.items():
                found = await nodes_of(client, bank, max(nodes.values()))
                assert nodes.keys() <= found.keys(), "an acknowledged write is lost"

    print(f"{[(each.name, each.written) for each in writers]} nodes in {SECONDS} s; refused: {dict(kinds)}")
    assert not kinds, kinds
    assert min(writer.written for writer in writers) > 0


async def test_vectors_that_this_one_owes_are_made_though_the_earlier_one_writes_the_banks_record(
    tmp_path: Path,
) -> None:
    database = empty_database()
    settings = {"store.url": database.url, "judging.model": "none"} | QUICK
    store = await PostgresStore.open(database)
    async with AsyncExitStack() as closing:
        owing = await closing.enter_async_context(
            forked_process("tests.support.unreworded_server", tmp_path / "new", settings)
        )
        client = await closing.enter_async_context(owing.client())
        await client.create_bank(bank_id=NOTES)
        for text in TOLD:
            await client.memorize(bank_id=NOTES, text=text)
        await owing.kill()
    waiting = (await standing(store)).record.unembedded
    assert waiting

    (tmp_path / "old").mkdir()
    async with (
        earlier_process(tmp_path / "old", {"store.url": database.url}) as address,
        MemoryBankClient(address) as client,
    ):
        labelled = Bank(labels={"seen": "old"})
        paths = FieldMask(paths=["labels"])
        await client.within(180).update_bank(bank_id=NOTES, bank=labelled, update_mask=paths)
    record = (await standing(store)).record
    assert (record.labels, record.unembedded, record.due_time) == ({"seen": "old"}, {}, None)

    async with (
        forked_process("tests.support.hashing_server", tmp_path / "new", settings) as able,
        able.client() as client,
    ):
        await client.list_nodes(bank_id=NOTES)  # loads it
        while True:
            if not stale(await standing(store)):
                break
            await asyncio.sleep(0.1)
    await store.close()
