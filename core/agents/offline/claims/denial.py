"""A denial of what the other sentence asserts: "never", "X, not Y", "while B …", "only".

Law: pure. What is denied must be held by the other side, about the same subject; two denials do
not contradict each other.
"""

import re
from collections.abc import Iterator, Sequence

from core.agents.offline.claims.alignment import align, are_opposites, falls_under, matches
from core.agents.offline.claims.comparison import Comparison, compare
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.statement import Denial, Kind, Statement, Term

COVERED = 0.5  # of what is denied, held by the other side with the same verb
COVERED_OTHER_VERB = 0.65
COVERED_CONTRAST = 0.65  # of "Y" in "X, not Y"
TELLING = 1.5  # what both speak of must weigh so much, or be all that one of them says
KNOWN = 2.0  # a subject without a name must be told so closely
SPREAD = 2  # terms from the first that is held to the last, for each that is held
CONTRASTED = 0.7  # of a clause's words, said of the one it is set against

MAY_BE = re.compile(r"\b(?:can|may)\b|可以", re.IGNORECASE)
OPEN_YET = re.compile(  # what is not so now may come to be
    r"\b(?:might|perhaps|maybe|possibly|one day|some day)\b|也许|或许", re.IGNORECASE
)
REPORTS = re.compile(
    r"\b(?:writes|wrote|reports|reported|says|said|states|stated|notes|noted|mentions|mentioned|shows|showed|confirms"
    r"|confirmed|finds|found|announces|announced) that\b|\baccording to\b|记载|报道|写道|写明|据称|指出",
    re.IGNORECASE,
)


def denials(left: Statement, right: Statement, same_matter: bool) -> Iterator[Contradiction]:
    """Yields what the left sentence denies and the right one asserts, clause by clause."""
    for clause in range(left.clauses):
        for kind in (Denial.CLAUSE, Denial.CONTRAST):
            denied = tuple(t for t in left.of_clause(clause) if t.denial is kind)
            if not denied:
                continue
            one = _denied(left, right, clause, denied)
            if one is None and same_matter:
                one = _denied_of_the_name(left, right, clause, denied)
            if one is not None:
                yield one


def _denied(left: Statement, right: Statement, clause: int, denied: tuple[Term, ...]) -> Contradiction | None:
    contrast = denied[0].denial is Denial.CONTRAST
    theirs = right.asserted
    covered, held = _held(left, denied, theirs)
    if not held or any(are_opposites(x, y, left.chinese) for x in denied for y in theirs):
        return None  # "did not pass" and "failed" agree
    if OPEN_YET.search(right.text) and not left.hedged:
        return None
    same_verb = _any_matches(denied[0], held)
    if (
        covered < (COVERED if same_verb else COVERED_OTHER_VERB)
        or not same_verb
        and _mostly_else(denied, held)
    ):
        return None
    subject = left.asserted if contrast else _subject_of(left, clause)
    both = compare(left, subject, right, tuple(t for t in theirs if t not in held))
    if contrast:
        if MAY_BE.search(left.text) or right.hedged and not left.hedged:
            return None
        if covered < COVERED_CONTRAST or not _same_frame(both) or _of_another(left, right, held):
            return None
    elif (
        not (both.same_subject or _goes_both_ways(both, held))
        or both.headed_apart
        or not _together(right, held)
    ):
        return None
    elif not left.personal and all(t in right.terms[: right.subject_end] for t in held):
        return None  # "the file is not compressed", "the compressed file …"
    elif left.hedged and right.hedged and len(_added(right, held)) > 1:
        return None  # what may not be done, and more closely what may
    if not _telling(both, held, covered):
        return None
    return found(Slot.DENIAL, left, denied, right, held, 0.5 + 0.4 * covered)


def _goes_both_ways(both: Comparison, held: Sequence[Term]) -> bool:
    """Whether what is denied holds both ways, of one whom both name: who married whom does not matter."""
    return (
        bool(both.laid.names) and not both.owned_apart and any(term.key in both.words.mutual for term in held)
    )


def _mostly_else(denied: Sequence[Term], held: Sequence[Term]) -> bool:
    """Whether half of what is denied is not held, whatever it weighs: who has a van may not have sold it."""
    return 2 * len(held) <= len(denied)


def _together(statement: Statement, held: Sequence[Term]) -> bool:
    """Whether these terms are told in one go, rather than here and there in a long sentence."""
    between = [t for t in statement.terms if held[0].start <= t.start <= held[-1].start]
    return len(between) <= SPREAD * len(held)


def _added(statement: Statement, held: Sequence[Term]) -> list[Term]:
    """Returns what the sentence asserts beside its subject and these terms."""
    return [t for t in statement.asserted if t not in held and t not in statement.subject]


def _subject_of(statement: Statement, clause: int) -> tuple[Term, ...]:
    return tuple(t for t in statement.of_clause(clause) if t.asserted) or statement.subject


def _of_another(left: Statement, right: Statement, held: Sequence[Term]) -> bool:
    """Whether each tells of people of its own, none of whom the other names: B may do what A does not."""
    ours, theirs = ([t for t in side.subject if t.kind is Kind.NAME] for side in (left, right))
    if not ours or not theirs or any(t in theirs for t in held):
        return False
    return not any(_any_matches(x, right.terms) for x in ours) and not any(
        _any_matches(y, left.terms) for y in theirs
    )


def _same_frame(both: Comparison) -> bool:
    """Whether the rest of "X, not Y, did it" is what the other sentence says of Y."""
    laid = both.laid
    if not (both.same_subject or laid.names or laid.weight(laid.words) >= TELLING):
        return False
    first = [
        next((t for t in side.terms if t.kind is Kind.WORD and t not in side.subject), None)
        for side in (both.left, both.right)
    ]
    same_verb = first[0] is not None and first[1] is not None and matches(first[0], first[1])
    return same_verb or laid.covered(Kind.WORD)[1] >= COVERED


def _telling(both: Comparison, held: Sequence[Term], covered: float) -> bool:
    """Whether what is denied is enough to be the same matter: by itself, or as all that is denied or said."""
    weight = both.laid.weight(held)
    frame = both.laid.weight([x for x, _ in both.laid.pairs if x not in both.left.subject])
    if weight + frame >= TELLING:
        return True
    if both.left.personal:
        return False
    said = both.laid.weight([t for t in both.right.asserted if t not in both.right.subject])
    known = (
        any(t.kind is Kind.NAME for t in both.left.subject) or both.laid.weight(both.laid.shared()) >= KNOWN
    )
    return weight >= 0.6 * said or covered >= 0.9 and known


def _held(
    left: Statement, denied: tuple[Term, ...], theirs: tuple[Term, ...]
) -> tuple[float, tuple[Term, ...]]:
    """Returns how much of what is denied the other side asserts, and in which terms. Of "A or B" either will do."""
    ways = [denied, *(denied[:n] for n in range(1, len(denied)) if left.terms.index(denied[n]) in left.or_at)]
    best: tuple[float, tuple[Term, ...]] = (0.0, ())
    for way in ways:
        laid = align(way, theirs, left.chinese)
        examples = [
            (kind, next((t for t in laid.only_b if falls_under(kind, t, left.chinese)), None))
            for kind in laid.only_a
        ]
        pairs = [*laid.pairs, *((kind, t) for kind, t in examples if t is not None)]
        if way is not denied and not any(x is way[0] for x, _ in pairs):
            continue  # a part of what is denied counts only with its verb
        covered = laid.weight([x for x, _ in pairs]) / laid.weight(way)
        if covered > best[0]:
            best = (covered, tuple(sorted((y for _, y in pairs), key=lambda t: t.start)))
    return best


def _denied_of_the_name(
    left: Statement, right: Statement, clause: int, denied: tuple[Term, ...]
) -> Contradiction | None:
    """Returns what is denied of a name that the other sentence is about; both are known to share their matter.

    A sentence that reports ("the paper writes that …") is left out: its subject is not what the denial is about. So are
    two that tell another figure each: a price without delivery, and one with it.
    """
    if REPORTS.search(left.text) or all(align(left.terms, right.terms, left.chinese).left(Kind.NUMBER)):
        return None
    names = [t for t in (*_subject_of(left, clause), *left.subject) if t.kind is Kind.NAME]
    theirs = right.asserted
    if len(theirs) < len(right.terms) or not any(_any_matches(name, right.subject) for name in names):
        return None
    said = tuple(t for t in theirs if t not in right.subject)
    return found(Slot.DENIAL, left, denied, right, said, 0.6) if said else None


def contrasts(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields what a sentence that sets two apart excludes: "A is a poet, while B is a pilot", "B is a poet"."""
    if not left.contrasting or left.clauses < 2:
        return
    for told in range(left.clauses):
        whose = left.subject_of(told)
        others = [t for other in range(left.clauses) if other != told for t in left.subject_of(other)]
        own = tuple(t for t in left.of_clause(told) if t.asserted)
        for theirs in right.claims if whose else ():
            about = [t for t in theirs if t in right.subject]
            laid = align(own, theirs, left.chinese)
            of_another = bool(about) and not any(_any_matches(x, about) for x in whose)
            if not of_another or not all(_any_matches(y, others) for y in about):
                continue
            if laid.covered(Kind.WORD)[0] >= CONTRASTED and laid.weight(laid.words) >= TELLING:
                yield found(Slot.NAME, left, whose, right, about, 0.7)


def exclusions(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields what an "only" excludes: "only speaks French" against "speaks Spanish", the verb being the same."""
    for place in sorted(left.only_at):
        if place == 0 and not left.personal:
            continue  # an order: "only fetch new records"
        verb = _verb_beside(left, place)
        if verb is None:
            continue
        own = tuple(t for t in left.of_clause(verb.clause) if t.asserted)
        if own[0].kind is not Kind.NAME:
            own = (*left.subject, *own)
        for theirs in right.claims:
            both = compare(left, own, right, theirs)
            more = [t for t in both.laid.only_b if t.kind is not Kind.DATE and t not in right.subject]
            same_verb = any(x is verb and _is_first(right, y) for x, y in both.laid.pairs)
            if more and both.same_subject and same_verb:
                ours = [t for t in own if t.start >= verb.start]
                yield found(Slot.EXCLUSION, left, ours, right, more, 0.7)


def _verb_beside(statement: Statement, place: int) -> Term | None:
    """Returns the verb that the "only" at `place` belongs to: behind it, in English also right before it."""
    if statement.chinese:
        return next(
            (t for t in statement.terms[place : place + 1] if t.kind is Kind.WORD and t.asserted), None
        )
    beside = statement.terms[max(0, place - 1) : place + 1]
    return next((t for t in beside if t.kind is Kind.WORD and t.asserted and _is_first(statement, t)), None)


def _is_first(statement: Statement, term: Term) -> bool:
    """Whether `term` is the first of its clause beside names (any word of it, in Chinese)."""
    if statement.chinese:
        return True
    return next((t for t in statement.of_clause(term.clause) if t.kind is not Kind.NAME), None) is term


def _any_matches(term: Term, others: Sequence[Term]) -> bool:
    return any(matches(term, other) for other in others)
