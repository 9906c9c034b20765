"""A task's state as messages: the insight document and its tasks."""

from core.model.insight import CompletedTask, Insight, PendingTask
from memorybank.v1 import types_pb2 as pb
from service.api.enums import TASK_OUTCOMES, TASK_STATUSES, numbers

_TASK_OUTCOMES = numbers(TASK_OUTCOMES)
_TASK_STATUSES = numbers(TASK_STATUSES)

SHOWN_TASKS = 100
"""Completed tasks in the answers of calls that change a bank: GetInsight has all."""


def latest(value: Insight) -> pb.Insight:
    """Renders an insight document with as many of the last completed tasks as answers show."""
    return insight(value, max(0, len(value.completed) - SHOWN_TASKS))


def insight(value: Insight, start: int = 0, end: int | None = None, before: int = 0) -> pb.Insight:
    """Renders an insight document with the completed tasks `start` to `end`; `before` come before all that it has."""
    return pb.Insight(
        goal=value.goal,
        completed=map(completed_task, value.completed[start:end]),
        pending=map(pending_task, value.pending),
        finished=value.finished,
        outcome=_TASK_OUTCOMES[value.outcome] if value.outcome else pb.TASK_OUTCOME_UNSPECIFIED,
        reason=value.reason,
        earlier_tasks=value.earlier_tasks,
        digest=value.digest,
        digested_tasks=value.digested_tasks,
        completed_before=before + start,
    )


def completed_task(task: CompletedTask) -> pb.CompletedTask:
    return pb.CompletedTask(
        task_id=task.task_id,
        type=task.type,
        description=task.description,
        status=_TASK_STATUSES[task.status],
        context=task.context,
        retry_of=task.retry_of,
    )


def pending_task(task: PendingTask) -> pb.PendingTask:
    return pb.PendingTask(
        task_id=task.task_id,
        type=task.type,
        description=task.description,
        how=task.how,
        conflict_id=task.conflict_id,
        retry_of=task.retry_of,
    )
