"""What one sentence says, as far as a reader of surfaces can tell: its terms, in order.

Law: pure; the same sentence reads the same. Knows English and Chinese; no grammar beyond names,
numbers, dates, clauses, and what a negation reaches. Places are code points of the sentence.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache

from core.text.scripts import is_chinese


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    DATE = "date"
    WORD = "word"
    LABEL = "label"  # "Phase 2", "第三章": a number that names a thing


class Denial(StrEnum):
    NONE = ""
    CLAUSE = "clause"  # "has never …": what follows is said not to be so
    CONTRAST = "contrast"  # "…, not Y, …": the rest holds, but not of this


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word, name, number or date that carries content.

    `key` is what is compared: a canonical stem or word, a name in lower case, a value. `parts` are
    a name's words without titles. `bound` of a number: +1 "at least", −1 "at most", 0 exactly.
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

    @property
    def asserted(self) -> bool:
        return self.denial is Denial.NONE


@dataclass(frozen=True, kw_only=True)
class Statement:
    """`only_at` are the numbers of the terms that an "only" stands before; `or_at` of those after an "or".

    `subject_end` is the number of terms before the first verb. `state`: the verb tells a standing
    state rather than an event. `personal`: the subject is a pronoun ("i", "it", …), so who is meant is open.
    """

    text: str
    terms: tuple[Term, ...]
    chinese: bool
    clauses: int = 1
    only_at: frozenset[int] = frozenset()
    or_at: frozenset[int] = frozenset()
    subject_end: int = 0
    state: bool = False
    passive: bool = False
    question: bool = False
    hedged: bool = False
    personal: str = ""
    contrasting: bool = False  # sets its clauses against each other: "…, while …"
    speaker: str = ""  # who says it, where the sentence names one: "Alice: …"
    proposition: bool = True  # has a subject and a verb: not a heading, an order, an exclamation

    def of_clause(self, clause: int) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.clause == clause)

    @cached_property
    def subject(self) -> tuple[Term, ...]:
        """Who or what it is about: the names each clause starts with; without any, what stands before the verb."""
        names = [term for clause in range(self.clauses) for term in _leading_names(self.of_clause(clause))]
        found = names or [term for term in self.terms[: self.subject_end] if term.asserted]
        return tuple(found)

    def surface(self, terms: tuple[Term, ...]) -> str:
        return self.text[terms[0].start : terms[-1].end] if terms else ""


QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "‘": "’", "'": "'"}


def _leading_names(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    count = next((n for n, term in enumerate(terms) if term.kind is not Kind.NAME), len(terms))
    return tuple(term for term in terms[:count] if term.asserted)


LIST_MARK = re.compile(
    r"\s*(?:(?:[-*+•·▪]|#{1,6}|\(?\d{1,3}[.)、）]|[（(]?[一二三四五六七八九十]{1,3}[、）)])\s*)+"
)
MARKUP = re.compile(r"\*\*|__|`")
SPEAKER = re.compile(
    r"([A-Za-z\u4e00-\u9fff][^\s:：,，。.!?]{0,20}(?: [^\s:：,，.!?]{1,20}){0,2})\s*[:：]\s*(?=\S)(?!//)"
)
NOT_PROSE = re.compile(r"[=→←|{}\[\]<>]|[:：]\s*$")


def unquoted(text: str) -> str:
    """The sentence without quotation marks around the whole of it."""
    inner = text.strip()
    while len(inner) > 2 and QUOTES.get(inner[0]) == inner[-1] and inner[0] not in inner[1:-1]:
        inner = inner[1:-1].strip()
    return inner


@lru_cache(maxsize=8192)
def read(text: str) -> Statement:
    """Take a sentence apart. Quotation marks around the whole are not part of it."""
    from core.agents.offline import read_chinese, read_english

    inner = unquoted(MARKUP.sub("", text[mark.end() :] if (mark := LIST_MARK.match(text)) else text))
    spoken = SPEAKER.match(inner)
    said = inner[spoken.end() :] if spoken else inner
    found = read_chinese.statement(said) if is_chinese(said) else read_english.statement(said)
    if spoken:
        found = replace(found, speaker=spoken.group(1).strip().lower())
    return replace(found, proposition=False) if NOT_PROSE.search(inner) else found
