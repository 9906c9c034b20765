"""What ends a state that another sentence tells: sold against has, put off to against is on, moved from against is in.

Law: pure, by one table of verbs for both languages and one rule: the subject is the same, the state is told as it is
now, and what the two verbs share or exchange agrees with the table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.agents.offline.claims import chinese
from core.agents.offline.claims.alignment import matches
from core.agents.offline.claims.comparison import Comparison, compare
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.statement import Kind, Statement, Term

CONFIDENCE = 0.7


class Agreement(StrEnum):
    """What must agree beside the subject."""

    NONE = "none"
    OBJECT = "object"  # what was sold is what one has
    APART = "apart"  # what it was put off to is not when it is
    ROLE = "role"  # who left is named as the one who does it; nothing else is told to have been left


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
    _ending(
        r"\b(?:stepped down|resigned|retired|quit(?! \w+ing)|moved to another \w+)\b"
        r"|不来了|不干了|离职了?|辞职了?|退休了|卸任了?|离任|调走了",
        r"\b(?:is|are|works|runs|leads|chairs|manages|handles)\b|是|管|负责|担任|[在]?当|任职",
        Agreement.ROLE,
    ),
)
LEFT_BEHIND = re.compile(  # what was so before it changed stands behind the "from"
    r"\b(?:switch|migrat|chang|mov|convert|went|gone|goes|r[io]se|fell|fall|drop|rais|increas|lower|cut)\w*\b[^.;]{0,40}?"
    r"\bfrom (?P<old>[^,.;]{1,40}?) to (?P<new>[^,;]{1,40})"
    r"|从(?P<vor>[^，。；到]{1,12}?)(?:涨到|升到|降到|改到|改成|改为|换成|调到|搬到|变成|增加到|减少到|提高到)",
    re.IGNORECASE,
)
DENIED = re.compile(r"\b(?:not|never|no|nobody)\b|n't\b|[没不未]", re.IGNORECASE)
PAST = re.compile(r"\b(?:was|were|had|did|until)\b|以前|曾|当时", re.IGNORECASE)


def endings(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields the states told on the right that the left sentence has ended."""
    if left.hedged or right.hedged or left.mood:
        return
    if (change := left.in_text(_change)) and (before := _left_behind(left, change, right)):
        yield before
    for one in left.in_text(_endings):
        by, state = one.by.search(left.text), one.state.search(right.text)
        if by is None or state is None:
            continue
        told = _clause(left, by) if left.chinese else left
        by = one.by.search(told.text)
        if by is None or DENIED.search(told.text[: by.start()] + told.text[by.end() :]):
            continue
        rest = right.text[: state.start()] + right.text[state.end() :]
        if DENIED.search(rest) or PAST.search(rest) or one.by.search(rest):
            continue
        ended = _ended(one.agreement, told, by, right, state)
        if ended is not None:
            yield ended


def _change(text: str) -> re.Match[str] | None:
    return LEFT_BEHIND.search(text)


def _endings(text: str) -> tuple[Ending, ...]:
    """Returns the endings whose verb the text has."""
    return tuple(one for one in ENDINGS if one.by.search(text))


def _clause(whole: Statement, by: re.Match[str]) -> Statement:
    """Reads the clause of a Chinese sentence in which a verb stands: each clause has a subject of its own."""
    start = max(whole.text.rfind(mark, 0, by.start()) for mark in "，；") + 1
    ends = [place for mark in "，；" if (place := whole.text.find(mark, by.end())) >= 0]
    return chinese.statement(whole.text[start : min(ends, default=len(whole.text))])


def _left_behind(left: Statement, change: re.Match[str], right: Statement) -> Contradiction | None:
    """Returns what the left sentence says was given up, where the right one tells it as it is now."""
    group = "old" if change["old"] else "vor"
    old = [t for t in left.terms if change.start(group) <= t.start < change.end(group)]
    new = [t for t in left.terms if t.start >= change.end(group)]
    held = [y for y in right.asserted if any(matches(x, y) for x in old) and y.kind is not Kind.DATE]
    told = [x for x in old if x.kind in (Kind.NAME, Kind.NUMBER)]
    if not told or not held or DENIED.search(right.text) or PAST.search(right.text):
        return None
    if LEFT_BEHIND.search(right.text) or any(matches(x, y) for x in new for y in right.terms):
        return None  # it tells the change itself
    both = compare(left, left.asserted, right, right.asserted)
    shared = [x for x, _ in both.laid.pairs if x not in old]
    if not shared and not left.personal or all(y in right.subject for y in held):
        return None
    return found(Slot.VALUE, left, new or old, right, held, CONFIDENCE)


def _ended(
    agreement: Agreement, left: Statement, by: re.Match[str], right: Statement, state: re.Match[str]
) -> Contradiction | None:
    both = compare(left, left.terms, right, right.terms)
    if agreement is Agreement.ROLE:
        return _given_up(left, by, both)
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
        other = any(x.kind is y.kind and x.unit == y.unit for x in told[0] for y in told[1])
        if not filled or not other and any(x in ours and x.kind is not Kind.WORD for x, _ in behind):
            return None
    if not ours or not theirs:
        return None
    return found(Slot.VALUE, left, ours, right, theirs, CONFIDENCE)


def _given_up(left: Statement, by: re.Match[str], both: Comparison) -> Contradiction | None:
    """Returns who left, where the other sentence names the one who does it, and the left one says no more."""
    who = [(x, y) for x, y in both.laid.pairs if x.kind is Kind.NAME and x in left.subject]
    more = [t for t in both.laid.only_a if t.start >= by.end() and t.kind is not Kind.DATE]
    if not who or more:
        return None
    ours = [t for t in left.terms if t.start >= who[0][0].start]
    return found(Slot.VALUE, left, ours, both.right, both.right.terms, CONFIDENCE)


def _objects(statement: Statement, verb: re.Match[str]) -> tuple[Term, ...]:
    """Returns the term right behind the verb; in Chinese the one right before it, too (把船卖了)."""
    before = tuple(t for t in statement.terms if t.end <= verb.start())[-1:] if statement.chinese else ()
    return (*before, *tuple(t for t in statement.terms if t.start >= verb.end())[:1])
