"""Two sentences in one notation, for a comparer, which takes "at 2 pm" and "at 14:00" for two times.

Law: pure, and symmetric. What is told stays the same: the shorter way to write a time, a date or a Chinese measure
takes the place of a longer one of the same value. Bounds stay as they are; so do English measures, whose figures are
read without their units.
"""

from core.agents.offline.claims import clock
from core.agents.offline.claims.alignment import align
from core.agents.offline.claims.chinese_forms import NUMERALS, SCALES
from core.agents.offline.claims.statement import Kind, Statement, Term

FIGURE = frozenset("0123456789.,半") | NUMERALS.keys() | SCALES.keys()
ARTICLE = " a "

Written = tuple[int, int, str]
"""From where to where of a sentence, and what is to stand there."""


def in_one_notation(left: Statement, right: Statement) -> tuple[str, str]:
    """Returns the texts of both, equal times, dates and measures written alike."""
    ours: list[Written] = []
    theirs: list[Written] = []
    if any(map(_may_be_rewritten, left.terms)) and any(map(_may_be_rewritten, right.terms)):
        for a, b in align(left.terms, right.terms, left.chinese).pairs:
            one, other = _written(left, a), _written(right, b)
            if not _are_equal(a, b, one[2], other[2]):
                continue
            if _length(one[2]) < _length(other[2]):
                theirs.append((*other[:2], one[2]))
            else:
                ours.append((*one[:2], other[2]))
    return _rewritten(left.text, ours), _rewritten(right.text, theirs)


def _may_be_rewritten(term: Term) -> bool:
    return term.kind is Kind.DATE or term.kind is Kind.NUMBER and not term.bound


def _written(statement: Statement, term: Term) -> Written:
    """Returns where a term stands, and how it is written. The sentence's full stop is no part of it; an article is:
    "a quarter past six"."""
    start, end, text = term.start, term.end, statement.text
    if end == len(text) and text.endswith("."):
        end -= 1
    if text[:start].endswith(ARTICLE):
        start -= len(ARTICLE) - 1
    return start, end, text[start:end]


def _are_equal(a: Term, b: Term, one: str, other: str) -> bool:
    """Whether terms that match are of one value, in other words that may stand for each other."""
    if one == other or a.kind is not b.kind or not (_may_be_rewritten(a) and _may_be_rewritten(b)):
        return False
    if a.kind is Kind.DATE or a.unit == b.unit == clock.UNIT:
        return True
    return (
        a.value == b.value and not (one.isascii() and other.isascii()) and _measured(one) is _measured(other)
    )


def _measured(written: str) -> bool:
    """Whether the unit of a figure stands with it."""
    return not FIGURE.issuperset(written)


def _length(written: str) -> tuple[int, str]:
    """Returns what is shorter, and of equal ones always the same."""
    return len(written), written


def _rewritten(text: str, parts: list[Written]) -> str:
    for start, end, written in sorted(parts, reverse=True):
        text = text[:start] + written + text[end:]
    return text
