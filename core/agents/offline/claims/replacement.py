"""A value replaced by another: the same subject and slot, told with something else in it.

Law: pure. Each rule sees two sentences laid side by side and finds one kind of difference; the
first that finds one decides. Relations that take several values ("enjoys …") need a longer frame
in common, times that differ set the values apart.
"""

import re
from collections.abc import Callable, Sequence

from core.agents.offline.claims.alignment import are_opposites, matches
from core.agents.offline.claims.comparison import Comparison
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.lexicon_en import AMATEURS
from core.agents.offline.claims.order import turned_round
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.vocabulary import english_key, vocabulary

# How much must be in common, by weight, before a differing filler means anything. Tuned on some forty
# small worlds of facts and on dialogues (see tests/bench/bench_judge.py).
FRAME_COVERED = 0.6  # of the longer sentence's words, where names differ
FRAME_WEIGHT = 2.0  # shared beyond the subject
DATED_WEIGHT = 1.5  # the same, where both tell the same time
MATTER_WEIGHT = 1.0  # the same, where the sentences are known to speak of one matter
VALUE_COVERED = 0.5  # of the longer sentence, where words differ
SINGLE_COVERED = 0.35  # the same, where the relation allows one value, or the ends differ
MATTER_COVERED = 0.3
ROLE_COVERED = 0.7
HOLDER_WEIGHT = 2.0  # of the place that is filled: what it is called, and where
OF_SEVERAL = re.compile(r"\b(?:an?|one of|and)\b|之一|一名|一位|和|与", re.IGNORECASE)

CURRENCIES = frozenset(
    {*map(english_key, ("dollars", "euros", "yen", "francs", "rupees")), "$", "€", "£", "¥"}
) | {
    "美元",
    "欧元",
    "英镑",
    "日元",
    "港元",
}

PLACING = frozenset(
    map(english_key, ("hangs", "lies", "stands", "sits", "kept", "stored", "hidden", "located"))
)
PLACED = re.compile(  # what stands between a thing and where it is
    r"\b(?:is|are|lies|lie|stands|hangs|sits|stays)\b[^,;]*\b(?:in|on|at|under|behind|beside|near|inside|above|below)\b|在",
    re.IGNORECASE,
)

Rule = Callable[[Comparison], Contradiction | None]


def replaced(both: Comparison) -> Contradiction | None:
    """Returns what one side has in place of what the other has, or None."""
    if all(both.laid.left(Kind.LABEL)):
        return None
    if both.told_apart and both.left.clauses == both.right.clauses == 1:
        return None  # of several clauses each is compared by itself
    rules: tuple[Rule, ...] = ()
    if not both.subjects_meet and not any(both.laid.left(Kind.NAME)):
        rules = (_order, _holder, _role)
    elif both.same_subject:
        rules = (_order, _once, _opposite, _place, _trade, _number, _date, _name, _value)
    else:
        rules = (_holder, _name) if both.same_event else (_holder,)
    return next((one for rule in rules if (one := rule(both)) is not None), None)


def _order(both: Comparison) -> Contradiction | None:
    """Finds the same words the other way round: "tea over coffee" and "coffee over tea"."""
    if both.laid.only_a or both.laid.only_b or len(both.laid.pairs) < 2:
        return None  # of one thing there is no other way round
    if not turned_round(both.left, both.right):
        return None
    return found(Slot.ROLE, both.left, both.left.terms, both.right, both.right.terms, 0.75)


def _holder(both: Comparison) -> Contradiction | None:
    """Finds two holders of an office that has one, however it is put: "A is the CFO of X", "X's CFO is B"."""
    laid = both.laid
    if (
        not both.all_but_one
        or not all(laid.left(Kind.NAME))
        or OF_SEVERAL.search(both.left.text + both.right.text)
    ):
        return None
    if laid.weight(laid.shared()) < HOLDER_WEIGHT:
        return None
    if (laid.only_a[0] in both.left.subject) is (laid.only_b[0] in both.right.subject):
        return None  # two people of whom the same is told
    if not any(t.key in both.words.single | both.words.one_doer for t in laid.words):
        return None
    return found(Slot.NAME, both.left, laid.only_a, both.right, laid.only_b, 0.8)


def _place(both: Comparison) -> Contradiction | None:
    """Finds one thing said to be in two places, with nothing else told of it."""
    ours, theirs = (_behind_placing(only) for only in (both.laid.only_a, both.laid.only_b))
    if not ours or not theirs or both.left.personal or any(both.laid.left(Kind.DATE)):
        return None  # a day is no place
    for side, own in ((both.left, ours), (both.right, theirs)):
        subject = side.terms[: side.subject_end]
        if (
            not subject
            or any(t in own for t in subject)
            or not PLACED.search(side.text[subject[-1].end : own[0].start])
        ):
            return None
        if own[-1] is not side.terms[-1]:
            return None
    return found(Slot.VALUE, both.left, ours, both.right, theirs, 0.65)


def _behind_placing(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Returns the terms without a verb in front that only says that something is kept somewhere."""
    return tuple(terms[1:] if terms and terms[0].key in PLACING else terms)


def _role(both: Comparison) -> Contradiction | None:
    """Finds agent and patient exchanged: the same told with the names the other way round."""
    laid = both.laid
    if both.left.passive != both.right.passive or len(laid.names) < 2 or laid.weight(laid.words) < 2:
        return None
    first_a, first_b = (side.terms[: side.subject_end] for side in (both.left, both.right))
    if both.mutual or len(first_a) != 1 or len(first_b) != 1 or matches(first_a[0], first_b[0]):
        return None
    if laid.covered(Kind.WORD)[0] < ROLE_COVERED:
        return None
    return found(Slot.ROLE, both.left, first_a, both.right, first_b, 0.75)


def _once(both: Comparison) -> Contradiction | None:
    """Finds what happened once, told with another time, place or circumstance."""
    ours = tuple(t for t in both.laid.only_a if t not in both.left.subject)
    theirs = tuple(t for t in both.laid.only_b if t not in both.right.subject)
    if not ours or not theirs or not both.once_together:
        return None
    dates = [[t for t in side if t.kind is Kind.DATE][:1] for side in (ours, theirs)]
    if all(dates):
        return found(Slot.DATE, both.left, dates[0], both.right, dates[1], 0.75)
    return found(Slot.VALUE, both.left, ours, both.right, theirs, 0.75)


def _opposite(both: Comparison) -> Contradiction | None:
    if both.laid.covered(Kind.WORD, Kind.NAME)[1] < 0.5 or both.frame < 0.5 and not _brief(both):
        return None
    for a in both.laid.only_a:
        for b in both.laid.only_b:
            if are_opposites(a, b, both.laid.chinese):
                return found(Slot.OPPOSITE, both.left, (a,), both.right, (b,), 0.85)
    return None


def _brief(both: Comparison) -> bool:
    """Whether one side has nothing else to say than what differs."""
    return min(len(both.laid.only_a), len(both.laid.only_b)) == 1


def _trade(both: Comparison) -> Contradiction | None:
    """Finds two trades of one person: each side names one in its first words, and the other does not."""
    if len(both.left.subject) != 1 or len(both.right.subject) != 1 or both.scoped_apart:
        return None
    ours, theirs = _trades(both.left), _trades(both.right)
    if len(ours) != 1 or len(theirs) != 1 or matches(ours[0], theirs[0]):
        return None
    return found(Slot.VALUE, both.left, ours, both.right, theirs, 0.6)


def _trades(statement: Statement) -> list[Term]:
    """Returns the trade that is told right after the subject; not what is done as an amateur."""
    if not statement.state:
        return []
    first = [t for t in statement.of_clause(0) if t.asserted]
    opening = first[len(statement.subject) : len(statement.subject) + 4]
    words = [statement.text[t.start : t.end].lower() for t in opening]
    if set(words) & AMATEURS or "known" in words:
        return []
    trades = vocabulary(statement.chinese).trades
    return [term for term, word in zip(opening, words, strict=True) if word in trades]


def _number(both: Comparison) -> Contradiction | None:
    ours, theirs = both.laid.left(Kind.NUMBER)
    pairs = [(x, y) for x in ours for y in theirs if _comparable(x.unit, y.unit)]
    low, high = both.laid.covered(Kind.NAME, Kind.WORD)
    if not pairs or both.scoped_apart or both.grown or both.told_apart:
        return None
    if low < VALUE_COVERED or high < 0.7 and not both.single:
        return None
    if both.frame < 1.0 and not both.single and not both.all_but_one:
        return None
    a, b = pairs[0]
    if both.laid.names and not (both.single or both.all_but_one or _told_alike(both, (a.unit, b.unit))):
        return None
    ours, theirs = (_with_unit(*one) for one in ((both.left, a), (both.right, b)))
    return found(Slot.NUMBER, both.left, ours, both.right, theirs, 0.6 + 0.35 * low)


def _comparable(one: str, other: str) -> bool:
    """Whether numbers in these units tell of the same: 400 dollars and 400 euros are two prices."""
    return one == other or not (one and other) or {one, other} <= CURRENCIES


def _with_unit(statement: Statement, number: Term) -> tuple[Term, ...]:
    """Returns the number with the word for its currency behind it."""
    after = next((t for t in statement.terms if t.start > number.start), None)
    return (number, after) if after and number.unit in CURRENCIES and after.key == number.unit else (number,)


def _told_alike(both: Comparison, units: tuple[str, str]) -> bool:
    """Whether a word beside the unit is shared: "keeps … for eight years" is no "guarantees … for three years"."""
    return any(term.kind is not Kind.NAME and term.key not in units for term in both.laid.shared())


def _date(both: Comparison) -> Contradiction | None:
    """Finds another time for one event; not for a state, which may hold at both, nor where more differs."""
    laid = both.laid
    ours, theirs = laid.left(Kind.DATE)
    pairs = [(x, y) for x in ours for y in theirs if x.unit == y.unit]
    if not pairs or (both.left.state or both.right.state) and not both.single:
        return None
    if not both.single and any(t.key in both.words.several & both.words.open_to_all for t in laid.words):
        return None  # who visits may visit again
    low, _ = laid.covered(Kind.NAME, Kind.WORD)
    if all(laid.left(Kind.NAME)) or all(laid.left(Kind.NUMBER)) or both.frame < 1.0:
        return None
    if low < (0.4 if both.single else 0.7):
        return None
    a, b = pairs[0]
    return found(Slot.DATE, both.left, (a,), both.right, (b,), 0.6 + 0.35 * low)


def _name(both: Comparison) -> Contradiction | None:
    ours, theirs = both.laid.left(Kind.NAME)
    if not ours or not theirs or both.scoped_apart:
        return None
    low, _ = both.laid.covered(Kind.WORD)
    one = low >= 0.9 and both.one_named(ours, theirs) or both.is_identity(ours, theirs)
    if both.single or both.renewed:
        one = one or low >= (FRAME_COVERED if all(both.laid.left(Kind.WORD)) else VALUE_COVERED)
    elif not both.left.personal:
        least, weight = (MATTER_COVERED, MATTER_WEIGHT) if both.same_matter else (FRAME_COVERED, FRAME_WEIGHT)
        dated = bool(both.laid.shared(lambda term: term.kind is Kind.DATE))
        one = one or low >= least and both.frame >= (min(weight, DATED_WEIGHT) if dated else weight)
    return found(Slot.NAME, both.left, ours, both.right, theirs, 0.55 + 0.4 * low) if one else None


def _value(both: Comparison) -> Contradiction | None:
    fillers = (Kind.WORD, Kind.NAME)
    ours, theirs = (
        tuple(t for t in only if t.kind in fillers) for only in (both.laid.only_a, both.laid.only_b)
    )
    if not ours or not theirs or both.scoped_apart:
        return None
    if both.told_apart or _act(ours, both) and _act(theirs, both):
        return None  # two things; or one who does several: what is read is not what is written
    low, _ = both.laid.covered(*fillers)
    if not _framed(both, low, _at_the_end(both, ours, theirs)):
        return None
    if not (_one_run(ours, both.left, both) and _one_run(theirs, both.right, both)):
        return None
    return found(Slot.VALUE, both.left, ours, both.right, theirs, 0.5 + 0.4 * low)


def _act(terms: Sequence[Term], both: Comparison) -> bool:
    """Whether what differs is something done of which one does several."""
    return any(term.key in both.words.several for term in terms)


def _framed(both: Comparison, low: float, at_the_end: bool) -> bool:
    """Whether enough is shared around the differing words."""
    if both.single and both.frame >= (0.5 if both.left.personal else 1.0):
        return low >= SINGLE_COVERED
    if both.left.personal or not both.laid.names:
        return False  # of oneself, and of things without a name, many things are said in the same words
    if both.same_matter and at_the_end:
        return both.frame >= MATTER_WEIGHT and low >= MATTER_COVERED
    return both.frame >= FRAME_WEIGHT and low >= (SINGLE_COVERED if at_the_end else VALUE_COVERED)


def _at_the_end(both: Comparison, ours: Sequence[Term], theirs: Sequence[Term]) -> bool:
    """Whether the sentences begin alike and end with what differs."""
    return ours[-1] is both.left.terms[-1] and theirs[-1] is both.right.terms[-1]


def _one_run(terms: Sequence[Term], statement: Statement, both: Comparison) -> bool:
    """Whether these terms stand together (a word said again aside), behind something shared beyond names."""
    places, keys = [], set[str]()
    for place, term in enumerate(statement.terms):
        if term in terms and term.key not in keys:
            places.append(place)
            keys.add(term.key)
    shared = {id(t) for pair in both.laid.pairs for t in pair if t.kind is not Kind.NAME}
    before = statement.terms[: places[0]]
    return any(id(t) in shared for t in before) and places[-1] - places[0] + 1 == len(places)
