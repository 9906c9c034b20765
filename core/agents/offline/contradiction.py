"""Whether two sentences cannot both be true, as far as words show.

Law: pure, deterministic, symmetric but for the order of the values. A contradiction is found by
the same subject and slot with a differing value, or by a denial of what the other asserts; never
by similarity. When in doubt there is none: a missed one leaves two facts side by side, an
invented one stops both.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.agents.offline import read_chinese, read_english
from core.agents.offline.alignment import NAME_WEIGHT, Alignment, align, falls_under, matches, stems
from core.agents.offline.lexicon import AMATEURS_EN, INSTITUTION_EN, TRADES_EN, TRADES_ZH
from core.agents.offline.statement import Denial, Kind, Statement, Term, read


class Slot(StrEnum):
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    ROLE = "role"  # the same names with their parts exchanged
    VALUE = "value"
    OPPOSITE = "opposite"
    DENIAL = "denial"
    EXCLUSION = "exclusion"  # one side says "only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """What differs: the slot, the words that fill it on either side ("" where a denial leaves it empty),
    how sure (0–1), and one sentence that says so in the language of the texts."""

    slot: Slot
    value_a: str
    value_b: str
    confidence: float
    reason: str


# How much two sentences must have in common before a differing filler means anything (by weight).
FRAME_COVERED = 0.6  # of the longer sentence's frame
FRAME_WEIGHT = 2.0  # shared frame beyond the subject
DATED_WEIGHT = 1.5  # the same, when both tell the same time
VALUE_COVERED = 0.5
SINGLE_COVERED = 0.35  # where the relation allows one value only
SWAP_WEIGHT = 3.0  # no name in common: the shared frame must be this telling
DENIAL_COVERED = 0.5
DENIAL_COVERED_OTHER_VERB = 0.6
FIRST = frozenset({"first", "首次", "初次"})  # happens once
TELLING = 1.5  # what is denied must weigh so much, or be all that the other says


def contradicts(a: str, b: str) -> Contradiction | None:
    """The most certain contradiction between two sentences, or None."""
    left, right = read(a), read(b)
    if (
        not (left.proposition and right.proposition)
        or left.question
        or right.question
        or left.chinese is not right.chinese
    ):
        return None
    if (
        left.personal != right.personal
        or left.personal == "it"
        or left.personal
        and left.speaker != right.speaker
    ):
        return None  # who or what is meant is open
    found = [
        *_denials(left, right),
        *(_turned(one) for one in _denials(right, left)),
        *_contrasts(left, right),
        *(_turned(one) for one in _contrasts(right, left)),
        *_exclusions(left, right),
        *(_turned(one) for one in _exclusions(right, left)),
    ]
    if not (left.hedged or right.hedged):
        found += [
            one for one in (_replaced(left, right, x, y) for x, y in _views(left, right)) if one is not None
        ]
    return max(found, key=lambda one: one.confidence, default=None)


def _turned(one: Contradiction) -> Contradiction:
    return replace(one, value_a=one.value_b, value_b=one.value_a)


# ---- what is compared with what ----


def _views(left: Statement, right: Statement) -> list[tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """The whole against the whole, and each clause (with its subject) against each."""
    views = [(_asserted(left, left.terms), _asserted(right, right.terms))]
    if left.clauses > 1 or right.clauses > 1:
        views += [(x, y) for x in _clauses(left) for y in _clauses(right)]
    return [(x, y) for x, y in views if x and y]


def _asserted(statement: Statement, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(term for term in terms if term.asserted)


def _leading(statement: Statement, clause: int) -> tuple[Term, ...]:
    return tuple(t for t in statement.of_clause(clause) if t in statement.subject)


def _clauses(statement: Statement) -> list[tuple[Term, ...]]:
    found = []
    for clause in range(statement.clauses):
        own = statement.of_clause(clause)
        if own and own[0].kind is not Kind.NAME:
            first = statement.of_clause(0)
            own = tuple(t for t in statement.subject if t in first and t not in own) + own
        found.append(_asserted(statement, own))
    return [clause for clause in found if clause]


# ---- a value replaced by another ----


def _replaced(
    left: Statement, right: Statement, a: tuple[Term, ...], b: tuple[Term, ...]
) -> Contradiction | None:
    laid = align(a, b, left.chinese)
    if all(laid.left(Kind.LABEL)):
        return None  # "Phase 1" and "Phase 2" are two things
    rules: tuple[Rule, ...]
    if not _subjects_meet(left, right) and not any(laid.left(Kind.NAME)):
        rules = (_role,)
    elif _same_subject(left, right, laid):
        rules = (_once, _opposite, _trade, _number, _date, _name, _value)
    elif _same_event(left, right, laid):
        rules = (_name,)
    else:
        return None
    return next((found for rule in rules if (found := rule(left, right, laid)) is not None), None)


Rule = Callable[[Statement, Statement, Alignment], Contradiction | None]


def _same_subject(left: Statement, right: Statement, laid: Alignment) -> bool:
    """Something in common that is the subject of both; names in the subjects must not all differ.

    Whoever is told of in the passive stands elsewhere, so a shared name will do there.
    """
    ours, theirs = {id(t) for t in left.subject}, {id(t) for t in right.subject}
    if left.personal and left.personal == right.personal:
        return True
    if left.passive or right.passive:
        return bool(laid.names)
    meeting = [x for x, y in laid.pairs if id(x) in ours and id(y) in theirs]
    apart = [
        [t for t in only if id(t) in side and t.kind is Kind.NAME]
        for only, side in ((laid.only_a, ours), (laid.only_b, theirs))
    ]
    if any(x.kind is Kind.NAME for x in meeting):
        return True
    if not all(apart) and any(x.kind is Kind.NAME for x in laid.names) and _mutual(laid):
        return True
    return bool(meeting) and not all(apart)


def _subjects_meet(left: Statement, right: Statement) -> bool:
    return any(matches(x, y) for x in left.subject for y in right.subject)


def _mutual(laid: Alignment) -> bool:
    """What holds both ways, so that who is named first does not matter."""
    return any(term.key in stems("MUTUAL", laid.chinese) for term in laid.words)


def _same_event(left: Statement, right: Statement, laid: Alignment) -> bool:
    """Told in so many shared words that it is one event, with others in it."""
    return not (left.state or right.state) and laid.weight(laid.words) >= SWAP_WEIGHT


def _once_together(left: Statement, right: Statement, laid: Alignment) -> bool:
    """Two who met, married or founded something, told with other circumstances."""
    pair = [x for x, y in laid.pairs if x.kind is Kind.NAME and x in left.subject and y in right.subject]
    once = stems("ONCE_TOGETHER", laid.chinese)
    return len(pair) >= 2 and any(
        x.key in once and _first_word(left, x) and _first_word(right, y) for x, y in laid.pairs
    )


def _first_word(statement: Statement, term: Term) -> bool:
    """Whether `term` is the first word of its clause after the names."""
    words = [t for t in statement.of_clause(term.clause) if t.kind is Kind.WORD and t.key not in FIRST]
    return bool(words) and words[0] is term


def _one_named(laid: Alignment, ours: Sequence[Term], theirs: Sequence[Term]) -> bool:
    """ "works at A" and "works at B"; "attended the university of A" and "of B"."""
    if any(term.key in stems("ONE_NAMED", laid.chinese) for term in laid.words):
        return True
    places = [any(t.parts & INSTITUTION_EN for t in side) for side in (ours, theirs)]
    return all(places) and read_english.key_of("attend") in {term.key for term in laid.words}


def _frame(laid: Alignment) -> float:
    """The weight of what is shared beyond one subject."""
    return laid.weight(laid.shared()) - (NAME_WEIGHT if laid.names else 1.0)


def _single(laid: Alignment) -> bool:
    single = stems("SINGLE", laid.chinese)
    return any(term.key in single for term in laid.words) or any(
        term.key in FIRST for term in (*laid.only_a, *laid.only_b)
    )


def _once(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    """What happened once, told with another time, place or circumstance."""
    ours, theirs = (
        tuple(t for t in only if t not in side.subject)
        for only, side in ((laid.only_a, left), (laid.only_b, right))
    )
    if not ours or not theirs or not _once_together(left, right, laid):
        return None
    dates = [next((t for t in side if t.kind is Kind.DATE), None) for side in (ours, theirs)]
    first, second = ((dates[0],), (dates[1],)) if dates[0] and dates[1] else (ours, theirs)
    return _found(Slot.DATE if dates[0] and dates[1] else Slot.VALUE, left, first, right, second, 0.75)


def _opposite(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    pairs = read_chinese.opposites() if laid.chinese else read_english.opposites()
    for a in laid.only_a:
        for b in laid.only_b:
            if (
                frozenset((a.key, b.key)) in pairs
                and laid.covered(Kind.WORD, Kind.NAME)[1] >= 0.5
                and (_frame(laid) >= 0.5 or _all_but_one(laid))
            ):
                return _found(Slot.OPPOSITE, left, (a,), right, (b,), 0.85)
    return None


def _trade(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    """Two trades of one person: each side names one in its first words, and the other does not."""
    if (
        len(left.subject) != 1
        or len(right.subject) != 1
        or not (left.state and right.state)
        or _scoped_apart(laid)
    ):
        return None
    ours, theirs = (_trades(side) for side in (left, right))
    if len(ours) != 1 or len(theirs) != 1 or matches(ours[0], theirs[0]):
        return None
    return _found(Slot.VALUE, left, (ours[0],), right, (theirs[0],), 0.6)


def _trades(statement: Statement) -> list[Term]:
    """What someone is said to be by trade, right after the subject; not what one does for love."""
    first = [t for t in statement.of_clause(0) if t.asserted]
    opening = first[len(statement.subject) : len(statement.subject) + 4]
    words = [statement.text[t.start : t.end].lower() for t in opening]
    if set(words) & AMATEURS_EN or any(t.key == "known" for t in opening):
        return []
    return [
        t
        for t, word in zip(opening, words, strict=True)
        if word in (TRADES_ZH if statement.chinese else TRADES_EN)
    ]


def _role(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    """Who did it to whom: the same words in the same order, the names exchanged."""
    if left.passive != right.passive or len(laid.names) < 2 or laid.weight(laid.words) < 2:
        return None
    if any(laid.left(Kind.NAME)) or laid.covered(Kind.WORD)[0] < 0.7:
        return None
    first_a, first_b = left.terms[: left.subject_end], right.terms[: right.subject_end]
    if _mutual(laid) or len(first_a) != 1 or len(first_b) != 1 or matches(first_a[0], first_b[0]):
        return None
    return _found(Slot.ROLE, left, first_a, right, first_b, 0.75)


def _number(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    ours, theirs = laid.left(Kind.NUMBER)
    pairs = [(x, y) for x in ours for y in theirs if x.unit == y.unit or not (x.unit and y.unit)]
    low, high = laid.covered(Kind.NAME, Kind.WORD)
    if not pairs or _scoped_apart(laid) or low < VALUE_COVERED or high < 0.7:
        return None
    if _frame(laid) < 1.0 and not _single(laid) and not _all_but_one(laid):
        return None
    return _found(Slot.NUMBER, left, (pairs[0][0],), right, (pairs[0][1],), 0.6 + 0.35 * low)


def _date(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    ours, theirs = laid.left(Kind.DATE)
    pairs = [(x, y) for x in ours for y in theirs if x.unit == y.unit]
    if not pairs or (left.state or right.state) and not _single(laid):
        return None
    names, numbers = laid.left(Kind.NAME), laid.left(Kind.NUMBER)
    low, _ = laid.covered(Kind.NAME, Kind.WORD)
    if all(names) or all(numbers) or low < (0.4 if _single(laid) else 0.7) or _frame(laid) < 1.0:
        return None
    return _found(Slot.DATE, left, (pairs[0][0],), right, (pairs[0][1],), 0.6 + 0.35 * low)


def _all_but_one(laid: Alignment) -> bool:
    return len(laid.only_a) == len(laid.only_b) == 1


def _scoped_apart(laid: Alignment) -> bool:
    """Both tell their time, and it is another: the values may both have been true."""
    return all(laid.left(Kind.DATE))


def _name(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    ours, theirs = laid.left(Kind.NAME)
    if not ours or not theirs or _scoped_apart(laid):
        return None
    low, _ = laid.covered(Kind.WORD)
    if low >= 0.9 and _one_named(laid, ours, theirs):
        return _found(Slot.NAME, left, ours, right, theirs, 0.6 + 0.3 * low)
    dated = bool(laid.shared(lambda term: term.kind is Kind.DATE))
    if _single(laid):
        if low < VALUE_COVERED:
            return None
    elif left.personal or low < FRAME_COVERED or _frame(laid) < (DATED_WEIGHT if dated else FRAME_WEIGHT):
        return None
    return _found(Slot.NAME, left, ours, right, theirs, 0.55 + 0.4 * low)


def _value(left: Statement, right: Statement, laid: Alignment) -> Contradiction | None:
    ours, theirs = (
        tuple(t for t in only if t.kind in (Kind.WORD, Kind.NAME)) for only in (laid.only_a, laid.only_b)
    )
    if not ours or not theirs or _scoped_apart(laid):
        return None
    low, _ = laid.covered(Kind.WORD, Kind.NAME)
    single = _single(laid) and _frame(laid) >= (0.5 if left.personal else 1.0)
    if not single and (left.personal or not laid.names and (_frame(laid) < SWAP_WEIGHT or low < 0.7)):
        return None
    tail = bool(laid.names) and ours[-1] is left.terms[-1] and theirs[-1] is right.terms[-1]
    least = SINGLE_COVERED if single or tail else VALUE_COVERED
    if not single and _frame(laid) < FRAME_WEIGHT or low < least:
        return None
    if not (_one_run(ours, left, laid) and _one_run(theirs, right, laid)):
        return None
    return _found(Slot.VALUE, left, ours, right, theirs, 0.5 + 0.4 * low)


def _one_run(terms: tuple[Term, ...], statement: Statement, laid: Alignment) -> bool:
    """Whether these terms stand together, behind something shared that is not the subject."""
    places = [n for n, term in enumerate(statement.terms) if term in terms]
    places = [
        n
        for n in places
        if not any(statement.terms[m].key == statement.terms[n].key for m in places if m < n)
    ]
    shared = {id(t) for pair in laid.pairs for t in pair if t.kind is not Kind.NAME}
    before = statement.terms[: places[0]]
    return any(id(t) in shared for t in before) and places[-1] - places[0] + 1 == len(places)


# ---- a denial of what the other asserts ----


def _denials(left: Statement, right: Statement) -> list[Contradiction]:
    found = []
    for clause in range(left.clauses):
        for denial in (Denial.CLAUSE, Denial.CONTRAST):
            denied = tuple(t for t in left.of_clause(clause) if t.denial is denial)
            if denied:
                one = _denied(left, right, clause, denied, denial)
                if one is not None:
                    found.append(one)
    return found


def _denied(
    left: Statement, right: Statement, clause: int, denied: tuple[Term, ...], denial: Denial
) -> Contradiction | None:
    theirs = _asserted(right, right.terms)
    if denial is Denial.CONTRAST:
        subject = _asserted(left, left.terms)
    else:
        subject = tuple(t for t in left.of_clause(clause) if t.asserted) or left.subject
    covered, held = _held(left, denied, theirs)
    rest = tuple(t for t in theirs if t not in held)
    whole = align(subject, rest, left.chinese)
    if not held or not (
        _same_subject(left, right, whole)
        or denial is Denial.CONTRAST
        and (whole.names or whole.weight(whole.words) >= TELLING)
    ):
        return None
    if not _telling(
        left, right, whole.weight(held), whole.weight([t for t in theirs if t not in right.subject]), covered
    ):
        return None
    if denial is Denial.CONTRAST and not (
        covered >= 0.75 and (whole.covered(Kind.WORD)[1] >= 0.5 or _same_verb(left, right))
    ):
        return None
    if covered < (DENIAL_COVERED if matches_any(denied[0], held) else DENIAL_COVERED_OTHER_VERB):
        return None
    return _found(Slot.DENIAL, left, denied, right, held, 0.5 + 0.4 * covered)


def _same_verb(left: Statement, right: Statement) -> bool:
    """Whether the first words after the subjects match."""
    first = [
        next((t for t in side.terms if t.kind is Kind.WORD and t not in side.subject), None)
        for side in (left, right)
    ]
    return first[0] is not None and first[1] is not None and matches(first[0], first[1])


def _telling(left: Statement, right: Statement, held: float, said: float, covered: float) -> bool:
    """Whether what is denied is enough to be the same matter: by itself, or as all that is denied or said."""
    if held >= TELLING:
        return True
    named = any(term.kind is Kind.NAME for term in left.subject)
    return not left.personal and (held >= 0.6 * said or named and covered >= 0.9)


def matches_any(term: Term, others: tuple[Term, ...]) -> bool:
    return any(matches(term, other) for other in others)


def _held(
    left: Statement, denied: tuple[Term, ...], theirs: tuple[Term, ...]
) -> tuple[float, tuple[Term, ...]]:
    """How much of what is denied the other side holds, and its terms that do. Of "A or B" either will do."""
    ways = [denied]
    for n in range(1, len(denied)):
        if left.terms.index(denied[n]) in left.or_at:
            ways.append(denied[:n])
    best: tuple[float, tuple[Term, ...]] = (0.0, ())
    for way in ways:
        laid = align(way, theirs, left.chinese)
        pairs = [*laid.pairs]
        for term in laid.only_a:
            example = next((t for t in laid.only_b if falls_under(term, t, left.chinese)), None)
            if example is not None:
                pairs.append((term, example))
        if len(way) < len(denied) and not any(x is way[0] for x, _ in pairs):
            continue  # a part of what is denied counts only with its verb
        covered = laid.weight([x for x, _ in pairs]) / laid.weight(way)
        best = max(
            best,
            (covered, tuple(sorted((y for _, y in pairs), key=lambda t: t.start))),
            key=lambda one: one[0],
        )
    return best


def _contrasts(left: Statement, right: Statement) -> list[Contradiction]:
    """ "A is a poet, while B is a pilot" leaves no room for "B is a poet"."""
    if not left.contrasting or left.clauses < 2:
        return []
    found = []
    for told in range(left.clauses):
        own, whose = _asserted(left, left.of_clause(told)), _leading(left, told)
        others = [t for other in range(left.clauses) if other != told for t in _leading(left, other)]
        for theirs in _clauses(right):
            laid = align(own, theirs, left.chinese)
            about = [t for t in theirs if t in right.subject]
            apart = whose and about and not any(matches(x, y) for x in whose for y in about)
            if (
                apart
                and all(matches_any(y, tuple(others)) for y in about)
                and laid.covered(Kind.WORD)[0] >= 0.7
                and laid.weight(laid.words) >= 1.5
            ):
                found.append(_found(Slot.NAME, left, whose, right, tuple(about), 0.7))
    return found


# ---- "only" ----


def _exclusions(left: Statement, right: Statement) -> list[Contradiction]:
    """ "only speaks French" against "speaks Spanish": the same verb, and something that the first leaves out."""
    found = []
    for place in sorted(left.only_at):
        verb = _first_verb(left, place)
        if verb is None:
            continue
        own = tuple(t for t in left.of_clause(verb.clause) if t.asserted)
        if own[0].kind is not Kind.NAME:
            own = (*left.subject, *own)
        for theirs in _clauses(right):
            laid = align(own, theirs, left.chinese)
            more = tuple(t for t in laid.only_b if t.kind is not Kind.DATE and t not in right.subject)
            if more and _same_subject(left, right, laid) and any(x is verb for x, _ in laid.pairs):
                found.append(
                    _found(
                        Slot.EXCLUSION, left, tuple(t for t in own if t.start >= verb.start), right, more, 0.7
                    )
                )
    return found


def _first_verb(statement: Statement, place: int) -> Term | None:
    """The verb of the clause that the "only" at `place` belongs to: beside it, and the first after the subject."""
    beside = statement.terms[max(0, place - 1) : place + 1]
    for term in beside:
        rest = [t for t in statement.of_clause(term.clause) if t.kind is not Kind.NAME]
        if rest and rest[0] is term and term.kind is Kind.WORD and term.asserted:
            return term
    return None


# ---- words for it ----


def _found(
    slot: Slot, left: Statement, a: tuple[Term, ...], right: Statement, b: tuple[Term, ...], confidence: float
) -> Contradiction:
    value_a, value_b = left.surface(a), right.surface(b)
    return Contradiction(
        slot=slot,
        value_a=value_a,
        value_b=value_b,
        confidence=round(min(confidence, 0.99), 2),
        reason=_reason(slot, left.chinese, value_a, value_b),
    )


def _reason(slot: Slot, chinese: bool, a: str, b: str) -> str:
    if slot is Slot.DENIAL:
        return f"一方否认“{b}”，另一方肯定" if chinese else f"one side denies “{a}”, the other asserts “{b}”"
    return (
        f"同一事项，一方为“{a}”，另一方为“{b}”"
        if chinese
        else f"the same in all but this: “{a}” against “{b}”"
    )
