"""A task's state as messages: the insight document and its tasks."""

from core.model.insight import CompletedTask, Insight
from memorybank.v1 import types_pb2 as pb
from service.api.mapping.rendering import UNSET, rendering

SHOWN_TASKS = 100
"""Completed tasks in the answers of calls that change a bank: GetInsight has all."""

_completed = rendering(CompletedTask, pb.CompletedTask)
_without_completed = rendering(
    Insight, pb.Insight, **dict.fromkeys(("completed", "completed_before", "purge_time"), UNSET)
)


def insight(value: Insight, start: int = 0, end: int | None = None, before: int = 0) -> pb.Insight:
    """Renders an insight document with the completed tasks `start` to `end`; `before` come before all that it has."""
    made = _without_completed(value)
    made.completed.extend(map(_completed, value.completed[start:end]))
    made.completed_before = before + start
    return made


latest = rendering(
    Insight,
    pb.Insight,
    completed=lambda value: map(_completed, value.completed[-SHOWN_TASKS:]),
    completed_before=lambda value: max(0, len(value.completed) - SHOWN_TASKS),
    purge_time=UNSET,
)
"""Renders an insight document with as many of the last completed tasks as answers show: those of all verbs have it."""
