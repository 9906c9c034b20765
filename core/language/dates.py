"""How a language writes days.

Law: data alone; nothing is reckoned.
"""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """`day`: a day with its year, of `{year}`, `{month}` (a number), `{name}` (of the month) and `{day}`. `months`:
    their names, January first."""

    day: str
    months: tuple[str, ...]

    def written(self, time: datetime) -> str:
        """Writes a day in a few tokens: an ISO date takes ten."""
        name = self.months[time.month - 1]
        return self.day.format(year=time.year, month=time.month, name=name, day=time.day)
