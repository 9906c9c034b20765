"""Figures in English sentences: values with their units, times of day, days and years, and numbers that name a thing.

Law: pure; by the words beside the figure.
"""

import re
from collections.abc import Sequence

from core.agents.offline.claims import clock
from core.agents.offline.claims import grammar_en as words
from core.agents.offline.claims.clock import hours
from core.agents.offline.claims.draft import StatementDraft
from core.agents.offline.claims.english_tokens import VERBS, Token, lower_at
from core.agents.offline.claims.measures import MEASURED
from core.agents.offline.claims.statement import Kind
from core.agents.offline.claims.vocabulary import english_key, vocabulary

YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
SERIAL = re.compile(r"\d+(?:\.\d+)*")
SERIES = re.compile(r"\d+(?:[.-]\d+)*")  # host 10.0.0.1, order 2024-113
DETERMINERS = frozenset({"the", "our", "my", "your", "his", "her", "their", "its"})
BEFORE_HOURS = frozenset({"at", "until", "till"})
AFTER_HOURS = frozenset(
    {"on", "in", "every", "each", "and", "but", "until", "till", "for", "today", "tomorrow"}
)
ORDINALS = frozenset({"", "st", "nd", "rd", "th"})


def figure(draft: StatementDraft, read: Sequence[Token], at: int) -> int:
    """Adds a figure with its multiplier and unit, a date's day or year, or a label's number; returns the place of the
    next token."""
    token, end = read[at], at + 1
    plain = token.lower.replace(",", "")
    digits, time = re.search(r"\d+(?:\.\d+)?", plain), hours(plain)
    value = float(digits.group()) if digits else float(words.NUMBERS[plain])
    value = value if time is None else time
    suffix = re.sub(r"[^a-z%$€£¥]", "", plain) if digits else ""
    year = YEAR.fullmatch(token.text) is not None and lower_at(read, end) not in MEASURED
    multiplier = lower_at(read, end)
    if not year and multiplier in words.MULTIPLIERS:
        value, end = value * words.MULTIPLIERS[multiplier], end + 1
    else:
        value *= words.MULTIPLIERS.get(suffix.lstrip("$€£¥"), 1)
    bound, draft.bound, draft.last = draft.bound, 0, plain
    stop = read[end - 1].end
    half = clock.HALF_OF_DAY.match(draft.text, stop) if value < clock.NOON + 1 else None
    if time is not None or half or not suffix and _is_hour(read, at, end, value):
        return _time(draft, read, at, value, half, left_open=time is None or half is not None)
    if year and not _is_serial(draft, read, at) or _is_day(read, at, value, suffix):
        draft.add(Kind.DATE, f"{value:g}", token.start, stop, unit="year" if year else "day")
    elif _labels(draft, read, at):
        stop = max(stop, SERIES.match(draft.text, token.start).end())  # type: ignore[union-attr]  # begins with a digit
        draft.add(Kind.LABEL, draft.text[read[at - 1].start : stop].lower(), token.start, stop)
        end = next((n for n in range(end, len(read)) if read[n].start >= stop), len(read))
    else:
        measured = MEASURED.get(suffix or lower_at(read, end))
        end += measured is not None and not suffix
        dimension, factor = measured or ("", 1.0)
        unit = dimension or next((mark for mark in "%$€£¥" if mark in suffix), "") or _unit(read, end)
        value *= factor
        draft.add(Kind.NUMBER, f"{value:g}", token.start, stop, value=value, unit=unit, bound=bound)
    return end


def _is_hour(read: Sequence[Token], at: int, end: int, value: float) -> bool:
    """Whether a bare number is an hour: "at eight", "until 6 on Fridays", but not "at eight sites"."""
    if lower_at(read, at - 1) not in BEFORE_HOURS or end != at + 1 or not 1 <= value <= clock.NOON:
        return False
    return value.is_integer() and (
        end == len(read) or read[end].kind == "mark" or read[end].lower in AFTER_HOURS
    )


def _time(
    draft: StatementDraft,
    read: Sequence[Token],
    at: int,
    hour: float,
    half: re.Match[str] | None,
    *,
    left_open: bool,
) -> int:
    """Adds a time of day with what says which half of the day it is in; `left_open`: nothing else says it."""
    told = clock.half_told(half) if half else ""
    value, stop = clock.of_day(hour, told), half.end() if half else read[at].end
    parts = clock.OPEN if left_open and clock.is_open(hour, told) else frozenset[str]()
    draft.add(Kind.NUMBER, f"{value:g}", read[at].start, stop, value=value, unit=clock.UNIT, parts=parts)
    return next((n for n in range(at + 1, len(read)) if read[n].start >= stop), len(read))


def _is_serial(draft: StatementDraft, read: Sequence[Token], at: int) -> bool:
    """Whether what looks like a year stands right behind the thing it numbers: "ticket 1998"."""
    return at > 0 and (read[at - 1].lower in words.LABELLED)


def _is_day(read: Sequence[Token], at: int, value: float, suffix: str) -> bool:
    """Whether a number stands beside a month."""
    beside = any(lower_at(read, n) in words.MONTHS for n in (at - 1, at + 1, at + 2))
    return beside and suffix in ORDINALS and value <= 31


def _labels(draft: StatementDraft, read: Sequence[Token], at: int) -> bool:
    """Whether the number names a thing ("Phase 2", "Version 2 …"); in "… is version 2", "for 2 weeks" it does not."""
    if at == 0 or read[at - 1].kind != "word" or SERIAL.fullmatch(read[at].text) is None:
        return False
    before = read[at - 1].lower
    if before in words.LABELLED:
        return True
    single = english_key(before) in vocabulary(chinese=False).single
    if draft.verb_at < 0 and (single or _is_subject(read, at)):
        return True
    return not _unit(read, at + 1) and before not in words.FUNCTION and not single


def _is_subject(read: Sequence[Token], at: int) -> bool:
    """Whether the number ends a subject that opens the sentence: "Depot 1 holds …", "the pump 3 is …".

    A plural looks like a verb ("nearly 37 crates arrived"): it is none where another verb follows.
    """
    opens = at == 1 or at == 2 and read[0].lower in DETERMINERS
    if not opens or read[at - 1].lower in words.FUNCTION | words.ADVERBS:
        return False
    following = lower_at(read, at + 1)
    if following in VERBS or following.endswith("ed"):
        return True
    rest = [token.lower for token in read[at + 2 :]]
    plain = following.endswith("s") and not following.endswith("ss") and following not in MEASURED
    return plain and bool(rest) and not any(word in VERBS or word.endswith("ed") for word in rest)


def _unit(read: Sequence[Token], at: int) -> str:
    """Returns the key of the next content word: what is counted."""
    for token in read[at : at + 3]:
        if token.kind != "word":
            break
        if token.lower not in words.FUNCTION:
            return english_key(token.text)
    return ""
