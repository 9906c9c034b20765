"""What open quarrels are about, by the sentences of their sides: a bank's conflicts, a collection's contested facts.

Law: pure. A text that says one side of a quarrel, but not all, is found by its sentences, wherever it comes from.
"""

from collections.abc import Sequence
from typing import NamedTuple


class SentenceKeys(NamedTuple):
    """The sentences of a text, as numbers that only equal ones share; `is_telling`: one is long enough that another
    like it is no chance; `speakers`: who said them, as far as that is known."""

    sentences: frozenset[int]
    is_telling: bool
    speakers: frozenset[str] = frozenset()


NOTHING_SAID = SentenceKeys(frozenset(), False)


class Disputes:
    """Quarrels by the sentences of their sides. `told_apart`: those whose sides are items of their own, with the ids of
    these; the sides of any other are one item, which has the quarrel's name."""

    def __init__(self) -> None:
        self.told_apart: dict[str, Sequence[str]] = {}
        self._by_sentence: dict[int, list[tuple[str, int]]] = {}
        self._sides: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._sides)

    def add(self, name: str, sides: Sequence[frozenset[int]], items: Sequence[str] = ()) -> None:
        """Adds a quarrel by the sentences of each side, and the items that the sides are, if these stand apart."""
        self._sides[name] = len(sides)
        if items:
            self.told_apart[name] = items
        for side, numbers in enumerate(sides):
            for number in numbers:
                self._by_sentence.setdefault(number, []).append((name, side))

    def copied(self) -> "Disputes":
        """Returns the same quarrels, to which others may be added."""
        copy = Disputes()
        copy.told_apart = dict(self.told_apart)
        copy._by_sentence = {number: list(sides) for number, sides in self._by_sentence.items()}
        copy._sides = dict(self._sides)
        return copy

    def items(self, name: str) -> Sequence[str]:
        """Returns the ids of the items that say all sides of a quarrel."""
        return self.told_apart.get(name, (name,))

    def touched(self, said_: SentenceKeys) -> dict[str, set[int]]:
        """Returns the quarrels of which a text says something, with the sides that it says."""
        if self._by_sentence.keys().isdisjoint(said_.sentences):
            return {}
        told: dict[str, set[int]] = {}
        for number in said_.sentences:
            for name, side in self._by_sentence.get(number, ()):
                told.setdefault(name, set()).add(side)
        return told

    def one_sided(self, said_: SentenceKeys) -> list[str]:
        """Returns the quarrels of which a text says a side, but not all."""
        return [name for name, sides in self.touched(said_).items() if len(sides) < self._sides[name]]


NO_DISPUTES = Disputes()
