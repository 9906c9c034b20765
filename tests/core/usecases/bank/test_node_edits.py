"""Nodes as callers change and remove them."""

import numpy as np
import pytest

from core.agents.roles import ConflictOpinion, RelatedOpinion
from core.errors import (
    EmbeddingRequired,
    NodeNotFound,
    StaleRevision,
)
from core.model.conflict import ConflictStatus
from core.model.insight import TaskType
from core.model.node import NodeState
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.verbs.add_nodes import NewNode
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.get_insight import GetInsight, get_insight
from core.usecases.bank.verbs.get_node import GetNode, get_node
from core.usecases.bank.verbs.list_conflicts import ListConflicts, list_conflicts
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from tests.core.usecases.bank.test_nodes import A, B, add_one, embedding_of
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents


async def test_new_words_are_the_nodes_own_and_re_embed_it() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=A, summary="old", context="old", keywords=("old",)))
        before = await embedding_of(house, A)

        changed = await update_node(house, UpdateNode(key=KEY, node_id=A, context="新的", keywords=("新",)))

        after = await embedding_of(house, A)
        assert (changed.result.summary, changed.result.context, changed.result.base_context) == (
            "old",
            "新的",
            "新的",
        )
        assert changed.result.base_keywords == ("新",)
        assert before is not None
        assert after is not None
        assert (
            after.tobytes()
            == HashingEmbedder().vector(embedding_text(changed.result)).tobytes()
            != before.tobytes()
        )


async def test_marks_change_without_the_embedder() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder) as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=A, summary="s"))
        asked = embedder.texts_embedded

        changed = await update_node(house, UpdateNode(key=KEY, node_id=A, labels={"x": "y"}, source="book"))

        assert (changed.result.labels, changed.result.source, embedder.texts_embedded) == (
            {"x": "y"},
            "book",
            asked,
        )


async def test_a_node_changed_since_it_was_read_is_not_overwritten() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=A, summary="s"), NewNode(node_id=B, summary="t"))
        await update_node(house, UpdateNode(key=KEY, node_id=A, summary="s2"))

        await update_node(house, UpdateNode(key=KEY, node_id=B, summary="t2", if_revision=2))
        with pytest.raises(StaleRevision) as stale:
            await update_node(house, UpdateNode(key=KEY, node_id=A, summary="s3", if_revision=2))

        assert (stale.value.expected, stale.value.actual) == (2, 3)


async def test_new_words_in_a_client_bank_bring_their_vector() -> None:
    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)
        await add_one(house, NewNode(node_id=A, summary="a", embedding=np.ones(4, np.float32)))

        with pytest.raises(EmbeddingRequired):
            await update_node(house, UpdateNode(key=KEY, node_id=A, summary="b"))
        vector = np.array([1, 0, 0, 0], np.float32)
        await update_node(house, UpdateNode(key=KEY, node_id=A, summary="b", embedding=vector))

        kept = await embedding_of(house, A)
        assert kept is not None
        assert kept.tobytes() == vector.tobytes()


# ---- removing ----


async def test_a_node_goes_with_its_edges_and_leaves_its_interaction() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add_one(
            house,
            NewNode(node_id=A, summary="a", verbatim="原文。"),
            NewNode(node_id=B, summary="b", related_node_ids=(A,)),
        )

        deleted = await delete_node(house, DeleteNode(key=KEY, node_id=A, if_revision=2))

        counts = (await get_bank(house, GetBank(key=KEY))).counts
        assert (deleted.revision, counts.nodes, counts.edges, counts.interactions) == (3, 1, 0, 1)
        with pytest.raises(NodeNotFound):
            await get_node(house, GetNode(key=KEY, node_id=A))


async def test_what_a_deleted_node_lent_its_neighbours_goes_with_it() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=A, summary="The CEO is Li", context="own", keywords=("ceo",)))
        agents.judge.second.then(
            lambda _new, _candidates: (
                RelatedOpinion(
                    existing=A,
                    confidence=0.9,
                    reasoning="",
                    context_new="near A",
                    context_existing="near the other",
                    keywords_new=("x",),
                    keywords_existing=("borrowed",),
                ),
            )
        )
        memory = await memorize(house, Memorize(key=KEY, context=Context(text="The CEO Li lives in Oslo.")))
        lent = (await get_node(house, GetNode(key=KEY, node_id=A))).node
        assert (lent.context, lent.keywords) == ("near the other", ("ceo", "borrowed"))

        await delete_node(house, DeleteNode(key=KEY, node_id=memory.node_ids[0]))

        node = (await get_node(house, GetNode(key=KEY, node_id=A))).node
        kept = await embedding_of(house, A)
        assert (node.context, node.keywords) == ("own", ("ceo",))
        assert kept is not None
        assert kept.tobytes() == HashingEmbedder().vector(embedding_text(node)).tobytes()


async def test_a_conflict_that_loses_a_side_is_moot_and_its_validation_is_dropped() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await add_one(house, NewNode(node_id=A, summary="首席执行官是张三", verbatim="首席执行官是张三。"))
        agents.judge.first.then(
            (
                ConflictOpinion(
                    existing=A,
                    confidence=0.9,
                    reasoning="",
                    description="谁是首席执行官",
                    existing_quote="张三",
                ),
            )
        )
        memory = await memorize(house, Memorize(key=KEY, context=Context(text="首席执行官是李四。")))
        contested = (await get_node(house, GetNode(key=KEY, node_id=A))).node
        assert contested.state is NodeState.CONTESTED
        assert (await get_insight(house, GetInsight(key=KEY))).insight.pending

        await delete_node(house, DeleteNode(key=KEY, node_id=memory.node_ids[0]))

        everything = ListConflicts(key=KEY, statuses=frozenset())
        (conflict,) = (await list_conflicts(house, everything)).conflicts
        assert conflict.status is ConflictStatus.MOOT
        assert (await list_conflicts(house, ListConflicts(key=KEY))).conflicts == ()
        assert (await get_node(house, GetNode(key=KEY, node_id=A))).node.state is NodeState.ACTIVE
        (next_task,) = (await get_insight(house, GetInsight(key=KEY))).insight.pending
        assert next_task.type is TaskType.SOLVE
