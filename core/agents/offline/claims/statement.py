"""What one sentence claims, as far as a reader of surfaces can tell: its terms, in order.

Law: values with derived properties; no grammar beyond names, numbers, dates, clauses, and what a
negation reaches. Places are code points of the sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TypeVar, cast

from core.agents.offline.claims.vocabulary import english_key

Found = TypeVar("Found")

ROOT = 4  # letters that forms of one word share at least
ANY = ""  # the mark of what may match whatever


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    DATE = "date"
    WORD = "word"
    LABEL = "label"  # "Phase 2", "第三章", "--all": what names a thing by number, or an option


class Denial(StrEnum):
    NONE = ""
    CLAUSE = "clause"  # "has never …": what follows is said not to be so
    CONTRAST = "contrast"  # "…, not Y, …": the rest holds, but not of this


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word, name, number or date that carries content.

    `key` is what is compared: a word's key, a name in lower case, a value. `parts` are a name's
    words without titles; of a time of day, what leaves its half of the day open. `bound` of a number: +1 "at least",
    −1 "at most", 0 exactly. `owner`: a name that something is said to belong to ("Liam's sister"). `marks` tell from
    afar what it is not: terms that match (`alignment.matches`) have one in common, or one of them has ANY.
    """

    kind: Kind
    key: str
    start: int
    end: int
    clause: int = 0
    denial: Denial = Denial.NONE
    parts: frozenset[str] = frozenset()
    value: float = 0.0
    unit: str = ""
    bound: int = 0
    owner: bool = False
    marks: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", _marks(self))

    @property
    def asserted(self) -> bool:
        return self.denial is Denial.NONE


@dataclass(frozen=True, kw_only=True)  # no slots: its properties are kept
class Statement:
    """A sentence read. Clauses count from 0; `subject_end` is the number of terms before the first verb.

    `only_at` are the numbers of the terms that an "only" stands before, `or_at` of those after an
    "or". `state`: the verb tells a standing state rather than an event. `personal`: the subject is
    a pronoun ("i", "it", …), so who is meant is open. `contrasting`: its clauses are set against
    each other ("…, while …"). `speaker`: who says it, where the sentence names one ("Alice: …").
    `proposition`: it has a subject and a verb; headings, orders and exclamations have not.
    `labelled`: what stands before its colon is no speaker but says what it is for ("**Role**: …").
    `conditional`: it tells what holds if or when something else does. `mood`: it tells what should be, what is
    planned or what once was, and not what is ("" for that). `defines`: the term that it says the meaning of.
    `parts`: the sentences it is made of, where it joins several ("…, and the rent goes up").
    """

    text: str
    terms: tuple[Term, ...]
    chinese: bool
    clauses: int = 1
    subject_end: int = 0
    only_at: frozenset[int] = frozenset()
    or_at: frozenset[int] = frozenset()
    state: bool = False
    passive: bool = False
    question: bool = False
    hedged: bool = False
    contrasting: bool = False
    proposition: bool = True
    personal: str = ""
    speaker: str = ""
    labelled: bool = False
    conditional: bool = False
    mood: str = ""
    defines: str = ""
    parts: "tuple[Statement, ...]" = ()

    @cached_property
    def told(self) -> bool:
        """Whether it says that something is so."""
        return self.proposition and not self.question and not self.conditional

    def of_clause(self, clause: int) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.clause == clause)

    @cached_property
    def subject(self) -> tuple[Term, ...]:
        """Returns who or what it is about: the names each clause starts with, else what stands before the verb."""
        later = [term for n in range(1, self.clauses) for term in _told_of(self.of_clause(n))]
        first = self.of_clause(0)
        dated = next((n for n, term in enumerate(first) if term.kind is not Kind.DATE), 0)
        end = self.subject_end if self.subject_end > dated else len(first)
        names = [*_leading_names(first[dated:end]), *later]
        return tuple(names) or tuple(term for term in self.terms[: self.subject_end] if term.asserted)

    @cached_property
    def asserted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.asserted)

    @cached_property
    def denied(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.asserted)

    def subject_of(self, clause: int) -> tuple[Term, ...]:
        """Returns the subject's terms that lie in a clause."""
        return tuple(term for term in self.of_clause(clause) if term in self.subject)

    @cached_property
    def labels(self) -> frozenset[str]:
        """Returns the keys of what it names by number."""
        return frozenset(term.key for term in self.terms if term.kind is Kind.LABEL)

    @cached_property
    def claims(self) -> tuple[tuple[Term, ...], ...]:
        """Returns what each clause asserts, its subject in front: the first clause's, where it has none of its own.

        A clause of names and dates alone asserts nothing, nor does an English one of figures alone ("…, for £7").
        """
        found = []
        for clause in range(self.clauses):
            own = self.of_clause(clause)
            if own and own[0].kind is not Kind.NAME:
                own = (*(term for term in self.subject_of(0) if term not in own), *own)
            found.append(tuple(term for term in own if term.asserted))
        saying = tuple(claim for claim in found if any(t.kind not in (Kind.NAME, Kind.DATE) for t in claim))
        return (
            saying if self.chinese else tuple(c for c in saying if any(t.kind is not Kind.NUMBER for t in c))
        )

    @cached_property
    def marks(self) -> frozenset[str]:
        """Returns the marks of all its terms."""
        return frozenset().union(*(term.marks for term in self.terms))

    @cached_property
    def _found(self) -> dict[Callable[..., object], object]:
        return {}

    def in_text(self, finding: Callable[[str], Found]) -> Found:
        """Returns what a function finds in the text. It looks once: a statement is compared with many."""
        if finding not in self._found:
            self._found[finding] = finding(self.text)
        return cast(Found, self._found[finding])

    def surface(self, terms: Sequence[Term]) -> str:
        """Returns the text from the first of these terms to the last."""
        return self.text[terms[0].start : terms[-1].end] if terms else ""


def _marks(term: Term) -> frozenset[str]:
    if term.kind is Kind.WORD:
        return _roots(term.key)
    if term.kind is Kind.NAME:
        own = _roots(term.key).union(term.parts or (ANY,))
        return own | _roots(english_key(next(iter(term.parts)))) if len(term.parts) == 1 else own
    return frozenset(("#" if term.kind is Kind.NUMBER else term.key,))


def _roots(word: str) -> frozenset[str]:
    """Returns the beginning, which forms of a word share; of what is no ASCII also the pairs of characters."""
    if word.isascii():
        return frozenset((word[:ROOT],))
    return frozenset((word[:ROOT], *map("".join, pairwise(word))))


def _leading_names(terms: Sequence[Term]) -> list[Term]:
    count = next((n for n, term in enumerate(terms) if term.kind is not Kind.NAME), len(terms))
    return [term for term in terms[:count] if term.asserted]


def _told_of(terms: Sequence[Term]) -> list[Term]:
    """Returns the names a later clause starts with, if it tells something of them: a list of names does not."""
    return _leading_names(terms) if any(term.kind is not Kind.NAME for term in terms) else []
