"""Nodes that are reworded are embedded once, in their last words, when their bank rests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from core.agents.roles import Agents, Cluster, Piece, RelatedOpinion, Topic
from core.bank.bank import Bank
from core.bank.due import EMBED
from core.bank.steps import BankPut, NodePut
from core.errors import EmbedderUnavailable
from core.ids import NodeId
from core.model.node import Node
from core.model.vector import Vector
from core.ports.aggregates import Draft
from core.usecases.bank.exchange.export_bank import ExportBank, export_bank
from core.usecases.bank.record import Context, Message
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.reworded import embed_noted
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import KEY, START, CountingIds, TickingClock, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents

LAST = "corn is ground at the mill"  # the last topic: related to none
TOLD = ("the pier is long", "a pier of oak", "the pier was mended", LAST)


class Watched(HashingEmbedder):
    """Remembers what it embedded; is away when asked for a text that a relation has reworded, if told so."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []
        self.is_away = False

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.is_away and any("beside" in text for text in texts):
            raise EmbedderUnavailable("away")
        self.embedded += texts
        return await super().embed_passages(texts)


def a_piece_a_topic(pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
    return [Cluster(pieces=(p.number,), context=p.text, keywords=("told",)) for p in pieces]


def beside(new: Topic, candidates: Sequence[Topic]) -> list[RelatedOpinion]:
    """Whatever speaks of the pier is related, and named in the other's context."""
    return [
        RelatedOpinion(
            existing=old.node_id,
            confidence=0.8,
            reasoning="the pier",
            context_new=f"{new.context}, beside: {old.summary}",
            context_existing=f"{old.context}, beside: {new.summary}",
            keywords_new=("pier",),
            keywords_existing=("pier",),
        )
        for old in candidates
        if "pier" in old.summary and "pier" in new.summary
    ]


def roles() -> Agents:
    agents = ScriptedAgents()
    agents.clusterer.clusters.otherwise = a_piece_a_topic
    agents.judge.second.otherwise = beside
    return agents.roles


async def tell(house: House, *texts: str) -> None:
    messages = tuple(Message(text=text) for text in texts)
    await memorize(house, Memorize(key=KEY, context=Context(messages=messages)))


def nodes_by_summary(bank: Bank) -> dict[str, NodeId]:
    return {node.summary: node_id for node_id, node in bank.nodes.items()}


def vector_of(bank: Bank, node_id: NodeId) -> Vector:
    vector = bank.node_vectors.get(node_id)
    assert vector is not None
    return vector


def stale(bank: Bank, embedder: HashingEmbedder) -> list[str]:
    """The nodes in other words than those their vectors are made of."""
    reworded = [node for node in bank.nodes.values() if node.context != node.base_context]
    return [
        node.summary
        for node in reworded
        if not np.array_equal(vector_of(bank, node.node_id), embedder.vector(embedding_text(node)))
    ]


async def test_a_node_that_three_topics_reword_is_embedded_once_more_and_in_its_last_words() -> None:
    embedder, store, ids = Watched(), MemoryStore(), CountingIds()
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        await make_bank(house)

        await tell(house, *TOLD)
        await house.chores.finished(KEY, EMBED.name)

        async with house.banks.reading(KEY) as bank:
            first = bank.nodes[nodes_by_summary(bank)[TOLD[0]]]
            edges = sorted(bank.graph.edges())
            assert "beside: a pier of oak" in first.context
            assert "beside: the pier was mended" in first.context
            assert [t for t in embedder.embedded if t.startswith(f"{TOLD[0]},")] == [embedding_text(first)]
            assert len(edges) == 3
            assert stale(bank, embedder) == []
            assert (bank.record.unembedded, bank.record.due_time) == ({}, None)
    async with open_house(embedder=embedder, store=store, ids=ids) as house, house.banks.reading(KEY) as bank:
        assert sorted(bank.graph.edges()) == edges
        assert stale(bank, embedder) == []


async def test_a_call_waits_for_no_vectors_of_what_it_rewords() -> None:
    embedder = Watched()
    async with open_house(embedder=embedder, agents=roles(), unasked=False) as house:
        await make_bank(house)
        await tell(house, TOLD[0])
        async with house.banks.reading(KEY) as bank:
            before = bank.revision

        await tell(house, TOLD[1])

        async with house.banks.reading(KEY) as bank:
            assert bank.revision == before + 4  # the record, the plan of its topics, the topic, the end
            assert sorted(stale(bank, embedder)) == sorted(TOLD[:2])
            assert all(node_id in bank.node_vectors for node_id in bank.nodes)
        assert {*embedder.embedded} == {*TOLD[:2]}


async def test_embedding_moves_neither_the_words_of_a_node_nor_the_revision_that_callers_know_them_by() -> (
    None
):
    async with open_house(embedder=Watched(), agents=roles(), unasked=False) as house:
        await make_bank(house)
        await tell(house, *TOLD)
        async with house.banks.reading(KEY) as bank:
            before, settings = dict(bank.nodes), bank.record_revision

        await embed_noted(house, KEY)

        async with house.banks.reading(KEY) as bank:
            assert {n: (node.context, node.revision) for n, node in bank.nodes.items()} == {
                n: (node.context, node.revision) for n, node in before.items()
            }
            assert bank.record_revision == settings


async def test_what_a_process_leaves_is_found_as_before_and_another_embeds_it() -> None:
    embedder, store, ids = Watched(), MemoryStore(), CountingIds()
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        await make_bank(house)
        embedder.is_away = True
        await tell(house, *TOLD)
        await house.chores.finished(KEY, EMBED.name)
        async with house.banks.reading(KEY) as bank:
            assert sorted(stale(bank, embedder)) == sorted(TOLD[:3])
            nearest = bank.node_vectors.search(embedder.vector(TOLD[0]), 1)
            assert [bank.nodes[node_id].summary for node_id, _ in nearest] == [TOLD[0]]

    embedder.is_away = False
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        assert isinstance(house.clock, TickingClock)
        house.clock.skip(2 * house.settings.resume_after)
        assert await house.chores.take_up() == 1
        await house.chores.finished(KEY, EMBED.name)

        async with house.banks.reading(KEY) as bank:
            assert stale(bank, embedder) == []
        assert await house.chores.take_up() == 0


async def written_by_an_earlier_program(house: House) -> None:
    """The bank's record, as it is read and written by a program that knows no list of nodes to embed."""

    def stage(bank: Bank, _revision: int) -> Draft[None]:
        known = replace(bank.record, unembedded={}, lists_unembedded=False, due_time=None)
        return Draft(result=None, steps=(BankPut(record=known),))

    await house.banks.commit(KEY, stage)


async def test_a_list_that_an_earlier_program_drops_is_found_again() -> None:
    embedder, store, ids = Watched(), MemoryStore(), CountingIds()
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids, unasked=False) as house:
        await make_bank(house)
        await tell(house, *TOLD)
        async with house.banks.reading(KEY) as bank:
            waiting = bank.record.unembedded
            assert sorted(bank.nodes[n].summary for n in waiting) == sorted(TOLD[:3])

        await written_by_an_earlier_program(house)

        async with house.banks.reading(KEY) as bank:
            assert bank.record.unembedded == waiting
            assert house.banks.overdue(house.clock.now()) == [KEY]
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        assert (
            await house.chores.take_up(house.banks.overdue(house.clock.now())) == 0
        )  # not known before it is loaded
        async with house.banks.reading(KEY) as bank:
            assert bank.record.unembedded == waiting

        assert await house.chores.take_up(house.banks.overdue(house.clock.now())) == 1
        await house.chores.finished(KEY, EMBED.name)

        async with house.banks.reading(KEY) as bank:
            assert stale(bank, embedder) == []
            assert bank.record.lists_unembedded
        await written_by_an_earlier_program(house)
        async with house.banks.reading(KEY) as bank:
            assert (bank.record.unembedded, bank.record.due_time) == ({}, None)  # nothing waits any more


async def test_a_vector_that_a_caller_gives_meanwhile_stands() -> None:
    embedder = Watched()
    async with open_house(embedder=embedder, agents=roles(), unasked=False) as house:
        await make_bank(house)
        await tell(house, *TOLD)
        async with house.banks.reading(KEY) as bank:
            node_id = nodes_by_summary(bank)[TOLD[0]]
        own = embedder.vector("what the caller makes of it")

        await update_node(house, UpdateNode(key=KEY, node_id=node_id, embedding=own))
        await embed_noted(house, KEY)

        async with house.banks.reading(KEY) as bank:
            assert stale(bank, embedder) == [TOLD[0]]
            assert np.allclose(vector_of(bank, node_id), own)


async def test_an_export_has_the_vectors_of_the_last_words() -> None:
    embedder = Watched()
    async with open_house(embedder=embedder, agents=roles(), unasked=False) as house:
        await make_bank(house)
        await tell(house, *TOLD)

        records = [record async for record in export_bank(house, ExportBank(key=KEY))]

        put = {r.node.summary: r for r in records if isinstance(r, NodePut)}
        assert put.keys() == {*TOLD}
        assert all(
            each.vector is not None
            and np.array_equal(each.vector, embedder.vector(embedding_text(each.node)))
            for summary, each in put.items()
            if summary != LAST
        )


@pytest.mark.parametrize(
    ("summary", "context", "keywords", "text"),
    [
        ("A pier.", "A pier. (related to oak)", ("pier", "oak", "1920"), "A pier. (related to oak)\n1920"),
        ("The pier is long.", "The pier", ("PIER",), "The pier is long."),
        ("The pier is long.", "Harbours", ("oak",), "The pier is long.\nHarbours\noak"),
        ("码头很长。", "码头很长。（与橡木有关）", ("橡木", "港口"), "码头很长。（与橡木有关）\n港口"),
    ],
)
def test_what_is_embedded_says_nothing_twice(
    summary: str, context: str, keywords: tuple[str, ...], text: str
) -> None:
    node = Node(
        node_id=NodeId("n-1"),
        summary=summary,
        context=context,
        base_context=context,
        keywords=keywords,
        base_keywords=keywords,
        event_time=START,
        create_time=START,
        update_time=START,
    )

    assert embedding_text(node) == text
