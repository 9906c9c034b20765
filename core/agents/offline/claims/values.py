"""Another value of one attribute or time of one event, in whatever words: holds 30, a capacity of 45. Chinese alone.

Law: pure, by the lexicon's words for what a number measures and for what happens at a time. Both values are of one kind
and unit and are told of the same matter. What they measure is the same; where one side leaves it open, all else is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.agents.offline.claims import clock
from core.agents.offline.claims.alignment import matches
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.lexicon_frames_zh import EVENTS, MEASURES
from core.agents.offline.claims.matter import Matter, clause_of, matter, one_matter
from core.agents.offline.claims.statement import Kind, Statement, Term

CONFIDENCE = 0.7
PEOPLE = frozenset({"个", "名", "位", "人", "口", ""})
CURRENCIES = frozenset({"美元", "欧元", "英镑", "日元", "港元"})
MONEY = CURRENCIES | {"money", ""}
AS_A_RULE = re.compile("每[周逢个年月天星礼]|改到|改在|改成|的日子|只有|要等到")
SOME_WHO = re.compile("[\u4e00-\u9fff]{1,3}?(?:是|来自|参加|会|没|不)")  # 有两个人是兄弟
BEFORE_OR_AFTER = re.compile(
    r"(?<=[\u4e00-\u9fff])(?<![天年周月时钟期以])(?:之|以)?([前后])(?![面门排座台端天年])"
)
BETWEEN = re.compile("[约有达为是到在了只才就共满于近]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value, what it measures or when what happens (numbers of the lexicon's lines), and what it is told of."""

    term: Term
    asked: frozenset[int]
    told_of: Matter


def other_values(left: Statement, right: Statement, least: int = 1) -> Contradiction | None:
    """Returns two values of one attribute, or two times of one event, or None; `least` as in `one_matter`."""
    if left.numbers and right.numbers or left.dates and right.dates:
        if left.in_text(_before_or_after) != right.in_text(_before_or_after):
            return None  # before the change, and after it or at any time
        return _other_number(left, right, least) or _other_date(left, right, least)
    return None


def _other_number(left: Statement, right: Statement, least: int) -> Contradiction | None:
    if _in_a_year(left) is not _in_a_year(right):
        return None  # how many there were in 2010
    return _other(Slot.NUMBER, left, left.numbers, right, right.numbers, least)


def _other_date(left: Statement, right: Statement, least: int) -> Contradiction | None:
    return _other(Slot.DATE, left, left.dates, right, right.dates, least)


def _other(
    slot: Slot, left: Statement, ours: Sequence[Term], right: Statement, theirs: Sequence[Term], least: int
) -> Contradiction | None:
    for x in ours:
        for y in theirs:
            if _may_differ(x, y) and _differ(left, x, right, y, least):
                return found(slot, left, (x,), right, (y,), CONFIDENCE)
    return None


def _before_or_after(text: str) -> frozenset[str]:
    return frozenset(BEFORE_OR_AFTER.findall(text))


def _in_a_year(statement: Statement) -> bool:
    return any(t.unit == "year" for t in statement.dates)


def _may_differ(x: Term, y: Term) -> bool:
    """Whether two values are of one kind and are not the same."""
    if x.kind is Kind.DATE:
        return x.unit == y.unit and x.key != y.key
    units = {x.unit, y.unit}
    if len(units) > 1 and x.value == y.value and not units & CURRENCIES:
        return False
    return (len(units) == 1 or units <= PEOPLE or units <= MONEY) and not matches(x, y)


def _differ(left: Statement, x: Term, right: Statement, y: Term, least: int) -> bool:
    if not (_alone(left, x) and _alone(right, y)):
        return False
    one, other = _value(left, x), _value(right, y)
    if one.asked & other.asked or x.unit == y.unit and _counted(left, x) == _counted(right, y) != "":
        return one_matter(one.told_of, other.told_of, least=least)
    if one.asked and other.asked or x.unit != y.unit and not {x.unit, y.unit} <= MONEY - {""}:
        return False
    if x.kind is Kind.DATE and not (AS_A_RULE.search(left.text) and AS_A_RULE.search(right.text)):
        return False  # what happened in May may happen in June
    return one_matter(one.told_of, other.told_of, alike=True, least=least)


def _alone(statement: Statement, value: Term) -> bool:
    """Whether the clause has no other value of the kind: no range, no list, and not some of several."""
    begin, end = clause_of(statement.text, value.start, value.end)
    if SOME_WHO.match(statement.text, value.end):
        return False
    return not any(
        t is not value and t.kind is value.kind and t.unit == value.unit and begin <= t.start < end
        for t in statement.terms
    )


def _counted(statement: Statement, number: Term) -> str:
    """Returns what is counted, where the clause ends with it: 十六条鱼."""
    behind = next((t for t in statement.terms if t.start == number.end and t.kind is Kind.WORD), None)
    _, end = clause_of(statement.text, number.start, number.end)
    return behind.key if behind is not None and behind.end == end else ""


def _value(statement: Statement, term: Term) -> Value:
    lines = MEASURES if term.kind is Kind.NUMBER and term.unit != clock.UNIT else EVENTS
    begin, end = clause_of(statement.text, term.start, term.end)
    before, after = statement.text[begin : term.start], statement.text[term.end : end]
    beside = BETWEEN.sub("", before)
    told = [
        word
        for word in _lines(lines)
        if (
            word in before or word in after
            if len(word) > 1
            else beside.endswith(word) or after.startswith(word)
        )
    ]
    told = [word for word in told if not any(word != other and word in other for other in told)]
    return Value(
        term=term,
        asked=frozenset(line for word in told for line in _lines(lines)[word]),
        told_of=matter(statement, term.start, term.end, frozenset(told), without=term.kind),
    )


@cache
def _lines(listed: str) -> Mapping[str, Sequence[int]]:
    """Returns each word of a list with the lines it stands in."""
    found: dict[str, list[int]] = {}
    for number, line in enumerate(listed.splitlines()):
        for word in line.split():
            found.setdefault(word, []).append(number)
    return found
