"""An English sentence as a frame: the states it tells, what they are told of, and what stands beside the matter.

Law: pure; English only. A frame is read once a statement, when the statement is first laid beside another that no
plainer rule decides. Words are compared by their sense (`states_en.SENSES`), so that "the dentist's surgery" and "the
dentist's practice" are one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.agents.offline.claims.alignment import align
from core.agents.offline.claims.english_tokens import Token, tokens
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.states_en import LIGHT, SCALES, SENSES
from core.agents.offline.claims.vocabulary import english_key, stemmed
from core.text.words import words

LONGEST_PHRASE = 5
NEGATING = words("not no never nobody nothing none neither hardly cannot without stopped ceased")
BREAKS = words("and but because since although though while so when if or")
CIRCUMSTANCE = words(
    "because since after before until during at on in due while for over when as so with from through and but"
)
COMPLEMENT = words("of to by about into than against like")
OURS = words("our my")
ANYBODY = frozenset({"", "it", "we", "you", "they", "i", "my"})
OFTEN = words("hourly daily nightly weekly monthly yearly early family only supply")
AROUND = words("yesterday today tomorrow tonight ago yet early suddenly")


Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class State:
    """Which end of a scale is told (+1 or −1), and by which words."""

    scale: str
    end: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """`states` are of different scales: what tells both ends of one tells neither. `terms` are by sense, without those
    that say little, `words` the keys of all. `aside` are the places where one begins that stands beside the matter,
    `ours` those in what belongs to the speaker ("in our building").
    """

    statement: Statement
    states: tuple[State, ...]
    terms: tuple[Term, ...]
    words: frozenset[str]
    aside: frozenset[int]
    ours: frozenset[int]

    def beside(self, spans: Spans) -> tuple[Term, ...]:
        """Returns the terms outside these spans."""
        return tuple(t for t in self.terms if all(t.end <= start or t.start >= end for start, end in spans))


def frame(statement: Statement) -> Frame:
    """Reads the frame of an English statement."""
    read = tokens(statement.text)
    aside, ours = _aside(read)
    by_sense = [(t, _by_sense(t)) for t in statement.terms]
    return Frame(
        statement=statement,
        states=_told(statement, _states(read)),
        terms=tuple(meant for t, meant in by_sense if not _is_light(statement, t)),
        words=frozenset(meant.key for _, meant in by_sense if meant.kind is Kind.WORD),
        aside=aside,
        ours=ours,
    )


def _told(statement: Statement, states: Sequence[State]) -> tuple[State, ...]:
    """Returns the states that are told of the subject, and none by which it is told apart ("a hot soup does …")."""
    if statement.personal or not statement.subject_end:
        return tuple(states)
    last = statement.terms[statement.subject_end - 1]
    return tuple(one for one in states if one.spans[0][0] >= last.start)


def share_a_subject(a: Frame, b: Frame) -> bool:
    """Whether a pronoun in front leaves open that both tell of one thing: "we counted 31 in …", "the … has 14"."""
    whose = {a.statement.personal, b.statement.personal}
    return len(whose) == 1 or whose <= ANYBODY


def of_one_matter(
    a: Frame,
    ours: Spans,
    b: Frame,
    theirs: Spans,
    *,
    without: frozenset[str] = frozenset(),
    alike: bool = False,
    times_apart: bool = False,
    counted: bool = False,
) -> bool:
    """Whether two frames tell of one thing, beside what these spans say of it.

    What only one side has must be a circumstance (since when, why, where), and only one side may have such; none may
    where they must be `alike`. `without`: keys of words that only say which value is told. `times_apart`: what was so
    at another time does not count. `counted`: how many of them one side tells of does not matter.
    """
    one, other = (
        [t for t in x.beside(y) if t.key not in without and not (counted and t.kind is Kind.NUMBER)]
        for x, y in ((a, ours), (b, theirs))
    )
    laid = align(one, other, False)
    if not laid.pairs and (laid.only_a or laid.only_b or not a.statement.personal or without):
        return False
    if any(_matters(t, a) for t in laid.only_a) or any(_matters(t, b) for t in laid.only_b):
        return False
    left = (*laid.only_a, *laid.only_b)
    if alike and left or times_apart and any(t.kind is Kind.DATE for t in left):
        return False
    return not (laid.only_a and laid.only_b) or _some_time(a, laid.only_a) is not _some_time(b, laid.only_b)


def _some_time(side: Frame, terms: Sequence[Term]) -> bool:
    """Whether these only say that it was yesterday, or so."""
    return all(side.statement.text[t.start : t.end].lower() in AROUND for t in terms)


def _matters(term: Term, side: Frame) -> bool:
    """Whether a term tells one thing from another."""
    return (
        term.owner or term.kind is Kind.LABEL or term.start not in side.aside and term.kind is not Kind.DATE
    )


def _is_light(statement: Statement, term: Term) -> bool:
    if term.kind is not Kind.WORD or term.owner:
        return False
    shown = statement.text[term.start : term.end].lower()
    return shown in LIGHT or shown.endswith("ly") and shown not in OFTEN


def sense_of(word: str) -> str:
    """Returns the key under which an English word stands in a frame."""
    key = english_key(word)
    return _senses().get(key, key)


def _by_sense(term: Term) -> Term:
    sense = _senses().get(term.key) if term.kind is Kind.WORD else None
    return replace(term, key=sense) if sense and sense != term.key else term


@cache
def _senses() -> dict[str, str]:
    lines = (line.split() for line in SENSES.strip().splitlines())
    return {english_key(word): english_key(line[0]) for line in lines for word in line}


def _aside(read: Sequence[Token]) -> tuple[frozenset[int], frozenset[int]]:
    """Returns the places of words that tell a circumstance: behind "since", "because", "in" …, or "yesterday"; then
    those of them behind "our" or "my"."""
    found, ours = set[int](), set[int]()
    behind = own = False
    for token in read:
        if token.kind == "mark" or token.lower in COMPLEMENT:
            behind = token.text == "("
        elif token.lower in CIRCUMSTANCE:
            behind, own = True, False
        elif token.lower in OURS:
            own = True
        elif behind or token.lower in AROUND:
            found.add(token.start)
            ours |= {token.start} if own else set()
    return frozenset(found), frozenset(ours)


def _states(read: Sequence[Token]) -> tuple[State, ...]:
    """Returns the states told, each scale's once; none of a scale of which both ends are told."""
    scales = _scales()
    stems = [stemmed(token.lower) for token in read]
    ends: dict[str, State | None] = {}
    at = 0
    while at < len(read):
        size, meant = _longest(scales, read, stems, at)
        for scale, end in meant:
            told = -end if _negated(read, at) else end
            span = (read[at].start, read[at + size - 1].end)
            before = ends.get(scale)
            both = scale in ends and (before is None or before.end != told)
            spans = (*before.spans, span) if before else (span,)
            ends[scale] = None if both else State(scale, told, spans)
        at += size
    return tuple(one for one in ends.values() if one is not None)


def _longest(
    scales: dict[tuple[str, ...], tuple[tuple[str, int], ...]],
    read: Sequence[Token],
    stems: Sequence[str],
    at: int,
) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Returns how many tokens from `at` on are the longest phrase that tells a state, and which it tells."""
    for size in range(min(LONGEST_PHRASE, len(read) - at), 0, -1):
        exact = scales.get(("=", *(token.lower for token in read[at : at + size])), ())
        found = exact + scales.get(tuple(stems[at : at + size]), ())
        if found:
            return size, found
    return 1, ()


def _negated(read: Sequence[Token], at: int) -> bool:
    """Whether an odd number of words deny what stands at `at`, in its clause."""
    count = 0
    for token in reversed(read[:at]):
        if token.kind == "mark" or token.lower in BREAKS:
            break
        count += token.lower in NEGATING
    return count % 2 == 1


@cache
def _scales() -> dict[tuple[str, ...], tuple[tuple[str, int], ...]]:
    found: dict[tuple[str, ...], tuple[tuple[str, int], ...]] = {}
    for line in SCALES.strip().replace("\n ", " ").splitlines():
        name, told = line.split(":")
        for end, phrases in zip((1, -1), told.split("|"), strict=True):
            for phrase in phrases.split(","):
                key = _looked_up(phrase.strip())
                found[key] = (*found.get(key, ()), (name, end))
    return found


def _looked_up(phrase: str) -> tuple[str, ...]:
    if phrase.startswith("="):
        return ("=", *(token.lower for token in tokens(phrase[1:])))
    return tuple(stemmed(token.lower) for token in tokens(phrase))


def told_of(side: Frame, meanings: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Returns what the words of a sentence mean, of those that have such a meaning."""
    return frozenset(one for word in side.words for one in meanings.get(word, ()))


@cache
def meanings(listed: str) -> dict[str, frozenset[str]]:
    """Reads lines that begin with a name: the names behind which a word stands."""
    found: dict[str, frozenset[str]] = {}
    for line in listed.strip().replace("\n ", " ").splitlines():
        name, *told = line.split()
        for word in told:
            key = sense_of(word)
            found[key] = found.get(key, frozenset()) | {name}
    return found
