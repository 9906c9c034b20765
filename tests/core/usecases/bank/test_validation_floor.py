"""A conflict below a bank's floor is recorded and shown, its validation is not planned, and it settles like any."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from core.agents.roles import ConflictOpinion
from core.ids import ConflictId
from core.model.bank import RetrievalSettings
from core.model.conflict import ConflictStatus, VerdictType
from core.model.interaction import TaskReport, TaskStatus
from core.model.node import NodeState
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.augment import Augment, augment
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.bank.verbs.update_bank import UpdateBank, update_bank
from core.usecases.house import House
from core.usecases.task.advance_task import AdvanceTask, TaskAdvanced, advance_task
from tests.support.house import KEY, open_house
from tests.support.scripted_agents import ScriptedAgents, joined

FOUND = 0.6  # how sure the judge is of the conflict
FIRST, SECOND = "Acme is led by Ann.", "Acme is led by Bob."


@asynccontextmanager
async def disputed(floor: float | None) -> AsyncIterator[tuple[House, ConflictId]]:
    """A house whose bank has one conflict, told under this floor."""
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined
    agents.judge.first.otherwise = lambda new, candidates: [
        ConflictOpinion(
            existing=each.node_id,
            confidence=FOUND,
            reasoning="",
            description="who leads Acme",
            new_quote=new.summary,
            existing_quote=each.summary,
        )
        for each in candidates
        if "Ann" in each.summary and "Ann" not in new.summary
    ]
    async with open_house(agents=agents.roles) as house:
        settings = RetrievalSettings(validation_floor=floor)
        await create_bank(house, CreateBank(tenant=KEY.tenant, bank_id=KEY.bank_id, settings=settings))
        await memorize(house, Memorize(key=KEY, context=Context(text=FIRST)))
        told = await memorize(house, Memorize(key=KEY, context=Context(text=SECOND)))
        (conflict_id,) = told.conflict_ids
        yield house, conflict_id


async def validate(house: House, conflict_id: ConflictId, text: str, status: TaskStatus) -> TaskAdvanced:
    context = Context(text=text, task=TaskReport(status=status))
    command = AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context, conflict_id=conflict_id)
    return await advance_task(house, command)


@pytest.mark.parametrize(("floor", "planned"), [(None, 1), (0.0, 1), (FOUND, 1), (0.61, 0), (1.0, 0)])
async def test_a_validation_is_planned_from_the_floor_on(floor: float | None, planned: int) -> None:
    async with disputed(floor) as (house, conflict_id), house.banks.reading(KEY) as bank:
        validations = [task for task in bank.insight.pending if task.conflict_id == conflict_id]

        assert len(validations) == planned
        assert [each.conflict_id for each in bank.open_conflicts()] == [conflict_id]
        assert {node.state for node in bank.nodes.values()} == {NodeState.CONTESTED}


async def test_a_conflict_below_the_floor_stands_in_the_prompt_and_is_not_what_to_do_now() -> None:
    async with disputed(0.9) as (house, conflict_id):
        made = await augment(house, Augment(key=KEY))

        lines = [line for line in made.prompt.splitlines() if line.startswith(f"- [{conflict_id}]")]
        assert lines == [
            f"- [{conflict_id}] open conflict, no step planned (name its id to settle it): who leads Acme"
        ]
        assert "CROSS_VALIDATION" not in made.prompt


@pytest.mark.parametrize("floor", [0.0, 0.9])
async def test_a_verdict_settles_in_the_same_way_on_either_side_of_the_floor(floor: float) -> None:
    async with disputed(floor) as (house, conflict_id):
        done = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=conflict_id, verdict="Bob leads Acme.")
        )

        assert done.conflict.status is ConflictStatus.RESOLVED
        assert [(task.type, task.context) for task in done.insight.completed] == [
            ("CROSS_VALIDATION", "Bob leads Acme.")
        ]
        assert len(done.merges) == 1


@pytest.mark.parametrize("floor", [0.0, 0.9])
async def test_a_dismissal_leaves_no_trace_in_the_plan_on_either_side_of_the_floor(floor: float) -> None:
    async with disputed(floor) as (house, conflict_id):
        done = await resolve_conflict(
            house, ResolveConflict(key=KEY, conflict_id=conflict_id, type=VerdictType.DISMISS)
        )

        assert done.conflict.status is ConflictStatus.DISMISSED
        assert not any(task.conflict_id for task in done.insight.pending)
        assert done.insight.completed == ()


@pytest.mark.parametrize("floor", [0.0, 0.9])
async def test_an_agent_that_fails_to_validate_and_then_does_is_noted_alike(floor: float) -> None:
    async with disputed(floor) as (house, conflict_id):
        await validate(house, conflict_id, "", TaskStatus.FAILED)
        done = await validate(house, conflict_id, "Bob leads Acme.", TaskStatus.SUCCEEDED)

        failed, settled = done.memory.insight.completed
        assert (failed.type, failed.status.name) == ("CROSS_VALIDATION", "FAILED")
        assert (settled.type, settled.status.name) == ("CROSS_VALIDATION", "SUCCEEDED")
        assert settled.retry_of == failed.task_id == f"t-{conflict_id}"


async def test_an_agent_settles_what_was_not_planned_and_it_is_completed_once() -> None:
    async with disputed(0.9) as (house, conflict_id):
        done = await validate(house, conflict_id, "Bob leads Acme.", TaskStatus.SUCCEEDED)

        assert [task.task_id for task in done.memory.insight.completed] == [f"t-{conflict_id}"]
        assert done.open_conflicts == ()


async def test_a_floor_that_is_raised_leaves_what_was_planned() -> None:
    async with disputed(0.0) as (house, conflict_id):
        higher = RetrievalSettings(validation_floor=1.0)
        await update_bank(house, UpdateBank(key=KEY, fields={"validation_floor"}, settings=higher))

        async with house.banks.reading(KEY) as bank:
            assert bank.record.settings == higher
            assert [task.conflict_id for task in bank.insight.pending] == [conflict_id]
