"""A server killed at random moments: what it acknowledged is there, nothing is there in part or twice."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.loading import load as load_bank
from core.bank.state import BankState
from core.bank.steps import BankChange
from core.caller import DEFAULT_TENANT
from core.ids import BankId
from core.keys import BankKey
from core.model.structuring import StructuringState
from memorybank.v1.memory_bank_pb2 import PROGRESS_STAGE_STRUCTURING
from memorybank.v1.query_graph_pb2 import NewNode
from memorybank.v1.types_pb2 import STRUCTURING_STATE_DONE, Node
from memorybank_client import MemoryBankClient, Unavailable
from service.adapters.store.sqlite_store import SqliteStore
from service.assembly.stores import DATABASE
from tests.support.changes import same
from tests.support.process import CLIENT_SPACE, modelless_process, vector
from tests.support.scale import scaled

ROUNDS = 3
GRAPH, NOTES = "graph", "notes"
WRITERS = 8  # seven of nodes, one of memories
LIFE = (0.02, 1.0)  # seconds under load before the kill
QUICK = {"banks.resume_after_seconds": "0.1", "banks.upkeep_seconds": "0.1"}
SLOW = {"banks.resume_after_seconds": "3600"}

Call = Callable[[MemoryBankClient], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One write under a request id of its own. `traces` counts in a store's state what it left there."""

    name: str
    send: Call
    traces: Callable[[BankState], Counter[str]]
    whole: Counter[str]


@dataclass(slots=True)
class Writer:
    """Writes one after another; an unanswered one is sent again, as it was, to the next process."""

    name: str
    acknowledged: list[Write] = field(default_factory=list)
    pending: Write | None = None
    numbers: "count[int]" = field(default_factory=count)

    @property
    def bank_id(self) -> str:
        return NOTES if self.name == "w0" else GRAPH

    def next(self) -> Write:
        name = f"{self.name}-{next(self.numbers)}"
        if self.bank_id == NOTES:
            return memory(name)
        if len(self.acknowledged) % 3 == 2:
            return rewording(name, self.acknowledged[-1].name)
        return batch(name)

    async def write(self, client: MemoryBankClient) -> None:
        """Until the server is gone."""
        while True:
            self.pending = self.pending or self.next()
            try:
                await self.pending.send(client)
            except Unavailable:
                return
            self.acknowledged.append(self.pending)
            self.pending = None


def batch(name: str) -> Write:
    """Three nodes, a chain of two edges, an interaction: one change. The third node's id is the service's."""
    first, second = f"{name}-a", f"{name}-b"
    labels = {"write": name}

    async def send(client: MemoryBankClient) -> None:
        nodes = [
            NewNode(node_id=first, verbatim=f"{name} 说:\n\n原话。"),
            NewNode(node_id=second, related_node_ids=[first]),
            NewNode(related_node_ids=[second]),
        ]
        same = NewNode(
            summary=f"{name} 写的", keywords=["关键词", name], embedding=vector(len(name)), labels=labels
        )
        for node in nodes:
            node.MergeFrom(same)
        await client.batch_add_nodes(bank_id=GRAPH, nodes=nodes, request_id=name)

    def traces(state: BankState) -> Counter[str]:
        mine = {put.node.node_id for put in state.nodes if put.node.labels.get("write") == name}
        return Counter(
            nodes=len(mine),
            edges=sum(a in mine and b in mine for a, b in state.edges),
            interactions=sum(i.labels.get("write") == name for i in state.interactions),
        )

    return Write(name=name, send=send, traces=traces, whole=Counter(nodes=3, edges=2, interactions=1))


def rewording(name: str, earlier: str) -> Write:
    """The earlier batch's second node gets another summary."""

    async def send(client: MemoryBankClient) -> None:
        node = Node(node_id=f"{earlier}-b", summary=f"reworded by {name}", embedding=vector(7))
        mask = FieldMask(paths=["summary", "embedding"])
        await client.update_node(bank_id=GRAPH, node=node, update_mask=mask, request_id=name)

    def traces(state: BankState) -> Counter[str]:
        return Counter(reworded=sum(put.node.summary == f"reworded by {name}" for put in state.nodes))

    return Write(name=name, send=send, traces=traces, whole=Counter(reworded=1))


def memory(name: str) -> Write:
    """A short note is remembered by the offline agents, whatever they make of it."""
    number = int(name.rpartition("-")[2])
    text = (
        f"Ticket {name}: machine {number % 7} in hall {number % 3} ran for {number + 11} hours.\n\n"
        f"Its bearing {number % 9} was replaced by {('Anna', 'Ben', 'Chloe', 'David')[number % 4]}."
    )

    async def send(client: MemoryBankClient) -> None:
        answer = await client.memorize(bank_id=NOTES, text=text, labels={"write": name}, request_id=name)
        assert answer.state == STRUCTURING_STATE_DONE

    def traces(state: BankState) -> Counter[str]:
        mine = {i.interaction_id for i in state.interactions if i.labels.get("write") == name}
        return Counter(interactions=len(mine))

    return Write(name=name, send=send, traces=traces, whole=Counter(interactions=1))


def key(bank_id: str) -> BankKey:
    return BankKey(tenant=DEFAULT_TENANT, bank_id=BankId(bank_id))


async def stored(folder: Path, bank_id: str) -> tuple[BankState, list[BankChange]]:
    """The rows of a bank that no server holds, and its whole feed."""
    store = await SqliteStore.open(folder / DATABASE)
    state = await store.load(key(bank_id))
    assert state is not None
    feed: list[BankChange] = []
    while more := await store.changes(key(bank_id), state.head.uid, len(feed), 500):
        feed += more
    await store.close()
    return state, feed


def rows_are_what_the_feed_tells(state: BankState, feed: list[BankChange]) -> None:
    """Replayed, the feed gives the rows; loaded, the rows give themselves. Revisions have no gaps."""
    assert [change.revision for change in feed] == list(range(1, state.head.revision + 1))
    assert [change.parent for change in feed] == [None, *(change.change_id for change in feed[:-1])]
    replayed = Bank.found(feed[0], state.head.uid, Tuning())
    for change in feed[1:]:
        replayed.apply(change)
    replayed.put_vectors("segments", state.segment_vectors or {})  # derived: not in the feed
    assert same(replayed.state(), state)
    assert same(load_bank(state, Tuning()).state(), state)


def memories_are_there_once(state: BankState) -> None:
    """Every segment of what is structured stands in one node; every cluster that is done has its node."""
    nodes = {put.node.node_id: put.node for put in state.nodes}
    summarised = Counter(ref for node in nodes.values() for ref in node.segments)
    assert set(summarised.values()) <= {1}
    absorbed = {node.node_id for merge in state.merges for node in merge.absorbed}
    outcomes = [c.outcome for c in state.clusters if c.outcome is not None]
    assert all(outcome.node_id in nodes or outcome.node_id in absorbed for outcome in outcomes)
    assert len(summarised) == sum(len(c.segments) for c in state.clusters if c.outcome is not None)


async def check(folder: Path, writers: list[Writer]) -> tuple[int, int]:
    """What is stored, against what was acknowledged; how many unanswered writes had landed, and had not."""
    states = {}
    for bank_id in (GRAPH, NOTES):
        states[bank_id], feed = await stored(folder, bank_id)
        rows_are_what_the_feed_tells(states[bank_id], feed)
    memories_are_there_once(states[NOTES])
    landed = lost = 0
    for writer in writers:
        state = states[writer.bank_id]
        for write in writer.acknowledged:
            assert write.traces(state) == write.whole, f"acknowledged, but not there as a whole: {write.name}"
        if writer.pending is not None:
            found = +writer.pending.traces(state)
            assert found in (Counter(), writer.pending.whole), f"there in part: {writer.pending.name}"
            landed, lost = landed + bool(found), lost + (not found)
    return landed, lost


@pytest.mark.slow
async def test_no_acknowledged_write_is_lost_halved_or_doubled_by_kills_at_random_moments(
    tmp_path: Path,
) -> None:
    rounds, chance = scaled(ROUNDS), random.Random(9)
    writers = [Writer(f"w{n}") for n in range(WRITERS)]
    async with modelless_process(tmp_path, SLOW) as server, server.client() as client:
        await client.create_bank(bank_id=GRAPH, embedding_space=CLIENT_SPACE)
        await client.create_bank(bank_id=NOTES)
        await server.stop()

    landed = lost = 0
    for _ in range(rounds):
        async with modelless_process(tmp_path, SLOW) as server, server.client(retries=False) as client:
            writing = [asyncio.create_task(writer.write(client)) for writer in writers]
            await asyncio.sleep(chance.uniform(*LIFE))  # the moment of the kill is the point
            await server.kill()
            await asyncio.gather(*writing)
        outcome = await check(tmp_path, writers)
        landed, lost = landed + outcome[0], lost + outcome[1]

    async with modelless_process(tmp_path, SLOW) as server, server.client() as client:
        for writer in writers:
            assert writer.pending is not None
            await writer.pending.send(client)
            writer.acknowledged.append(writer.pending)
            writer.pending = None
    await check(tmp_path, writers)
    state, _ = await stored(tmp_path, NOTES)
    assert {s.state for s in state.structurings} == {StructuringState.DONE}
    written = [len(writer.acknowledged) for writer in writers]
    print(
        f"{rounds} kills: {sum(written)} writes acknowledged {written}, {landed + lost} unanswered ({landed} landed)"
    )


HALVES = """The refit of hall one began on 3 May 2024 and cost 120,000 euros.
Its roof was replaced by the firm Brandt in June 2024.

# Machines
The press P7 makes 400 parts an hour since its new valve came.
The lathe L2 stands still, as its bearing number 9 is worn.

# 人员
值班经理是王芳,她每周一上午九点检查所有设备。
新来的技师李明负责三号车床,电话是 4021。

# Supplies
Oil of grade 46 is ordered from Nordöl every second week, 200 litres each time.
Gloves are out of stock until 12 August.

# 安全
上个月发生了两起轻微事故,都在二号大厅的装卸区。
消防演习定于九月十五日下午两点举行。
"""


async def killed_half_way(folder: Path) -> None:
    """A process remembers a text of several topics and is killed when it has told of the first one's node."""
    async with modelless_process(folder, SLOW) as server, server.client(retries=False) as client:
        await client.create_bank(bank_id=NOTES)
        async with aclosing(client.memorize_stream(HALVES, bank_id=NOTES, request_id="r1")) as events:
            async for event in events:
                if event.progress.stage == PROGRESS_STAGE_STRUCTURING:
                    break
            await server.kill()
    state, feed = await stored(folder, NOTES)
    rows_are_what_the_feed_tells(state, feed)
    done = [cluster for cluster in state.clusters if cluster.outcome is not None]
    assert 0 < len(done) < len(state.clusters)


async def what_came_of_it(folder: Path) -> list[tuple[str, str, tuple[str, ...]]]:
    """The nodes, without what differs from one run to another; each cluster's outcome is there once."""
    state, feed = await stored(folder, NOTES)
    rows_are_what_the_feed_tells(state, feed)
    memories_are_there_once(state)
    assert len(state.interactions) == 1
    assert {s.state for s in state.structurings} == {StructuringState.DONE}
    return sorted((put.node.summary, put.node.base_context, put.node.base_keywords) for put in state.nodes)


async def untouched(folder: Path) -> list[tuple[str, str, tuple[str, ...]]]:
    """What comes of the same text when nobody is killed."""
    async with modelless_process(folder) as server, server.client() as client:
        await client.create_bank(bank_id=NOTES)
        await client.memorize(bank_id=NOTES, text=HALVES)
        await server.stop()
    return await what_came_of_it(folder)


@pytest.mark.slow
async def test_a_memory_killed_half_way_is_finished_once_by_the_next_process(tmp_path: Path) -> None:
    expected = await untouched(tmp_path / "untouched")

    await killed_half_way(tmp_path / "asked")
    async with modelless_process(tmp_path / "asked", SLOW) as server, server.client() as client:
        events = client.memorize_stream(HALVES, bank_id=NOTES, request_id="r1")
        *_, last = [event async for event in events]
        await server.stop()
    assert (last.result.replayed, last.result.state) == (True, STRUCTURING_STATE_DONE)
    assert await what_came_of_it(tmp_path / "asked") == expected

    await killed_half_way(tmp_path / "unasked")
    async with modelless_process(tmp_path / "unasked", QUICK) as server, server.client() as client:
        await until_done(client)
        await server.stop()
    assert await what_came_of_it(tmp_path / "unasked") == expected
    print(f"{len(expected)} nodes, finished by a repeated request and by the background alone")


async def until_done(client: MemoryBankClient) -> None:
    """Wait until the bank's feed tells that its only interaction is structured; nobody asks for it."""
    async for news in client.watch_bank(bank_id=NOTES, from_revision=0):
        for event in news.events:
            if event.structuring_updated.state == STRUCTURING_STATE_DONE:
                return
