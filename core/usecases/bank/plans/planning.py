"""What core keeps true of an insight document, whatever a Planner answers.

Law: pure. Open conflicts' CROSS_VALIDATION tasks, three of them at most, stand in front, oldest first; completed tasks
are only ever added; a task keeps its id as long as it says the same. There is always a next task or an end: work on a
goal ends well when nothing is pending and every failure was made good, and is given up when nothing more can be tried.
No task is tried more often than `attempts` as it was planned, nor more often than `most_attempts` in all its forms.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.agents.roles import Plan, PlannedTask
from core.ids import TaskId
from core.language import language_of
from core.model.conflict import Conflict
from core.model.insight import LONGEST, CompletedTask, Insight, PendingTask, TaskOutcome, TaskType
from core.model.interaction import TaskReport, TaskStatus
from core.text.brevity import brief

ATTEMPTS = 3
MOST_VALIDATIONS = 3  # that stand planned at a time; other conflicts wait open
HOPELESS = 4  # times as many failed steps in a row as one task may be tried
NAMED = 200  # code points of a task that is named in a reason


def begun(insight: Insight, goal: str) -> Insight:
    """Returns the document as work on a goal begins: what was done stays, for the goals before; open conflicts come
    first."""
    return replace(
        insight,
        goal=goal,
        pending=tuple(task for task in insight.pending if task.conflict_id),
        finished=False,
        outcome=None,
        reason="",
        earlier_tasks=len(insight.completed),
    )


def with_goal(insight: Insight, goal: str) -> Insight:
    """Returns the document with another goal: other words for it while work goes on, a new one once that has ended."""
    ended = insight.finished and goal != insight.goal
    return begun(insight, goal) if ended else replace(insight, goal=goal)


def validation_id(conflict_id: str) -> TaskId:
    """Returns the id of a conflict's validation, the first attempt: so its attempts are found whatever they are
    called."""
    return TaskId(f"t-{conflict_id}"[:128])


def again_id(last: TaskId) -> TaskId:
    """Returns the id of a validation that was planned no more when it was done after all, the last attempt having
    failed."""
    return TaskId(f"v-{last}"[:128])


def attempts_at(insight: Insight, conflict_id: str) -> list[CompletedTask]:
    """Returns what was tried to settle a conflict, oldest first."""
    first = next((t for t in insight.completed if t.task_id == validation_id(conflict_id)), None)
    return [] if first is None else _line(first, insight.completed)


def with_conflict(insight: Insight, conflict: Conflict) -> Insight:
    """Returns the document with the conflict's validation in front of all other work (behind earlier validations)."""
    validations = [t for t in insight.pending if t.conflict_id]
    others = [t for t in insight.pending if not t.conflict_id]
    pending = (*validations, _validation(conflict), *others)
    return replace(insight, pending=pending, finished=False, outcome=None, reason="")


def with_validations(insight: Insight, conflicts: Sequence[Conflict], floor: float) -> Insight:
    """Returns the document with the validations of the oldest open conflicts planned, MOST_VALIDATIONS at a time.

    A conflict below the floor waits for a verdict without one, and so does one whose validation has failed often
    enough.
    """
    planned = {task.conflict_id for task in insight.pending if task.conflict_id}
    waiting = [
        one
        for one in sorted(conflicts, key=lambda one: (one.create_time, one.conflict_id))
        if one.confidence >= floor
        and one.conflict_id not in planned
        and not attempts_at(insight, one.conflict_id)
    ]
    for conflict in waiting[: max(0, MOST_VALIDATIONS - len(planned))]:
        insight = with_conflict(insight, conflict)
    return insight


def with_sides(insight: Insight, before: Conflict, after: Conflict) -> Insight:
    """Returns the document with a conflict's planned validation about all its sides, unless a caller gave it words of
    his own."""
    old, new = (_point_at_issue(conflict)[:LONGEST] for conflict in (before, after))
    pending = tuple(
        replace(task, description=new)
        if task.conflict_id == after.conflict_id and task.description == old
        else task
        for task in insight.pending
    )
    return replace(insight, pending=pending)


def without_conflict(insight: Insight, conflict: Conflict, verdict: str = "") -> Insight:
    """Returns the document once a conflict is closed: with a verdict its task is completed, planned or not; without
    one it is dropped, unless attempts have failed, which the closing makes good."""
    failed = attempts_at(insight, conflict.conflict_id)
    tasks = [t for t in insight.pending if t.conflict_id == conflict.conflict_id]
    if not tasks and failed:  # it failed so often that it was pending no more
        tasks = [_once_again(conflict, failed[-1])]
    elif not tasks and verdict:  # it was below the floor, and is settled all the same
        tasks = [_validation(conflict)]
    pending = tuple(t for t in insight.pending if t.conflict_id != conflict.conflict_id)
    words = (
        brief(verdict)
        if verdict
        else language_of(conflict.description).phrases.tasks.closed
        if failed
        else ""
    )
    done = tuple(_validated(task, words) for task in tasks) if words else ()
    after = replace(insight, pending=pending, completed=(*insight.completed, *done))
    return ended(after) if insight.finished else after


def with_id(insight: Insight, report: TaskReport, new_id: Callable[[], TaskId]) -> TaskReport:
    """Returns the report under the id of the task it is about, so that the Planner can name it in a retry."""
    if report.task_id:
        return report
    planned = _planned(insight, report)
    return replace(report, task_id=planned.task_id if planned else new_id())


def with_report(
    insight: Insight, report: TaskReport, context: str, new_id: Callable[[], TaskId], attempts: int = ATTEMPTS
) -> Insight:
    """Returns the document with a reported task (under its id, see `with_id`) moved from pending to completed.

    A validation that failed stays open: the attempt is noted, and the task stands again as its retry, unless it was
    tried often enough: then the conflict waits for a verdict without it. One that succeeded is completed by closing its
    conflict, not here: `context` is then put into it. A task that is completed already is not completed again.
    """
    if any(task.task_id == report.task_id for task in insight.completed):
        return _told(insight, report, context)
    planned = _planned(insight, report)
    failed = report.status is TaskStatus.FAILED
    if planned is not None and planned.conflict_id and not failed:
        return insight
    done = CompletedTask(
        task_id=planned.task_id if planned else TaskId(report.task_id),
        type=report.type or (planned.type if planned else ""),
        description=report.description or (planned.description if planned else ""),
        status=report.status,
        context="" if failed else context[:LONGEST],
        retry_of=_tried_before(report, planned),
    )
    pending = [t for t in insight.pending if t is not planned]
    if planned is not None and planned.conflict_id:
        tried = len(chain(planned.retry_of, insight.completed)) + 1
        again = replace(planned, task_id=new_id(), retry_of=planned.task_id)
        pending = [
            again if t is planned else t for t in insight.pending if tried < attempts or t is not planned
        ]
    return replace(insight, pending=tuple(pending), completed=(*insight.completed, done))


def with_plan(
    insight: Insight, plan: Plan, new_id: Callable[[], TaskId], attempts: int = ATTEMPTS
) -> Insight:
    """Returns the document with the Planner's next steps behind the validations, or with how the work ended."""
    validations = tuple(t for t in insight.pending if t.conflict_id)
    planned = tuple(_task(insight, task, new_id) for task in allowed(insight, plan, attempts))
    pending = () if _is_hopeless(insight, attempts) else planned
    if validations or pending:
        return replace(insight, pending=(*validations, *planned), finished=False, outcome=None, reason="")
    return ended(replace(insight, pending=()))


def ended(insight: Insight) -> Insight:
    """Returns the document of a task to which nothing more is to be done."""
    if not (failed := not_made_good(insight.done)):
        return replace(insight, finished=True, outcome=TaskOutcome.SUCCEEDED, reason="")
    reason = _why_given_up(failed[0], insight)
    return replace(insight, finished=True, outcome=TaskOutcome.GAVE_UP, reason=reason)


def allowed(insight: Insight, plan: Plan, attempts: int) -> list[PlannedTask]:
    """Returns the planned steps that core lets stand: no validations, no retry of what was made good, none of what
    was tried often enough."""
    done = insight.done
    failed = {task.task_id for task in not_made_good(done)}
    known = {task.task_id for task in done}
    return [
        task
        for task in plan.pending
        if task.type != TaskType.CROSS_VALIDATION
        and not (task.retry_of in known and task.retry_of not in failed)
        and not _is_worn_out(task, done, attempts)
    ]


def missing(insight: Insight) -> str:
    """Returns why a plan without a next step cannot be the end; empty where it can."""
    if failed := not_made_good(insight.done):
        return f"“{failed[0].description}” failed, and nothing has made up for it"
    return "" if insight.done or not insight.goal else "nothing has been done for the goal yet"


def not_made_good(done: Sequence[CompletedTask]) -> list[CompletedTask]:
    """Returns failed tasks, oldest first, for which no success stands that names them, or a retry of them, in
    `retry_of`."""
    made_good: set[str] = set()
    left: list[CompletedTask] = []
    for task in reversed(done):
        good = task.status is TaskStatus.SUCCEEDED or task.task_id in made_good
        if good and task.retry_of:
            made_good.add(task.retry_of)
        elif not good:
            left.append(task)
    return left[::-1]


def all_superseded(completed: Sequence[CompletedTask]) -> bool:
    """Whether every failed task was made good."""
    return not not_made_good(completed)


def chain(task_id: str, done: Sequence[CompletedTask]) -> list[CompletedTask]:
    """Returns the attempts that led to a task, itself first."""
    by_id = {task.task_id: task for task in done}
    attempts: list[CompletedTask] = []
    while (task := by_id.get(TaskId(task_id))) is not None and task not in attempts:
        attempts.append(task)
        task_id = task.retry_of
    return attempts


def most_attempts(attempts: int) -> int:
    """Returns how often one task was attempted at most, its alternatives included."""
    return 2 * attempts - 1


def _is_worn_out(task: PlannedTask, done: Sequence[CompletedTask], attempts: int) -> bool:
    if not task.retry_of:
        return False
    before = chain(task.retry_of, done)
    same = sum((t.type, t.description) == (task.type, task.description) for t in before)
    return same >= attempts or len(before) >= most_attempts(attempts)


def _is_hopeless(insight: Insight, attempts: int) -> bool:
    """Whether so many steps in a row have failed that more of the like will."""
    latest = insight.done[-HOPELESS * attempts :]
    return len(latest) == HOPELESS * attempts and all(t.status is TaskStatus.FAILED for t in latest)


def _why_given_up(failed: CompletedTask, insight: Insight) -> str:
    attempts = sum(task.status is TaskStatus.FAILED for task in _line(failed, insight.done))
    return language_of(insight.goal).phrases.tasks.given_up.format(failed.description[:NAMED], attempts)


def _line(first: CompletedTask, done: Sequence[CompletedTask]) -> list[CompletedTask]:
    """Returns a task and all its retries, one after another."""
    line, ids = [first], {str(first.task_id)}
    for task in done:
        if task.retry_of in ids:
            line.append(task)
            ids.add(task.task_id)
    return line


def _point_at_issue(conflict: Conflict) -> str:
    nodes = [side.node_id for side in conflict.sides]
    phrases = language_of(conflict.description).phrases
    return phrases.tasks.validate.format(nodes=phrases.marks.listed.join(nodes), issue=conflict.description)


def _tried_before(report: TaskReport, planned: PendingTask | None) -> str:
    """Returns the failed task that a reported one repeats: of a validation, whose attempts core counts, as planned."""
    if planned is not None and planned.conflict_id:
        return planned.retry_of or report.retry_of
    return report.retry_of or (planned.retry_of if planned else "")


def _validation(conflict: Conflict) -> PendingTask:
    return PendingTask(
        task_id=validation_id(conflict.conflict_id),
        type=TaskType.CROSS_VALIDATION,
        description=_point_at_issue(conflict)[:LONGEST],
        how=language_of(conflict.description).phrases.tasks.validate_how,
        conflict_id=conflict.conflict_id,
    )


def _once_again(conflict: Conflict, last: CompletedTask) -> PendingTask:
    return PendingTask(
        task_id=again_id(last.task_id),
        type=TaskType.CROSS_VALIDATION,
        description=_point_at_issue(conflict)[:LONGEST],
        retry_of=last.task_id,
    )


def _validated(task: PendingTask, words: str) -> CompletedTask:
    return CompletedTask(
        task_id=task.task_id,
        type=task.type,
        description=task.description,
        status=TaskStatus.SUCCEEDED,
        context=words,
        retry_of=task.retry_of,
    )


def _told(insight: Insight, report: TaskReport, context: str) -> Insight:
    """Returns the document with the Planner's words for a validation that has just been completed."""
    *before, last = insight.completed
    if not context or last.task_id != report.task_id or last.type != TaskType.CROSS_VALIDATION:
        return insight
    return replace(insight, completed=(*before, replace(last, context=context[:LONGEST])))


def _planned(insight: Insight, report: TaskReport) -> PendingTask | None:
    for task in insight.pending:
        if report.task_id and task.task_id == report.task_id:
            return task
    if report.task_id:
        return None
    for task in insight.pending:
        if task.type == report.type and task.description == report.description:
            return task
    return None


def _task(insight: Insight, planned: PlannedTask, new_id: Callable[[], TaskId]) -> PendingTask:
    for task in insight.pending:
        if (task.type, task.description, task.retry_of) == (
            planned.type,
            planned.description,
            planned.retry_of,
        ):
            return replace(task, how=planned.how)
    return PendingTask(
        task_id=new_id(),
        type=planned.type,
        description=planned.description[:LONGEST],
        how=planned.how[:LONGEST],
        retry_of=planned.retry_of,
    )
