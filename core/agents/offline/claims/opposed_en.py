"""Two states of one thing that exclude each other, however they are told: "the lift is out of order", "the lift runs".

Law: pure; English only. Both sentences tell one end of a scale each, of the same thing, and say nothing else of it that
would tell it apart.
"""

import re
from collections.abc import Iterator

from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.frame_en import ANYBODY, Frame, State, frame, of_one_matter
from core.agents.offline.claims.quantity import ALL, quantity
from core.agents.offline.claims.statement import Statement

THEN = re.compile(r"\bwhen (?:\w+ ){1,3}(?:was|were)\b|\bonce (?:was|were|had)\b", re.IGNORECASE)
TO_COME = re.compile(r"\b(?:will|'ll)\b", re.IGNORECASE)
CONFIDENCE = 0.7
OWN = frozenset({"i", "my"})


def opposed(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields the states of one thing that exclude each other."""
    if left.chinese or right.chinese:
        return
    if left.in_text(_then) is not right.in_text(_then) or left.in_text(_to_come) is not right.in_text(
        _to_come
    ):
        return
    ours, theirs = left.kept(frame), right.kept(frame)
    for x in ours.states:
        for y in theirs.states:
            if x.scale == y.scale and x.end != y.end and _of_one(ours, x, theirs, y):
                words = left.text[slice(*x.spans[-1])], right.text[slice(*y.spans[-1])]
                yield of_values(Slot.OPPOSITE, False, *words, CONFIDENCE)


def _then(text: str) -> bool:
    return THEN.search(text) is not None


def _to_come(text: str) -> bool:
    return TO_COME.search(text) is not None


def _of_one(ours: Frame, x: State, theirs: Frame, y: State) -> bool:
    a, b = ours.statement.personal, theirs.statement.personal
    if a != b and (x.scale.startswith("*") or not {a, b} <= ANYBODY) and {a, b} != OWN:
        return False
    return of_one_matter(
        ours, x.spans, theirs, y.spans, counted=_all_and_some(ours.statement, theirs.statement)
    )


def _all_and_some(left: Statement, right: Statement) -> bool:
    """Whether one tells of all, so that the number of which the other tells is a part of them."""
    return ALL in (left.in_text(quantity), right.in_text(quantity))
