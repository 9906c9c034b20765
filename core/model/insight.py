"""The insight document: where a task stands."""

from dataclasses import dataclass
from enum import StrEnum

from core.ids import TaskId
from core.model.interaction import TaskStatus

LONGEST = 16_384  # code points of a goal, and of what a task is, how it is done and what it found


class TaskType(StrEnum):
    """The task types the service itself plans; frameworks may use any other text."""

    SEARCH = "SEARCH"
    SOLVE = "SOLVE"
    ANSWER = "ANSWER"
    CROSS_VALIDATION = "CROSS_VALIDATION"


class TaskOutcome(StrEnum):
    """How a task ended."""

    SUCCEEDED = "succeeded"  # nothing is pending, and every failure was made good
    GAVE_UP = "gave_up"  # nothing more was tried; the insight document's `reason` says why


VALIDATIONS = frozenset({"crossvalidation", "交叉验证", "交叉驗證", "冲突验证", "验证冲突"})
"""The words for a cross-validation in both languages, without case, spaces and marks."""


def is_validation(type_: str) -> bool:
    """Whether a task's type says that it is a cross-validation, in whatever spelling."""
    return "".join(filter(str.isalnum, type_.casefold())) in VALIDATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingTask:
    """What to do next: `how` says by which means; `conflict_id` is set on CROSS_VALIDATION tasks."""

    task_id: TaskId
    type: str
    description: str
    how: str = ""
    conflict_id: str = ""
    retry_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedTask:
    """What was done. `context` is one or two sentences of what it found, empty on failure."""

    task_id: TaskId
    type: str
    description: str
    status: TaskStatus
    context: str = ""
    retry_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """Goal, done, next. `completed` only ever grows; open conflicts' tasks stand first in `pending`.

    `outcome` is set once it is `finished`, and `reason` where it gave up. The first `earlier_tasks` of `completed` were
    done for goals before this one. `digest` is what the Planner says of the first `digested_tasks`.
    """

    goal: str = ""
    completed: tuple[CompletedTask, ...] = ()
    pending: tuple[PendingTask, ...] = ()
    finished: bool = False
    outcome: TaskOutcome | None = None
    reason: str = ""
    earlier_tasks: int = 0
    digest: str = ""
    digested_tasks: int = 0

    @property
    def done(self) -> tuple[CompletedTask, ...]:
        """What was done for this goal."""
        return self.completed[self.earlier_tasks :]
