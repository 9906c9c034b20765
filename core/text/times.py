"""Whether a text names a time, or one that goes by the day; whether a question asks for one, or how things are now.

Law: pure; looks at words and forms, in any language, and reckons nothing (`moments` does).
"""

import re

from core.language import cue

_WORDS, _FIGURES, _BY_THE_DAY = cue("time_words"), cue("time_figures"), cue("day_words")
_DIGIT = re.compile(r"\d")
_ASKED, _NOW = cue("asks_when", re.IGNORECASE), cue("asks_now", re.IGNORECASE)


def names_time(text: str) -> bool:
    """Whether a text says when: a date, a day, an hour, "last week", 去年."""
    lower = text.lower()
    return _WORDS.search(lower) is not None or (
        _DIGIT.search(lower) is not None and _FIGURES.search(lower) is not None
    )


def depends_on_the_day(text: str) -> bool:
    """Whether a text's words mean another time on another day: "tomorrow", "on Monday", 下周, 三天前."""
    return _BY_THE_DAY.search(text.lower()) is not None


def asks_for_time(text: str) -> bool:
    """Whether a question asks when."""
    return _ASKED.search(text) is not None


def asks_for_now(text: str) -> bool:
    """Whether a question asks how things are now: "these days", 目前."""
    return _NOW.search(text) is not None
