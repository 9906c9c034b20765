"""The Planner on a language model.

It proposes the next step and says what the last one found. The insight document stays core's: the
goal, what was done, validations in front. Law of the seed: one new step at a time; a reply with
more is asked again, and after the last reply its first new step counts.

Of a long history the latest tasks are shown that fit, of a long context its beginning and end.
"""

from collections.abc import Mapping, Sequence

from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.llm.topics import enclosed, names, size
from core.agents.parsing import Fields, MalformedReply, folded
from core.agents.roles import Plan, PlannedTask, Progress, Topic
from core.model.conflict import Conflict
from core.model.insight import CompletedTask, Insight, PendingTask, TaskType
from core.model.interaction import TaskStatus
from core.model.lineage import MergeRecord
from core.ports.chat import ChatModel, ReplyShape
from core.text.tokens import estimate

TYPES = (
    TaskType.SEARCH.value,
    TaskType.SOLVE.value,
    TaskType.ANSWER.value,
)  # others are for frameworks to plan

DIGEST_WORDS = 200


class LlmPlanner:
    """The next step as the model sees it."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("planner", model, "planner", prompts)
        self._condensing = Asking("planner", model, "digest", prompts)

    async def plan(self, insight: Insight, progress: Progress) -> Plan:
        waiting = _waiting(insight, progress)
        tasks = dict(zip(names("task", len(insight.completed)), insight.completed, strict=True))
        failed: dict[str, str] = {
            name: task.task_id
            for name, task in list(tasks.items())[insight.earlier_tasks :]  # the others were another goal's
            if task.status is TaskStatus.FAILED and task.type != TaskType.CROSS_VALIDATION  # that is core's
        }
        report = progress.report
        if report is not None and report.status is TaskStatus.FAILED and report.task_id:
            failed["reported"] = report.task_id
        text = message(_parts(insight, progress, tasks, waiting, self._asking.room - 8 * FENCE_TOKENS))
        needed = (
            report is not None and report.status is TaskStatus.SUCCEEDED and bool(progress.context.strip())
        )
        return await self._asking.ask(
            text,
            _shape(list(failed)),
            lambda reply: _plan(reply, failed, waiting, needed),
            mend=lambda reply: _plan(reply, failed, waiting, needed, mending=True),
        )

    async def condense(self, goal: str, tasks: Sequence[CompletedTask], before: str) -> str:
        room = self._condensing.room - 4 * FENCE_TOKENS
        lines = _completed(dict(zip(names("task", len(tasks)), tasks, strict=True)))
        parts: list[str | Enclosure] = [
            f"The goal, and the steps to be condensed into at most {DIGEST_WORDS} words:",
            Enclosure(name="goal", text=windows.shortened(goal or "(none was given)", room // 8)),
        ]
        if before:
            parts += [
                "Condensed before:",
                Enclosure(name="before", text=windows.shortened(before, room // 4)),
            ]
        parts += ["The steps:", Enclosure(name="done", text=windows.shortened("\n".join(lines), room // 2))]
        shape = ReplyShape(name="digest", schema=shapes.fields(digest=shapes.TEXT))
        return await self._condensing.ask(message(parts), shape, lambda reply: reply.line("digest"))


# ---- what is asked ----


def _waiting(insight: Insight, progress: Progress) -> list[PendingTask]:
    """Steps of the plan that are neither validations nor the one just reported."""
    report = progress.report
    waiting = [task for task in insight.pending if not task.conflict_id]
    if report is None:
        return waiting
    for task in waiting:
        if task.task_id == report.task_id:
            return [other for other in waiting if other is not task]
    return waiting


def _parts(
    insight: Insight,
    progress: Progress,
    tasks: Mapping[str, CompletedTask],
    waiting: Sequence[PendingTask],
    room: int,
) -> list[str | Enclosure]:
    """Returns a quarter of the room each for history, the report, and the new memories; the rest for what is short."""
    goal = windows.shortened(insight.goal or "(none was given)", room // 8)
    parts: list[str | Enclosure] = ["The goal:", Enclosure(name="goal", text=goal)]
    if insight.digest:
        digest = Enclosure(name="digest", text=windows.shortened(insight.digest, room // 16))
        parts += [f"What the first {insight.digested_tasks} tasks came to:", digest]
    parts += _history(_completed(tasks), room // 4)
    steps = "\n".join(_pending(task) for task in waiting)
    if steps:
        parts += ["Waiting steps:", Enclosure(name="waiting", text=windows.shortened(steps, room // 8))]
    if report := _report(progress, room // 4):
        parts += ["The task just reported:", report]
    parts += _memories(progress.new_nodes, room // 4)
    if progress.merges:
        merged = windows.shortened("\n".join(map(_merge, progress.merges)), room // 16)
        parts += ["Memories that have become one:", Enclosure(name="merges", text=merged)]
    planned = {task.conflict_id for task in insight.pending}
    if points := "\n".join(_conflict(c) for c in progress.conflicts if c.conflict_id in planned):
        fenced = Enclosure(name="contradictions", text=windows.shortened(points, room // 16))
        parts += ["Contradictions that are open, their validation planned in front of every step:", fenced]
    if progress.problem:
        problem = Enclosure(name="problem", text=windows.shortened(progress.problem, room // 16))
        parts += [
            "You planned no step, but the task is not finished: plan the next one. What is missing:",
            problem,
        ]
    return parts


def _history(done: Sequence[str], limit: int) -> list[str | Enclosure]:
    """Returns the latest tasks that fit."""
    if not done:
        return ["Nothing has been done yet."]
    fitting = filled = 0
    for line in reversed(done):
        filled += estimate(f"{line}\n")
        if filled > limit and fitting:
            break
        fitting += 1
    earlier = len(done) - fitting
    title = f"What was done (the {earlier} tasks before are not shown):" if earlier else "What was done:"
    return [title, Enclosure(name="done", text=windows.shortened("\n".join(done[earlier:]), limit))]


def _completed(tasks: Mapping[str, CompletedTask]) -> list[str]:
    """Returns a line for each task, retries with the name of what they are to make good."""
    name_of: dict[str, str] = {task.task_id: name for name, task in tasks.items()}
    lines = []
    for name, task in tasks.items():
        retry = f" (retry of {name_of[task.retry_of]})" if task.retry_of in name_of else ""
        found = f" Found: {folded(task.context)}" if task.context else ""
        lines.append(
            f"{name}: {task.status.value}{retry}: {folded(task.type)}: {folded(task.description)}.{found}"
        )
    return lines


def _pending(task: PendingTask) -> str:
    return f"type: {folded(task.type)}; description: {folded(task.description)}; how: {folded(task.how)}"


def _conflict(conflict: Conflict) -> str:
    quotes = " / ".join(folded(side.quote) for side in conflict.sides if side.quote)
    return f"{folded(conflict.description)} ({quotes})" if quotes else folded(conflict.description)


def _merge(record: MergeRecord) -> str:
    of = " + ".join(folded(node.base_context) for node in record.absorbed)
    return f"{of}: {folded(record.description)}"


def _report(progress: Progress, limit: int) -> Enclosure | None:
    report = progress.report
    if report is None:
        return None
    head = f"status: {report.status.value}\ntype: {folded(report.type)}\ndescription: {folded(report.description)}"
    if report.result:
        head += f"\nanswer:\n{windows.shortened(report.result, limit // 2)}"
    return Enclosure(name="reported", text=windows.shortened(f"{head}\ncontext:\n{progress.context}", limit))


def _memories(topics: Sequence[Topic], limit: int) -> list[str | Enclosure]:
    """Returns what is newly known; each memory gets its share."""
    if not topics:
        return []
    numbered = zip(names("node", len(topics)), topics, strict=True)
    wanted = [size(enclosed(name, topic, limit)) for name, topic in numbered]
    granted = windows.shares(wanted, limit)
    numbered = zip(names("node", len(topics)), topics, strict=True)
    return [
        "New memories:",
        *(enclosed(name, topic, share) for (name, topic), share in zip(numbered, granted, strict=True)),
    ]


# ---- what is answered ----


def _shape(failed: Sequence[str]) -> ReplyShape:
    steps = shapes.rows(
        type=shapes.one_of(TYPES),
        description=shapes.TEXT,
        how=shapes.TEXT,
        retry_of=shapes.one_of(("", *failed)),
    )
    schema = shapes.fields(task_goal=shapes.TEXT, completed_context=shapes.TEXT, pending_tasks=steps)
    return ReplyShape(name="plan", schema=schema)


def _plan(
    reply: Fields,
    failed: Mapping[str, str],
    waiting: Sequence[PendingTask],
    needed: bool,
    *,
    mending: bool = False,
) -> Plan:
    """`task_goal` is read and left: saying the goal again keeps the step to it, but the goal is core's."""
    reply.text_or_nothing("task_goal")
    found = reply.sentence("completed_context") if needed else reply.line_or_nothing("completed_context")
    known = {folded(task.description): task for task in waiting}
    planned: dict[str, PlannedTask] = {}
    new: list[str] = []
    for row in reply.rows("pending_tasks"):
        step = _step(row, failed)
        if step.description in known:
            planned[step.description] = _kept(known[step.description])
        elif step.description not in planned and not (mending and new):
            planned[step.description] = step
            new.append(step.description)
    if len(new) > 1:
        raise MalformedReply("pending_tasks holds more than one new step: only the next one is to be planned")
    return Plan(completed_context=found, pending=tuple(planned.values()))


def _step(row: Fields, failed: Mapping[str, str]) -> PlannedTask:
    name = row.choice("retry_of", ("", *failed))
    return PlannedTask(
        type=row.choice("type", TYPES),
        description=row.line("description"),
        how=row.line_or_nothing("how"),
        retry_of=failed[name] if name else "",
    )


def _kept(task: PendingTask) -> PlannedTask:
    return PlannedTask(type=task.type, description=task.description, how=task.how, retry_of=task.retry_of)
