"""Chinese sentences (with Latin words in them) to statements.

Law: pure; words and their kinds are the tagger's (`core.text.chinese`). Numerals of either script
become values; what the tagger may cut wrongly (known terms, labels, Latin names) is found first.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from core.agents.offline.claims import clock
from core.agents.offline.claims import lexicon_zh as words
from core.agents.offline.claims.clock import CLOCK, hours
from core.agents.offline.claims.draft import StatementDraft
from core.agents.offline.claims.measures import MEASURED
from core.agents.offline.claims.statement import Denial, Kind, Statement, Term
from core.agents.offline.claims.vocabulary import chinese_key, groups, vocabulary
from core.text.chinese import tagged

NUMBER = re.compile(
    r"(?P<digits>\d(?:[\d,]*\d)?(?:\.\d+)?|[零〇一二两三四五六七八九十百千]*[零〇一二两三四五六七八九十百千万亿])"
    r"(?P<scale>[百千万亿]*)(?P<unit>%|％|[a-zA-Z]{1,3}\b| ?[年月日号]"
    r"|美元|欧元|英镑|日元|港元|个?(?:小时|钟头|星期)|分钟|公斤|千克|公里|千米|厘米|毫[米克升秒]|周(?![一二三四五六日天])|(?!周)[\u4e00-\u9fff]?)"
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
WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
LABEL = re.compile(
    r"第[零〇一二两三四五六七八九十百千\d]+[\u4e00-\u9fff]?"
    r"|\d+次(?=列车|车|航班)|(?:订单|工单|编号|单号|案件|发票)\s*[A-Z\d-]+"
    r"|(?<![\w-])-{1,2}[A-Za-z][\w-]*"
    r"|(?<![\d.是为到成用])(?<![是为到成用] )\d+(?:\.\d+)+ ?版(?!本)"  # 2.3 版 names one, 升到 2.3 版 tells which
    r"|(?:阶段|步骤|节点|章节|版块|分支)\s*[A-Z\d一二三四五六七八九十]+"
)
SURNAMES = (
    "王李张刘陈杨黄赵周吴徐孙朱胡郭林何梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁董余苏吕魏蒋杜丁沈姜范傅钟卢汪戴崔任陆廖姚"
    "邱夏谭韦贾邹孟秦阎薛侯段郝孔邵史顾赖武康贺严尹钱施洪龚涂"
)
FAMILIAR = re.compile(  # 小周, which the tagger may cut; what follows goes on from a name
    rf"[小老阿][{SURNAMES}](?=$|[^\u4e00-\u9fff]|[住在是的去了说和有没不搬也把给跟从上要会能养买卖叫喜爱做管今明昨现])"
    rf"|[{SURNAMES}](?:大姐|大哥|师傅|老师|先生|女士|小姐|阿姨|叔叔|经理|医生|老板|主任|教授)"
)
LATIN = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9.+#_-]*(?: [A-Z][A-Za-zÀ-ɏ0-9.+#_-]*)*")
_DATE = (
    r"(?:(?:[\d零〇一二三四五六七八九十]{1,4} ?[年月日号] ?)+|(?:19|20)\d\d(?:[-/.]\d{1,2}){0,2}"
    r"|(?:周|星期|礼拜)[一二三四五六日天])"
)
DATELINE = re.compile(rf"\s*{_DATE}(?:\s.*)?|.*\S\s+{_DATE}\s*")  # a date set apart, as in a diary
ENDED = ("。", "！", "？", "!", "?", "；", ".")
CONDITION = re.compile(r"\s*(?:如果|假如|假设|倘若|若|当|一旦|除非|只要)(?!时|天|年|地|代|前)")
TITLE = re.compile(r"《[^》]{1,40}》|“[^”]{1,40}”|「[^」]{1,40}」|\"[^\"]{1,40}\"")
PASSIVE = re.compile(r"由|被|所")
NUMERALS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
DATE_UNITS = {"年": "year", "月": "month", "日": "day", "号": "day"}
FIRST_YEAR = 1000  # 三年 is a span of time, 1999年 a date
PREDICATES = frozenset("v vd vi vq vg a ag z i l d p".split())  # kinds; vn and an may be nouns
NAMES = ("nr", "ns", "nt", "nz")  # kinds of words that are names
SKIPPED = ("x", "uj", "ul", "ug", "uz", "ud", "uv", "p", "c", "e", "y", "o", "k", "h")  # that carry nothing
BREAKS = frozenset("；;：:—。.")
PAUSES = frozenset("，,")
CLAUSE_OPENERS = frozenset({"而是", "但", "但是", "而", "反而", "却", "不过", "然而"})
CONTRASTS = ("而不是", "不是", "而非", "并非")
PRONOUNS = groups(words.PERSONAL)


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


def statement(text: str) -> Statement:
    """Reads one sentence. Titles in 《》 and what stands in quotes are names."""
    course, at = Course(text), 0
    for found in TITLE.finditer(text):
        _stretch(course, at, found.start())
        title = found.group()[1:-1].lower()
        course.add(Kind.NAME, title, found.start() + 1, found.end() - 1, parts=frozenset({title}))
        at = found.end()
    _stretch(course, at, len(text))
    return Statement(
        text=text,
        terms=tuple(course.terms),
        chinese=True,
        clauses=course.clause + 1,
        only_at=frozenset(course.only_at),
        or_at=frozenset(course.or_at),
        subject_end=course.verb_at
        if course.verb_at > 0
        else course.leading_names() or min(1, len(course.terms)),
        state=bool(course.state),
        passive=PASSIVE.search(text) is not None,
        question=text.rstrip().endswith(("?", "？", "吗", "呢")),
        hedged=_is_hedged(text),
        personal="" if course.whose and _names_whose(course.terms) else course.personal,
        contrasting="而" in text,
        conditional=CONDITION.match(text) is not None,
        proposition=_is_proposition(course),
    )


def _is_hedged(text: str) -> bool:
    return any(word in text.replace("不可能", "") for word in words.HEDGES)


def _is_proposition(course: Course) -> bool:
    """Whether it is neither an order nor a heading: 5月6日 雁岭 and 雁岭旅行计划 assert nothing."""
    if not course.terms or course.starts_with_a_verb and not course.copula:
        return False
    quantities = any(t.kind is Kind.NUMBER and (t.unit or not _is_year(t)) for t in course.terms)
    if course.text.rstrip().endswith(ENDED):
        return True
    if DATELINE.fullmatch(course.text):
        return quantities
    return course.predicated or quantities or _is_filled(course.terms)


def _names_whose(terms: Sequence[Term]) -> bool:
    """Whether a name stands right behind what someone is to the speaker: 表弟小范."""
    return len(terms) > 1 and terms[0].end == terms[1].start and terms[1].kind is Kind.NAME


def _is_year(term: Term) -> bool:
    return 1900 <= term.value < 2100


def _is_filled(terms: Sequence[Term]) -> bool:
    """Whether a word that allows one value has a value right behind it: 生日5月3日."""
    single = vocabulary(chinese=True).single
    return any(x.key in single and y.kind in (Kind.DATE, Kind.NAME, Kind.NUMBER) for x, y in pairwise(terms))


# ---- told by form ----


def _stretch(course: Course, start: int, end: int) -> None:
    """Reads text[start:end]: what has a form by its pattern, what lies between by the tagger."""
    text, at = course.text, start
    ahead = [(found, form) for form in _forms() if (found := form.search(text, at, end))]
    while ahead:
        found, form = min(ahead, key=lambda one: one[0].start())
        _words(course, at, found.start())
        form.add(course, found)
        at = found.end()
        later = (
            (one, form) if one.start() >= at else (form.search(text, at, end), form) for one, form in ahead
        )
        ahead = [(one, form) for one, form in later if one is not None]
    _words(course, at, end)


@cache
def _forms() -> tuple[Form, ...]:
    """Returns the forms; of those that start together the first counts."""
    return (
        Form(HALVES.search, _halves),
        Form(TIME.search, _time),
        Form(_known().search, _term),
        Form(LABEL.search, _label),
        Form(WEEKDAY.search, _weekday),
        Form(FAMILIAR.search, _familiar),
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


def _familiar(course: Course, found: re.Match[str]) -> None:
    name = found.group()
    owner = course.text.startswith("的", found.end())
    course.add(Kind.NAME, name, found.start(), found.end(), parts=frozenset({name}), owner=owner)


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


# ---- told by the tagger ----


def _words(course: Course, start: int, end: int) -> None:
    cut = tagged(course.text[start:end]) if start < end else []
    at = start
    for place, (word, kind) in enumerate(cut):
        following = cut[place + 1].text if place + 1 < len(cut) else course.text[end : end + 1]
        _word(course, word, kind, at, following)
        at += len(word)


def _word(course: Course, word: str, kind: str, at: int, following: str) -> None:
    if word in BREAKS | PAUSES:
        _mark(course, word, at)
    elif word in words.NEGATORS or word == "而非":
        _negate(course, word, at)
    elif word in CLAUSE_OPENERS and following not in words.NEGATORS:
        course.next_clause()
    elif word in {"或", "或者", "或是"}:
        course.or_at.add(len(course.terms))
    else:
        _content(course, word, kind, at, following)


def _mark(course: Course, mark: str, at: int) -> None:
    """Begins a new clause, unless a contrast goes on in the same one."""
    if mark in BREAKS or not course.text[at + 1 :].startswith(CONTRASTS):
        course.next_clause()
    else:
        course.denial = Denial.NONE


def _negate(course: Course, word: str, at: int) -> None:
    before = course.text[:at]
    aside = before.endswith(("而", "，", ",")) and word in {"不是", "非", "并非"} and "是" in before
    course.denial = Denial.CONTRAST if aside or word == "而非" else Denial.CLAUSE
    _verb(course, word, "v", at)


def _content(course: Course, word: str, kind: str, at: int, following: str) -> None:
    if word in PRONOUNS and not course.terms:
        course.personal = course.personal or PRONOUNS[word]
        course.whose = len(word) == 1
        if following == "的":
            course.personal = "my"
    if word in words.EXCLUSIVE:
        course.only_at.add(len(course.terms))
    denied = vocabulary(chinese=True).denying.get(word)
    _verb(course, word, "v" if denied else kind, at)
    if denied:
        course.denial = Denial.CLAUSE
    elif word in words.FUNCTION or kind in SKIPPED or not word.strip():
        return
    if kind.startswith("n") and _follows_a_surname(course, at):
        surname = course.terms.pop()
        whole = surname.key + word
        course.add(Kind.NAME, whole, surname.start, at + len(word), parts=frozenset({whole}))
        return
    key = denied or chinese_key(word)
    if kind.startswith(NAMES) and key == word.lower():
        course.add(Kind.NAME, key, at, at + len(word), parts=frozenset({key}), owner=following == "的")
    else:
        course.add(Kind.WORD, key, at, at + len(word), owner=following == "的" and kind.startswith("n"))


def _follows_a_surname(course: Course, at: int) -> bool:
    """Whether a noun is how someone is addressed: 欧老板, 阚师傅."""
    last = course.terms[-1] if course.terms else None
    return last is not None and last.kind is Kind.NAME and last.end == at and len(last.key) == 1


def _verb(course: Course, word: str, kind: str, at: int) -> None:
    verb = kind.startswith("v")
    course.predicated |= kind in PREDICATES or word in words.STATES or word in words.COPULAS
    second = (
        verb
        and bool(course.terms)
        and (len(course.terms) > 1 or course.terms[0].end == at)
        and all(term.kind in (Kind.NUMBER, Kind.DATE) for term in course.terms[1:])
    )  # 发布推迟了, 面试14点开始: the first is the subject
    course.copula = course.copula or second or word in words.COPULAS
    if verb and not course.terms and not course.personal and word not in words.COPULAS:
        course.starts_with_a_verb = True
    if course.state is None and (verb or word in words.STATES):
        course.state = word in words.STATES
    if course.verb_at < 0 and course.terms and (verb or word in words.STATES or word in {"为", "由"}):
        course.verb_at = len(course.terms)
