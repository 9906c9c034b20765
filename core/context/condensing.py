"""The insight document in as many tokens as it may take.

Law: pure. What is shortened says so. Of what was done the newest stands in full, before it a line each, before these
how many there were of each type; nothing is lost by it: the record has all.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.model.insight import CompletedTask
from core.model.interaction import TaskStatus
from core.text.tokens import estimate

CUT = " … "
HEAD = 2 / 3  # of a cut text is its beginning, the rest its end
IN_FULL = 2 / 3  # of what the history may take, for tasks with what they found
TYPES = 5  # that are counted by name
LONGEST_TYPE = 24  # characters of a type where tasks are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The tokens that parts of the insight document may take: `goal`, `history` (what was done), `steps` (what comes
    next) and `line` (one step of it)."""

    goal: int
    history: int
    steps: int
    line: int


LEAST = Shares(goal=32, history=40, steps=64, line=64)
"""Below this nothing is shortened any further."""
AROUND = 130
"""Tokens, at most, of what stands around these: titles, how to settle a conflict, how many there are."""


def shares(room: int, history: float) -> Shares:
    """Divides what a budget leaves for the insight document: `history` is the share of what was done."""
    return Shares(
        goal=max(LEAST.goal, room // 4),
        history=max(LEAST.history, int(room * history)),
        steps=max(LEAST.steps, room // 4),
        line=max(LEAST.line, room // 6),
    )


def least_room() -> int:
    """Returns the tokens that any insight document fits into, beside the tool's declaration."""
    return LEAST.goal + LEAST.history + LEAST.steps + AROUND


def clipped(text: str, limit: int) -> str:
    """Cuts a text to its beginning and end, in at most `limit` tokens."""
    if len(text) <= limit // 4 or (tokens := estimate(text)) <= limit:
        return text
    kept = len(text)
    while True:
        kept = min(kept - 1, int(kept * limit / max(tokens, 1)) - len(CUT))
        if kept < 2:
            return text[:1]
        head = int(kept * HEAD)
        shown = f"{text[:head].rstrip()}{CUT}{text[len(text) - (kept - head) :].lstrip()}"
        if (tokens := estimate(shown)) <= limit:
            return shown


def condensed(
    tasks: Sequence[CompletedTask],
    limit: int,
    full: Callable[[CompletedTask], str],
    short: Callable[[CompletedTask], str],
    counted: Callable[[Sequence[tuple[str, int, int]], int], str],
) -> list[str]:
    """Returns lines for what was done, oldest first, of at most about `limit` tokens.

    `counted` puts into words how many tasks of each type there were, how many of them failed, and how many of other
    types.
    """
    lines: list[str] = []
    filled = 0
    left = len(tasks)
    for form, room in ((full, int(limit * IN_FULL)), (short, limit)):
        while left and filled < room:
            line = form(tasks[left - 1])
            if (filled := filled + estimate(line) + 1) > room:
                break
            lines.append(line)
            left -= 1
        if not left:
            break
        filled = min(filled, room)
    if left:
        lines.append(counted(*by_type(tasks[:left])))
    return lines[::-1]


def by_type(tasks: Sequence[CompletedTask]) -> tuple[list[tuple[str, int, int]], int]:
    """Counts tasks by type: of each of the most frequent its name, how many, how many of them failed; and all
    others."""
    counts = Counter(task.type for task in tasks)
    failed = Counter(task.type for task in tasks if task.status is TaskStatus.FAILED)
    named = counts.most_common(TYPES)
    others = len(tasks) - sum(number for _, number in named)
    return [(kind[:LONGEST_TYPE], number, failed[kind]) for kind, number in named], others
