"""Times that a text speaks of: "7 May 2023", "in June", "last week", "tomorrow", 去年三月, 上周五, 三天前, 下个月.

Law: pure. A moment spoken of is a span, its start inclusive and its end exclusive, in UTC; what names no year is
every such day or month of the years given. An expression is read whole or not at all: what cannot be a date (31
February) is no time, "half a year ago" is not a year ago, "not yesterday" is not yesterday. Later expressions read what
the earlier ones left: "7 May 2023" is one day, not also May and 2023. What expressions there are is data of the
languages, read in all of them at once: a sentence in one names times in another.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.language import LANGUAGES
from core.language.times import FIGURES, Expression, Kind, Times, Unit

Span = tuple[datetime, datetime]

_ALL = (FIGURES, *(language.times for language in LANGUAGES))
CALENDAR = frozenset[str]().union(*(language.times.calendar for language in LANGUAGES))
"""Names of months and days of the week."""


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


def _in_any(name: str, ends: str = "") -> re.Pattern[str]:
    """Compiles a pattern of any language."""
    return re.compile(f"(?:{'|'.join(spelled for each in _ALL if (spelled := getattr(each, name)))}){ends}")


_HINT = _in_any("hint")
"""Whether any expression can stand there: most texts speak of no time, and are done with one look."""
_PARTED = _in_any("parted", "$")
"""What stands before the part of an expression that looks like a time of its own."""
_LONGEST_BEFORE = 12  # code points of what may stand there
_BEHIND = _in_any("behind")
_FUTURE, _OVER = _in_any("future"), _in_any("over")
_YEAR_ALONE = re.compile(r"(?:19|20)\d\d")


def spans(text: str, frame: Frame) -> list[Span]:
    """Returns the times that `text` names, in no particular order."""
    left = unicodedata.normalize("NFKC", text).casefold()
    found: list[Span] = []
    if not _HINT.search(left):
        return found
    for rule in _RULES:
        for match in list(rule.pattern.finditer(left)):
            try:
                found += () if _is_part(left, match) else rule.read(match, frame)
            except _NoNow:
                continue
            except (_NoTime, ValueError, OverflowError):
                pass  # no time as a whole: its parts are none either
            left = left[: match.start()] + " " * (match.end() - match.start()) + left[match.end() :]
    return found


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


def _season(year: int, month: int) -> Span:
    return _month(year, month)[0], _month(year, month + 2)[1]


def _year(year: int) -> Span:
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _today(frame: Frame) -> datetime:
    if frame.now is None:
        raise _NoNow
    return frame.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _days_ago(frame: Frame, days: int, length: int = 1) -> list[Span]:
    start = _today(frame) - timedelta(days=days)
    return [(start, start + timedelta(days=length))]


def _unit_ago(frame: Frame, unit: Unit, count: int) -> list[Span]:
    """Returns the day, calendar week, month or year that lies `count` back."""
    today = _today(frame)
    if unit is Unit.DAY:
        return _days_ago(frame, count)
    if unit is Unit.WEEK:
        return _days_ago(frame, today.weekday() + 7 * count, 7)
    if unit is Unit.MONTH:
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


# ---- expressions ----


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """An expression of a language, and how its words are read."""

    pattern: re.Pattern[str]
    expression: Expression
    times: Times

    def read(self, match: re.Match[str], frame: Frame) -> Sequence[Span]:
        """Returns the times that a match names. Raises _NoTime, _NoNow, ValueError, OverflowError for none."""
        return _READ[self.expression.kind](_Reading(match=match, rule=self, frame=frame))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What the words of an expression come to."""

    match: re.Match[str]
    rule: _Rule
    frame: Frame

    @property
    def year(self) -> int:
        word, times = self.match["year"], self.rule.times
        return _today(self.frame).year - times.years[word] if word in times.years else times.year(word)

    @property
    def month(self) -> int:
        word, times = self.match["month"], self.rule.times
        return times.months[word] if word in times.months else times.number(word)

    @property
    def day(self) -> int:
        return self.rule.times.number(self.match["day"])

    @property
    def count(self) -> int:
        return self.rule.times.number(self.match["count"])

    @property
    def season(self) -> int:
        return self.rule.times.seasons[self.match["season"]]

    @property
    def unit(self) -> Unit:
        return self.rule.times.units[self.match["unit"]]

    @property
    def back(self) -> int:
        return self.rule.times.back[self.match["back"]]

    def of_a_year(self) -> Callable[[int], Span]:
        """Returns the span of a month or a season in a year."""
        if "month" in self.match.re.groupindex:
            month = self.month
            return lambda year: _month(year, month)
        season = self.season
        return lambda year: _season(year, season)


def _date(one: _Reading) -> list[Span]:
    return [_day(one.year, one.month, one.day)]


def _month_of_year(one: _Reading) -> list[Span]:
    return [_month(one.year, one.month)]


def _season_of_year(one: _Reading) -> list[Span]:
    return [_season(one.year, one.season)]


def _recent(one: _Reading) -> list[Span]:
    return _days_ago(one.frame, one.rule.times.recent[one.match["recent"]])


def _ahead(one: _Reading) -> list[Span]:
    """ "in three days", 三天后: a time to come where what stands around it is not over."""
    match = one.match
    around = match.string[max(0, match.start() - 60) : match.end() + 20]
    if _OVER.search(around) or (one.rule.expression.needs_future and not _FUTURE.search(around)):
        raise _NoTime
    return _unit_ago(one.frame, one.unit, -one.count)


def _lately(one: _Reading) -> list[Span]:
    return [(_unit_ago(one.frame, one.unit, one.count)[0][0], _today(one.frame) + timedelta(days=1))]


def _ago(one: _Reading) -> list[Span]:
    return _unit_ago(one.frame, one.unit, one.count)


def _weekend(one: _Reading) -> list[Span]:
    return _days_ago(one.frame, _today(one.frame).weekday() - 5 + 7 * one.back, 2)


def _weekday(one: _Reading) -> list[Span]:
    return _weekday_ago(one.frame, one.rule.times.weekdays[one.match["weekday"]], one.back)


def _near_unit(one: _Reading) -> list[Span]:
    return _unit_ago(one.frame, one.unit, one.back)


def _latest_one(one: _Reading) -> list[Span]:
    return _latest(one.frame, one.of_a_year())


def _coming_one(one: _Reading) -> list[Span]:
    return _coming(one.frame, one.of_a_year())


def _day_of_any_year(one: _Reading) -> list[Span]:
    month, day = one.month, one.day
    return _every_year(one.frame, lambda year: _day(year, month, day))


def _month_of_any_year(one: _Reading) -> list[Span]:
    return _every_year(one.frame, one.of_a_year())


def _year_alone(one: _Reading) -> list[Span]:
    return [_year(one.year)]


_READ: dict[Kind, Callable[[_Reading], list[Span]]] = {
    Kind.DATE: _date,
    Kind.MONTH_OF_YEAR: _month_of_year,
    Kind.SEASON_OF_YEAR: _season_of_year,
    Kind.RECENT: _recent,
    Kind.AHEAD: _ahead,
    Kind.LATELY: _lately,
    Kind.AGO: _ago,
    Kind.WEEKEND: _weekend,
    Kind.WEEKDAY: _weekday,
    Kind.UNIT: _near_unit,
    Kind.LATEST: _latest_one,
    Kind.COMING: _coming_one,
    Kind.DAY: _day_of_any_year,
    Kind.MONTH: _month_of_any_year,
    Kind.YEAR: _year_alone,
    Kind.FIGURE_OF_YEAR: _year_alone,
}
_RULES = sorted(
    (
        _Rule(pattern=re.compile(one.pattern), expression=one, times=times)
        for times in _ALL
        for one in times.expressions
    ),
    key=lambda rule: rule.expression.kind,
)
