"""Times that a text speaks of: "7 May 2023", "in June", "last week", "tomorrow", 去年三月, 上周五, 三天前, 下个月.

Law: pure. A moment spoken of is a span, its start inclusive and its end exclusive, in UTC; what names no year is
every such day or month of the years given. An expression is read whole or not at all: what cannot be a date (31
February) is no time, "half a year ago" is not a year ago, "not yesterday" is not yesterday. Later rules read what the
earlier ones left: "7 May 2023" is one day, not also May and 2023.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain

Span = tuple[datetime, datetime]

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_OF = {name: n for n, name in enumerate(_MONTHS, 1)} | {
    name[:3]: n for n, name in enumerate(_MONTHS, 1)
}
_MONTH_OF["sept"] = 9
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
CALENDAR = frozenset(_MONTHS) | frozenset(_DAYS)
"""Names of months and days of the week."""
_NUMBERS = {word: n for n, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "few": 3, "several": 3}
_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}

_MONTH = "(" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + r")\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"((?:19|20)\d\d)"
_COUNT = r"(\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_HAN = "([〇零一二三四五六七八九十]{1,3}|\\d{1,2})"
_HAN_COUNT = "([一二两三四五六七八九十几]{1,3}|\\d{1,3})"
_HAN_YEAR = "(\\d{4}年|[〇零一二三四五六七八九]{4}年|今年|去年|大前年|前年|明年|后年)的?"
_YEARS_BACK = {"今年": 0, "去年": 1, "前年": 2, "大前年": 3, "明年": -1, "后年": -2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """From where times are meant: `now` is what "yesterday" goes by (None: it means nothing), and what has no
    year may be of any from `first` to `last`."""

    first: int
    last: int
    now: datetime | None = None


class _NoTime(Exception):
    """What looked like a time is none."""


class _NoNow(Exception):
    """What counts from a day has none to count from."""


def spans(text: str, frame: Frame) -> list[Span]:
    """Returns the times that `text` names, in no particular order."""
    left = unicodedata.normalize("NFKC", text).casefold()
    found: list[Span] = []
    if not _HINT.search(left):
        return found
    for pattern, read in _RULES:
        for match in list(pattern.finditer(left)):
            try:
                found += () if _is_part(left, match) else read(match, frame)
            except _NoNow:
                continue
            except (_NoTime, ValueError, OverflowError):
                pass  # no time as a whole: its parts are none either
            left = left[: match.start()] + " " * (match.end() - match.start()) + left[match.end() :]
    return found


_HINT = re.compile(
    r"\d|\b(?:last|past|previous|this|next|ago|now|in|today|tonight|tomorrow|yesterday"
    rf"|{'|'.join(_MONTH_OF)})\b|[年月周天日昨明今星礼]"
)
"""Whether any rule can apply: most texts speak of no time, and are done with one look."""

_PARTED = re.compile(
    r"(?:\b(?:half|hundred|thousand|dozen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|not|never|before)[ -]"
    r"|(?<=\d)[.,]|(?<![a-z])-|[a-z]-|(?:不是|并非|不在|没在)|[〇零一二两三四五六七八九十百千万亿半几数大上下])$"
)
"""What stands before the part of an expression that looks like a time of its own."""
_LONGEST_BEFORE = 12  # code points of what may stand there
_BEHIND = re.compile(r"(?:之|以)前|半|多")


_YEAR_ALONE = re.compile(r"(?:19|20)\d\d")


def _is_part(text: str, match: re.Match[str]) -> bool:
    """Whether a match is only a part of what is said, or is denied."""
    if _YEAR_ALONE.match(match[0]):
        return False
    return bool(
        _PARTED.search(text[max(0, match.start() - _LONGEST_BEFORE) : match.start()])
        or _BEHIND.match(text, match.end())
    )


# ---- spans ----


def _day(year: int, month: int, day: int) -> Span:
    start = datetime(year, month, day, tzinfo=UTC)
    return start, start + timedelta(days=1)


def _month(year: int, month: int) -> Span:
    start = datetime(year, month, 1, tzinfo=UTC)
    return start, start + timedelta(days=monthrange(year, month)[1])


def _year(year: int) -> Span:
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _today(frame: Frame) -> datetime:
    if frame.now is None:
        raise _NoNow
    return frame.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _days_ago(frame: Frame, days: int, length: int = 1) -> list[Span]:
    start = _today(frame) - timedelta(days=days)
    return [(start, start + timedelta(days=length))]


def _unit_ago(frame: Frame, unit: str, count: int) -> list[Span]:
    """Returns the day, calendar week, month or year that lies `count` back."""
    today = _today(frame)
    if unit in ("day", "天", "日"):
        return _days_ago(frame, count)
    if unit in ("week", "周", "星期", "礼拜"):
        return _days_ago(frame, today.weekday() + 7 * count, 7)
    if unit in ("month", "月"):
        months = 12 * today.year + today.month - 1 - count
        return [_month(months // 12, months % 12 + 1)]
    return [_year(today.year - count)]


def _weekday_ago(frame: Frame, weekday: int, weeks: int) -> list[Span]:
    """Returns a day of the calendar week that lies `weeks` back."""
    return _days_ago(frame, _today(frame).weekday() - weekday + 7 * weeks)


def _every_year(frame: Frame, span: Callable[[int], Span]) -> list[Span]:
    found = []
    for year in range(frame.first, frame.last + 1):
        try:
            found.append(span(year))
        except ValueError:  # 29 February
            continue
    return found


def _latest(frame: Frame, span: Callable[[int], Span]) -> list[Span]:
    """ "last May", "last summer": the latest that is over, and any of the years where there is no now."""
    if frame.now is None:
        return _every_year(frame, span)
    year = frame.now.astimezone(UTC).year
    return [span(year) if span(year)[1] <= frame.now else span(year - 1)]


def _coming(frame: Frame, span: Callable[[int], Span]) -> list[Span]:
    """ "next May", "next summer": the first that has not begun, and any of the years where there is no now."""
    if frame.now is None:
        return _every_year(frame, span)
    year = frame.now.astimezone(UTC).year
    return [span(year) if span(year)[0] > frame.now else span(year + 1)]


_AHEAD = re.compile(
    r"\b(?:am|is|are|will|shall|going to|start|begin|leave|end|due|expire)\b|['’](?:m|re|s|ll)\b"
)
_OVER = re.compile(r"\b(?:was|were|did|had|done)\b|\w{2}ed\b|[了过]")


def _in(match: re.Match[str], frame: Frame) -> list[Span]:
    """ "in three days", 三天后: a time to come where what stands around it is not over."""
    around = match.string[max(0, match.start() - 60) : match.end() + 20]
    if _OVER.search(around) or (match[0].startswith("in") and not _AHEAD.search(around)):
        raise _NoTime
    return _unit_ago(frame, match[2], -_count(match[1]))


# ---- numbers ----


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS.get(word) or _han(word)


def _han(word: str) -> int:
    """Reads a Chinese number: 十二 is 12, 二十一 is 21, 12 is 12; 二三十, some twenty or thirty, is no number."""
    if word.isdecimal():
        return int(word)
    tens, ten, ones = word.partition("十")
    try:
        if not ten:
            return _DIGITS[word]
        return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)
    except KeyError:
        raise _NoTime from None


def _han_year(word: str, frame: Frame) -> int:
    if word in _YEARS_BACK:
        return _today(frame).year - _YEARS_BACK[word]
    figures = word.removesuffix("年")
    return int(figures) if figures.isdecimal() else int("".join(str(_DIGITS[digit]) for digit in figures))


# ---- rules, the longest first ----

_Read = Callable[[re.Match[str], Frame], Sequence[Span]]
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "春天": 3, "夏天": 6, "秋天": 9}
_RECENT = {"today": 0, "tonight": 0, "tomorrow": -1, "yesterday": 1, "last night": 1}
_RECENT |= {"今天": 0, "今晚": 0, "昨天": 1, "昨晚": 1, "前天": 2, "大前天": 3, "明天": -1, "明晚": -1}
_RECENT |= {"后天": -2, "大后天": -3}
_BACK = {"last": 1, "past": 1, "previous": 1, "this": 0, "next": -1}
_BACK |= {"上上": 2, "上": 1, "这": 0, "本": 0, "下": -1, "下下": -2}


def _season(year: int, month: int) -> Span:
    return _month(year, month)[0], _month(year, month + 2)[1]


_Rules = Iterator[tuple[str, _Read]]


def _dates() -> _Rules:
    """Yields dates that name their year."""
    month_of = _MONTH_OF.__getitem__
    yield (
        rf"\b{_YEAR}[-/.](\d{{1,2}})[-/.](\d{{1,2}})\b",
        lambda m, f: [_day(int(m[1]), int(m[2]), int(m[3]))],
    )
    yield (
        rf"(?<![\d.])(\d{{1,2}})\.(\d{{1,2}})\.{_YEAR}\b(?!\.?\d)",
        lambda m, f: [_day(int(m[3]), int(m[2]), int(m[1]))],
    )
    yield rf"\b{_DAY}(?: of)? {_MONTH},? {_YEAR}\b", lambda m, f: [_day(int(m[3]), month_of(m[2]), int(m[1]))]
    yield rf"\b{_MONTH} {_DAY},? {_YEAR}\b", lambda m, f: [_day(int(m[3]), month_of(m[1]), int(m[2]))]
    yield (
        rf"{_HAN_YEAR}{_HAN}月{_HAN}[日号]",
        lambda m, f: [_day(_han_year(m[1], f), _han(m[2]), _han(m[3]))],
    )
    yield rf"\b{_YEAR}[-/](\d{{1,2}})\b", lambda m, f: [_month(int(m[1]), int(m[2]))]
    yield rf"\b{_MONTH},?(?: of)? {_YEAR}\b", lambda m, f: [_month(int(m[2]), month_of(m[1]))]
    yield rf"{_HAN_YEAR}{_HAN}月份?", lambda m, f: [_month(_han_year(m[1], f), _han(m[2]))]
    yield rf"{_HAN_YEAR}(春天|夏天|秋天)", lambda m, f: [_season(_han_year(m[1], f), _SEASONS[m[2]])]
    yield (
        rf"\b(spring|summer|autumn|fall)(?: of)? {_YEAR}\b",
        lambda m, f: [_season(int(m[2]), _SEASONS[m[1]])],
    )


def _ago() -> _Rules:
    """Yields times that count from today."""
    month_of = _MONTH_OF.__getitem__
    yield r"\bday before yesterday\b", lambda m, f: _days_ago(f, 2)
    yield r"\bday after tomorrow\b", lambda m, f: _days_ago(f, -2)
    yield (
        r"\b(today|tonight|tomorrow|yesterday|last night)\b|大?[前后]天|[今昨明][天晚]",
        lambda m, f: _days_ago(f, _RECENT[m[0]]),
    )
    yield (
        rf"\b(?:last|past|previous) {_COUNT} (day|week|month|year)s?\b",
        lambda m, f: [(_unit_ago(f, m[2], _count(m[1]))[0][0], _today(f) + timedelta(days=1))],
    )
    yield rf"\b{_COUNT} (day|week|month|year)s? ago\b", lambda m, f: _unit_ago(f, m[2], _count(m[1]))
    yield rf"\b{_COUNT} (day|week|month|year)s? from now\b", _in
    yield rf"\bin {_COUNT} (day|week|month|year)s?\b(?! time)", _in
    yield _HAN_COUNT + r"个?(天|日|周|星期|礼拜|月|年)(?:之|以)?后", _in
    yield (
        r"(?:最近|过去|近)" + _HAN_COUNT + r"个?(天|日|周|星期|礼拜|月|年)",
        lambda m, f: [(_unit_ago(f, m[2], _han(m[1]))[0][0], _today(f) + timedelta(days=1))],
    )
    yield (
        _HAN_COUNT + r"个?(天|日|周|星期|礼拜|月|年)(?:之|以)?前",
        lambda m, f: _unit_ago(f, m[2], _han(m[1])),
    )
    yield (
        r"\b(last|past|previous|this|next) weekend\b",
        lambda m, f: _days_ago(f, _today(f).weekday() - 5 + 7 * _BACK[m[1]], 2),
    )
    yield (
        r"\b(last|past|previous|this|next) (week|month|year)\b",
        lambda m, f: _unit_ago(f, m[2], _BACK[m[1]]),
    )
    yield rf"\blast {_MONTH}(?!\w)", lambda m, f: _latest(f, lambda year: _month(year, month_of(m[1])))
    yield (
        r"\blast (spring|summer|autumn|fall)\b",
        lambda m, f: _latest(f, lambda year: _season(year, _SEASONS[m[1]])),
    )
    yield rf"\bnext {_MONTH}(?!\w)", lambda m, f: _coming(f, lambda year: _month(year, month_of(m[1])))
    yield (
        r"\bnext (spring|summer|autumn|fall)\b",
        lambda m, f: _coming(f, lambda year: _season(year, _SEASONS[m[1]])),
    )
    yield (
        rf"\b(last|this|next) ({'|'.join(_DAYS)})\b",
        lambda m, f: _weekday_ago(f, _DAYS.index(m[2]), _BACK[m[1]]),
    )
    yield (
        r"(上上|上|这|本|下下|下)个?(?:周末)",
        lambda m, f: _days_ago(f, _today(f).weekday() - 5 + 7 * _BACK[m[1]], 2),
    )
    yield (
        r"(上上|上|这|本|下下|下)个?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, f: _weekday_ago(f, _WEEKDAYS[m[2]], _BACK[m[1]]),
    )
    yield r"(上上|上|这|本|下下|下)个?(周|星期|礼拜|月)", lambda m, f: _unit_ago(f, m[2], _BACK[m[1]])


def _of_some_year() -> _Rules:
    """Yields times that name a day or a month alone, and then years alone."""
    month_of = _MONTH_OF.__getitem__
    yield (
        rf"\b{_DAY}(?: of)? {_MONTH}(?!\w)",
        lambda m, f: _every_year(f, lambda year: _day(year, month_of(m[2]), int(m[1]))),
    )
    yield (
        rf"\b{_MONTH} {_DAY}\b",
        lambda m, f: _every_year(f, lambda year: _day(year, month_of(m[1]), int(m[2]))),
    )
    yield (
        _HAN + "月" + _HAN + "[日号]",
        lambda m, f: _every_year(f, lambda year: _day(year, _han(m[1]), _han(m[2]))),
    )
    yield (
        rf"\b(?:in|during|since|early|mid|late) {_MONTH}(?!\w)",
        lambda m, f: _every_year(f, lambda year: _month(year, month_of(m[1]))),
    )
    yield (
        _HAN + "月份?(?!(?:之|以)?[前后内])",
        lambda m, f: _every_year(f, lambda year: _month(year, _han(m[1]))),
    )
    yield _HAN_YEAR, lambda m, f: [_year(_han_year(m[1], f))]
    yield rf"(?<!\d\.)\b{_YEAR}\b(?!\.\d)", lambda m, f: [_year(int(m[1]))]


_RULES = tuple((re.compile(pattern), read) for pattern, read in chain(_dates(), _ago(), _of_some_year()))
