"""Times of day: 20:00 is one number, and no twenty beside a nought; 8 pm and 晚上八点 are the same.

Law: pure. A time is told in hours past midnight; one whose half of the day is open ("at 2 o'clock") is marked.
"""

import re

CLOCK = r"(?<![\d:：])(?:[01]?\d|2[0-4])[:：][0-5]\d(?![\d:：])"
_CLOCK = re.compile(CLOCK)
HALF_OF_DAY = re.compile(
    r"\s*(?:(?P<letter>[ap])\.?m\b\.?|(?:o['’]clock\s+)?in the (?P<part>morning|afternoon|evening)\b|o['’]clock\b)",
    re.IGNORECASE,
)
HALVES = {"a": "a", "morning": "a", "p": "p", "afternoon": "p", "evening": "p"}
UNIT = "clock"
NOON = 12
OPEN = frozenset({"open"})  # the parts of a time of day that may be before or after noon


def half_told(found: re.Match[str]) -> str:
    """Returns the half of the day that a match of `HALF_OF_DAY` tells: "a", "p", or "" for neither."""
    return HALVES.get((found["letter"] or found["part"] or "").lower(), "")


def of_day(hour: float, half: str) -> float:
    """Returns the hour past midnight, given which half of the day is told ("a", "p", or "" for neither)."""
    if half == "p" and hour < 12:
        return hour + 12
    return 0.0 if half == "a" and hour == 12 else hour


def is_open(hour: float, half: str) -> bool:
    return not half and hour <= 12


def same_time(a: float, b: float, either_open: bool) -> bool:
    return a % 12 == b % 12 if either_open else a == b


def hours(figure: str) -> float | None:
    """Returns how many hours past midnight a time of day is; None where the figure is none."""
    if _CLOCK.fullmatch(figure) is None:
        return None
    hour, minute = re.split("[:：]", figure)
    return int(hour) + int(minute) / 60
