"""Sentences in groups, and the many pairs that follow from them: a set to build a judge on.

Law: a group's lines that begin with `=` are values, each in several wordings: wordings of one value say the same, those
of two contradict each other. What stands on a line that begins with `~` may hold beside everything in its group. The
groups were written apart from the pairs beside them, and none of those is in them. A document is a group without
values: no two of its sentences contradict each other, though they look like it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product

from tests.judging.pairs import FOLDER, Label


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


class Written(StrEnum):
    """Which groups: those that rules were built on, or those that were written after the rules."""

    BEFORE = "groups"
    AFTER = "later"


def read_groups(language: str, written: Written = Written.BEFORE) -> list[Group]:
    """The groups of a language, in the file's order."""
    return [_group(lines) for lines in _blocks(f"{written}_{language}.txt")]


def read_documents(language: str) -> list[Group]:
    """The documents of a language, in the file's order."""
    found = _blocks(f"documents_{language}.txt")
    return [Group(kind=head.removeprefix("# "), values=(), beside=tuple(told)) for head, *told in found]


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
