"""What core keeps true of an insight document, whatever a Planner answers.

Law: pure. Open conflicts' CROSS_VALIDATION tasks stand in front, oldest first; completed tasks
are only ever added; a task keeps its id as long as it says the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.agents.roles import Plan, PlannedTask
from core.ids import TaskId
from core.model.conflict import Conflict
from core.model.insight import LONGEST, CompletedTask, Insight, PendingTask, TaskOutcome, TaskType
from core.model.interaction import TaskReport, TaskStatus
from core.text.scripts import is_chinese
from core.text.sentences import split

HOW = {
    True: "检索多个独立来源进行交叉验证，说明哪一方正确或应如何整合，并给出依据。",
    False: "Check several independent sources, say which side is right or how they fit together, and on what evidence.",
}


def with_conflict(insight: Insight, conflict: Conflict, task_id: TaskId) -> Insight:
    """The document with the conflict's validation in front of all other work (behind earlier validations)."""
    task = PendingTask(
        task_id=task_id,
        type=TaskType.CROSS_VALIDATION,
        description=_point_at_issue(conflict)[:LONGEST],
        how=HOW[is_chinese(conflict.description)],
        conflict_id=conflict.conflict_id,
    )
    validations = [t for t in insight.pending if t.conflict_id]
    others = [t for t in insight.pending if not t.conflict_id]
    return replace(insight, pending=(*validations, task, *others), finished=False, outcome=None)


def without_conflict(insight: Insight, conflict: Conflict, verdict: str = "") -> Insight:
    """The document once a conflict is closed: with a verdict its task is completed, without one it is dropped."""
    tasks = [t for t in insight.pending if t.conflict_id == conflict.conflict_id]
    pending = tuple(t for t in insight.pending if t.conflict_id != conflict.conflict_id)
    done = tuple(_validated(task, verdict) for task in tasks) if verdict else ()
    return replace(insight, pending=pending, completed=(*insight.completed, *done))


def with_id(insight: Insight, report: TaskReport, new_id: Callable[[], TaskId]) -> TaskReport:
    """The report under the id of the task it is about, so that the Planner can name it in a retry."""
    if report.task_id:
        return report
    planned = _planned(insight, report)
    return replace(report, task_id=planned.task_id if planned else new_id())


def with_report(insight: Insight, report: TaskReport, context: str, new_id: Callable[[], TaskId]) -> Insight:
    """The document with a reported task (under its id, see `with_id`) moved from pending to completed.

    A validation that failed stays open: the attempt is noted, and the task stands again as its retry.
    One that succeeded is completed by closing its conflict, not here: `context` is then put into it. A task that is
    completed already is not completed again.
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
        retry_of=report.retry_of or (planned.retry_of if planned else ""),
    )
    pending = [t for t in insight.pending if t is not planned]
    if planned is not None and planned.conflict_id:
        again = replace(planned, task_id=new_id(), retry_of=planned.task_id)
        pending = [again if t is planned else t for t in insight.pending]
    return replace(insight, pending=tuple(pending), completed=(*insight.completed, done))


def with_plan(insight: Insight, plan: Plan, new_id: Callable[[], TaskId]) -> Insight:
    """The document with the Planner's next steps behind the validations, and whether all is done."""
    validations = tuple(t for t in insight.pending if t.conflict_id)
    planned = tuple(
        _task(insight, task, new_id) for task in plan.pending if task.type != TaskType.CROSS_VALIDATION
    )
    pending = (*validations, *planned)
    finished = not pending and all_superseded(insight.done)
    return replace(
        insight, pending=pending, finished=finished, outcome=TaskOutcome.SUCCEEDED if finished else None
    )


def all_superseded(completed: Sequence[CompletedTask]) -> bool:
    """Whether every failed task is made good by a success that names it, or a retry of it, in `retry_of`."""
    made_good: set[str] = set()
    for task in reversed(completed):
        if task.retry_of and (task.status is TaskStatus.SUCCEEDED or task.task_id in made_good):
            made_good.add(task.retry_of)
    return all(t.status is TaskStatus.SUCCEEDED or t.task_id in made_good for t in completed)


def opening(text: str, sentences: int = 2, limit: int = 400) -> str:
    """The first sentences of a text, clipped: what a completed task says it found."""
    return " ".join(split(text)[:sentences])[:limit]


def _point_at_issue(conflict: Conflict) -> str:
    nodes = [side.node_id for side in conflict.sides]
    if is_chinese(conflict.description):
        return f"验证节点 {'、'.join(nodes)} 的冲突：{conflict.description}"
    return f"Validate the conflict between nodes {', '.join(nodes)}: {conflict.description}"


def _validated(task: PendingTask, verdict: str) -> CompletedTask:
    return CompletedTask(
        task_id=task.task_id,
        type=task.type,
        description=task.description,
        status=TaskStatus.SUCCEEDED,
        context=opening(verdict),
        retry_of=task.retry_of,
    )


def _told(insight: Insight, report: TaskReport, context: str) -> Insight:
    """The document with the Planner's words for a validation that has just been completed."""
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
