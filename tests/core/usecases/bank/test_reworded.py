"""Nodes that several topics of one text reword are embedded once, in their last words."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from core.agents.roles import Agents, Cluster, Piece, RelatedOpinion, Topic
from core.bank.bank import Bank
from core.errors import EmbedderUnavailable, StructuringFailed
from core.ids import NodeId
from core.model.vector import Vector
from core.usecases.bank.record import Context, Message
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.leftovers import take_up_leftovers
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import KEY, CountingIds, make_bank, open_house, work_done
from tests.support.scripted_agents import ScriptedAgents, ScriptedStructurer

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


def roles(structurer: ScriptedStructurer | None = None) -> Agents:
    agents = ScriptedAgents(structurer=structurer or ScriptedStructurer())
    agents.clusterer.clusters.otherwise = a_piece_a_topic
    agents.judge.second.otherwise = beside
    return agents.roles


async def tell(house: House, *texts: str, told: list[tuple[str, int, int]] | None = None) -> None:
    messages = tuple(Message(text=text) for text in texts)
    heard = [] if told is None else told
    command = Memorize(key=KEY, context=Context(messages=messages))
    await memorize(house, command, lambda *news: heard.append(news))


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
    embedder, store, ids, told = Watched(), MemoryStore(), CountingIds(), list[tuple[str, int, int]]()
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        await make_bank(house)

        await tell(house, *TOLD, told=told)

        async with house.banks.reading(KEY) as bank:
            first = bank.nodes[nodes_by_summary(bank)[TOLD[0]]]
            edges = sorted(bank.graph.edges())
            assert "beside: a pier of oak" in first.context
            assert "beside: the pier was mended" in first.context
            assert [t for t in embedder.embedded if t.startswith(f"{TOLD[0]}\n")] == [embedding_text(first)]
            assert len(edges) == 3
            assert stale(bank, embedder) == []
    assert ("rewording", 3, 3) in told
    async with open_house(embedder=embedder, store=store, ids=ids) as house, house.banks.reading(KEY) as bank:
        assert sorted(bank.graph.edges()) == edges
        assert stale(bank, embedder) == []


async def test_what_the_last_topic_rewords_is_embedded_with_it() -> None:
    embedder = Watched()
    async with open_house(embedder=embedder, agents=roles()) as house:
        await make_bank(house)
        await tell(house, "the pier is long")
        async with house.banks.reading(KEY) as bank:
            before = bank.revision

        await tell(house, "a pier of oak")

        async with house.banks.reading(KEY) as bank:
            assert bank.revision == before + 4  # the record, the plan of its topics, the topic, the end
            assert stale(bank, embedder) == []


async def test_a_process_that_stops_in_between_leaves_nodes_that_are_found_and_another_embeds_them() -> None:
    embedder, store, ids = Watched(), MemoryStore(), CountingIds()
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        await make_bank(house)
        embedder.is_away = True
        with pytest.raises(StructuringFailed):
            await tell(house, *TOLD)
        async with house.banks.reading(KEY) as bank:
            assert sorted(stale(bank, embedder)) == sorted(TOLD[:3])
            assert all(node_id in bank.node_vectors for node_id in bank.nodes)
            nearest = bank.node_vectors.search(embedder.vector(TOLD[0]), 1)
            assert [bank.nodes[node_id].summary for node_id, _ in nearest] == [TOLD[0]]

    embedder.is_away = False
    async with open_house(embedder=embedder, agents=roles(), store=store, ids=ids) as house:
        await take_up_leftovers(house, timedelta(hours=-1))
        await work_done(house)

        async with house.banks.reading(KEY) as bank:
            assert not bank.tree.unfinished()
            assert stale(bank, embedder) == []


class Gated(ScriptedStructurer):
    """Says nothing on the last topic until the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        if LAST in content:
            await self.gate.wait()
        return await super().structure(content, context, keywords)


async def test_a_vector_that_a_caller_gives_meanwhile_stands() -> None:
    embedder, structurer, placed = Watched(), Gated(), asyncio.Event()

    def told(stage: str, done: int, _total: int) -> None:
        if (stage, done) == ("structuring", 3):
            placed.set()

    async with open_house(embedder=embedder, agents=roles(structurer)) as house:
        await make_bank(house)
        messages = tuple(Message(text=text) for text in TOLD)
        telling = asyncio.create_task(
            memorize(house, Memorize(key=KEY, context=Context(messages=messages)), told)
        )
        await placed.wait()
        async with house.banks.reading(KEY) as bank:
            node_id = nodes_by_summary(bank)[TOLD[0]]
        own = embedder.vector("what the caller makes of it")

        await update_node(house, UpdateNode(key=KEY, node_id=node_id, embedding=own))
        structurer.gate.set()
        await telling

        async with house.banks.reading(KEY) as bank:
            assert stale(bank, embedder) == [TOLD[0]]
            assert np.allclose(vector_of(bank, node_id), own)
