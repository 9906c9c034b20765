"""How Chinese speaks of times."""

from core.language.times import Expression, Kind, Times, Unit, any_of

DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3}
WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
SEASONS = {"春天": 3, "夏天": 6, "秋天": 9}
UNITS = {"天": Unit.DAY, "日": Unit.DAY, "周": Unit.WEEK, "星期": Unit.WEEK, "礼拜": Unit.WEEK}
UNITS |= {"月": Unit.MONTH, "年": Unit.YEAR}
RECENT = {"今天": 0, "今晚": 0, "昨天": 1, "昨晚": 1, "前天": 2, "大前天": 3, "明天": -1, "明晚": -1}
RECENT |= {"后天": -2, "大后天": -3}
BACK = {"上上": 2, "上": 1, "这": 0, "本": 0, "下": -1, "下下": -2}
YEARS = {"今年": 0, "去年": 1, "前年": 2, "大前年": 3, "明年": -1, "后年": -2}

NUMBER = "[〇零一二三四五六七八九十]{1,3}|\\d{1,2}"
MONTH, DAY = f"(?P<month>{NUMBER})", f"(?P<day>{NUMBER})"
COUNT = "(?P<count>[一二两三四五六七八九十几]{1,3}|\\d{1,3})"
UNIT = "(?P<unit>天|日|周|星期|礼拜|月|年)"
YEAR = "(?P<year>\\d{4}年|[〇零一二三四五六七八九]{4}年|今年|去年|大前年|前年|明年|后年)的?"
NEAR = "(?P<back>上上|上|这|本|下下|下)"


def number(word: str) -> int:
    """Reads a number: 十二 is 12, 二十一 is 21, 12 is 12. Raises ValueError: 二三十, some twenty or thirty, is none."""
    if word.isdecimal():
        return int(word)
    tens, ten, ones = word.partition("十")
    try:
        if not ten:
            return DIGITS[word]
        return 10 * (DIGITS[tens] if tens else 1) + (DIGITS[ones] if ones else 0)
    except KeyError:
        raise ValueError(word) from None


def year(word: str) -> int:
    """Reads a year: 二〇二三年 is 2023."""
    figures = word.removesuffix("年")
    return int(figures) if figures.isdecimal() else int("".join(str(DIGITS[digit]) for digit in figures))


TIMES = Times(
    expressions=(
        Expression(kind=Kind.DATE, pattern=f"{YEAR}{MONTH}月{DAY}[日号]"),
        Expression(kind=Kind.MONTH_OF_YEAR, pattern=f"{YEAR}{MONTH}月份?"),
        Expression(kind=Kind.SEASON_OF_YEAR, pattern=f"{YEAR}(?P<season>{any_of(SEASONS)})"),
        Expression(kind=Kind.RECENT, pattern="(?P<recent>大?[前后]天|[今昨明][天晚])"),
        Expression(kind=Kind.AHEAD, pattern=f"{COUNT}个?{UNIT}(?:之|以)?后"),
        Expression(kind=Kind.LATELY, pattern=f"(?:最近|过去|近){COUNT}个?{UNIT}"),
        Expression(kind=Kind.AGO, pattern=f"{COUNT}个?{UNIT}(?:之|以)?前"),
        Expression(kind=Kind.WEEKEND, pattern=f"{NEAR}个?(?:周末)"),
        Expression(kind=Kind.WEEKDAY, pattern=f"{NEAR}个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"),
        Expression(kind=Kind.UNIT, pattern=f"{NEAR}个?(?P<unit>周|星期|礼拜|月)"),
        Expression(kind=Kind.DAY, pattern=f"{MONTH}月{DAY}[日号]"),
        Expression(kind=Kind.MONTH, pattern=f"{MONTH}月份?(?!(?:之|以)?[前后内])"),
        Expression(kind=Kind.YEAR, pattern=YEAR),
    ),
    seasons=SEASONS,
    weekdays=WEEKDAYS,
    units=UNITS,
    recent=RECENT,
    back=BACK,
    years=YEARS,
    number=number,
    year=year,
    hint="[年月周天日昨明今星礼]",
    parted="(?:不是|并非|不在|没在)|[〇零一二两三四五六七八九十百千万亿半几数大上下]",
    behind="(?:之|以)前|半|多",
    over="[了过]",
)
