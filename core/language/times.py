"""How a language speaks of times: patterns of expressions, and what their words come to.

Law: data alone; `core.text.moments` reads them. A pattern's named groups say what stands where: `year`, `month`, `day`,
`season`, `weekday`, `recent` ("yesterday"), `count` and `unit` ("three days"), `back` ("last", "next").
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum, auto
from typing import TypeVar

V = TypeVar("V")


class Kind(IntEnum):
    """What an expression is. They are read in this order, and a later one reads what the earlier ones left."""

    DATE = auto()
    """A day with its year."""
    MONTH_OF_YEAR = auto()
    SEASON_OF_YEAR = auto()
    RECENT = auto()
    AHEAD = auto()
    LATELY = auto()
    """A stretch that ends today."""
    AGO = auto()
    WEEKEND = auto()
    WEEKDAY = auto()
    UNIT = auto()
    """A week, a month or a year by its distance."""
    LATEST = auto()
    """The latest month or season of its name that is over."""
    COMING = auto()
    DAY = auto()
    """A day of any year."""
    MONTH = auto()
    YEAR = auto()
    FIGURE_OF_YEAR = auto()


class Unit(StrEnum):
    """What is counted."""

    DAY = auto()
    WEEK = auto()
    MONTH = auto()
    YEAR = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A pattern, in lower case. `needs_future`: it is one only where a sign of what is to come stands around it."""

    kind: Kind
    pattern: str
    needs_future: bool = False


def figure(word: str) -> int:
    """Reads a number written in figures. Raises ValueError."""
    return int(word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The expressions of a language.

    `months`, `seasons` (by their first month), `weekdays` (Monday 0), `units`: names, in lower case. `recent`: how many
    days back; `back`: how many units. `number`: of a count, a day or a month that `months` does not name; `years`: how
    many years back, else `year` reads it. They raise ValueError for what is none.

    Patterns of what stands around: `hint`, without which a text speaks of no time; `parted`, before a part of an
    expression; `behind` one; `future`, `over`: signs of what is to come, of what is over.
    `calendar`: names of months and days as they are written in full.
    """

    expressions: tuple[Expression, ...] = ()
    months: Mapping[str, int] = field(default_factory=dict)
    seasons: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, Unit] = field(default_factory=dict)
    recent: Mapping[str, int] = field(default_factory=dict)
    back: Mapping[str, int] = field(default_factory=dict)
    years: Mapping[str, int] = field(default_factory=dict)
    number: Callable[[str], int] = figure
    year: Callable[[str], int] = figure
    hint: str = ""
    parted: str = ""
    behind: str = ""
    future: str = ""
    over: str = ""
    calendar: frozenset[str] = frozenset()


def folded(words: Mapping[str, V]) -> dict[str, V]:
    """Returns words as they stand in a text that is read: "Μαΐου" is other letters there."""
    return {word.casefold(): value for word, value in words.items()}


def any_of(words: Mapping[str, int] | Mapping[str, Unit]) -> str:
    """Returns a pattern of any of some words, longer ones first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


NO_TIMES = Times()

YEAR = r"(?P<year>(?:19|20)\d\d)"
FIGURES = Times(
    expressions=(
        Expression(kind=Kind.DATE, pattern=rf"\b{YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})\b"),
        Expression(
            kind=Kind.DATE,
            pattern=rf"(?<![\d.])(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{YEAR}\b(?!\.?\d)",
        ),
        Expression(kind=Kind.MONTH_OF_YEAR, pattern=rf"\b{YEAR}[-/](?P<month>\d{{1,2}})\b"),
        Expression(kind=Kind.FIGURE_OF_YEAR, pattern=rf"(?<!\d\.)\b{YEAR}\b(?!\.\d)"),
    ),
    hint=r"\d",
    parted=r"(?<=\d)[.,]|(?<![a-z])-|[a-z]-",
)
"""Dates in figures, which any language has."""
