"""Times of day in figures: 20:00 is one number, and no twenty beside a nought."""

import re

CLOCK = r"(?<![\d:：])(?:[01]?\d|2[0-4])[:：][0-5]\d(?![\d:：])"
_CLOCK = re.compile(CLOCK)


def hours(figure: str) -> float | None:
    """How many hours past midnight a time of day is; None where the figure is none."""
    if _CLOCK.fullmatch(figure) is None:
        return None
    hour, minute = re.split("[:：]", figure)
    return int(hour) + int(minute) / 60
