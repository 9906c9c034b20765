"""A word as a language's dictionary cuts it out of a text that has no spaces.

Law: a value alone.
"""

from typing import NamedTuple


class Word(NamedTuple):
    """A word and its kind in the ICTCLAS tag set: `n…` nouns (`nr` persons, `ns` places), `v…` verbs, …; no kind in a
    language without a dictionary."""

    text: str
    kind: str


def unknown(word: str) -> float:
    """Returns how rare a word is where no dictionary tells."""
    return 0.0


def nothing() -> None:
    """Prepares a language that has nothing to prepare."""


def uncut(text: str) -> list[Word]:
    """Returns a text as one word."""
    return [Word(text, "")]
