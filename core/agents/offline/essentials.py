"""What two texts must have in common before one may stand for the other: amounts, dates, names, denials.

Law: pure. Words may differ, these may not: a paraphrase with another amount is another fact.
"""

from dataclasses import dataclass

from core.agents.offline.claims.reading import read
from core.agents.offline.claims.statement import Denial, Kind
from core.text import sentences
from core.text.blocks import folded


@dataclass(frozen=True, slots=True, kw_only=True)
class Essentials:
    """The names, amounts and dates, each with its unit, and the words that are denied."""

    exact: frozenset[tuple[Kind, str, str]]
    denied: frozenset[str]


def essentials(text: str) -> Essentials:
    """Returns what of a text no other text may have otherwise."""
    terms = [term for sentence in sentences.split(text) for term in read(folded(sentence)).terms]
    return Essentials(
        exact=frozenset((term.kind, term.key, term.unit) for term in terms if term.kind is not Kind.WORD),
        denied=frozenset(term.key for term in terms if term.denial is not Denial.NONE),
    )


def have_equal_essentials(one: str, other: str) -> bool:
    return essentials(one) == essentials(other)
