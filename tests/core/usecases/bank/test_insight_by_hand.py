"""The insight document as callers change it."""

import pytest

from core.agents.roles import ConflictOpinion
from core.errors import InvalidField, StaleRevision
from core.ids import NodeId, TaskId
from core.model.insight import CompletedTask, PendingTask
from core.model.interaction import TaskStatus
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.get_insight import GetInsight, get_insight
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.update_insight import UpdateInsight, update_insight
from core.usecases.house import House
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents

SEARCH = PendingTask(task_id=TaskId(""), type="SEARCH", description="查一查")
DONE = CompletedTask(task_id=TaskId("t-a"), type="SEARCH", description="d", status=TaskStatus.SUCCEEDED)


async def test_new_tasks_get_ids_and_a_new_goal_is_the_banks_too() -> None:
    async with open_house() as house:
        await make_bank(house)

        changed = await update_insight(house, UpdateInsight(key=KEY, goal="新目标", pending=(SEARCH,)))

        insight = (await get_insight(house, GetInsight(key=KEY))).insight
        assert insight == changed.result
        assert (insight.goal, insight.pending[0].description, insight.finished) == ("新目标", "查一查", False)
        assert insight.pending[0].task_id
        assert (await get_bank(house, GetBank(key=KEY))).record.goal == "新目标"


async def test_completed_tasks_are_only_ever_added() -> None:
    async with open_house() as house:
        await make_bank(house)
        await update_insight(house, UpdateInsight(key=KEY, completed=(DONE,), pending=(SEARCH,)))
        more = CompletedTask(task_id=TaskId(""), type="SOLVE", description="e", status=TaskStatus.FAILED)

        grown = await update_insight(house, UpdateInsight(key=KEY, completed=(DONE, more)))

        assert [task.type for task in grown.result.completed] == ["SEARCH", "SOLVE"]
        with pytest.raises(InvalidField) as refused:
            await update_insight(house, UpdateInsight(key=KEY, completed=(DONE,)))
        assert refused.value.field == "insight.completed"


async def test_a_task_is_finished_when_nothing_is_left_and_something_was_done() -> None:
    async with open_house() as house:
        await make_bank(house)

        nothing = await update_insight(house, UpdateInsight(key=KEY, pending=()))
        done = await update_insight(house, UpdateInsight(key=KEY, completed=(DONE,)))

        assert (nothing.result.finished, done.result.finished) == (False, True)
        assert (await get_bank(house, GetBank(key=KEY))).record.finish_time is not None
        await update_insight(house, UpdateInsight(key=KEY, pending=(SEARCH,)))
        assert (await get_bank(house, GetBank(key=KEY))).record.finish_time is None


async def _contested(house: House, agents: ScriptedAgents) -> None:
    await make_bank(house)
    await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(node_id=NodeId("a"), summary="a"),)))
    agents.judge.first.then(
        (ConflictOpinion(existing=NodeId("a"), confidence=1, reasoning="", description="?"),)
    )
    await memorize(house, Memorize(key=KEY, context=Context(text="not a")))


async def test_validations_of_open_conflicts_stay_in_front_whatever_the_caller_plans() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await _contested(house, agents)
        (validation,) = (await get_insight(house, GetInsight(key=KEY))).insight.pending

        planned = await update_insight(house, UpdateInsight(key=KEY, pending=(SEARCH, validation)))
        emptied = await update_insight(house, UpdateInsight(key=KEY, pending=(), completed=(DONE,)))

        assert [task.type for task in planned.result.pending] == ["CROSS_VALIDATION", "SEARCH"]
        assert (emptied.result.pending, emptied.result.finished) == ((validation,), False)


async def test_a_document_changed_since_it_was_read_is_not_overwritten() -> None:
    async with open_house() as house:
        await make_bank(house)
        read = await get_insight(house, GetInsight(key=KEY))
        await add_nodes(house, AddNodes(key=KEY, nodes=(NewNode(summary="no part of the document"),)))

        await update_insight(house, UpdateInsight(key=KEY, goal="g", if_revision=read.revision))
        with pytest.raises(StaleRevision):
            await update_insight(house, UpdateInsight(key=KEY, goal="h", if_revision=read.revision))
