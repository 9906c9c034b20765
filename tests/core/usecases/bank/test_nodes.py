"""Nodes as callers word them: added, read, changed, removed."""

import base64
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from core.bank.query import Filter
from core.errors import (
    EmbedderUnavailable,
    EmbeddingRequired,
    EmbeddingSpaceMismatch,
    InteractionNotFound,
    InvalidField,
    LimitReached,
    NodeExists,
    NodeNotFound,
    RequestIdReused,
)
from core.ids import InteractionId, NodeId
from core.model.interaction import InteractionOrigin
from core.model.vector import Vector
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.get_node import GetNode, get_node
from core.usecases.bank.verbs.list_nodes import ListNodes, list_nodes
from core.usecases.house import House
from core.usecases.limits import Limits
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house, request

A, B, C = NodeId("a"), NodeId("b"), NodeId("c")


class Listening(HashingEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.heard += texts
        return await super().embed_passages(texts)


async def add_one(house: House, *nodes: NewNode) -> None:
    await add_nodes(house, AddNodes(key=KEY, nodes=nodes))


async def embedding_of(house: House, node_id: NodeId) -> Vector | None:
    return (await get_node(house, GetNode(key=KEY, node_id=node_id, include_embedding=True))).embedding


# ---- adding ----


async def test_of_a_summary_that_is_data_the_embedder_reads_the_beginning_and_the_words_beside_it() -> None:
    data = base64.b64encode(bytes(range(256)) * 3).decode()
    async with open_house(embedder=(embedder := Listening())) as house:
        await make_bank(house)
        await add_one(
            house, NewNode(node_id=A, summary=data, context="The badge of the ferry", keywords=("badge",))
        )

        shown = await get_node(house, GetNode(key=KEY, node_id=A))

    (text,) = (text for text in embedder.heard if "The badge of the ferry" in text)
    assert shown.node.summary == data
    assert len(text) < 100
    assert data.startswith(text.split("\n")[0])


async def test_an_added_node_is_found_with_its_words_and_their_embedding() -> None:
    async with open_house() as house:
        await make_bank(house)
        new = NewNode(
            node_id=A, summary="张三是首席执行官。", context="公司", keywords=("CEO",), labels={"k": "v"}
        )

        added = await add_nodes(house, AddNodes(key=KEY, nodes=(new,), alone=True))

        (node,) = added.result.nodes
        seen = await get_node(house, GetNode(key=KEY, node_id=A, include_embedding=True))
        assert seen.node == node
        assert (node.summary, node.base_context, node.base_keywords, node.labels, node.revision) == (
            new.summary,
            "公司",
            ("CEO",),
            {"k": "v"},
            2,
        )
        assert seen.embedding is not None
        assert seen.embedding.tobytes() == HashingEmbedder().vector(embedding_text(node)).tobytes()


async def test_nodes_of_a_batch_may_relate_to_one_another_and_to_those_that_are_there() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=C, summary="c"))

        batch = (
            NewNode(node_id=A, summary="a", related_node_ids=(B, C)),
            NewNode(node_id=B, summary="b", related_node_ids=(A,)),
        )
        added = await add_nodes(house, AddNodes(key=KEY, nodes=batch))

        seen = await get_node(house, GetNode(key=KEY, node_id=A))
        assert (added.revision, seen.neighbor_ids) == (3, (B, C))
        assert (await get_bank(house, GetBank(key=KEY))).counts.edges == 2


@pytest.mark.parametrize(
    ("bad", "failure"),
    [
        (NewNode(summary="x", related_node_ids=(NodeId("gone"),)), NodeNotFound),
        (NewNode(summary="x", interaction_ids=(InteractionId("gone"),)), InteractionNotFound),
        (NewNode(node_id=C, summary="x"), NodeExists),
        (NewNode(node_id=A, summary="x"), InvalidField),
        (NewNode(node_id=B, summary="x", related_node_ids=(B,)), InvalidField),
        (NewNode(summary="x", verbatim=" \n"), InvalidField),
        (NewNode(summary="x", embedding=np.ones(3, np.float32)), EmbeddingSpaceMismatch),
    ],
)
async def test_a_batch_with_one_bad_node_adds_none(bad: NewNode, failure: type[Exception]) -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=C, summary="c"))

        with pytest.raises(failure):
            await add_one(house, NewNode(node_id=A, summary="a"), bad)

        assert (await get_bank(house, GetBank(key=KEY))).revision == 2


async def test_fields_of_a_batch_are_named_with_their_place() -> None:
    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)
        nodes = (NewNode(summary="a", embedding=np.ones(4, np.float32)), NewNode(summary="b"))

        with pytest.raises(EmbeddingRequired) as refused:
            await add_nodes(house, AddNodes(key=KEY, nodes=nodes))

        assert refused.value.field == "nodes[1].embedding"


async def test_a_verbatim_text_becomes_the_nodes_interaction_and_its_segments_are_embedded() -> None:
    async with open_house() as house:
        await make_bank(house)
        text = "The first paragraph.\n\n第二段。"

        added = await add_nodes(
            house, AddNodes(key=KEY, nodes=(NewNode(summary="s", verbatim=text, source="tool"),))
        )

        (node,) = added.result.nodes
        async with house.banks.reading(KEY) as bank:
            record = bank.tree.interaction(node.interaction_ids[0])
            assert (record.text, record.origin, record.source) == (text, InteractionOrigin.VERBATIM, "tool")
            assert [bank.tree.text(ref) for ref in node.segments] == ["The first paragraph.", "第二段。"]
            assert bank.tree.segment(node.segments[0]).node_ids == (node.node_id,)
            running = house.workshop.begin(KEY, record.interaction_id, _never)
        await running.finished()
        async with house.banks.reading(KEY) as bank:
            assert not bank.wanting_vectors
            assert all(bank.verbatim.vectors.get(ref) is not None for ref in node.segments)


async def _never(*_: object) -> None:
    raise AssertionError("this work is running already")


async def test_a_node_may_stand_for_a_record_that_another_brought() -> None:
    async with open_house() as house:
        await make_bank(house)
        first = await add_nodes(
            house, AddNodes(key=KEY, nodes=(NewNode(summary="s", verbatim="一段原文。"),))
        )
        (record,) = first.result.nodes[0].interaction_ids

        second = await add_nodes(
            house, AddNodes(key=KEY, nodes=(NewNode(summary="t", interaction_ids=(record,)),))
        )

        async with house.banks.reading(KEY) as bank:
            both = sorted((first.result.nodes[0].node_id, second.result.nodes[0].node_id))
            assert list(bank.tree.nodes_standing_for(record)) == both
            assert list(bank.tree.nodes_of(second.result.nodes[0].segments[0])) == both


async def test_a_repeated_request_adds_nothing_and_answers_the_same() -> None:
    async with open_house() as house:
        await make_bank(house)
        command = AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="s"),), request=request("r1"))
        first = await add_nodes(house, command)

        again = await add_nodes(house, command)

        assert (again.result, again.revision, again.replayed) == (first.result, first.revision, True)
        with pytest.raises(RequestIdReused):
            await add_nodes(house, AddNodes(key=KEY, nodes=command.nodes, request=request("r1", "other")))


async def test_a_client_bank_keeps_the_callers_vector_and_embeds_nothing() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder) as house:
        await make_bank(house, space=CLIENT_SPACE)
        vector = np.array([0, 3, 4, 0], np.float32)

        await add_one(house, NewNode(node_id=A, summary="a", embedding=vector, verbatim="text"))

        kept = await embedding_of(house, A)
        assert kept is not None
        assert kept.tolist() == pytest.approx([0, 0.6, 0.8, 0])
        assert embedder.texts_embedded == 0


async def test_a_bank_takes_no_more_nodes_than_it_may_hold() -> None:
    async with open_house(limits=Limits(nodes_per_bank=1)) as house:
        await make_bank(house)

        with pytest.raises(LimitReached) as reached:
            await add_one(house, NewNode(summary="a"), NewNode(summary="b"))

        assert reached.value.limit == "nodes_per_bank"


class _Broken(HashingEmbedder):
    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbedderUnavailable("down")


async def test_nothing_is_added_while_the_embedder_is_away() -> None:
    async with open_house(embedder=_Broken()) as house:
        await make_bank(house)

        with pytest.raises(EmbedderUnavailable):
            await add_one(house, NewNode(summary="a", verbatim="text"))

        assert (await get_bank(house, GetBank(key=KEY))).revision == 1


# ---- reading ----


async def test_nodes_are_listed_by_id_as_a_filter_admits_them() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_one(
            house,
            NewNode(node_id=B, summary="b", keywords=("CEO",)),
            NewNode(node_id=C, summary="c"),
            NewNode(node_id=A, summary="a", keywords=("ceo", "公司")),
        )

        command = ListNodes(key=KEY, filter=Filter(keywords=("Ceo",)), page_size=1, include_embedding=True)
        first = await list_nodes(house, command)
        rest = await list_nodes(
            house,
            ListNodes(
                key=KEY,
                filter=Filter(keywords=("Ceo",)),
                page_token=first.next_page_token,
                include_embedding=True,
            ),
        )

        assert ([n.node_id for n in first.nodes], [n.node_id for n in rest.nodes]) == ([A], [B])
        assert (set(first.embeddings), rest.next_page_token) == ({A}, "")
