"""Merging because a caller asks, and the lineage it leaves."""

import asyncio

import numpy as np
import pytest

from core.agents.roles import ConflictOpinion
from core.errors import (
    AgentReplyInvalid,
    EmbeddingRequired,
    InvalidField,
    NodeAbsorbed,
    NodeContested,
    NodeExists,
    StaleRevision,
)
from core.ids import NodeId
from core.model.lineage import MergeReason
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.get_lineage import GetLineage, get_lineage
from core.usecases.bank.verbs.get_node import GetNode, get_node
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from core.usecases.house import House
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house, request
from tests.support.scripted_agents import ScriptedAgents, joined

A, B, C, D, H = (NodeId(n) for n in "abcdh")


def _joining() -> ScriptedAgents:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    return agents


async def _square(house: House) -> None:
    """a – c, b – c, b – d."""
    await make_bank(house)
    nodes = (
        NewNode(node_id=A, summary="a", keywords=("ka",), related_node_ids=(C,), verbatim="原文 a"),
        NewNode(node_id=B, summary="b", keywords=("kb",), related_node_ids=(C, D), verbatim="原文 b"),
        NewNode(node_id=C, summary="c", context="about c", keywords=("kc",)),
        NewNode(node_id=D, summary="d", context="about d"),
    )
    await add_nodes(house, AddNodes(key=KEY, nodes=nodes))


async def test_the_new_node_inherits_neighbours_and_records_and_the_neighbours_speak_of_it() -> None:
    async with open_house(agents=_joining().roles) as house:
        await _square(house)

        merged = await merge_nodes(house, MergeNodes(key=KEY, node_ids=(A, B), new_node_id=H))

        seen = await get_node(house, GetNode(key=KEY, node_id=H, include_embedding=True))
        assert (seen.node, seen.neighbor_ids) == (merged.result.node, (C, D))
        assert (seen.node.summary, len(seen.node.interaction_ids), seen.node.revision) == ("a\nb", 2, 3)
        assert seen.embedding is not None
        assert seen.embedding.tobytes() == HashingEmbedder().vector(embedding_text(seen.node)).tobytes()
        assert [n.context for n in merged.result.neighbors] == [
            "about c (near a merged node)",
            "about d (near a merged node)",
        ]
        assert (await get_node(house, GetNode(key=KEY, node_id=C))).node.keywords == ("kc", "merged")
        assert merged.result.usage.roles["consolidator"].calls == 1
        with pytest.raises(NodeAbsorbed) as absorbed:
            await get_node(house, GetNode(key=KEY, node_id=A))
        assert absorbed.value.into == H


async def test_the_callers_words_stand_and_the_neighbours_are_still_reworded() -> None:
    agents = _joining()
    async with open_house(agents=agents.roles) as house:
        await _square(house)

        command = MergeNodes(
            key=KEY, node_ids=(A, B), summary="甲和乙", context="两者", keywords=("甲", "乙")
        )
        merged = await merge_nodes(house, command)

        node = merged.result.node
        assert (node.summary, node.context, node.base_context, node.keywords) == (
            "甲和乙",
            "两者",
            "两者",
            ("甲", "乙"),
        )
        assert len(merged.result.neighbors) == 2


async def test_no_agent_is_asked_where_the_caller_has_the_words_and_there_are_no_neighbours() -> None:
    agents = ScriptedAgents()  # a consolidator that fails the test when it is asked
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await add_nodes(
            house, AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="a"), NewNode(node_id=B, summary="b")))
        )

        merged = await merge_nodes(house, MergeNodes(key=KEY, node_ids=(A, B), summary="a, b"))

        assert (merged.result.node.summary, merged.result.neighbors) == ("a, b", ())


async def test_in_a_client_bank_words_and_vector_are_the_callers_and_neighbours_are_left_alone() -> None:
    embedder = HashingEmbedder()
    async with open_house(agents=ScriptedAgents().roles, embedder=embedder) as house:
        await make_bank(house, space=CLIENT_SPACE)
        ones = np.ones(4, np.float32)
        nodes = (
            NewNode(node_id=A, summary="a", embedding=ones, related_node_ids=(C,)),
            NewNode(node_id=B, summary="b", embedding=ones),
            NewNode(node_id=C, summary="c", context="about c", embedding=ones),
        )
        await add_nodes(house, AddNodes(key=KEY, nodes=nodes))

        for missing in (
            MergeNodes(key=KEY, node_ids=(A, B)),
            MergeNodes(key=KEY, node_ids=(A, B), summary="s"),
        ):
            with pytest.raises(EmbeddingRequired):
                await merge_nodes(house, missing)
        await merge_nodes(
            house, MergeNodes(key=KEY, node_ids=(A, B), summary="s", embedding=ones, new_node_id=H)
        )

        seen = await get_node(house, GetNode(key=KEY, node_id=H))
        assert seen.neighbor_ids == (C,)
        assert (await get_node(house, GetNode(key=KEY, node_id=C))).node.context == "about c"
        assert embedder.texts_embedded == 0


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        (MergeNodes(key=KEY, node_ids=(A,)), InvalidField),
        (MergeNodes(key=KEY, node_ids=(A, A)), InvalidField),
        (MergeNodes(key=KEY, node_ids=(A, B), context="without a summary"), InvalidField),
        (MergeNodes(key=KEY, node_ids=(A, B), new_node_id=C), NodeExists),
        (MergeNodes(key=KEY, node_ids=(A, B), if_revision=1), StaleRevision),
    ],
)
async def test_a_merge_that_cannot_be_is_refused(command: MergeNodes, failure: type[Exception]) -> None:
    async with open_house(agents=_joining().roles) as house:
        await _square(house)

        with pytest.raises(failure):
            await merge_nodes(house, command)


async def test_a_contested_node_is_merged_by_its_conflicts_resolution_only() -> None:
    agents = _joining()
    async with open_house(agents=agents.roles) as house:
        await _square(house)
        agents.judge.first.then((ConflictOpinion(existing=A, confidence=0.9, reasoning="", description="?"),))
        memory = await memorize(house, Memorize(key=KEY, context=Context(text="not a")))

        with pytest.raises(NodeContested) as contested:
            await merge_nodes(house, MergeNodes(key=KEY, node_ids=(B, A)))

        assert (contested.value.node_id, contested.value.conflict_id) == (A, memory.conflict_ids[0])


async def test_a_consolidator_that_forgets_a_neighbour_changes_nothing() -> None:
    agents = ScriptedAgents()
    agents.consolidator.consolidations.then(lambda nodes, _neighbors, *rest: joined(nodes, (), *rest))
    async with open_house(agents=agents.roles) as house:
        await _square(house)

        with pytest.raises(AgentReplyInvalid):
            await merge_nodes(house, MergeNodes(key=KEY, node_ids=(A, B)))

        async with house.banks.reading(KEY) as bank:
            assert bank.revision == 2


async def test_a_repeated_merge_answers_the_same() -> None:
    async with open_house(agents=_joining().roles) as house:
        await _square(house)
        command = MergeNodes(key=KEY, node_ids=(A, B), request=request("r1"))
        first = await merge_nodes(house, command)

        again = await merge_nodes(house, command)

        assert (again.result, again.replayed) == (first.result, True)


async def test_a_node_absorbed_at_the_same_moment_is_not_brought_back_by_an_update() -> None:
    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)
        vector = np.ones(4, np.float32)
        nodes = (
            NewNode(node_id=A, summary="a", embedding=vector),
            NewNode(node_id=B, summary="b", embedding=vector),
        )
        await add_nodes(house, AddNodes(key=KEY, nodes=nodes))

        merge = merge_nodes(
            house, MergeNodes(key=KEY, node_ids=(A, B), summary="s", embedding=vector, request=request("m"))
        )
        update = update_node(house, UpdateNode(key=KEY, node_id=A, labels={"x": "y"}, request=request("u")))
        merged, updated = await asyncio.gather(merge, update, return_exceptions=True)

        assert not isinstance(merged, BaseException)
        assert isinstance(updated, NodeAbsorbed)
        async with house.banks.reading(KEY) as bank:
            assert list(bank.nodes) == [merged.result.node.node_id]


async def test_a_lineage_tells_what_was_absorbed_down_to_the_first_nodes_newest_first() -> None:
    async with open_house(agents=_joining().roles) as house:
        await _square(house)
        first = await merge_nodes(house, MergeNodes(key=KEY, node_ids=(A, B)))
        await merge_nodes(house, MergeNodes(key=KEY, node_ids=(first.result.node.node_id, C), new_node_id=H))

        past = await get_lineage(house, GetLineage(key=KEY, node_id=A, page_size=1))
        rest = await get_lineage(house, GetLineage(key=KEY, node_id=A, page_token=past.next_page_token))

        (newest,), (oldest,) = past.merges, rest.merges
        assert (past.node_id, newest.into, oldest.into) == (H, H, first.result.node.node_id)
        assert [n.node_id for n in oldest.absorbed] == [A, B]
        assert oldest.reason is MergeReason.REQUEST
        assert (await get_lineage(house, GetLineage(key=KEY, node_id=D))).merges == ()


async def test_the_id_of_an_absorbed_node_stays_taken() -> None:
    async with open_house(agents=_joining().roles) as house:
        await _square(house)
        await merge_nodes(house, MergeNodes(key=KEY, node_ids=(A, B), new_node_id=H))

        with pytest.raises(NodeExists):
            await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(node_id=A, summary="again"),)))
        with pytest.raises(NodeExists):
            await merge_nodes(house, MergeNodes(key=KEY, node_ids=(C, D), new_node_id=B))
