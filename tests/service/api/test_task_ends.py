"""A task always ends, or says what it needs next: over the wire, with the offline planner."""

from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from tests.support.server import Service

FAILED = types_pb2.TASK_STATUS_FAILED
MOST_STEPS = 40


async def start(service: Service, goal: str, **fields: Any) -> pb.StartTaskResponse:
    return await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1", goal=goal, **fields))


async def report(
    service: Service, text: str = "", status: Any = types_pb2.TASK_STATUS_SUCCEEDED, **task: str
) -> pb.AdvanceTaskResponse:
    """The first pending task done, unless `task` says which."""
    if not task:
        insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1"))).insight
        first = insight.pending[0]
        task = {"task_id": first.task_id, "type": first.type, "description": first.description}
    done = types_pb2.TaskReport(**task, status=status)
    request = pb.AdvanceTaskRequest(bank_id="b1", text=text, task=done)
    return await service.bank.AdvanceTask(request)


@pytest.mark.parametrize(
    ("goal", "said"),
    [("Who runs the ferry?", "nothing made up for it"), ("谁经营这条渡轮？", "没有其他办法弥补")],
)
async def test_a_task_of_which_every_step_fails_is_given_up_and_says_why(
    service: Service, goal: str, said: str
) -> None:
    step: Any = await start(service, goal)

    steps = 0
    while not step.insight.finished:
        assert step.insight.pending, "neither a next task nor an end"
        step = await report(service, status=FAILED)
        steps += 1
        assert steps < MOST_STEPS

    assert step.finished
    assert step.insight.outcome == types_pb2.TASK_OUTCOME_GAVE_UP
    assert said in step.insight.reason
    assert steps == 5
    assert step.HasField("purge_time")


async def test_a_task_that_is_done_has_succeeded(service: Service) -> None:
    step: Any = await start(service, "Who runs the ferry?")

    kinds = []
    while not step.insight.finished:
        kinds.append(step.insight.pending[0].type)
        step = await report(service, f"Step {len(kinds)}: the ferry is run by Nordline.")

    assert kinds == ["SEARCH", "SOLVE", "ANSWER"]
    assert step.insight.outcome == types_pb2.TASK_OUTCOME_SUCCEEDED
    assert not step.insight.reason


async def test_a_task_that_was_given_up_may_begin_anew(service: Service) -> None:
    step: Any = await start(service, "Who runs the ferry?")
    while not step.insight.finished:
        step = await report(service, status=FAILED)

    again = await start(service, "Who runs the ferry?")

    assert again.insight.pending
    assert (again.insight.finished, again.insight.outcome, again.insight.reason) == (False, 0, "")
    assert not again.bank.HasField("finish_time")


async def test_a_finished_bank_that_is_given_another_goal_is_not_purged_for_the_old_one(
    service: Service,
) -> None:
    step: Any = await start(service, "Who runs the ferry?")
    while not step.insight.finished:
        step = await report(service, "The ferry is run by Nordline.")

    changed = await service.bank.UpdateBank(
        pb.UpdateBankRequest(
            bank_id="b1",
            bank=types_pb2.Bank(goal="Who owns Nordline?"),
            update_mask=FieldMask(paths=["goal"]),
        )
    )
    insight = (await service.bank.GetInsight(pb.GetInsightRequest(bank_id="b1"))).insight
    begun = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1"))

    assert not changed.bank.HasField("finish_time")
    assert (insight.finished, insight.earlier_tasks) == (False, len(insight.completed))
    assert begun.insight.pending


async def test_a_context_on_the_goal_leaves_nothing_to_be_searched_first(service: Service) -> None:
    started = await start(service, "Who runs the ferry?", text="The ferry is run by Nordline since 2019.")

    assert started.insight.pending[0].type == "SOLVE"


async def test_what_failed_and_succeeds_under_other_words_is_not_tried_again(service: Service) -> None:
    await start(service, "Compare the pumps")
    failed = await report(
        service, status=FAILED, type="SEARCH", description="Download the annual report 2021"
    )

    good = await report(
        service,
        "The annual report 2021 names two pumps.",
        type="SEARCH",
        description="Fetch the 2021 annual report",
    )

    assert failed.insight.pending[0].retry_of == failed.insight.completed[0].task_id
    assert good.insight.completed[1].retry_of == failed.insight.completed[0].task_id
    assert not any(task.retry_of for task in good.insight.pending)


async def test_a_validation_that_keeps_failing_is_left_and_the_goal_is_worked_on(service: Service) -> None:
    await start(service, "Who is the CEO of Halden Optics?", text="The CEO of Halden Optics is Ada Berg.")
    step = await report(
        service, "The CEO of Halden Optics is Nils Lund.", type="SEARCH", description="Ask around"
    )
    conflict_id = step.insight.pending[0].conflict_id

    tried = 0
    while step.insight.pending[0].conflict_id:
        step = await report(service, status=FAILED)
        tried += 1
    while not step.insight.finished:
        step = await report(service, "It is unclear.")

    assert conflict_id
    assert tried == 3
    assert step.insight.outcome == types_pb2.TASK_OUTCOME_GAVE_UP
    assert (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b1"))).conflicts


async def test_a_framework_whose_every_step_fails_otherwise_comes_to_an_end(service: Service) -> None:
    step: Any = await start(service, "Who runs the ferry?")

    steps = 0
    while not step.insight.finished:
        steps += 1
        step = await report(
            service, status=FAILED, type="CALL", description=f"Dial the number {steps}{steps}0"
        )
        assert steps < MOST_STEPS

    assert steps == 12
    assert step.insight.outcome == types_pb2.TASK_OUTCOME_GAVE_UP


async def test_a_task_without_a_goal_asks_for_one_and_then_ends(service: Service) -> None:
    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b1"))

    step = await report(service, "The user wants to know who runs the ferry.")

    assert started.insight.pending[0].description == "Find out what this task is to achieve"
    assert step.finished
