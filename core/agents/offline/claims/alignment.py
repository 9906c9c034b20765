"""Two sentences' terms laid side by side: what both say, and what only one of them says.

Law: pure and symmetric in kind: no opinion here, only measures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose

from core.agents.offline.claims import clock
from core.agents.offline.claims.grammar_en import NEGATORS
from core.agents.offline.claims.statement import ANY, ROOT, Kind, Statement, Term
from core.agents.offline.claims.vocabulary import english_key, vocabulary

ENDINGS = frozenset({"e", "r", "er", "or", "y", "i", "ri", "s", "n", "ist", "ian"})  # hike/hiker, bake/bakeri
DENYING_PREFIXES = frozenset({"un", "in", "im", "ir", "il", "dis", "non"})
PREFIX = 5  # letters two stems must share to be forms of one word

ANOTHER_SORT = frozenset("非子分副前女男小新旧后总老次外内")  # in front of a Chinese noun: 子公司
MEASURED_ALIKE = 1e-3  # values in other units may differ by their rounding
NAME_WEIGHT = 1.5
NAMING_PART = 3  # words of a name for each of those by which it may be called
SEVERAL_WEIGHT = 0.5  # of words that say little about which fact it is: "enjoys", "has"


def same_word(a: str, b: str) -> bool:
    """Whether these are forms of one word: environment/environmental, photograph/photographi, 创立/创立于."""
    if a == b:
        return True
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if not short.isascii():
        return len(short) >= 2 and short in long and not (long.endswith(short) and long[0] in ANOTHER_SORT)
    if len(short) < ROOT or short[:ROOT] != long[:ROOT]:
        return False
    shared = next((n for n, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    if shared == len(short) and long[shared:] in ENDINGS:
        return True
    return shared >= PREFIX and shared >= 0.8 * len(short) and len(long) - shared <= 4


def _same_name(a: Term, b: Term) -> bool:
    """Whether one is the other or a part of it that names it: "Smith", but no "library" for "work that uses the
    library"."""
    if not (a.parts <= b.parts or b.parts <= a.parts):
        return False
    if min(len(a.parts), len(b.parts)) * NAMING_PART < max(len(a.parts), len(b.parts)):
        return False
    return (a.parts ^ b.parts).isdisjoint(NEGATORS)  # a quotation and its denial


def _same_number(a: Term, b: Term) -> bool:
    if a.unit and b.unit and a.unit != b.unit:
        return False
    if a.unit == b.unit == clock.UNIT:
        return clock.same_time(a.value, b.value, bool(a.parts or b.parts))
    if a.bound or b.bound:
        return _reachable(a, b) and _reachable(b, a)
    return isclose(a.value, b.value, rel_tol=MEASURED_ALIKE)


def _reachable(a: Term, b: Term) -> bool:
    """Whether `b`'s value can lie where `a` says: "over 15" leaves room for 20."""
    if a.bound > 0:
        return b.value >= a.value or b.bound > 0
    if a.bound < 0:
        return b.value <= a.value or b.bound < 0
    return b.value == a.value or b.bound != 0


def matches(a: Term, b: Term) -> bool:
    """Whether two terms say the same: a name and a part of it, forms of a word, values that can be equal."""
    if a.kind is not b.kind:
        return _named_as(a, b) or _named_as(b, a)
    match a.kind:
        case Kind.WORD:
            return same_word(a.key, b.key)
        case Kind.NAME:
            return _same_name(a, b)
        case Kind.NUMBER:
            return _same_number(a, b)
        case Kind.DATE:
            return a.unit == b.unit and a.key == b.key
        case Kind.LABEL:
            return a.key == b.key


def _named_as(name: Term, word: Term) -> bool:
    """Whether a name of one word is that word."""
    if name.kind is not Kind.NAME or word.kind is not Kind.WORD or len(name.parts) != 1:
        return False
    return name.key == word.key or english_key(next(iter(name.parts))) == word.key


def speak_of_one_thing(a: Statement, b: Statement) -> bool:
    """Whether some term of one may match some term of the other: False is sure, and far sooner known."""
    return not a.marks.isdisjoint(b.marks) or ANY in a.marks or ANY in b.marks


def falls_under(kind: Term, one: Term, chinese: bool) -> bool:
    """Whether `one` is an example of `kind`: who never goes outdoors does not hike."""
    examples = vocabulary(chinese).kinds.get(kind.key, frozenset())
    return kind.kind is Kind.WORD and (one.key in examples or not one.parts.isdisjoint(examples))


def are_opposites(a: Term, b: Term, chinese: bool) -> bool:
    """Whether two words deny each other: open and closed, valid and invalid."""
    return frozenset((a.key, b.key)) in vocabulary(chinese).opposites or prefixed(a.key, b.key)


def prefixed(a: str, b: str) -> bool:
    """Whether one word is the other with a prefix that denies it: valid, invalid."""
    short, long = sorted((a, b), key=len)
    return len(short) >= ROOT and long.endswith(short) and long.removesuffix(short) in DENYING_PREFIXES


def weight(terms: Sequence[Term], chinese: bool) -> float:
    """Returns how much terms say: names more, words said of many things less."""
    several = vocabulary(chinese).several
    return sum(
        NAME_WEIGHT if term.kind is Kind.NAME else SEVERAL_WEIGHT if term.key in several else 1.0
        for term in terms
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """`pairs` are what both sides say; `only_a`, `only_b` what is left, in order."""

    pairs: tuple[tuple[Term, Term], ...]
    only_a: tuple[Term, ...]
    only_b: tuple[Term, ...]
    chinese: bool

    def weight(self, terms: Sequence[Term]) -> float:
        return weight(terms, self.chinese)

    def shared(self, chosen: Callable[[Term], bool] = lambda _: True) -> tuple[Term, ...]:
        return tuple(a for a, _ in self.pairs if chosen(a))

    @property
    def names(self) -> tuple[Term, ...]:
        return self.shared(lambda term: term.kind is Kind.NAME)

    @property
    def words(self) -> tuple[Term, ...]:
        return self.shared(lambda term: term.kind is Kind.WORD)

    def left(self, kind: Kind) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        return (
            tuple(term for term in self.only_a if term.kind is kind),
            tuple(term for term in self.only_b if term.kind is kind),
        )

    def covered(self, *kinds: Kind) -> tuple[float, float]:
        """Returns the share by weight of either side's terms of these kinds that the other has; (lower, higher)."""
        shared = self.weight([a for a, _ in self.pairs if a.kind in kinds])
        sides = [self.weight([t for t in only if t.kind in kinds]) for only in (self.only_a, self.only_b)]
        parts = [shared / (shared + rest) if shared + rest else 1.0 for rest in sides]
        return min(parts), max(parts)


def align(a: Sequence[Term], b: Sequence[Term], chinese: bool) -> Alignment:
    """Pairs equal terms first, then forms of one word; each term once."""
    near = _near(a, b)
    pairs: list[tuple[Term, Term]] = []
    free = [True] * len(b)
    for same in (_equal, matches):
        left = []
        for term, places in near:
            place = next((n for n in places if free[n] and same(term, b[n])), None)
            if place is None:
                left.append((term, places))
            else:
                pairs.append((term, b[place]))
                free[place] = False
        near = left
    return Alignment(
        pairs=tuple(sorted(pairs, key=lambda pair: pair[0].start)),
        only_a=_left(a, [x for x, _ in pairs]),
        only_b=_left(b, [y for _, y in pairs]),
        chinese=chinese,
    )


def _near(a: Sequence[Term], b: Sequence[Term]) -> list[tuple[Term, Sequence[int]]]:
    """Returns the terms of `a`, each with the places in `b` of those that it may match, in order."""
    by_mark: dict[str, list[int]] = {}
    for place, other in enumerate(b):
        for mark in other.marks:
            by_mark.setdefault(mark, []).append(place)
    found: list[tuple[Term, Sequence[int]]] = []
    for term in a:
        if ANY in term.marks:
            found.append((term, range(len(b))))
            continue
        places = {place for mark in (*term.marks, ANY) for place in by_mark.get(mark, ())}
        if places:
            found.append((term, sorted(places)))
    return found


def _equal(a: Term, b: Term) -> bool:
    return a.key == b.key and a.kind is b.kind and matches(a, b)


def _left(terms: Sequence[Term], paired: Sequence[Term]) -> tuple[Term, ...]:
    """Returns the side's terms without a partner, but none that repeats a term with one: that adds nothing."""
    taken = set(map(id, paired))
    marks = frozenset().union(*(term.marks for term in paired))
    return tuple(
        term
        for term in terms
        if id(term) not in taken
        and not (
            _meet(marks, term.marks)
            and any(term.kind is other.kind and matches(term, other) for other in paired)
        )
    )


def _meet(a: frozenset[str], b: frozenset[str]) -> bool:
    return not a.isdisjoint(b) or ANY in a or ANY in b
