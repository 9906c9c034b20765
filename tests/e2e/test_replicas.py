"""Two server processes over one PostgreSQL database: kills, one that falls asleep, a store away, a slow model."""

import asyncio
import itertools
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from memorybank_client import MemoryBankClient, MemoryBankError, Unavailable
from tests.support.chat_endpoint import ChatEndpoint, serving
from tests.support.chat_rule import sensible
from tests.support.postgres import cluster, empty_database
from tests.support.process import CLIENT_SPACE, Server, modelless_process, vector
from tests.support.relay import Relay, relayed
from tests.support.scale import scaled

SMALL = scaled(1) == 1
KILLS = 1 if SMALL else 30
NAPS = 1 if SMALL else 20
NAP_SECONDS = 0.5 if SMALL else 15.0
AWAY_SECONDS = 0.5 if SMALL else 30.0
RESUME_SECONDS = 1.0  # untouched for so long, work is taken up by the other process
MODEL_SECONDS = 2.5  # that its first answer takes
MEMORY = "The launch moved to 14 March: the payment tests had failed. 上线日期推迟到三月十四日。"

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


class Replicas:
    """Two servers, each with a relay of its own before the one database. One that was killed is started again."""

    def __init__(
        self, folder: Path, relays: list[Relay], model: ChatEndpoint, closing: AsyncExitStack
    ) -> None:
        self.relays, self.model = relays, model
        self._folder, self._closing = folder, closing
        self._database = empty_database()
        self._running: dict[int, Server] = {}

    async def server(self, number: int) -> Server:
        known = self._running.get(number)
        if known is not None and known.process.returncode is None:
            return known
        starting = modelless_process(self._folder / str(number), self._settings(self.relays[number]))
        self._running[number] = await self._closing.enter_async_context(starting)
        return self._running[number]

    async def both(self) -> tuple[Server, Server]:
        one, other = await asyncio.gather(self.server(0), self.server(1))
        return one, other

    def logs(self) -> str:
        return "".join((self._folder / name / "log").read_text() for name in ("0", "1"))

    def _settings(self, relay: Relay) -> dict[str, str]:
        database = cluster().over_tcp(self._database, relay.port)
        return {
            "store.url": database.url,
            "store.password": database.password,
            "store.timeout_seconds": "3",
            "banks.resume_after_seconds": str(RESUME_SECONDS),
            "banks.upkeep_seconds": "0.2",
            "llm.base_url": self.model.url,
            "llm.api_key": "any",
            "llm.model": "any",
        }


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def replicas(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Replicas]:
    async with AsyncExitStack() as closing:
        relays = [await closing.enter_async_context(relayed(cluster().port)) for _ in range(2)]
        model = closing.enter_context(serving(sensible))
        yield Replicas(tmp_path_factory.mktemp("replicas"), relays, model, closing)


async def revisions_of(client: MemoryBankClient, bank_id: str, least: int) -> dict[str, int]:
    found: dict[str, int] = {}
    token = ""
    while True:
        page = await client.list_nodes(bank_id=bank_id, min_revision=least, page_size=500, page_token=token)
        found |= {node.node_id: node.revision for node in page.nodes}
        if not (token := page.next_page_token):
            return found


async def test_a_process_that_slept_while_others_wrote_its_bank_writes_on_top_of_them(
    replicas: Replicas,
) -> None:
    sleeper, other = await replicas.both()
    async with sleeper.client() as slept, other.client() as awake:

        async def add(client: MemoryBankClient, node_id: str) -> int:
            added = await client.add_node(bank_id="nap", node_id=node_id, summary="a", embedding=vector(1))
            return added.revision

        await slept.create_bank(bank_id="nap", embedding_space=CLIENT_SPACE)
        for nap in range(NAPS):
            before = await add(slept, f"a{nap}")
            sleeper.process.send_signal(signal.SIGSTOP)
            meanwhile = await add(awake, f"b{nap}")
            late = asyncio.create_task(add(slept, f"c{nap}"))
            await asyncio.sleep(NAP_SECONDS)  # the nap is the point
            sleeper.process.send_signal(signal.SIGCONT)

            assert (meanwhile, await late) == (before + 1, before + 2)

        for client in (slept, awake):
            found = await revisions_of(client, "nap", 3 * NAPS + 1)
            assert sorted(found.values()) == list(range(2, 3 * NAPS + 2))
    print(f"{NAPS} naps of {NAP_SECONDS:.0f} s, no stale commit")


async def test_what_one_process_has_its_model_work_on_the_other_leaves_to_it(replicas: Replicas) -> None:
    one, other = await replicas.both()
    async with one.client() as client, other.client() as witness:
        paid = []
        for bank_id, seconds in (("quick", 0.0), ("slow", MODEL_SECONDS)):
            replicas.model.requests.clear()
            replicas.model.rule = after(seconds)
            await client.create_bank(bank_id=bank_id, goal="When is the launch?")

            told = await client.memorize(bank_id=bank_id, text=MEMORY)

            paid.append(len(replicas.model.requests))
            nodes = (await witness.list_nodes(bank_id=bank_id, min_revision=told.revision)).nodes
            assert [node.node_id for node in nodes] == list(told.node_ids)
        assert paid[0] == paid[1] > 0
    print(f"{paid[1]} requests to a slow model, as many as to a quick one")


def after(seconds: float) -> Callable[[Mapping[str, Any]], str]:
    """The rule of a model whose first answer takes so long."""
    waits = iter([seconds])

    def rule(body: Mapping[str, Any]) -> str:
        time.sleep(next(waits, 0.0))  # in a thread of the endpoint's own
        return sensible(body)

    return rule


async def test_a_store_that_is_away_is_told_and_back_within_seconds(replicas: Replicas) -> None:
    server, _ = await replicas.both()
    relay = replicas.relays[0]
    async with server.client(retries=False) as client:
        client = client.within(15)
        await client.create_bank(bank_id="away", embedding_space=CLIENT_SPACE)
        relay.down()
        told = 0
        until = time.monotonic() + AWAY_SECONDS
        while told == 0 or time.monotonic() < until:
            with pytest.raises(Unavailable) as away:
                await client.add_node(bank_id="away", summary="a", embedding=vector(1))
            assert away.value.retry_after
            told += 1
        relay.is_down = False

        back = time.monotonic()
        await client.add_node(bank_id="away", node_id="back", summary="a", embedding=vector(1))
        seconds = time.monotonic() - back

        assert (await revisions_of(client, "away", 1)).keys() == {"back"}
    assert cluster().over_tcp(empty_database()).password not in replicas.logs()
    print(f"{told} calls told that the store was away; back after {seconds:.2f} s")


async def test_what_was_acknowledged_before_a_process_was_killed_is_there_once(replicas: Replicas) -> None:
    acknowledged = dict[str, int]()
    at_work, numbers = True, itertools.count()

    async def write(client: MemoryBankClient) -> None:
        while at_work:
            acknowledged.update([await added(client, f"n{next(numbers)}")])

    async def write_until_killed(client: MemoryBankClient) -> None:
        while True:
            try:
                acknowledged.update([await added(client.within(2), f"n{next(numbers)}")])
            except MemoryBankError:
                return

    _, other = await replicas.both()
    async with other.client() as steady:
        await steady.create_bank(bank_id="kills", embedding_space=CLIENT_SPACE)
        writing = asyncio.create_task(write(steady))
        for _ in range(KILLS):
            victim = await replicas.server(0)
            async with victim.client() as client:
                at_victim = [asyncio.create_task(write_until_killed(client)) for _ in range(2)]
                await asyncio.sleep(0.5)  # the kill comes in the midst of writes
                await victim.kill()
                await asyncio.gather(*at_victim)
        at_work = False
        await writing

        found = await revisions_of(steady, "kills", max(acknowledged.values()))
        assert acknowledged.items() <= found.items()
        changes = sorted(found.values())
        assert changes == list(range(2, len(changes) + 2)), "a revision was given twice, or to nothing"
    print(
        f"{KILLS} kills, {len(acknowledged)} acknowledged writes, {len(found)} stored: none lost, none doubled"
    )


async def added(client: MemoryBankClient, node_id: str) -> tuple[str, int]:
    answer = await client.add_node(bank_id="kills", node_id=node_id, summary=node_id, embedding=vector(2))
    return node_id, answer.revision
