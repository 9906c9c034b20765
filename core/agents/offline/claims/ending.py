"""What ends a state that another sentence tells: sold against has, married against single, put off to against is on.

Law: pure, by one table of verbs for both languages and one rule: the subject is the same, the state is told as it is
now, and what the two verbs share or exchange agrees with the table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.agents.offline.claims.comparison import compare
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.statement import Kind, Statement, Term

CONFIDENCE = 0.7


class Agreement(StrEnum):
    """What must agree beside the subject."""

    NONE = "none"
    OBJECT = "object"  # what was sold is what one has
    APART = "apart"  # what it was put off to is not when it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A verb that ends a state, and how the state is told."""

    by: re.Pattern[str]
    state: re.Pattern[str]
    agreement: Agreement


def _ending(by: str, state: str, agreement: Agreement) -> Ending:
    return Ending(by=re.compile(by, re.I), state=re.compile(state, re.I), agreement=agreement)


ENDINGS = (
    _ending(
        r"\b(?:sold|gave away|got rid of|scrapped)\b|卖了|卖掉|送人|送给|扔了",
        r"\b(?:has|have|own|owns|drive|drives|ride|rides|keep|keeps)\b|还?有|拥有|开着|养着",
        Agreement.OBJECT,
    ),
    _ending(
        r"\b(?:gave up|quit|stopped)\b(?= \w+ing\b)",
        r"\b(?!has\b|is\b|was\b)\w+s\b",
        Agreement.OBJECT,
    ),
    _ending(
        r"\b(?:rescheduled|postponed|moved|put off|brought forward) to\b|改到|改在|改为|推迟到|提前到|延期到",
        r"\b(?:is|are|takes place|starts|begins) (?:on|at|in)\b|定在|定于|安排在",
        Agreement.APART,
    ),
    _ending(
        r"\b(?:got married|married|wed)\b|结了?婚|办了?婚礼|领了?证",
        r"\b(?:is|am|are) (?:still )?(?:single|unmarried)\b|单身|未婚|[没未]有?结婚",
        Agreement.NONE,
    ),
)
DENIED = re.compile(r"\b(?:not|never|no|nobody)\b|n't\b|[没不未]", re.IGNORECASE)
PAST = re.compile(r"\b(?:was|were|had|did|until)\b|以前|曾|当时", re.IGNORECASE)


def endings(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """The states told on the right that the left sentence has ended."""
    if left.hedged or right.hedged or left.mood or DENIED.search(left.text):
        return
    for one in ENDINGS:
        by, state = one.by.search(left.text), one.state.search(right.text)
        if by is None or state is None:
            continue
        rest = right.text[: state.start()] + right.text[state.end() :]
        if DENIED.search(rest) or PAST.search(rest) or one.by.search(rest):
            continue
        ended = _ended(one.agreement, left, by, right, state)
        if ended is not None:
            yield ended


def _ended(
    agreement: Agreement, left: Statement, by: re.Match[str], right: Statement, state: re.Match[str]
) -> Contradiction | None:
    both = compare(left, left.terms, right, right.terms)
    if not both.same_subject:
        return None
    ours = tuple(t for t in left.terms if t.end > by.start())
    theirs = tuple(t for t in right.terms if t.end > state.start())
    behind = [(x, y) for x, y in both.laid.pairs if y in theirs and y not in right.subject]
    if agreement is Agreement.OBJECT and not any(x in _objects(left, by) for x, _ in behind):
        return None
    told = [[t for t in side if t.kind is not Kind.WORD] for side in (both.laid.only_a, both.laid.only_b)]
    if agreement is Agreement.APART:
        filled = any(t.start >= by.end() for t in told[0]) and any(t.start >= state.end() for t in told[1])
        if not filled or any(x in ours and x.kind is not Kind.WORD for x, _ in behind):
            return None
    if not ours or not theirs:
        return None
    return found(Slot.VALUE, left, ours, right, theirs, CONFIDENCE)


def _objects(statement: Statement, verb: re.Match[str]) -> tuple[Term, ...]:
    """What stands right behind the verb; in Chinese right before it, too (把船卖了)."""
    before = tuple(t for t in statement.terms if t.end <= verb.start())[-1:] if statement.chinese else ()
    return (*before, *tuple(t for t in statement.terms if t.start >= verb.end())[:1])
