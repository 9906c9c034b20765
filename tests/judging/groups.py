"""Sentences in groups, and the many pairs that follow from them: a set to build a judge on.

Law: a group's lines that begin with `=` are values, each in several wordings: wordings of one value say the same, those
of two contradict each other. What stands on a line that begins with `~` may hold beside everything in its group. The
groups were written apart from the pairs beside them, and none of those is in them. A document is a group without
values: no two of its sentences contradict each other, though they look like it. A memory is a document some of whose
facts are told once more: a line that begins with `!3` contradicts its third fact and no other, one with `=3` says the
same as it. A talk is a memory of all that one person said in a chat.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from typing import TypeVar

from tests.judging.pairs import FOLDER, Label

HELD_OUT = 8  # one text in so many is for measuring alone: nothing is trained or chosen on it
Text = TypeVar("Text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """`values`: wordings of each; `beside`: what contradicts nothing here."""

    kind: str
    values: tuple[tuple[str, ...], ...]
    beside: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*(one for value in self.values for one in value), *self.beside)

    def pairs(self) -> Iterator[tuple[Label, str, str]]:
        """Every two sentences of the group, and what the second is to the first."""
        for value in self.values:
            yield from ((Label.SAME, a, b) for a, b in combinations(value, 2))
        for one, other in combinations(self.values, 2):
            yield from ((Label.CONFLICT, a, b) for a, b in product(one, other))
        told = [one for value in self.values for one in value]
        yield from ((Label.RELATED, a, b) for a, b in product(told, self.beside))
        yield from ((Label.RELATED, a, b) for a, b in combinations(self.beside, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """`changes` and `rewordings`: the place of a fact, and a sentence that contradicts it or says the same."""

    facts: tuple[str, ...]
    changes: tuple[tuple[int, str], ...]
    rewordings: tuple[tuple[int, str], ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*self.facts, *(told for _, told in (*self.changes, *self.rewordings)))

    def pairs(self) -> Iterator[tuple[Label, str, str]]:
        """Every two sentences that are no two changes, and what the second is to the first."""
        yield from ((Label.RELATED, a, b) for a, b in combinations(self.facts, 2))
        for label, told in ((Label.CONFLICT, self.changes), (Label.SAME, self.rewordings)):
            for place, again in told:
                for n, fact in enumerate(self.facts):
                    yield label if n == place else Label.RELATED, fact, again
        for (place, change), (own, again) in product(self.changes, self.rewordings):
            yield Label.CONFLICT if place == own else Label.RELATED, change, again


class Written(StrEnum):
    """Which groups: those that rules were built on, those that were written after the rules, those in which mostly the
    order tells the values apart, written after the first comparer, and those in which sentences differ in a word or
    two, written last."""

    BEFORE = "groups"
    AFTER = "later"
    ORDER = "order"
    CLOSE = "close"


def is_held_out(place: int) -> bool:
    """Whether the text at a place of its file is for measuring alone."""
    return place % HELD_OUT == 3


def held_out(texts: Sequence[Text]) -> list[Text]:
    """The texts of a file that are for measuring alone."""
    return [one for place, one in enumerate(texts) if is_held_out(place)]


def read_groups(language: str, written: Written = Written.BEFORE) -> list[Group]:
    """The groups of a language, in the file's order."""
    return [_group(lines) for lines in _blocks(f"{written}_{language}.txt")]


def read_documents(language: str) -> list[Group]:
    """The documents of a language, in the file's order."""
    found = _blocks(f"documents_{language}.txt")
    return [Group(kind=head.removeprefix("# "), values=(), beside=tuple(told)) for head, *told in found]


def read_memories(language: str) -> list[Memory]:
    """The memories of a language, in the file's order."""
    return [_memory(lines) for _, *lines in _blocks(f"memories_{language}.txt")]


def read_talks(language: str) -> list[Memory]:
    """The talks of a language, in the file's order: memories of what one person said."""
    return [_memory(lines) for _, *lines in _blocks(f"talks_{language}.txt")]


def _blocks(name: str) -> list[list[str]]:
    text = (FOLDER / name).read_text(encoding="utf-8").strip()
    return [block.splitlines() for block in text.split("\n\n")]


def _group(lines: Sequence[str]) -> Group:
    head, *rest = lines
    told = [(line[0], tuple(one.strip() for one in line[2:].split("|"))) for line in rest]
    return Group(
        kind=head.removeprefix("# "),
        values=tuple(sentences for mark, sentences in told if mark == "="),
        beside=tuple(one for mark, sentences in told if mark == "~" for one in sentences),
    )


def _memory(lines: Sequence[str]) -> Memory:
    again = [(line[0], *line[1:].split(" ", 1)) for line in lines if line[0] in "!="]
    return Memory(
        facts=tuple(line for line in lines if line[0] not in "!="),
        changes=tuple((int(number) - 1, told) for mark, number, told in again if mark == "!"),
        rewordings=tuple((int(number) - 1, told) for mark, number, told in again if mark == "="),
    )
