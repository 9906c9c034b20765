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
from memorybank.v1.types_pb2 import WAIT_STORED, Node
from memorybank_client import MemoryBankClient, MemoryBankError
from service.minting import credentials_of
from tests.support.api_keys import key_for
from tests.support.postgres import empty_database
from tests.support.process import CHECKOUT, CLIENT_SPACE, server_process, vector
from tests.support.scale import scaled
from tests.support.server import settings_for

EARLIER = next(iter(sorted(CHECKOUT.glob("build/upgrade/*/installed"))), None)
SECONDS = scaled(30)  # of writes: in soak five minutes
BANKS = 3
SELDOM = 50  # nodes to a record
PAUSE = 0.05  # seconds between two nodes of a writer
TEXT = "The ferry to Naxos leaves at nine, says sheet {}. 渡轮九点出发。"

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
    """Adds nodes and records, and rewords what the other replica added, as long as it is told to."""

    def __init__(
        self, name: str, client: MemoryBankClient, told: dict[str, set[str]], kinds: Counter[str]
    ) -> None:
        self.name, self._client, self._told, self._kinds = name, client, told, kinds
        self.written = 0

    async def write(self, bank: str, until: float) -> None:
        now, number = asyncio.get_running_loop().time, 0
        while now() < until:
            name, number = f"{self.name}-{number}", number + 1
            add = {"node_id": name, "summary": name, "embedding": vector(1), "request_id": name}
            if not await self._done("add_node", bank_id=bank, **add):
                continue
            self._told[bank].add(name)
            self.written += 1
            other = next((each for each in sorted(self._told[bank]) if not each.startswith(self.name)), "")
            if other:
                node = Node(node_id=other, labels={"seen": self.name})
                await self._done(
                    "update_node", bank_id=bank, node=node, update_mask=FieldMask(paths=["labels"])
                )
            if number % SELDOM == 0:  # each is structured in the background, by either
                await self._done("memorize", bank_id=bank, text=TEXT.format(name), wait=WAIT_STORED)
            await asyncio.sleep(PAUSE)

    async def _done(self, verb: str, **fields: Any) -> bool:
        try:
            await getattr(self._client, verb)(**fields)
        except MemoryBankError as refusal:
            self._kinds[type(refusal).__name__] += 1
            return False
        return True


async def test_an_earlier_replica_and_this_one_write_the_same_banks_and_each_reads_what_both_wrote(
    tmp_path: Path,
) -> None:
    server = empty_database()
    settings = {"store.url": server.url, "auth.required": "true"}
    told: dict[str, set[str]] = {f"b{number}": set() for number in range(BANKS)}
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

        for client in clients.values():
            for bank, names in told.items():
                revision = (await client.get_bank(bank_id=bank)).revision
                nodes: dict[str, Node] = {}
                token = ""
                while not nodes or token:
                    page = await client.list_nodes(
                        bank_id=bank, page_size=500, page_token=token, min_revision=revision
                    )
                    nodes |= {node.node_id: node for node in page.nodes}
                    token = page.next_page_token
                assert names <= nodes.keys(), "an acknowledged write is lost"

    print(f"{[(each.name, each.written) for each in writers]} nodes in {SECONDS} s; refused: {dict(kinds)}")
    assert not kinds, kinds
    assert min(writer.written for writer in writers) > 0
