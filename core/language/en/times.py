"""How English speaks of times."""

from core.language.times import YEAR, Expression, Kind, Times, Unit, any_of

NAMES = "january february march april may june july august september october november december".split()
MONTHS = {name: number for number, name in enumerate(NAMES, 1)}
SHORT = {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
WEEKDAYS = {
    name: number
    for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
}
NUMBERS = {
    word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "few": 3, "several": 3}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9}
UNITS = {str(unit): unit for unit in Unit}
RECENT = {"day before yesterday": 2, "day after tomorrow": -2, "last night": 1}
RECENT |= {"today": 0, "tonight": 0, "tomorrow": -1, "yesterday": 1}
BACK = {"last": 1, "past": 1, "previous": 1, "this": 0, "next": -1}

MONTH = f"(?P<month>{any_of(MONTHS | SHORT)})\\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
COUNT = rf"(?P<count>\d{{1,3}}|{any_of(NUMBERS)})"
UNIT = r"(?P<unit>day|week|month|year)"
SEASON = r"(?P<season>spring|summer|autumn|fall)"


def number(word: str) -> int:
    """Reads a count. Raises ValueError."""
    return NUMBERS[word] if word in NUMBERS else int(word)


TIMES = Times(
    expressions=(
        Expression(kind=Kind.DATE, pattern=rf"\b{DAY}(?: of)? {MONTH},? {YEAR}\b"),
        Expression(kind=Kind.DATE, pattern=rf"\b{MONTH} {DAY},? {YEAR}\b"),
        Expression(kind=Kind.MONTH_OF_YEAR, pattern=rf"\b{MONTH},?(?: of)? {YEAR}\b"),
        Expression(kind=Kind.SEASON_OF_YEAR, pattern=rf"\b{SEASON}(?: of)? {YEAR}\b"),
        Expression(kind=Kind.RECENT, pattern=rf"\b(?P<recent>{any_of(RECENT)})\b"),
        Expression(kind=Kind.LATELY, pattern=rf"\b(?:last|past|previous) {COUNT} {UNIT}s?\b"),
        Expression(kind=Kind.AGO, pattern=rf"\b{COUNT} {UNIT}s? ago\b"),
        Expression(kind=Kind.AHEAD, pattern=rf"\b{COUNT} {UNIT}s? from now\b"),
        Expression(kind=Kind.AHEAD, pattern=rf"\bin {COUNT} {UNIT}s?\b(?! time)", needs_future=True),
        Expression(kind=Kind.WEEKEND, pattern=r"\b(?P<back>last|past|previous|this|next) weekend\b"),
        Expression(
            kind=Kind.UNIT, pattern=r"\b(?P<back>last|past|previous|this|next) (?P<unit>week|month|year)\b"
        ),
        Expression(kind=Kind.LATEST, pattern=rf"\blast {MONTH}(?!\w)"),
        Expression(kind=Kind.LATEST, pattern=rf"\blast {SEASON}\b"),
        Expression(kind=Kind.COMING, pattern=rf"\bnext {MONTH}(?!\w)"),
        Expression(kind=Kind.COMING, pattern=rf"\bnext {SEASON}\b"),
        Expression(
            kind=Kind.WEEKDAY, pattern=rf"\b(?P<back>last|this|next) (?P<weekday>{any_of(WEEKDAYS)})\b"
        ),
        Expression(kind=Kind.DAY, pattern=rf"\b{DAY}(?: of)? {MONTH}(?!\w)"),
        Expression(kind=Kind.DAY, pattern=rf"\b{MONTH} {DAY}\b"),
        Expression(kind=Kind.MONTH, pattern=rf"\b(?:in|during|since|early|mid|late) {MONTH}(?!\w)"),
    ),
    months=MONTHS | SHORT,
    seasons=SEASONS,
    weekdays=WEEKDAYS,
    units=UNITS,
    recent=RECENT,
    back=BACK,
    number=number,
    calendar=frozenset(MONTHS) | frozenset(WEEKDAYS),
    hint=(
        r"\b(?:last|past|previous|this|next|ago|now|in|today|tonight|tomorrow|yesterday"
        rf"|{any_of(MONTHS | SHORT)})\b"
    ),
    parted=(
        r"\b(?:half|hundred|thousand|dozen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|not|never|before)[ -]"
    ),
    future=r"\b(?:am|is|are|will|shall|going to|start|begin|leave|end|due|expire)\b|['’](?:m|re|s|ll)\b",
    over=r"\b(?:was|were|did|had|done)\b|\w{2}ed\b",
)
