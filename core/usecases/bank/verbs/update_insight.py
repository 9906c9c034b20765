"""UpdateInsight: goal and plan as a caller wants them.

Law: completed tasks are only ever added, and the validations of open conflicts stay in front,
whatever the caller sends.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from core.bank.bank import Bank
from core.errors import InvalidField
from core.ids import TaskId
from core.keys import BankKey
from core.model.insight import CompletedTask, Insight, PendingTask, TaskOutcome, TaskType
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.going_on import going_on, insight_steps
from core.usecases.bank.plans.planning import all_superseded, with_goal
from core.usecases.bank.ports import BankPorts
from core.usecases.ports import MakingPorts
from core.usecases.revisions import require_unchanged

Task = TypeVar("Task", CompletedTask, PendingTask)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateInsight:
    """A field that is None stays. `completed` begins with what it is now, the first `completed_before` left out;
    tasks without an id get one."""

    key: BankKey
    goal: str | None = None
    completed: tuple[CompletedTask, ...] | None = None
    completed_before: int = 0
    pending: tuple[PendingTask, ...] | None = None
    if_revision: int | None = None
    request: RequestKey | None = None


async def update_insight(ports: BankPorts, command: UpdateInsight) -> CommitResult[Insight]:
    """Raises InvalidField (insight.completed), StaleRevision, BankNotFound, RequestIdReused."""
    added = tuple(_named(ports, task) for task in command.completed or ())
    pending = tuple(_named(ports, task) for task in command.pending or ())

    def stage(bank: Bank, _revision: int) -> Draft[Insight]:
        require_unchanged(command.if_revision, bank.insight_revision)
        insight = bank.insight
        if command.goal is not None:
            insight = with_goal(insight, command.goal)
        if command.completed is not None:
            insight = replace(insight, completed=_grown(insight, added, command.completed_before))
        if command.pending is not None:
            insight = replace(insight, pending=_planned(insight, pending))
        if command.completed is not None or command.pending is not None:
            finished = _is_finished(insight)
            insight = replace(insight, finished=finished, outcome=TaskOutcome.SUCCEEDED if finished else None)
        insight = going_on(ports, bank, insight)
        steps = tuple(insight_steps(ports, bank, insight))
        return Draft(result=insight, steps=steps, touches=frozenset({"insight", "bank"}))

    return await ports.banks.commit(command.key, stage, command.request, Insight)


def _named(ports: MakingPorts, task: Task) -> Task:
    return task if task.task_id else replace(task, task_id=TaskId(ports.ids.new("t")))


def _grown(insight: Insight, completed: tuple[CompletedTask, ...], before: int) -> tuple[CompletedTask, ...]:
    """Raises InvalidField unless what was completed still is, word for word, in front."""
    if before > len(insight.completed):
        raise InvalidField("insight.completed_before", "is more than there are completed tasks")
    known = insight.completed[before:]
    if completed[: len(known)] != known:
        raise InvalidField("insight.completed", "must begin with the tasks that are completed already")
    return (*insight.completed[:before], *completed)


def _planned(insight: Insight, pending: tuple[PendingTask, ...]) -> tuple[PendingTask, ...]:
    """Returns the caller's tasks behind the validations; validations are core's to add and remove."""
    validations = tuple(task for task in insight.pending if task.conflict_id)
    others = (t for t in pending if not t.conflict_id and t.type != TaskType.CROSS_VALIDATION)
    return (*validations, *others)


def _is_finished(insight: Insight) -> bool:
    """Whether the task is finished: one of which nothing was done is not, though nothing is pending."""
    return bool(insight.done) and not insight.pending and all_superseded(insight.done)
