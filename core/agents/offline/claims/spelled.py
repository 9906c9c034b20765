"""Measures, times and days that are spelled out: "an hour and a half", "noon", "half past one", "the first of May".

Law: pure, by forms and the lexicon's numbers; values are those that figures have.
"""

import re
from dataclasses import dataclass

from core.agents.offline.claims import clock
from core.agents.offline.claims.grammar_en import MONTHS, NUMBERS
from core.agents.offline.claims.measures import MEASURED

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS = {word: day for day, word in enumerate(_ORDINALS.split(), start=1)}
NOONS = {"noon": 12.0, "midday": 12.0, "midnight": 0.0}
PARTS = {"half": 0.5, "quarter": 0.25}
STARTS = frozenset({*NOONS, *PARTS, *ORDINALS, *NUMBERS, "a", "an"})

WORD = re.compile(r"\w*")
AND_A_HALF = re.compile(r"(?P<number>\w+) (?P<unit>\w+) and an? (?P<part>half|quarter)\b", re.IGNORECASE)
AND_A_HALF_OF = re.compile(r"(?P<number>\w+) and an? (?P<part>half|quarter) (?P<unit>\w+)\b", re.IGNORECASE)
HALF_OF = re.compile(r"(?P<part>half|quarter) (?:of )?an? (?P<unit>\w+)\b", re.IGNORECASE)
PAST = re.compile(r"(?P<part>half|quarter) (?P<side>past|to) (?P<hour>\w+)\b", re.IGNORECASE)
DAY = re.compile(rf"(?P<day>\w+) of (?={'|'.join(sorted(MONTHS))})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """A value that ends at `end`. `unit`: its dimension, "clock" or "day". `left_open`: in either half of the day."""

    end: int
    value: float
    unit: str
    left_open: bool = False


def spelled_out(text: str, start: int) -> Spelled | None:
    """Returns what is spelled out from `start` on, or None."""
    word = WORD.match(text, start)
    first = word.group().lower() if word else ""
    if first in NOONS and word:
        return Spelled(end=word.end(), value=NOONS[first], unit=clock.UNIT)
    if (day := DAY.match(text, start)) and first in ORDINALS:
        return Spelled(end=day.end("day"), value=ORDINALS[first], unit="day")
    return _past(text, start) or _measure(text, start)


def _past(text: str, start: int) -> Spelled | None:
    found = PAST.match(text, start)
    if found is None or (hour := _number(found["hour"])) is None:
        return None
    part = PARTS[found["part"].lower()]
    value = hour + part if found["side"].lower() == "past" else hour - part
    return Spelled(end=found.end(), value=value, unit=clock.UNIT, left_open=True)


def _measure(text: str, start: int) -> Spelled | None:
    found = AND_A_HALF.match(text, start) or AND_A_HALF_OF.match(text, start) or HALF_OF.match(text, start)
    if found is None or found["unit"].lower() not in MEASURED:
        return None
    whole = _number(found["number"]) if "number" in found.groupdict() else 0.0
    if whole is None:
        return None
    dimension, factor = MEASURED[found["unit"].lower()]
    return Spelled(end=found.end(), value=(whole + PARTS[found["part"].lower()]) * factor, unit=dimension)


def _number(word: str) -> float | None:
    if word.lower() in {"a", "an"}:
        return 1.0
    return float(word) if word.isdecimal() else NUMBERS.get(word.lower())
