"""Whether a sentence asks for something: by its mark, its mood, or the words that lead up to it.

Law: pure; looks at one sentence. Words that are nouns as often as orders ("plan", "report", 研究) ask only where what
follows is an object, so that "Plan B was dropped" and 研究表明 do not.
"""

import re

from core.language import LANGUAGES
from core.language.cues import either
from core.text.scripts import display_width

LONGEST = 600  # columns; what is longer tells, whatever it ends with

MARK = re.compile(r"[?？][\"'”’)）*_]*$")
TOLD = re.compile(r"[.。!！;；:：][\"'”’)）*_]*$")


def _in_any(name: str) -> str:
    return either(tuple(getattr(language.requests, name) for language in LANGUAGES))


def _cue(name: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(_in_any(name), flags)


LEAD = re.compile(rf"(?:[\s>*_#\-•]+|\(?\d{{1,2}}[.)、]\s*|{_in_any('lead')})+", re.IGNORECASE)
PREFACE, ASKED, ORDERED = _cue("preface"), _cue("asked"), _cue("ordered")
REPORTED, OPENS, OPENLY, HOLDS = _cue("reported"), _cue("opens"), _cue("openly"), _cue("holds")
ALONG = _cue("along", re.IGNORECASE | re.DOTALL)


def asks(sentence: str, *, last: bool = False) -> bool:
    """Whether a sentence asks or orders. `last`: it stands where questions stand, so that it may lack its mark."""
    if display_width(sentence) > LONGEST:
        return False
    text = sentence.strip()
    if MARK.search(text):
        return True
    lead = LEAD.match(text)
    text = text[lead.end() :] if lead else text
    return (
        _orders(text)
        or (last and _asks_unmarked(text))
        or any(_orders(rest) for rest in _after_preface(text))
    )


def goes_along(sentence: str) -> bool:
    """Whether a sentence says how to answer, or is a courtesy: part of the question that stands before it."""
    return ALONG.match(sentence.strip()) is not None


def _after_preface(text: str) -> list[str]:
    preface = PREFACE.match(text)
    return [text[preface.end() :]] if preface else []


def _orders(text: str) -> bool:
    if ASKED.match(text):
        return True
    return ORDERED.match(text) is not None and REPORTED.search(text) is None


def _asks_unmarked(text: str) -> bool:
    """Whether it is a question without its mark: in Chinese also before a full stop, where it begins with a question
    word."""
    if OPENS.match(text):
        return True
    return TOLD.search(text) is None and bool(OPENLY.match(text) or HOLDS.search(text))
