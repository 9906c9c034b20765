"""What was measured at growing sizes: a column a size, a row a measure; and the same as plots.

Law: a measure's name ends in its unit.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.bench import plotting
from tests.bench.measuring import table

Measures = dict[str, float]
"""By name; a measure that does not apply at a size is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A plot of measures of one unit: legend → name of the measure."""

    caption: str
    unit: str
    lines: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """One thing that grows, what was measured at each size, and what could not be."""

    title: str
    growing: str  # what is counted: "nodes"
    figures: Sequence[Figure]
    reading: str  # what one must know to read the figures
    points: dict[int, Measures] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def header(self) -> list[str]:
        return [self.growing, *(f"{size:,}" for size in self.points)]

    @property
    def rows(self) -> list[list[str]]:
        names = dict.fromkeys(name for measures in self.points.values() for name in measures)
        return [[name, *(shown(m.get(name, math.nan)) for m in self.points.values())] for name in names]

    def text(self) -> str:
        """For a terminal."""
        return "\n".join([f"\n{self.title}", table(self.header, self.rows), *self.left_out])

    def html(self) -> str:
        """For the report."""
        ticks = {math.log10(size): short(size) for size in self.points}
        plots = {
            figure.caption: plotting.plot(
                {legend: self._line(name) for legend, name in figure.lines.items()},
                ticks,
                self.growing,
                figure.unit,
            )
            for figure in self.figures
            if self.points
        }
        return "".join(
            [
                plotting.heading(self.title),
                plotting.table(self.header, self.rows),
                *map(plotting.paragraph, self.left_out),
                plotting.paragraph(self.reading),
                plotting.figures(plots),
            ]
        )

    def _line(self, name: str) -> plotting.Line:
        """Without what a logarithmic scale has no place for: memory is given back now and then."""
        return [(math.log10(size), m[name]) for size, m in self.points.items() if m.get(name, 0) > 0]


def shown(value: float) -> str:
    """Three digits, or the whole number; nothing for NaN."""
    if math.isnan(value):
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def short(count: int) -> str:
    """A size under an axis: 100, 1k, 1M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return str(count)
