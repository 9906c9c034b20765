"""Amounts, clock times and dates in a text, whatever their notation, and two texts in one notation.

Law: pure, and symmetric. Units, months, numbers and zones are data (`core/language`), of all languages at once. What is
not surely a quantity is none. A part that one date leaves out contradicts nothing; nor does a zone.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isclose

from core.language import in_all
from core.text.number_words import chinese_digits, integer, named, numbers, spelled

ROUNDED = 0.025  # by so much units of one dimension may differ that are not the same: "5 miles", "8 km"
HALF_DAY = 12 * 60

Value = float | tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One quantity from `start` to `end` of its text. `kind`: DATE, CLOCK, COUNT, or a unit's dimension.

    `value`: of a date year, month and day; of a clock time minutes of the day and minutes ahead of UTC; else the
    amount in the dimension's base unit, of which `unit` has so many.
    """

    kind: str
    value: Value
    start: int
    end: int
    unit: float = 1.0

    def equals(self, other: "Quantity") -> bool:
        """Whether both may stand for each other."""
        if self.kind != other.kind:
            return False
        if isinstance(self.value, float) or isinstance(other.value, float):
            same_unit = self.unit == other.unit
            return isclose(_number(self), _number(other), rel_tol=1e-9 if same_unit else ROUNDED)
        if self.kind == CLOCK:
            return _same_time(self.value, other.value)
        known = [(a, b) for a, b in zip(self.value, other.value, strict=True) if None not in (a, b)]
        return bool(known) and all(a == b for a, b in known)


DATE, CLOCK, COUNT = "date", "clock", "count"


def quantities(text: str) -> tuple[Quantity, ...]:
    """Returns the quantities of a text, in order, apart from each other."""
    if not _grammar().any.search(text):
        return ()
    taken = bytearray(len(text))
    found = []
    for reader in _grammar().readers:
        for one in reader(text):
            if not any(taken[one.start : one.end]):
                taken[one.start : one.end] = b"\1" * (one.end - one.start)
                found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Two texts whose equal quantities are written alike; what of either text is left over."""

    a: str
    b: str
    left_a: tuple[Quantity, ...]
    left_b: tuple[Quantity, ...]


def written_alike(a: str, b: str) -> Alike:
    """Returns both texts with equal quantities in one notation: the shorter one, whichever text has it. Thousands stand
    without commas and full hours without minutes: a model reads "40,000" and "17:00" as two numbers.
    """
    return alike_by(a, quantities(a), b, quantities(b))


def alike_by(a: str, ours: Sequence[Quantity], b: str, those: Sequence[Quantity]) -> Alike:
    """Returns what `written_alike` does of texts whose quantities are known."""
    theirs = list(those)
    edits_a: list[tuple[Quantity, str]] = []
    edits_b: list[tuple[Quantity, str]] = []
    left = []
    for one in ours:
        other = next((each for each in theirs if one.equals(each)), None)
        if other is None:
            left.append(one)
            continue
        theirs.remove(other)
        x, y = a[one.start : one.end], b[other.start : other.end]
        if x != y:
            shorter = min(x, y, key=lambda written: (len(written), written))
            (edits_b if shorter == x else edits_a).append((other if shorter == x else one, shorter))
    a, b = (
        FULL_HOUR.sub(r"\1h", THOUSANDS.sub("", text)) for text in (_edited(a, edits_a), _edited(b, edits_b))
    )
    return Alike(a=a, b=b, left_a=tuple(left), left_b=tuple(theirs))


def skeleton(text: str) -> str:
    """Returns the text with each quantity as its kind: what entries of one form have in common."""
    for one in reversed(quantities(text)):
        text = f"{text[: one.start]} {one.kind}quantity {text[one.end :]}"
    return text


def _edited(text: str, edits: list[tuple[Quantity, str]]) -> str:
    for one, written in sorted(edits, key=lambda edit: -edit[0].start):
        text = text[: one.start] + written + text[one.end :]
    return text


def _number(one: Quantity) -> float:
    assert isinstance(one.value, float)
    return one.value


def _same_time(a: Value, b: Value) -> bool:
    assert isinstance(a, tuple)
    assert isinstance(b, tuple)
    (at, zone), (other, their_zone) = a, b
    if zone is None or their_zone is None:
        return at == other
    return (at or 0) - zone == (other or 0) - their_zone


# ---- the grammar ----

Reader = Callable[[str], Iterator[Quantity]]

FULL_HOUR = re.compile(r"(?<![\d:])(\d{1,2}):00(?![\d:])")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
FIGURE = r"\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d+(?:\.\d+)?"
EDGE = r"(?<![A-Za-z0-9_.-])"  # "web-1", "v1.2" and "GPT-4" are names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grammar:
    any: re.Pattern[str]  # without a match of it there is no quantity
    readers: tuple[Reader, ...]


@cache
def _grammar() -> _Grammar:
    digits = "".join(name for name in numbers() if not name.isascii())
    spelled = "|".join(name for name in numbers() if name.isascii())
    months = "|".join(named("months"))
    beginnings = rf"\d|[{digits}]|(?i:\b(?:{spelled}|{months}|half|noon|midnight)\b)"
    return _Grammar(any=re.compile(beginnings), readers=(_dates, _chinese_dates, _clock_times, _amounts))


@cache
def _units() -> Mapping[str, tuple[str, float]]:
    found = {}
    for entry in in_all("units"):
        dimension, factor, *names = entry.split()
        found.update(dict.fromkeys(names, (dimension, float(factor))))
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def _either(names: Mapping[str, object] | tuple[str, ...]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


# ---- dates ----


@cache
def _date_forms() -> tuple[re.Pattern[str], ...]:
    month, day = _either(named("months")), _either(in_all("weekdays"))
    ahead = rf"(?:\b(?:{day})\s*,?\s*(?:the\s+)?)?"
    year = r"(?:,?\s+(?P<year>\d{4})\b)?"
    nth = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    return tuple(
        re.compile(form, re.IGNORECASE)
        for form in (
            r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)",
            r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?!\d)",
            rf"{ahead}(?<!\d){nth}\s+(?:of\s+)?(?P<month>{month})\b\.?{year}",
            rf"{ahead}\b(?P<month>{month})\b\.?\s+{nth}(?!\d|,\d{{3}}|:)\b{year}",
            rf"\b(?P<month>{month})\b\.?{year}",
            r"(?<=\b(?:in|by)\s)(?P<year>(?:19|20)\d{2})\b(?![.,]\d)|(?<=\bsince\s)(?P<since>(?:19|20)\d{2})\b(?![.,]\d)",
        )
    )


def _dates(text: str) -> Iterator[Quantity]:
    for form in _date_forms():
        for found in form.finditer(text):
            parts = found.groupdict()
            month = parts.get("month")
            if month and not month.isdigit():
                if not parts.get("day") and (not month[0].isupper() or not found.start()):
                    continue  # "march on", "May I"
                month = str(int(named("months")[month.lower()]))
            year = integer(parts.get("year") or parts.get("since"))
            value = (year, integer(month), integer(parts.get("day")))
            start, end = found.span()
            yield Quantity(kind=DATE, value=value, start=start, end=end)


@cache
def _chinese_date_form() -> re.Pattern[str]:
    number = rf"\d{{1,2}}|[{chinese_digits()}]{{1,3}}"
    year = rf"\d{{4}}|[{chinese_digits()}]{{4}}"
    return re.compile(
        rf"(?:(?P<year>{year})年)?(?P<month>{number})月(?!份?内)(?:份|(?P<day>{number})[日号])?|(?P<only>{year})年(?!度)"
    )


def _chinese_dates(text: str) -> Iterator[Quantity]:
    for found in _chinese_date_form().finditer(text):
        value = tuple(
            integer(part) for part in (found["year"] or found["only"], found["month"], found["day"])
        )
        yield Quantity(kind=DATE, value=value, start=found.start(), end=found.end())


# ---- clock times ----


@cache
def _clock_forms() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    zone = rf"(?:\s*(?P<zone>{_either(named('zones'))})\b)?"
    hour = _either(tuple(name for name, value in numbers().items() if name.isascii() and 1 <= value <= 12))
    number = rf"\d{{1,2}}|[{chinese_digits()}]{{1,3}}"
    return (
        re.compile(
            rf"(?<![\d:.])(?:(?P<hour>\d{{1,2}})[:：](?P<minute>\d{{2}})(?::\d{{2}})?|(?P<bare>\d{{1,2}})(?:[:.](?P<past>\d{{2}}))?"
            rf"(?=\s*[ap]\.?m\b))(?!\d)(?:\s*(?P<half>[ap])\.?m\b\.?(?=[^\w]|$))?(?:\s*o'clock)?{zone}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b(?:(?P<part>half|(?:a\s+)?quarter)\s+(?P<way>past|to)\s+(?P<hour>{hour}|\d{{1,2}})|(?P<sharp>{hour}|\d{{1,2}})\s+o'clock|"
            rf"(?P<name>noon|midnight))\b(?:\s*(?P<half>[ap])\.?m\b\.?)?{zone}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<part>{_either(named('dayparts'))})?(?P<hour>{number})点钟?(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>{number})分?)?(?![\d个半五])"
        ),
    )


def _clock_times(text: str) -> Iterator[Quantity]:
    plain, told, hours = _clock_forms()
    for found in plain.finditer(text):
        hour, minute = int(found["hour"] or found["bare"]), int(found["minute"] or found["past"] or 0)
        if hour < 25 and minute < 60:
            yield _at(_of_half(hour * 60 + minute, found["half"]), found["zone"], found)
    for found in told.finditer(text):
        yield _at(_of_half(_told_minutes(found), found["half"]), found["zone"], found)
    for found in hours.finditer(text):
        minutes = (
            30 if found["half"] else 15 * (integer(found["quarter"]) or 0) or integer(found["minute"]) or 0
        )
        later = named("dayparts").get(found["part"] or "", 0.0)
        hour = integer(found["hour"]) or 0
        if hour < 25:
            yield _at(hour * 60 + minutes + (HALF_DAY if later and hour < 12 else 0), None, found)


def _told_minutes(found: re.Match[str]) -> int:
    if found["name"]:
        return HALF_DAY if found["name"].lower() == "noon" else 0
    hour = integer(found["hour"] or found["sharp"]) or 0
    if not found["part"]:
        return hour * 60
    minutes = 30 if found["part"].lower() == "half" else 15
    return hour * 60 + (minutes if found["way"].lower() == "past" else -minutes)


def _of_half(minutes: int, half: str | None) -> int:
    """Returns the minutes of the day, given "am" or "pm" or neither."""
    if half is None:
        return minutes
    return minutes % HALF_DAY + (HALF_DAY if half.lower() == "p" else 0)


def _at(minutes: int, zone: str | None, found: re.Match[str]) -> Quantity:
    ahead = None if zone is None else int(named("zones")[zone.lower()])
    return Quantity(kind=CLOCK, value=(minutes, ahead), start=found.start(), end=found.end())


# ---- amounts ----


@cache
def _amount_form() -> re.Pattern[str]:
    ascii_units = {name for name in _units() if name[-1].isascii() and name[-1].isalnum()}
    signs = [name for name in _units() if len(name) == 1 and not name.isalnum() and name != "%"]
    unit = (
        rf"(?:{_either(tuple(ascii_units))})(?![A-Za-z0-9])|(?:{_either(tuple(set(_units()) - ascii_units))})"
    )
    words = _either(tuple(name for name in numbers() if name.isascii()))
    scale = _either(named("scales"))
    return re.compile(
        rf"(?P<sign>{_either(tuple(signs))}|us\$)?\s?"
        rf"(?:百分之(?P<share>{FIGURE}|[{chinese_digits()}]+)"
        rf"|{EDGE}(?P<figure>{FIGURE})(?![\d:])(?:\s?(?P<scale>{scale})(?![A-Za-z])(?P<more>\d(?=千))?千?)?"
        rf"|(?P<half>\bhalf\s+an?\b)"
        rf"|(?P<article>\ban?(?=\s)(?!\s+second\b))"
        rf"|(?P<words>\b(?:{words})(?:(?:[-\s]|\s+and\s+)(?:{words}))*\b)"
        rf"|(?P<chinese>[{chinese_digits()}]+))"
        rf"(?P<more_half>\s+and\s+a\s+half|个半)?(?:[\s-]?(?P<unit>{unit})(?P<unit_half>\s+and\s+a\s+half\b|半)?)?",
        re.IGNORECASE,
    )


def _amounts(text: str) -> Iterator[Quantity]:
    for found in _amount_form().finditer(text):
        unit = "%" if found["share"] else found["sign"] or found["unit"]
        amount = _amount(found)
        if unit:
            dimension, factor = _units()[unit.lower()]
            yield _of(dimension, amount, factor, found)
        elif _is_counted(found, amount, text):
            yield _of(COUNT, amount, 1.0, found)


def _is_counted(found: re.Match[str], amount: float, text: str) -> bool:
    """Whether a number without a unit is an amount: not "one of them", nor 一 in 一直."""
    if found["chinese"]:
        return len(found["chinese"]) > 1 or text[found.end() : found.end() + 1] in in_all("measures")
    return bool(found["figure"] or (found["words"] and amount != 1))


def _amount(found: re.Match[str]) -> float:
    return _whole_amount(found) + (0.5 if found["more_half"] or found["unit_half"] else 0.0)


def _whole_amount(found: re.Match[str]) -> float:
    if found["share"]:
        return float(found["share"]) if found["share"][0].isascii() else spelled(found["share"])
    if found["figure"]:
        plain = re.sub(r"[,\u00a0\u202f ]", "", found["figure"])
        figure = float(plain.replace(".", "") if plain.count(".") > 1 else plain)
        scale = named("scales").get((found["scale"] or "").lower(), 1.0)
        return figure * scale + float(found["more"] or 0) * 1000
    if found["half"]:
        return 0.5
    return 1.0 if found["article"] else spelled(found["words"] or found["chinese"])


def _of(kind: str, amount: float, factor: float, found: re.Match[str]) -> Quantity:
    start = found.start() + len(found[0]) - len(found[0].lstrip())
    return Quantity(kind=kind, value=amount * factor, unit=factor, start=start, end=found.end())
