"""A server that stops and starts again under load: by the shipped service config no call fails, and nothing is done
twice.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memorybank_client import MemoryBankClient
from tests.support.process import CLIENT_SPACE, free_port, modelless_process, vector
from tests.support.scale import scaled

BANK, CALLERS, RESTARTS = "steady", 8, scaled(1)
BETWEEN = 50  # calls of each sort between two restarts, at least


@dataclass(slots=True, kw_only=True)
class Load:
    """Callers that write and read, one call after another; a call that fails ends its caller."""

    clients: Sequence[MemoryBankClient]
    revisions: dict[str, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    is_over: bool = False
    callers: list[asyncio.Task[None]] = field(default_factory=list)

    def begin(self) -> None:
        self.callers = [asyncio.create_task(self._call(caller)) for caller in range(CALLERS)]

    async def end(self) -> None:
        self.is_over = True
        await asyncio.gather(*self.callers)

    async def went_on(self) -> None:
        """Wait until calls have come through since this was asked."""
        enough = len(self.revisions) + BETWEEN
        while len(self.revisions) < enough:
            for caller in self.callers:
                if caller.done():
                    await caller
            await asyncio.sleep(0.05)

    async def _call(self, caller: int) -> None:
        client, number = self.clients[caller % len(self.clients)], 0
        while not self.is_over:
            node_id, start = f"c{caller}-{number}", time.perf_counter()
            added = await client.add_node(bank_id=BANK, node_id=node_id, summary=node_id, embedding=vector(1))
            found = await client.get_node(bank_id=BANK, node_id=node_id)
            assert found.node.revision == added.revision
            self.seconds.append(time.perf_counter() - start)
            self.revisions[node_id] = added.revision
            number += 1
            await asyncio.sleep(0.01)  # leaves a process that starts its share of the machine


@pytest.mark.slow
async def test_a_restart_under_load_fails_no_call_and_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    async with AsyncExitStack() as closing:
        clients = [await closing.enter_async_context(MemoryBankClient(address).within(60)) for _ in range(2)]
        load = Load(clients=clients)
        for restart in range(RESTARTS + 1):
            async with modelless_process(tmp_path, listen=address) as server:
                if not restart:
                    await clients[0].create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
                    load.begin()
                await load.went_on()
                if restart == RESTARTS:
                    await load.end()
                    counts = (await clients[0].get_bank(bank_id=BANK)).counts
                assert await server.stop() == 0

    assert sorted(load.revisions.values()) == list(range(2, len(load.revisions) + 2))
    assert counts.nodes == len(load.revisions)
    print(
        f"{RESTARTS} restarts, {CALLERS} callers, {2 * len(load.revisions)} calls: 0 failed, 0 lost, 0 doubled; "
        f"the longest write and read took {max(load.seconds):.1f} s"
    )
