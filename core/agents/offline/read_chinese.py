"""Chinese sentences (with Latin words in them) to statements.

Law: pure; words and names are the tagger's (`core.text.chinese`). Numerals of either script become
values.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from core.agents.offline import lexicon
from core.agents.offline.statement import Denial, Kind, Statement, Term
from core.text.chinese import tagged

NUMBER = re.compile(
    r"(?P<digits>[\d,]*\d(?:\.\d+)?|[零〇一二两三四五六七八九十百千]*[零〇一二两三四五六七八九十百千万亿])(?P<scale>[百千万亿]*)(?P<unit>%|％|[a-zA-Z]{1,3}\b|[\u4e00-\u9fff]?)"
)
NUMERALS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
DATE_UNITS = {"年": "year", "月": "month", "日": "day", "号": "day"}
WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
NOT_NUMBERS = (
    "一起",
    "一直",
    "一样",
    "一般",
    "一定",
    "一些",
    "一切",
    "一旦",
    "一致",
    "唯一",
    "之一",
    "统一",
    "第一",
    "一同",
    "万一",
    "十分",
    "千万",
    "一边",
    "一共",
    "三角",
    "百分",
    "五金",
    "四川",
    "一个",
    "一位",
    "一名",
    "一家",
    "一档",
    "一本",
    "一种",
    "一项",
    "一部",
    "一座",
    "一次",
    "一款",
    "一篇",
    "一场",
)
NAME_FLAGS = ("nr", "ns", "nt", "nz")
SKIPPED_FLAGS = ("x", "uj", "ul", "ug", "uz", "ud", "uv", "p", "c", "e", "y", "o", "k", "h")
LATIN = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9.+#-]*(?: [A-Z][A-Za-zÀ-ɏ0-9.+#-]*)*")
TITLE = re.compile(r"《[^》]{1,40}》|“[^”]{1,40}”|「[^」]{1,40}」|\"[^\"]{1,40}\"")
CLAUSE_WORDS = frozenset({"而是", "但", "但是", "而", "反而", "却", "不过", "然而"})
BOUND_BEFORE = {
    "超过": 1,
    "至少": 1,
    "大于": 1,
    "多于": 1,
    "不少于": 1,
    "逾": 1,
    "不到": -1,
    "低于": -1,
    "少于": -1,
    "至多": -1,
    "最多": -1,
    "不超过": -1,
    "小于": -1,
}
PERSONAL = {
    "我": "i",
    "我们": "we",
    "你": "you",
    "他": "he",
    "她": "she",
    "它": "it",
    "他们": "they",
    "她们": "they",
}
STATES = frozenset("是 在 住 住在 喜欢 工作 有 位于 居住 需要 支持 使用 精通 任职 担任 从事 属于 会".split())
COPULAS = frozenset("定于 将 需要 是 为 有 在 于 由 达 位于 属于 等于 担任 不是 没有".split())
ORDINAL = re.compile(
    r"第[零〇一二两三四五六七八九十百千\d]+[\u4e00-\u9fff]?|(?:阶段|步骤|节点|章节|版块|分支)\s*[A-Z\d一二三四五六七八九十]+"
)


@cache
def canonical() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in lexicon.SYNONYMS_ZH.strip().splitlines():
        group = line.split()
        for word in group:
            table.setdefault(word, group[0])
    return table


@cache
def kinds() -> dict[str, frozenset[str]]:
    lines = (line.split() for line in lexicon.KINDS_ZH.strip().splitlines())
    return {key_of(line[0]): frozenset(key_of(word) for word in line[1:]) for line in lines}


@cache
def opposites() -> frozenset[frozenset[str]]:
    pairs = (line.split() for line in lexicon.OPPOSITES_ZH.strip().splitlines())
    return frozenset(frozenset(key_of(word) for word in pair) for pair in pairs)


@cache
def stems(name: str) -> frozenset[str]:
    listed: frozenset[str] = getattr(lexicon, name)
    return frozenset(key_of(word) for word in listed)


def key_of(word: str) -> str:
    return canonical().get(word.lower(), word.lower())


@dataclass(slots=True)
class Reading:
    text: str
    terms: list[Term] = field(default_factory=list)
    only_at: set[int] = field(default_factory=set)
    or_at: set[int] = field(default_factory=set)
    clause: int = 0
    denial: Denial = Denial.NONE
    bound: int = 0
    verb_at: int = -1
    personal: str = ""
    state: bool | None = None
    ordering: bool = False  # starts with a verb, so it may be an order or a heading
    copula: bool = False

    def add(self, kind: Kind, key: str, start: int, end: int, **more: Any) -> None:
        self.terms.append(
            Term(kind=kind, key=key, start=start, end=end, clause=self.clause, denial=self.denial, **more)
        )


def statement(text: str) -> Statement:
    reading = Reading(text)
    at = 0
    for found in TITLE.finditer(text):
        _plain(reading, at, found.start())
        title = found.group()[1:-1]
        reading.add(
            Kind.NAME, title.lower(), found.start() + 1, found.end() - 1, parts=frozenset({title.lower()})
        )
        at = found.end()
    _plain(reading, at, len(text))
    names = next(
        (n for n, term in enumerate(reading.terms) if term.kind is not Kind.NAME), len(reading.terms)
    )
    return Statement(
        text=text,
        terms=tuple(reading.terms),
        chinese=True,
        clauses=reading.clause + 1,
        only_at=frozenset(reading.only_at),
        or_at=frozenset(reading.or_at),
        subject_end=reading.verb_at if reading.verb_at > 0 else names or min(1, len(reading.terms)),
        state=bool(reading.state),
        passive=re.search(r"由|被|所", text) is not None,
        question=text.rstrip().endswith(("?", "？", "吗", "呢")),
        hedged=any(word in text for word in lexicon.HEDGES_ZH),
        personal=reading.personal,
        contrasting="而" in text,
        proposition=bool(reading.terms) and (not reading.ordering or reading.copula),
    )


def _plain(reading: Reading, start: int, end: int) -> None:
    """Numbers, weekdays and Latin names by pattern; what lies between by the tagger."""
    at = start
    while at < end:
        found = _pattern(reading, at, end)
        stop = found[0] if found else end
        _words(reading, at, stop)
        if found is None:
            return
        at = found[1]()


def _pattern(reading: Reading, at: int, end: int) -> Any:
    """The next thing told by its form: its start, and what adds it and gives its end."""
    text, best = reading.text, None
    for pattern, add in ((ORDINAL, _label), (WEEKDAY, _weekday), (NUMBER, _number), (LATIN, _latin)):
        for found in pattern.finditer(text, at, end):
            if pattern is NUMBER and not _is_number(text, found):
                continue
            if best is None or found.start() < best[0]:
                best = (found.start(), lambda add=add, found=found: add(reading, found))
            break
    return best


def _is_number(text: str, found: re.Match[str]) -> bool:
    around = text[max(0, found.start() - 1) : found.end() + 1]
    if any(word in around for word in NOT_NUMBERS):
        return False
    return (
        found["digits"][0].isdigit()
        or bool(found["scale"])
        or len(found["digits"]) > 1
        or bool(found["unit"])
    )


def _label(reading: Reading, found: re.Match[str]) -> int:
    reading.add(Kind.LABEL, found.group().replace(" ", ""), found.start(), found.end())
    return found.end()


def _weekday(reading: Reading, found: re.Match[str]) -> int:
    reading.add(Kind.DATE, found.group(1).replace("天", "日"), found.start(), found.end(), unit="weekday")
    return found.end()


def _latin(reading: Reading, found: re.Match[str]) -> int:
    word = found.group()
    lower = word.lower()
    if lower in canonical() or not any(c.isupper() for c in word):
        reading.add(Kind.WORD, key_of(lower), found.start(), found.end())
    else:
        reading.add(Kind.NAME, lower, found.start(), found.end(), parts=frozenset(lower.split()))
    return found.end()


def value_of(numeral: str) -> float:
    """四千九百九十九 → 4999, 二〇二〇 → 2020, 1,500 → 1500."""
    if numeral[0].isdigit():
        return float(numeral.replace(",", ""))
    if not any(c in SCALES for c in numeral):
        return float("".join(str(NUMERALS[c]) for c in numeral))
    total, section, digit = 0, 0, 0
    for c in numeral:
        if c in NUMERALS:
            digit = NUMERALS[c]
        elif SCALES[c] < 10**4:
            section, digit = section + (digit or 1) * SCALES[c], 0
        else:
            total, section, digit = (total + section + digit) * SCALES[c], 0, 0
    return float(total + section + digit)


def _number(reading: Reading, found: re.Match[str]) -> int:
    value, unit, end = value_of(found["digits"]), found["unit"], found.end()
    for scale in found["scale"]:
        value *= SCALES[scale]
    if unit in DATE_UNITS and not found["scale"]:
        kind, unit = Kind.DATE, DATE_UNITS[unit]
        if unit == "year" and value < 1000:
            kind, unit = Kind.NUMBER, "年"
    else:
        kind = Kind.NUMBER
    before = next(
        (bound for word, bound in BOUND_BEFORE.items() if reading.text[: found.start()].endswith(word)), 0
    )
    reading.add(kind, f"{value:g}", found.start(), end, value=value, unit=unit, bound=before)
    return end


def _words(reading: Reading, start: int, end: int) -> None:
    if start >= end:
        return
    cut = tagged(reading.text[start:end])
    at = start
    for place, (word, flag) in enumerate(cut):
        following = cut[place + 1][0] if place + 1 < len(cut) else reading.text[end : end + 1]
        _word(reading, word, flag, at, following)
        at += len(word)


def _word(reading: Reading, word: str, flag: str, at: int, following: str) -> None:
    text = reading.text
    if word in "，,；;：:—。.":
        contrast_goes_on = following in ("而", "而不是", "而非", "不是", "并非") and word in "，,"
        if word in "；;：:—。" or _verb_follows(text[at + 1 : at + 6]) and not contrast_goes_on:
            _next_clause(reading)
        elif reading.denial is not Denial.NONE:
            reading.denial = Denial.NONE
        return
    if word in "、" or word in {"和", "与", "及", "以及", "跟"}:
        return
    if word in PERSONAL and not reading.terms:
        reading.personal = reading.personal or PERSONAL[word]
    if word in lexicon.NEGATORS_ZH or word == "而非":
        before = text[max(0, at - 2) : at]
        contrast = (
            word == "而非"
            or before.endswith(("而", "，", ","))
            and word in {"不是", "非", "并非"}
            and "是" in text[:at]
        )
        reading.denial = Denial.CONTRAST if contrast else Denial.CLAUSE
        _verb(reading, word, at)
        return
    if word in CLAUSE_WORDS and following not in lexicon.NEGATORS_ZH:
        _next_clause(reading)
        return
    if word in lexicon.DENYING_ZH:
        reading.denial = Denial.CLAUSE
        _verb(reading, word, at)
        reading.add(Kind.WORD, key_of(lexicon.DENYING_ZH[word]), at, at + len(word))
        return
    if word in lexicon.EXCLUSIVE_ZH:
        reading.only_at.add(len(reading.terms))
    _verb(reading, word, at, flag)
    if word in lexicon.FUNCTION_ZH or flag in SKIPPED_FLAGS or not word.strip():
        return
    name = flag.startswith(NAME_FLAGS) and word not in canonical()
    reading.add(
        Kind.NAME if name else Kind.WORD,
        key_of(word),
        at,
        at + len(word),
        **({"parts": frozenset({word.lower()})} if name else {}),
    )


def _verb_follows(text: str) -> bool:
    """A comma before a new subject or another verb of the same one; contrasts go on in the same clause."""
    return not text.startswith(("而不是", "不是", "而非", "并非"))


def _verb(reading: Reading, word: str, at: int, flag: str = "v") -> None:
    reading.copula = reading.copula or word in COPULAS
    if at == 0 and flag.startswith("v") and word not in COPULAS:
        reading.ordering = True
    if reading.state is None and (flag.startswith("v") or word in STATES):
        reading.state = word in STATES
    if (
        reading.verb_at < 0
        and reading.terms
        and (flag.startswith("v") or word in STATES or word in ("为", "由"))
    ):
        reading.verb_at = len(reading.terms)


def _next_clause(reading: Reading) -> None:
    if any(term.clause == reading.clause for term in reading.terms):
        reading.clause += 1
    reading.denial = Denial.NONE
