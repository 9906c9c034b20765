"""Names of a person or a thing in a text, and the text without the sentences that hold one.

Law: pure. What is overwritten keeps its length, so that no offset into the text moves, and its line breaks.
"""

import re
from collections.abc import Iterable, Mapping

from core.text.scripts import WIDE
from core.text.sentences import spans

COVER = "█"
_NO_BREAK = re.compile(r"[^\n\r]")


class Mentions:
    """Where any of some names stands: as whole words, whatever their case and the blanks between them; in scripts
    without spaces between words anywhere."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = re.compile("|".join(map(_pattern, names)), re.IGNORECASE)

    def are_in(self, *texts: str) -> bool:
        return any(self._names.search(text) for text in texts)

    def covered(self, text: str) -> str:
        """Returns the text with every sentence that holds a name overwritten, and a name that stands in none."""
        named = [(found.start(), found.end()) for found in self._names.finditer(text)]
        if not named:
            return text
        sentences = [(s, e) for s, e in spans(text) if any(s < end and start < e for start, end in named)]
        pieces, place = list[str](), 0
        for start, end in _joined([*sentences, *named]):
            pieces += [text[place:start], _NO_BREAK.sub(COVER, text[start:end])]
            place = end
        return "".join([*pieces, text[place:]])

    def left_out(self, labels: Mapping[str, str]) -> dict[str, str]:
        """Returns the labels that hold none, neither as names nor as values."""
        return {name: value for name, value in labels.items() if not self.are_in(name, value)}


def says_something(text: str) -> bool:
    """Whether words are left of a text."""
    return any(map(str.isalnum, text))


def _pattern(name: str) -> str:
    words = r"\s+".join(map(re.escape, name.split()))
    begins = r"(?<!\w)" if _has_borders(name[0]) else ""
    ends = r"(?!\w)" if _has_borders(name[-1]) else ""
    return f"{begins}{words}{ends}"


def _has_borders(letter: str) -> bool:
    return bool(letter.isalnum() and not WIDE.match(letter))


def _joined(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns places in order, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
