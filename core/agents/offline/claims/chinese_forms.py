"""What Chinese sentences tell by form: numbers, measures, times, weekdays, labels, familiar and Latin names.

Law: pure, by patterns and the lexicon, without the tagger. Numerals of either script become values; what the tagger may
cut wrongly (known terms, labels, Latin names) is found here, before it is asked.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from core.agents.offline.claims import clock
from core.agents.offline.claims import lexicon_zh as words
from core.agents.offline.claims.clock import CLOCK, hours
from core.agents.offline.claims.draft import StatementDraft
from core.agents.offline.claims.measures import MEASURED
from core.agents.offline.claims.statement import Kind
from core.agents.offline.claims.vocabulary import chinese_key, groups

NUMBER = re.compile(
    r"(?P<digits>\d(?:[\d,]*\d)?(?:\.\d+)?|[零〇一二两三四五六七八九十百千]*[零〇一二两三四五六七八九十百千万亿])"
    r"(?P<scale>[百千万亿]*)(?P<unit>%|％| ?[KMGTkmgt][Bb]\b|[a-zA-Z]{1,3}\b| ?[年月日号]"
    r"|美元|欧元|英镑|日元|港元|个?(?:小时|钟头|星期)|平方米|平米|分钟|公斤|千克|公里|千米|厘米|毫[米克升秒]|周(?![一二三四五六日天])|(?!周)[\u4e00-\u9fff]?)"
)
TIME = re.compile(
    r"(?P<half>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)?"
    rf"(?:(?P<figure>{CLOCK})|(?P<hour>\d{{1,2}}|[零一二两三四五六七八九]?十?[零一二两三四五六七八九十])点"
    r"(?:钟|整|(?P<quarter>半|一刻|三刻)|(?P<minute>\d{1,2}|[零一二三四五]?十?[零一二三四五六七八九十])分?)?)"
)
AFTER_NOON = ("中午", "下午", "傍晚", "晚上", "夜里")
QUARTERS = {"半": 0.5, "一刻": 0.25, "三刻": 0.75}
HALVES = re.compile(  # 一个半小时, 两公斤半, 半小时
    r"(?P<number>\d+|[一二两三四五六七八九十]+)(?:个半(?P<counted>小时|钟头|星期)|(?P<measured>公斤|千克|斤|米|公里|升|吨)半)"
    r"|半个?(?P<alone>小时|钟头|公斤|斤)"
)
ODD = re.compile(  # 一米六二, 五斤六两, 三块五: the smaller unit is told by its place
    r"(?P<whole>\d+|[一二两三四五六七八九十]+)(?P<unit>米|斤|块)(?P<part>\d{1,2}|[一二三四五六七八九]{1,2})(?P<least>两|毛)?"
    r"(?![\d一二三四五六七八九十百千万个名位人条只米斤块年月日号天点分秒楼层])"
)
WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
LABEL = re.compile(
    r"第[零〇一二两三四五六七八九十百千\d]+[\u4e00-\u9fff]?"
    r"|\d+次(?=列车|车|航班)|(?:错误|故障码?|状态码)\s*\d+|\d+路(?=公交|电车|车|$)"
    r"|[\d一二三四五六七八九十]+号(?=线|房|楼|门|航站楼|病房|院|机|柜|站台|桌)|(?:订单|工单|编号|单号|案件|发票)\s*[A-Z\d-]+"
    r"|(?<![\w-])-{1,2}[A-Za-z][\w-]*"
    r"|(?<![\d.是为到成用])(?<![是为到成用] )\d+(?:\.\d+)+ ?版(?!本)"  # 2.3 版 names one, 升到 2.3 版 tells which
    r"|(?:主机|服务器|机器|设备|节点)\s*\d+(?:[.-]\d+)+|房间\s*[A-Z]?\d+(?![\d个间])"
    r"|(?<![\u4e00-\u9fff\d])[\d一二三四五六七八九十]+号(?=泵|炉|箱|罐|阀|井|仓库|车间|窑|窗口|会议室|教室|工位|服务器)"
    r"|(?:阶段|步骤|节点|章节|版块|分支)\s*[A-Z\d一二三四五六七八九十]+"
)
SURNAMES = (
    "王李张刘陈杨黄赵周吴徐孙朱胡郭林何梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁董余苏吕魏蒋杜丁沈姜范傅钟卢汪戴崔任陆廖姚"
    "邱夏谭韦贾邹孟秦阎薛侯段郝孔邵史顾赖武康贺严尹钱施洪龚涂"
)
GOES_ON = (
    "住在是的去了说和有没不搬也把给跟从上要会能养买卖叫喜爱做管今明昨现"  # what follows goes on from a name
)
FOLLOWS_A_NAME = GOES_ON + "比家总很最都还归向由被输赢吃喝一得升参读学打"
FAMILIAR = re.compile(  # 小周, which the tagger may cut
    rf"[小老阿][{SURNAMES}](?=$|[^\u4e00-\u9fff]|[{GOES_ON}])"
    rf"|[{SURNAMES}](?:大姐|大哥|师傅|老师|先生|女士|小姐|阿姨|叔叔|经理|医生|老板|主任|教授)"
)
CALLED = re.compile(  # 阿虎, 小艾, 老包 at the head of a clause or beside another: no word of the dictionary
    r"(?:(?<=^)|(?<=[，。；比和跟与是由被归向给对从把]))(?:阿[\u4e00-\u9fff]|小(?![时说组区学路孩猫狗吃道费麦偷鸟鱼雪心看于提型店镇村河桥])[\u4e00-\u9fff]|老(?![师板人家乡虎鼠年城街公婆大实式化百外])[\u4e00-\u9fff])"
    rf"(?=[{FOLLOWS_A_NAME}])"
)
THIS = re.compile(  # which one, with its measure: the tagger takes 条路, 幅画 for words
    r"[这那该](?:一)?[条场次幅座间栋项支届趟只本部份家款位件张辆台名根口块棵颗把顶副双套片粒段首盏扇]"
    r"|(?<=[是有])一[条幅座栋支份款件辆台]|(?<=[我他她们])家(?=[住有在])"
)
LATIN = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9.+#_-]*(?: [A-Z][A-Za-zÀ-ɏ0-9.+#_-]*)*")
NUMERALS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
DATE_UNITS = {"年": "year", "月": "month", "日": "day", "号": "day"}
FIRST_YEAR = 1000  # 三年 is a span of time, 1999年 a date


@dataclass(slots=True)
class Course(StatementDraft):
    """A draft with what tells a statement from an order (更新邻居节点 has no subject) and from a heading.

    `predicated`: something is said of something, by a verb, an adjective or a quantity.
    """

    state: bool | None = None
    starts_with_a_verb: bool = False
    whose: bool = False  # it opens with a pronoun that says whose the next one is: 我表弟小范
    copula: bool = False
    predicated: bool = False


class Form(NamedTuple):
    """What is told by its form (a time, a label, a number): how the next one is found, and added to a draft."""

    search: Callable[[str, int, int], re.Match[str] | None]
    add: Callable[[Course, re.Match[str]], None]


@cache
def forms() -> tuple[Form, ...]:
    """Returns the forms; of those that start together the first counts."""
    return (
        Form(HALVES.search, _halves),
        Form(ODD.search, _odd),
        Form(TIME.search, _time),
        Form(LABEL.search, _label),
        Form(WEEKDAY.search, _weekday),
        Form(_known().search, _term),
        Form(FAMILIAR.search, _familiar),
        Form(CALLED.search, _familiar),
        Form(THIS.search, _which),
        Form(LATIN.search, _latin),
        Form(_next_number, _number),
    )


def _next_number(text: str, at: int, end: int) -> re.Match[str] | None:
    """Returns the next numeral that is a number."""
    return next((found for found in NUMBER.finditer(text, at, end) if _is_number(text, found)), None)


@cache
def _known() -> re.Pattern[str]:
    """Returns the pattern of the lexicon's words that the tagger may cut: 首席执行官."""
    listed = {word for word in groups(words.SYNONYMS) if len(word) > 2 and not word.isascii()}
    return re.compile("|".join(sorted(listed | words.CUT_WRONGLY, key=len, reverse=True)))


def _term(course: Course, found: re.Match[str]) -> None:
    course.predicated = True
    course.add(Kind.WORD, chinese_key(found.group()), found.start(), found.end())


def _label(course: Course, found: re.Match[str]) -> None:
    course.add(Kind.LABEL, found.group().replace(" ", ""), found.start(), found.end())


def _weekday(course: Course, found: re.Match[str]) -> None:
    day = found.group(1).replace("天", "日")
    course.add(Kind.DATE, day, found.start(), found.end(), unit="weekday")


def _halves(course: Course, found: re.Match[str]) -> None:
    unit = found["counted"] or found["measured"] or found["alone"]
    dimension, factor = MEASURED[unit]
    value = ((value_of(found["number"]) if found["number"] else 0.0) + 0.5) * factor
    course.add(Kind.NUMBER, f"{value:g}", found.start(), found.end(), value=value, unit=dimension)


def _odd(course: Course, found: re.Match[str]) -> None:
    dimension, factor = MEASURED[found["unit"]]
    part = found["part"]
    tail = sum(value_of(digit) / 10**place for place, digit in enumerate(part, start=1))
    value = (value_of(found["whole"]) + tail) * factor
    course.add(Kind.NUMBER, f"{value:g}", found.start(), found.end(), value=value, unit=dimension)


def _familiar(course: Course, found: re.Match[str]) -> None:
    name = found.group()
    owner = course.text.startswith("的", found.end())
    course.add(Kind.NAME, name, found.start(), found.end(), parts=frozenset({name}), owner=owner)


def _which(course: Course, found: re.Match[str]) -> None:
    """Adds nothing: what it is tells which."""


def _latin(course: Course, found: re.Match[str]) -> None:
    word = found.group()
    lower = word.lower()
    if chinese_key(lower) != lower or word.islower():
        course.add(Kind.WORD, chinese_key(lower), found.start(), found.end())
    else:
        course.add(Kind.NAME, lower, found.start(), found.end(), parts=frozenset(lower.split()))


def _time(course: Course, found: re.Match[str]) -> None:
    half = "" if found["half"] is None else "p" if found["half"] in AFTER_NOON else "a"
    hour = hours(found["figure"] or "")
    if hour is None:
        hour = value_of(found["hour"]) + QUARTERS.get(found["quarter"] or "", 0.0)
        hour += value_of(found["minute"]) / 60 if found["minute"] else 0.0
    value = clock.of_day(hour, half)
    course.add(
        Kind.NUMBER,
        f"{value:g}",
        found.start(),
        found.end(),
        value=value,
        unit=clock.UNIT,
        bound=_bound(course.text[: found.start()]),
        parts=clock.OPEN if not found["figure"] and clock.is_open(hour, half) else frozenset(),
    )


def _is_number(text: str, found: re.Match[str]) -> bool:
    digits, unit = found["digits"], found["unit"]
    if digits[0].isdigit() or len(digits) > 1 and unit in MEASURED:
        return True
    if len(digits) == 1 and not found["scale"]:  # 张三 is no number, and 一名 is "a"
        return unit in words.COUNTED or unit in MEASURED or unit in words.MEASURES and digits != "一"
    around = text[max(0, found.start() - 1) : found.end() + 1]
    return not any(word in around for word in words.NOT_NUMBERS)


def _number(course: Course, found: re.Match[str]) -> None:
    value, unit, start, end = value_of(found["digits"]), found["unit"].strip(), found.start(), found.end()
    for scale in found["scale"]:
        value *= SCALES[scale]
    measured = MEASURED.get(unit.lower())
    if measured:
        unit, value = measured[0], value * measured[1]
    dated = unit in DATE_UNITS and not found["scale"] and (unit != "年" or value >= FIRST_YEAR)
    if dated:
        course.add(Kind.DATE, f"{value:g}", start, end, unit=DATE_UNITS[unit])
    else:
        course.add(
            Kind.NUMBER, f"{value:g}", start, end, value=value, unit=unit, bound=_bound(course.text[:start])
        )


def _bound(before: str) -> int:
    before = before.rstrip()
    if before.endswith(tuple(words.AT_MOST)):  # 不超过 before 超过
        return -1
    return 1 if before.endswith(tuple(words.AT_LEAST)) else 0


def value_of(numeral: str) -> float:
    """Returns what a numeral is worth: 四千九百九十九 → 4999, 三千八 → 3800, 二〇二〇 → 2020, 1,500 → 1500."""
    if numeral[0].isdigit():
        return float(numeral.replace(",", ""))
    if not any(character in SCALES for character in numeral):
        return float("".join(str(NUMERALS[character]) for character in numeral))
    if len(numeral) > 2 and numeral[-1] in NUMERALS and SCALES.get(numeral[-2], 0) >= 100:
        return value_of(numeral[:-1]) + NUMERALS[numeral[-1]] * SCALES[numeral[-2]] / 10
    total, section, digit = 0, 0, 0
    for character in numeral:
        if character in NUMERALS:
            digit = NUMERALS[character]
        elif SCALES[character] < 10**4:
            section, digit = section + (digit or 1) * SCALES[character], 0
        else:
            total, section, digit = (total + section + digit) * SCALES[character], 0, 0
    return float(total + section + digit)
