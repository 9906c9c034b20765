"""What core keeps true of an insight document, whatever is reported and planned."""

from collections.abc import Callable
from dataclasses import replace

from core.agents.roles import Plan, PlannedTask
from core.ids import TaskId
from core.model.conflict import Conflict
from core.model.insight import CompletedTask, Insight, PendingTask, TaskOutcome
from core.model.interaction import TaskReport, TaskStatus
from core.usecases.bank.plans.planning import (
    all_superseded,
    with_conflict,
    with_id,
    with_plan,
    with_report,
    without_conflict,
)
from tests.support.changes import conflict


def ids() -> Callable[[], TaskId]:
    numbers = iter(range(1, 100))
    return lambda: TaskId(f"new-{next(numbers)}")


def pending(task_id: str, conflict_id: str = "", type_: str = "SEARCH") -> PendingTask:
    return PendingTask(
        task_id=TaskId(task_id), type=type_, description=f"do {task_id}", conflict_id=conflict_id
    )


def done(task_id: str, status: TaskStatus, retry_of: str = "") -> CompletedTask:
    return CompletedTask(
        task_id=TaskId(task_id), type="SEARCH", description="", status=status, retry_of=retry_of
    )


def contested(conflict_id: str) -> Conflict:
    return conflict(conflict_id, "n1", "n2", description="who the CEO is")


def test_a_conflict_goes_in_front_of_the_plan_and_behind_earlier_conflicts() -> None:
    insight = Insight(pending=(pending("t1"),))

    insight = with_conflict(insight, contested("c1"))
    insight = with_conflict(insight, contested("c2"))

    assert [task.task_id for task in insight.pending] == ["t-c1", "t-c2", "t1"]
    assert insight.pending[0].type == "CROSS_VALIDATION"
    assert "n1, n2" in insight.pending[0].description


def test_a_chinese_conflict_is_to_be_validated_in_chinese() -> None:
    found = replace(contested("c1"), description="CEO信息矛盾")

    insight = with_conflict(Insight(), found)

    assert insight.pending[0].description == "验证节点 n1、n2 的冲突：CEO信息矛盾"


def test_a_verdict_completes_the_validation_and_a_dismissal_drops_it() -> None:
    insight = with_conflict(Insight(pending=(pending("t1"),)), contested("c1"))

    settled = without_conflict(insight, contested("c1"), "Li is right. The report says so. More.")
    dropped = without_conflict(insight, contested("c1"))

    assert [(t.task_id, t.status, t.context) for t in settled.completed] == [
        ("t-c1", TaskStatus.SUCCEEDED, "Li is right. The report says so.")
    ]
    assert [t.task_id for t in settled.pending] == ["t1"]
    assert (dropped.completed, [t.task_id for t in dropped.pending]) == ((), ["t1"])


def test_a_reported_task_moves_from_pending_to_completed_by_its_id_or_by_what_it_says() -> None:
    insight = Insight(pending=(pending("t1"), pending("t2")))

    def reported(insight: Insight, report: TaskReport, context: str) -> Insight:
        return with_report(insight, with_id(insight, report, ids()), context, ids())

    insight = reported(insight, TaskReport(task_id="t2"), "found it")
    insight = reported(insight, TaskReport(type="SEARCH", description="do t1"), "that too")
    insight = reported(insight, TaskReport(type="SOLVE", description="unplanned"), "and more")

    assert insight.pending == ()
    assert [(t.task_id, t.type, t.context) for t in insight.completed] == [
        ("t2", "SEARCH", "found it"),
        ("t1", "SEARCH", "that too"),
        ("new-1", "SOLVE", "and more"),
    ]


def test_a_task_reported_twice_is_completed_once() -> None:
    insight = Insight(pending=(pending("t1"),))

    once = with_report(insight, TaskReport(task_id="t1"), "found", ids())
    twice = with_report(once, TaskReport(task_id="t1"), "found again", ids())

    assert twice == once


def test_a_failed_task_has_no_context() -> None:
    report = TaskReport(task_id="t1", status=TaskStatus.FAILED)

    insight = with_report(Insight(pending=(pending("t1"),)), report, "should not stand", ids())

    assert [(t.status, t.context) for t in insight.completed] == [(TaskStatus.FAILED, "")]


def test_a_validation_that_failed_stands_again_as_its_own_retry() -> None:
    insight = with_conflict(Insight(), contested("c1"))

    insight = with_report(insight, TaskReport(task_id="t-c1", status=TaskStatus.FAILED), "", ids())
    (again,) = insight.pending
    settled = without_conflict(insight, contested("c1"), "Li is right.")

    assert (again.task_id, again.retry_of, again.conflict_id) == ("new-1", "t-c1", "c1")
    assert all_superseded(settled.completed)


def test_a_planner_cannot_displace_validations_nor_plan_them() -> None:
    insight = with_conflict(Insight(), contested("c1"))
    plan = Plan(
        pending=(
            PlannedTask(type="CROSS_VALIDATION", description="made up"),
            PlannedTask(type="SOLVE", description="x"),
        )
    )

    insight = with_plan(insight, plan, ids())

    assert [(t.task_id, t.type) for t in insight.pending] == [
        ("t-c1", "CROSS_VALIDATION"),
        ("new-1", "SOLVE"),
    ]
    assert not insight.finished


def test_a_task_planned_again_keeps_its_id() -> None:
    insight = with_plan(Insight(), Plan(pending=(PlannedTask(type="SOLVE", description="x"),)), ids())

    again = with_plan(insight, Plan(pending=(PlannedTask(type="SOLVE", description="x", how="y"),)), ids())

    assert [(t.task_id, t.how) for t in again.pending] == [("new-1", "y")]


def test_a_task_has_succeeded_when_nothing_is_pending_and_every_failure_was_made_good_else_it_gives_up() -> (
    None
):
    failed = done("t1", TaskStatus.FAILED)
    retried = done("t2", TaskStatus.FAILED, retry_of="t1")
    succeeded = done("t3", TaskStatus.SUCCEEDED, retry_of="t2")

    def outcome(*completed: CompletedTask) -> TaskOutcome | None:
        ended = with_plan(Insight(completed=completed), Plan(), ids())
        assert ended.finished
        return ended.outcome

    assert outcome(failed) is TaskOutcome.GAVE_UP
    assert outcome(failed, retried) is TaskOutcome.GAVE_UP
    assert outcome(failed, retried, succeeded) is TaskOutcome.SUCCEEDED
    assert outcome(failed, done("t3", TaskStatus.SUCCEEDED)) is TaskOutcome.GAVE_UP


def test_a_step_is_not_planned_again_once_it_was_tried_often_enough_by_any_planner() -> None:
    tries = [done("t1", TaskStatus.FAILED)]
    for number in (2, 3):
        tries.append(done(f"t{number}", TaskStatus.FAILED, retry_of=f"t{number - 1}"))
    again = Plan(pending=(PlannedTask(type="SEARCH", description="", retry_of="t3"),))
    otherwise = Plan(pending=(PlannedTask(type="SEARCH", description="elsewhere", retry_of="t3"),))

    assert with_plan(Insight(completed=tuple(tries[:2])), again, ids()).pending
    assert with_plan(Insight(completed=tuple(tries)), again, ids()).outcome is TaskOutcome.GAVE_UP
    assert with_plan(Insight(completed=tuple(tries)), otherwise, ids()).pending
