"""Where texts that contradict each other differ, word by word; of scripts without spaces, sign by sign.

Law: pure. The pieces of a text, joined, are the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\s+|.",
    re.DOTALL,
)
MOST_WORDS = 2_000
"""Longer texts are compared no further: the time grows with the square of their length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A run of a text's words, and whether the other text has others in its place."""

    text: str
    differs: bool


def pieces(text: str, other: str) -> list[Piece]:
    """Cuts a text where another differs from it."""
    own, others = WORD.findall(text), WORD.findall(other)
    if max(len(own), len(others)) > MOST_WORDS:
        return [Piece(text=text, differs=False)]
    matcher = SequenceMatcher(
        None, [w.casefold() for w in own], [w.casefold() for w in others], autojunk=False
    )
    runs = (
        Piece(text="".join(own[first:last]), differs=kind != "equal")
        for kind, first, last, _, _ in matcher.get_opcodes()
    )
    return [run for run in runs if run.text]


def placed(text: str, quote: str) -> Iterator[Piece]:
    """Cuts a text at a quote that stands in it; `differs` marks the quote."""
    before, found, after = text.partition(quote) if quote else (text, "", "")
    for part, marked in ((before, False), (found, True), (after, False)):
        if part:
            yield Piece(text=part, differs=marked)
