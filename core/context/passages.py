"""The part of a long text that fits a query, word for word.

Law: pure. What is cut is a run of whole sentences, and says so at its ends. A short text is never cut.
"""

from collections.abc import Mapping, Sequence

from core.context.validations import PRONOUN
from core.text import sentences
from core.text.analysis import terms
from core.text.tokens import PARTS, weight

LONGEST = 120
"""Tokens of a passage that is shown whole;"""
TENTH = 10
"""and of the room for all of them this part, where that is more."""
FOREMOST = 5
"""Passages that fit best."""


def longest_in(room: int, place: int) -> int:
    """Returns the tokens up to which the passage that stands at a `place` among all is shown whole: of those that fit
    best, twice as many."""
    return max(LONGEST * (1 + (place < FOREMOST)), room // TENTH)


def is_short(text: str, longest: int) -> bool:
    """Whether a text takes no more than so many tokens: it is shown whole, whatever the query."""
    return len(text) <= longest or weight(text) <= longest * PARTS


def fitting_part(text: str, words: Mapping[str, float], longest: int) -> str:
    """Returns the run of sentences in about `longest` tokens with the most weight of `words`; of runs alike the first.

    A run that begins with a pronoun comes with the sentence before, which names its subject. Of a blank text nothing is
    shown.
    """
    if is_short(text, longest):
        return text
    spans = sentences.spans(text)
    if not spans:
        return ""
    start, end = _best_run(text, spans, words, longest * PARTS)
    if start and PRONOUN.match(text, spans[start][0]):
        start -= 1
    before, after = "… " if start else "", " …" if end < len(spans) else ""
    return f"{before}{text[spans[start][0] : spans[end - 1][1]]}{after}"


def _best_run(
    text: str, spans: Sequence[tuple[int, int]], words: Mapping[str, float], room: int
) -> tuple[int, int]:
    """Returns the places of the first and behind the last sentence of the best run; of one at the least."""
    pieces = [text[start:end] for start, end in spans]
    sizes, held = [weight(piece) for piece in pieces], [words.keys() & terms(piece) for piece in pieces]
    best, most = (0, 1), -1.0
    for start in range(len(pieces)):
        left, end, found = room - sizes[start], start + 1, set(held[start])
        while end < len(pieces) and sizes[end] <= left:
            left -= sizes[end]
            found |= held[end]
            end += 1
        if (mass := sum(words[word] for word in found)) > most:
            best, most = (start, end), mass
    return best
