"""The offline Planner: the next step by rule.

Law: pure of itself and deterministic; one step at a time. Order: a retry of what failed, steps that others have put
into the plan, SEARCH where nothing is known of the goal, SOLVE it, ANSWER, nothing. What failed too often is not tried
again as it was: the goal is solved without it, which makes it good; if that fails too, planning stops.
"""

from collections.abc import Sequence

from core.agents.offline import salience
from core.agents.offline.statements import statements
from core.agents.offline.thinking import think
from core.agents.roles import Plan, PlannedTask, Progress
from core.ids import TaskId
from core.language import language_of
from core.language.phrases import StepPhrases
from core.model.insight import CompletedTask, Insight, PendingTask, TaskType
from core.model.interaction import TaskReport, TaskStatus
from core.text import transcript
from core.text.answers import answered
from core.text.brevity import is_brief, limit
from core.text.questions import asks
from core.text.sentences import split
from core.text.tokens import estimate

QUESTION = 240  # code points of the goal's questions in a step
FOUND_SENTENCES = 2
FOUND_WIDTH = 300  # columns
ENDS = tuple('.!?…。！？；;:："”’)）')
LEAST = 0.5  # of the best sentence's score, for a second one

SOLVED = frozenset({TaskType.SOLVE, "解决"})
ANSWERED = frozenset({TaskType.ANSWER, "回答"})


class OfflinePlanner:
    """Plans by rule; says what a task found in one or two of its own sentences."""

    async def plan(self, insight: Insight, progress: Progress) -> Plan:
        found = await think(found_by, progress, insight.goal)
        return Plan(completed_context=found, pending=tuple(next_steps(insight, progress)))

    async def condense(self, goal: str, tasks: Sequence[CompletedTask], before: str) -> str:  # noqa: ARG002  the port's
        """Returns nothing: a line each, then counts by type, is the rule's way (see `core.context.condensing`)."""
        return ""


def found_by(progress: Progress, goal: str) -> str:
    """Returns one or two sentences of what the agent answered, verbatim; of what it read where it answered nothing;
    none on failure, nor of a verdict, whose own beginning says it best."""
    report = progress.report
    if report is None or report.status is TaskStatus.FAILED or not progress.context.strip():
        return ""
    if report.type == TaskType.CROSS_VALIDATION:
        return ""
    answer = report.result or answered(progress.context)
    if answer and is_brief(answer):
        return " ".join(answer.split())
    texts = [one.told for one in statements(answer or _read(progress.context))]
    if not texts:
        return ""
    worth = salience.scores(texts, f"{report.description} {goal}")
    kept = [index for index, score in enumerate(worth) if score >= LEAST * max(worth)]
    best = sorted(kept, key=lambda index: -worth[index])[: 4 * FOUND_SENTENCES]
    picked = salience.chosen([texts[i] for i in best], [worth[i] for i in best], FOUND_WIDTH)
    chosen = sorted(best[i] for i in picked[:FOUND_SENTENCES])
    both = _joined([texts[index] for index in chosen])
    return both if estimate(both) <= limit(both) else texts[max(chosen, key=lambda index: worth[index])]


def _read(context: str) -> str:
    """Returns what the agent found, else all that it tells."""
    return transcript.told(context, transcript.FOUND) or transcript.told(context)


def _joined(texts: Sequence[str]) -> str:
    """Sentences in one line; those without a full stop, as rows and list items are, set apart."""
    marks = language_of(texts[0]).marks
    parts = [text if text.endswith(ENDS) else text + marks.part for text in texts[:-1]]
    return marks.gap.join((*parts, texts[-1]))


def next_steps(insight: Insight, progress: Progress) -> Sequence[PlannedTask]:
    """Returns what comes next, given all that was done and the task just reported."""
    report = progress.report
    reported = _reported(insight, report)
    done = [*insight.done, *([_completed(report, reported)] if report else [])]
    words = language_of(insight.goal).phrases.steps
    waiting = [_kept(t) for t in insight.pending if t is not reported and not t.conflict_id]
    if any(task.status is TaskStatus.SUCCEEDED for task in done):  # memory holds something by now
        waiting = [task for task in waiting if task != _search(insight.goal, words)]
    failed = _unmade(done)
    if failed and not any(step.retry_of for step in waiting):
        waiting = [*_again(failed, done, words, progress.attempts), *waiting]
    if waiting or failed:
        return waiting
    if not insight.goal:
        return [] if done else [PlannedTask(type=TaskType.SEARCH, description=words.goal, how=words.goal_how)]
    return _towards(insight.goal, done, words, progress.knows_of_goal)


def _towards(
    goal: str, done: Sequence[CompletedTask], words: StepPhrases, knows_of_goal: bool
) -> Sequence[PlannedTask]:
    """Returns the next step on the way from what is known to the answer."""
    succeeded = {task.type.upper() for task in done if task.status is TaskStatus.SUCCEEDED}
    steps = (
        (SOLVED | ANSWERED, TaskType.SOLVE, words.solve, words.solve_how),
        (ANSWERED, TaskType.ANSWER, words.answer, words.answer_how),
    )
    question = questions(goal)
    if not succeeded and not knows_of_goal:
        return [_search(goal, words)]
    for types, kind, description, how in steps:
        if not types & succeeded:
            return [PlannedTask(type=kind, description=description.format(question), how=how)]
    return []


def _search(goal: str, words: StepPhrases) -> PlannedTask:
    """Returns the first step where nothing is known; whatever else succeeds takes its place."""
    description = words.search.format(questions(goal))
    return PlannedTask(type=TaskType.SEARCH, description=description, how=words.search_how)


def questions(goal: str) -> str:
    """Returns the questions of the goal, else all of it, else its end."""
    sentences = [" ".join(sentence.split()) for sentence in split(goal)]
    asked = [sentence for sentence in sentences if asks(sentence)]
    chosen = asked or (sentences if len(goal) <= QUESTION else sentences[-1:])
    text = language_of(goal).marks.gap.join(chosen) or " ".join(goal.split())
    return text if len(text) <= QUESTION else f"{text[: QUESTION - 1]}…"


def _kept(task: PendingTask) -> PlannedTask:
    return PlannedTask(type=task.type, description=task.description, how=task.how, retry_of=task.retry_of)


def _reported(insight: Insight, report: TaskReport | None) -> PendingTask | None:
    """Returns the pending task that a report is about: by its id, or by type and description where it has none."""
    if report is None:
        return None
    for task in insight.pending:
        same = (task.type, task.description) == (report.type, report.description)
        if task.task_id == report.task_id or (not report.task_id and same):
            return task
    return None


def _completed(report: TaskReport, planned: PendingTask | None) -> CompletedTask:
    return CompletedTask(
        task_id=planned.task_id if planned else TaskId(report.task_id),
        type=report.type or (planned.type if planned else ""),
        description=report.description or (planned.description if planned else ""),
        status=report.status,
        retry_of=report.retry_of or (planned.retry_of if planned else ""),
    )


def _unmade(done: Sequence[CompletedTask]) -> CompletedTask | None:
    """Returns the latest failed attempt of the first task that nothing has made good; validations are core's.

    A task that has no id yet cannot be named by its retry: its turn comes when it has one.
    """
    tried_again = {task.retry_of for task in done}
    made_good: set[str] = set()
    latest: CompletedTask | None = None
    for task in reversed(done):
        if task.status is TaskStatus.SUCCEEDED or task.task_id in made_good:
            made_good.add(task.retry_of)
        elif task.task_id and task.task_id not in tried_again and task.type != TaskType.CROSS_VALIDATION:
            latest = task
    return latest


def _again(
    failed: CompletedTask, done: Sequence[CompletedTask], words: StepPhrases, attempts: int
) -> list[PlannedTask]:
    """Returns another attempt, then a way round, then nothing."""
    chain = _chain(failed, done)
    first = chain[-1]
    detours = sum(task.description.startswith(words.without.split("{}")[0]) for task in chain)
    if len(chain) - detours < attempts and not detours:
        return [
            PlannedTask(
                type=first.type, description=first.description, how=words.retry_how, retry_of=failed.task_id
            )
        ]
    if detours < attempts - 1:
        description = words.without.format(first.description)
        return [
            PlannedTask(
                type=TaskType.SOLVE, description=description, how=words.without_how, retry_of=failed.task_id
            )
        ]
    return []


def _chain(failed: CompletedTask, done: Sequence[CompletedTask]) -> list[CompletedTask]:
    """Returns the attempts that led to a failure, the last first."""
    by_id = {task.task_id: task for task in done}
    chain = [failed]
    while (before := by_id.get(TaskId(chain[-1].retry_of))) is not None and before not in chain:
        chain.append(before)
    return chain
