"""Another value of one thing, however the two are told: "holds 30 litres", "has a capacity of 45 litres".

Law: pure; English only. Both sentences tell one value of a kind of which a thing has one (a measure, a number of them,
a day, a colour), in frames that agree in all else that they say.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf

from core.agents.offline.claims import clock
from core.agents.offline.claims.alignment import MEASURED_ALIKE
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.frame_en import (
    Frame,
    frame,
    meanings,
    of_one_matter,
    sense_of,
    share_a_subject,
    told_of,
)
from core.agents.offline.claims.measures import MEASURED
from core.agents.offline.claims.statement import Denial, Kind, Statement, Term
from core.agents.offline.claims.values_en import EVENTS, FAMILIES, MEASURES
from core.agents.offline.claims.vocabulary import english_key, vocabulary

BEEN = re.compile(r"\b(?:was|were)\b", re.IGNORECASE)
BUILDING = frozenset(map(english_key, ("work", "construction")))
ARTICLE = re.compile(r"\ban? $", re.IGNORECASE)
CONFIDENCE = 0.65
PERSONS = frozenset({"i", "we", "he", "she", "they"})
MONEY = frozenset({"$", "€", "£", "¥"}) | frozenset(
    map(english_key, ("dollars", "euros", "pounds", "francs", "yen", "crowns"))
)
DIMENSIONS = frozenset(dimension for dimension, _ in MEASURED.values()) | {clock.UNIT, "%"} | MONEY


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a family, and the terms that tell it."""

    family: str
    told: tuple[Term, ...]

    @property
    def span(self) -> tuple[int, int]:
        return self.told[0].start, self.told[-1].end


def valued(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields the values that differ in two frames that agree."""
    ours, theirs = left.kept(frame), right.kept(frame)
    if not share_a_subject(ours, theirs):
        return
    for read, slot in ((_number, Slot.NUMBER), (_day, Slot.DATE), (_member, Slot.VALUE)):
        both = read(ours, theirs)
        if both is not None:
            yield found(slot, left, both[0], right, both[1], CONFIDENCE)


Both = tuple[tuple[Term, ...], tuple[Term, ...]]


def _number(ours: Frame, theirs: Frame) -> Both | None:
    """Returns the one number of either sentence, where both count or measure the same and cannot both be right."""
    x, y = _sole(ours, Kind.NUMBER), _sole(theirs, Kind.NUMBER)
    if x is None or y is None or not _differ(x, y):
        return None
    if _past_act(ours) and _past_act(theirs) and not {x.unit, y.unit} & MONEY:
        return None
    dimension = "money" if x.unit in MONEY else x.unit or y.unit
    measures = _measures(dimension)
    a, b = (told_of(side, measures) for side in (ours, theirs))
    if a and b and a.isdisjoint(b):
        return None
    spans = ((x.start, x.end),), ((y.start, y.end),)
    same = of_one_matter(ours, spans[0], theirs, spans[1], without=frozenset(measures), times_apart=True)
    return ((x,), (y,)) if same else None


def _sole(side: Frame, kind: Kind) -> Term | None:
    told = [t for t in side.terms if t.kind is kind]
    return told[0] if len(told) == 1 else None


def _differ(x: Term, y: Term) -> bool:
    """Whether two numbers that measure one dimension or count one kind exclude each other."""
    money = {x.unit, y.unit} <= MONEY
    if x.unit != y.unit and not money and not DIMENSIONS.isdisjoint({x.unit, y.unit}):
        return False
    if x.unit == y.unit == clock.UNIT:
        return not clock.same_time(x.value, y.value, bool(x.parts or y.parts))
    if (x.value, x.unit) == (y.value, y.unit):
        return False
    if any(t.denial is not Denial.NONE and not t.bound for t in (x, y)):
        return False
    (low, high), (least, most) = _room(x), _room(y)
    return max(low, least) > min(high, most) * (1 + MEASURED_ALIKE) or money and x.unit != y.unit


def _room(number: Term) -> tuple[float, float]:
    """Returns between which values a number lets its measure be: "at most 120", "no more than five"."""
    bound = number.bound if number.asserted else -number.bound
    return (number.value if bound >= 0 else 0.0, number.value if bound <= 0 else inf)


def _past_act(side: Frame) -> bool:
    return side.statement.personal in PERSONS and not side.statement.state


@cache
def _measures(dimension: str) -> Mapping[str, frozenset[str]]:
    """Returns the words that tell of what a number in a dimension is the measure."""
    lines = MEASURES.strip().replace("\n ", " ").splitlines()
    of_it = [line.partition(": ")[2] for line in lines if dimension in line.partition(": ")[0].split("/")]
    other = [line.partition(": ")[2] for line in lines if "count" in line.partition(": ")[0].split("/")]
    return meanings("\n".join(of_it or other))


def _day(ours: Frame, theirs: Frame) -> Both | None:
    """Returns the days, months or years of one event that has one."""
    dates = [tuple(t for t in side.terms if t.kind is Kind.DATE) for side in (ours, theirs)]
    pairs = [(x, y) for x in dates[0] for y in dates[1] if x.unit == y.unit]
    if not pairs or any(x.key == y.key for x, y in pairs if x.unit != "day"):
        return None
    differing = next(((x, y) for x, y in pairs if x.key != y.key), None)
    if differing is None or _past_act(ours) or _past_act(theirs):
        return None
    a, b = (told_of(side, meanings(EVENTS)) for side in (ours, theirs))
    if (a or b) and a.isdisjoint(b):
        return None
    if (
        not a
        and pairs[0][0].unit != "weekday"
        or not a
        and not (ours.statement.state or theirs.statement.state)
    ):
        return None
    if not a and any(side.statement.personal or BEEN.search(side.statement.text) for side in (ours, theirs)):
        return None  # where somebody was on Monday does not say where he was on Sunday
    x, y = differing
    spans = [tuple((t.start, t.end) for t in side) for side in dates]
    without = frozenset(meanings(EVENTS)) | (BUILDING if "completion" in a & b else frozenset())
    same = of_one_matter(ours, spans[0], theirs, spans[1], without=without, alike=not a)
    return ((x,), (y,)) if same else None


def _member(ours: Frame, theirs: Frame) -> Both | None:
    """Returns two members of a family of which a thing is one."""
    for x in _members(ours):
        for y in _members(theirs):
            if x.family != y.family or x.told[0].key == y.told[0].key:
                continue
            aside = _families()[1].get(x.family, frozenset())
            if x.family == "ordinal" and not _same_behind(ours, x, theirs, y):
                continue
            if x.family == "tongue" and not any(
                t.key in aside for side in (ours, theirs) for t in side.terms
            ):
                continue  # one speaks several
            if of_one_matter(ours, (x.span,), theirs, (y.span,), without=aside):
                return x.told, y.told
    return None


def _same_behind(ours: Frame, x: Value, theirs: Frame, y: Value) -> bool:
    """Whether the same word follows: the second floor and the sixth floor."""
    a, b = (
        next((t for t in side.statement.terms if t.start >= value.span[1]), None)
        for side, value in ((ours, x), (theirs, y))
    )
    return a is not None and b is not None and a.key == b.key


def _members(side: Frame) -> list[Value]:
    """Returns the values told of families, each of which the sentence names one member of, outside its subject."""
    families = _families()[0]
    subject = side.statement.terms[: side.statement.subject_end]
    last = subject[-1].end if subject and not side.statement.personal else 0
    told: dict[str, list[Term]] = {}
    for term in side.terms:
        if term.asserted and term.kind in (Kind.WORD, Kind.NAME):
            for family in families.get(_word(side, term), ()):
                told.setdefault(family, []).append(term)
    return [
        Value(family, tuple(terms))
        for family, terms in told.items()
        if len(terms) == 1 and terms[0].start >= last and (family == "trade" or not _is_thing(side, terms[0]))
    ]


def _is_thing(side: Frame, term: Term) -> bool:
    """Whether an article makes it a thing rather than what a thing is like: "a glass", but "a glass table"."""
    text = side.statement.text
    followed = any(t.start == term.end + 1 for t in side.statement.terms)
    return not followed and ARTICLE.search(text[: term.start]) is not None


def _word(side: Frame, term: Term) -> str:
    return side.statement.text[term.start : term.end].lower()


@cache
def _families() -> tuple[dict[str, tuple[str, ...]], dict[str, frozenset[str]]]:
    """Returns the families of each member, and what may stand beside the members of each."""
    of: dict[str, tuple[str, ...]] = dict.fromkeys(vocabulary(chinese=False).trades, ("trade",))
    beside: dict[str, frozenset[str]] = {}
    for line in FAMILIES.strip().replace("\n ", " ").splitlines():
        name, rest = line.split(":")
        members, _, around = rest.partition("|")
        beside[name] = frozenset(sense_of(word) for word in around.split())
        for word in members.split():
            of[word] = (*of.get(word, ()), name)
    return of, beside
