"""Another party to a relation that has one: who conducts it, who pays for it, where one was born, what one likes best.

Law: pure; English only. Both sentences tell the relation, in whatever words, with one party that the other does not
name, in frames that agree in all else.
"""

import re
from collections.abc import Iterator, Mapping

from core.agents.offline.claims.alignment import align, matches
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.frame_en import (
    Frame,
    frame,
    meanings,
    of_one_matter,
    share_a_subject,
    told_of,
)
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.values_en import LIKING, OFFICES, PAYING, PLACES

CONFIDENCE = 0.65
OF_ANOTHER = re.compile(r"(?:['’]s|\bfavou?rite|\bmy|\bof all) $", re.IGNORECASE)  # whose, or of what kind
UNDERGOES = re.compile(r"\b(?:is|are|was|were|been|be) (?:\w+ly )?\w+(?:ed|en|t|aid)\b", re.IGNORECASE)
BY = re.compile(r"\bby (?:the |an? |my |our )?$", re.IGNORECASE)
ONE_OF_MANY = re.compile(r"\b(?:one of|also|both)\b|\b(?:is|was|are|were|became|as) an? ", re.IGNORECASE)
MOST_LIKED = re.compile(
    r"\bfavou?rite\b|\bbest\b|\b(?:loves?|likes?|enjoys?)\b.*\bmost\b"
    r"|\bno(?:thing)?\b.*\b(?:more|as much|better|beats?)\b",
    re.IGNORECASE,
)
Both = tuple[tuple[Term, ...], tuple[Term, ...]]


def other_parties(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields the parties that differ in two frames that agree."""
    ours, theirs = left.kept(frame), right.kept(frame)
    if not share_a_subject(ours, theirs):
        return
    for both in (_named(ours, theirs), _agents(ours, theirs), _liked(ours, theirs)):
        if both is not None:
            yield found(Slot.NAME, left, both[0], right, both[1], CONFIDENCE)


def _named(ours: Frame, theirs: Frame) -> Both | None:
    """Returns who holds an office, or where one lives or was born."""
    if any(ONE_OF_MANY.search(side.statement.text) for side in (ours, theirs)):
        return None
    for listed in (OFFICES, PLACES):
        told = meanings(listed)
        if told_of(ours, told).isdisjoint(told_of(theirs, told)):
            continue
        laid = align(_names(ours), _names(theirs), False)
        if len(laid.only_a) != 1 or len(laid.only_b) != 1 or laid.only_a[0].owner is not laid.only_b[0].owner:
            continue
        if _agree(ours, laid.only_a, theirs, laid.only_b, told):
            return laid.only_a, laid.only_b
    return None


def _names(side: Frame) -> list[Term]:
    return [t for t in side.terms if t.kind is Kind.NAME and t.asserted]


def _agents(ours: Frame, theirs: Frame) -> Both | None:
    """Returns who pays for it or has made it, told as the subject or behind "by"."""
    told = meanings(PAYING)
    if told_of(ours, told).isdisjoint(told_of(theirs, told)):
        return None
    x, y = _agent(ours), _agent(theirs)
    if not x or not y or any(matches(a, b) for a in x for b in y):
        return None
    return (x, y) if _agree(ours, x, theirs, y, told) else None


def _agent(side: Frame) -> tuple[Term, ...]:
    text = side.statement.text
    behind = next((t for t in side.terms if BY.search(text[: t.start])), None)
    if behind is not None or side.statement.passive or side.statement.personal or UNDERGOES.search(text):
        return (behind,) if behind else ()
    leading = {t.start for t in side.statement.terms[: side.statement.subject_end]}
    return tuple(t for t in side.terms if t.start in leading and t.asserted)


def _liked(ours: Frame, theirs: Frame) -> Both | None:
    """Returns what one likes best of a kind."""
    if not all(side.statement.in_text(_tells_the_most_liked) for side in (ours, theirs)):
        return None
    told = meanings(LIKING)
    one, other = ([t for t in side.terms if t.key not in told] for side in (ours, theirs))
    laid = align(one, other, False)
    if len(laid.only_a) != 1 or len(laid.only_b) != 1 or not laid.pairs:
        return None
    differing = ((ours, laid.only_a[0]), (theirs, laid.only_b[0]))
    if any(OF_ANOTHER.search(side.statement.text[: t.start]) for side, t in differing):
        return None
    return laid.only_a, laid.only_b


def _tells_the_most_liked(text: str) -> bool:
    return MOST_LIKED.search(text) is not None


def _agree(
    ours: Frame, x: tuple[Term, ...], theirs: Frame, y: tuple[Term, ...], told: Mapping[str, frozenset[str]]
) -> bool:
    spans = [tuple((t.start, t.end) for t in side) for side in (x, y)]
    return of_one_matter(ours, spans[0], theirs, spans[1], without=frozenset(told))
