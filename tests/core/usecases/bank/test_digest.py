"""Older completed tasks, condensed by the Planner once they take more than their share of a prompt."""

from dataclasses import replace

import pytest

from core.agents.roles import Plan, PlannedTask
from core.errors import AgentReplyInvalid, AgentUnavailable
from core.model.interaction import TaskReport
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.augment import Augment
from core.usecases.house import House
from core.usecases.task.advance_task import AdvanceTask, TaskAdvanced, advance_task
from core.usecases.task.start_task import StartTask, start_task
from tests.support.house import KEY, open_house, with_settings
from tests.support.scripted_agents import ScriptedAgents

DIGEST = "Twelve quays were measured; that of Paros is the longest."
GOAL = "Which harbour is the deepest?"


async def steps(house: House, number: int) -> TaskAdvanced:
    """A task begun, and so many steps of it done; prompts have room for few of them."""
    house = with_settings(house, retrieval=replace(house.settings.retrieval, token_budget=2_000))
    await start_task(house, StartTask(key=KEY, augment=Augment(key=KEY), goal=GOAL))
    for step in range(number):
        report = TaskReport(type="SEARCH", description=f"Measure quay {step} of the harbour of Naxos")
        context = Context(text=f"Quay {step} is {step} metres long.", task=report)
        advanced = await advance_task(house, AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context))
    return advanced


def planning() -> ScriptedAgents:
    agents = ScriptedAgents()
    next_step = Plan(
        completed_context="It was measured.", pending=(PlannedTask(type="SEARCH", description="go on"),)
    )
    agents.planner.plans.otherwise = lambda _insight, _progress: next_step
    return agents


async def test_what_no_longer_fits_stands_in_the_planners_words_and_nothing_is_lost() -> None:
    agents = planning()
    agents.planner.digests.otherwise = lambda _goal, _tasks, _before: DIGEST
    async with open_house(agents=agents.roles) as house:
        insight = (advanced := await steps(house, 20)).memory.insight

    asked = agents.planner.digests.asked
    assert insight.digest == DIGEST
    assert 0 < insight.digested_tasks < len(insight.completed) == 20
    assert sum(len(tasks) for _goal, tasks, _before in asked) == insight.digested_tasks
    assert [before for _goal, _tasks, before in asked] == ["", *[DIGEST] * (len(asked) - 1)]
    assert f"the first {insight.digested_tasks}: {DIGEST}" in advanced.made.prompt
    assert "Measure quay 0 " not in advanced.made.prompt
    assert "Measure quay 19 " in advanced.made.prompt


@pytest.mark.parametrize(
    "failure", [AgentUnavailable("planner", "gone"), AgentReplyInvalid("planner", "no digest")]
)
async def test_a_digest_that_cannot_be_had_fails_no_step(failure: Exception) -> None:
    agents = planning()
    agents.planner.digests.then(*[failure] * 20)
    async with open_house(agents=agents.roles) as house:
        advanced = await steps(house, 20)

    assert not advanced.memory.insight.digest
    assert "before these" in advanced.made.prompt
