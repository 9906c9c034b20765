"""The insight document in a prompt, and what to do now.

Law: pure. Of an open conflict stands the id that a verdict is sent back under, and no other; how to settle one is said
once. Conflicts whose validation is not planned stand behind the plan. Beyond a share of the budget the next to be
settled and the newest are listed, and how many more there are.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from math import inf

from core.context.condensing import AROUND, Shares, clipped, condensed
from core.context.frame import as_data
from core.context.lines import indented, one_line, opening, said_now
from core.context.sections import Item, Section
from core.context.validations import SIDES, SideText
from core.language import Wording
from core.model.conflict import Conflict, ConflictStatus
from core.model.insight import CompletedTask, Insight, PendingTask
from core.text.tokens import estimate

NOW = "now"
NAME_LENGTH = 40
"""Characters of what is at issue where that is only named."""
SHORT_LINE = 100
"""Characters of an older task, where it stands in one line."""
CONFLICTS_SHARE = 1 / 3
"""Of the budget, at most for open conflicts: the rest of the insight document and memories need room too."""
UNBOUNDED = Shares(goal=10**9, history=10**9, steps=10**9, line=10**9)
LEAST_NOW = 96
"""Tokens of the task that is to be done now, below which it is not shortened any further."""
AROUND_NOW = 110
"""Tokens, at most, of what stands around it: its name, and to stop then."""


def query_section(query: str, words: Wording, room: int | None = None) -> Section:
    """Renders what is asked, which the prompt ends with; a long one in a third of the room beyond its least."""
    fit = LEAST_NOW if room is None else LEAST_NOW + max(0, room - LEAST_NOW) // 3
    shown = query.strip() if room is None else clipped(query.strip(), fit)
    return Section(name=NOW, title=words.now_title, items=(Item(NOW, said_now(shown), fixed=True),))


def now_section(insight: Insight, words: Wording, room: int | None = None) -> Section:
    """Renders the first pending task in full, as the only one. Of a validation the sides stand with the conflict.

    `room`: the tokens that are left beside the least that the rest takes, of which it takes a third beyond its own
    least; None: all that there are.
    """
    items: tuple[Item, ...] = ()
    if insight.pending:
        task = insight.pending[0]
        fit = LEAST_NOW if room is None else LEAST_NOW + max(0, room - LEAST_NOW - AROUND_NOW) // 3

        def cut(text: str, limit: int) -> str:
            return text if room is None else clipped(text, limit)

        named = one_line(f"[{task.conflict_id or task.task_id}] {task.type}{_again(task, words)}")
        lines = [cut(named, LEAST_NOW // 2), indented(cut(as_data(task.description.strip()), 2 * fit // 3))]
        lines += [f"  {words.how}: {one_line(cut(as_data(task.how), fit // 3))}"] if task.how else []
        items = (Item(item_id=NOW, full="\n".join(filter(None, (*lines, words.then_stop))), fixed=True),)
    return Section(name=NOW, title=words.now_title, items=items)


def insight_section(
    insight: Insight,
    conflicts: Sequence[Conflict],
    words: Wording,
    fit: Shares = UNBOUNDED,
    sides: Sequence[SideText] = (),
    *,
    asked: bool = False,
) -> Section:
    """Renders the insight document, its parts in the tokens that they may take; of open conflicts their share.

    `asked`: the prompt is for a query, and not for the next step: that is a line under the others, and of open
    conflicts only their number is told. Suspected ones are counted once all is done.
    """
    suspected = sum(c.status is ConflictStatus.SUSPECTED for c in conflicts)
    conflicts = [c for c in conflicts if c.status is not ConflictStatus.SUSPECTED]
    known: dict[str, Conflict] = {c.conflict_id: c for c in conflicts}
    validations = [] if asked else [task for task in insight.pending if task.conflict_id]
    others = [clipped(words.how_to_settle, AROUND)] if validations else []
    steps = [task for task in insight.pending if not task.conflict_id]
    others += _steps(steps, None if asked else next(iter(insight.pending), None), words, fit)
    if asked and conflicts:
        others.append(words.open_conflicts.format(len(conflicts)))
        conflicts = ()
    if not insight.pending:
        others = [words.finished if insight.finished else words.nothing, *others]
        others += [words.suspected.format(suspected)] if insight.finished and suspected else []
    before = [
        _goal_line(clipped(as_data(insight.goal), fit.goal), words),
        f"{words.completed}:",
        *(_done(insight, words, fit) or [words.nothing]),
        f"{words.pending}:",
    ]
    items = [
        Item(item_id="insight", full="\n".join(before), fixed=True),
        *(_conflict_item(t, n, known.get(t.conflict_id), sides, words) for n, t in enumerate(validations)),
        Item(item_id="next", full="\n".join(others), fixed=True),
        *_unplanned(conflicts, {task.conflict_id for task in validations}, words),
    ]
    return Section(
        name="insight",
        title=words.insight_title,
        items=tuple(items),
        share=CONFLICTS_SHARE,
        more=words.more_conflicts.format,
    )


def _done(insight: Insight, words: Wording, fit: Shares) -> list[str]:
    def counted(types: Sequence[tuple[str, int, int]], others: int) -> str:
        listed = [words.of_type.format(one_line(kind), n) for kind, n, _ in types]
        listed += [words.other_types.format(others)] if others else []
        failed = sum(number for *_, number in types)
        listed += [words.failed.format(failed)] if failed else []
        return words.earlier.format(", ".join(listed))

    digest = clipped(one_line(insight.digest), fit.history // 2)
    older = [words.digest.format(insight.digested_tasks, digest)] if digest else []
    return older + condensed(
        insight.completed[insight.digested_tasks if digest else 0 :],
        fit.history - sum(map(estimate, older)),
        lambda task: _completed_line(task, words),
        lambda task: opening(_completed_line(replace(task, context="", retry_of=""), words), SHORT_LINE),
        counted,
    )


def _steps(tasks: Sequence[PendingTask], now: PendingTask | None, words: Wording, fit: Shares) -> list[str]:
    """Lists what comes next: the first step in any case, of the others as many as fit, and how many more there are. The
    one to be done `now` is only named."""
    lines: list[str] = []
    filled = 0
    for task in tasks:
        if task is now:
            line = clipped(one_line(f"- [{task.task_id}] {task.type} {words.see_now}"), fit.line)
        else:
            line = clipped(_pending_line(task, words), fit.line)
        filled += estimate(line) + 1
        if lines and filled > fit.steps:
            return [*lines, words.more_steps.format(len(tasks) - len(lines))]
        lines.append(line)
    return lines


def _goal_line(goal: str, words: Wording) -> str:
    """Renders the goal, of several lines where it has them: a task's wording is kept."""
    if len(goal.strip().splitlines()) > 1:
        return f"{words.goal}:\n{indented(goal.strip())}"
    return f"{words.goal}: {goal.strip() or words.nothing}"


def _completed_line(task: CompletedTask, words: Wording) -> str:
    found = f" → {task.context}" if task.context else ""
    head = f"- [{task.task_id}] {task.type} ({task.status.name})"
    return one_line(f"{head}: {task.description}{_again(task, words)}{found}")


def _pending_line(task: PendingTask, words: Wording) -> str:
    how = f" {task.how}" if task.how else ""
    return one_line(f"- [{task.task_id}] {task.type}: {task.description}{_again(task, words)}{how}")


def _again(task: CompletedTask | PendingTask, words: Wording) -> str:
    return f" ({words.retry_of} {task.retry_of})" if task.retry_of else ""


def _conflict_item(
    task: PendingTask, place: int, conflict: Conflict | None, sides: Sequence[SideText], words: Wording
) -> Item:
    """Renders a conflict. The first, which is the next step, stands in full with what its sides say, and outweighs all;
    the others are named until their turn comes, and the newer outweighs the older."""
    at_issue = conflict.description if conflict else task.description
    if place:
        named = f"- [{task.conflict_id}] {opening(at_issue, NAME_LENGTH)}"
        return Item(item_id=task.conflict_id, full=named, weight=float(place))
    head = f"- [{task.conflict_id}] {task.type}:"
    return Item(
        item_id=task.conflict_id,
        full="\n".join((one_line(f"{head} {at_issue}"), *_sides(sides, words))),
        short="\n".join(
            (one_line(f"{head} {opening(at_issue, NAME_LENGTH)}"), *_sides(sides, words, short=True))
        ),
        weight=inf,
    )


def _unplanned(conflicts: Sequence[Conflict], planned: Container[str], words: Wording) -> Iterator[Item]:
    """Yields open conflicts without a step, each named; the newer outweighs the older, any planned one all of these."""
    for place, conflict in enumerate(conflicts, start=1):
        if conflict.conflict_id not in planned:
            named = (
                f"- [{conflict.conflict_id}] {words.unplanned}: {opening(conflict.description, NAME_LENGTH)}"
            )
            weight = place / (len(conflicts) + 1)
            yield Item(item_id=conflict.conflict_id, full=named, weight=weight)


def _sides(sides: Sequence[SideText], words: Wording, *, short: bool = False) -> Iterator[str]:
    """Yields for each side where its words come from, and below, indented further than any head, the words."""
    for side in sides[:SIDES]:
        source = f", {one_line(side.source)}" if side.source else ""
        yield f"  [{side.node_id}] {words.context.dates.written(side.time)}{source}"
        yield indented(indented(side.short if short else side.line))
