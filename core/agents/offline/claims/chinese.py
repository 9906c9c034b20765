"""Chinese sentences (with Latin words in them) to statements.

Law: pure; words and their kinds are the tagger's (`core.text.chinese`). Numerals of either script
become values; what has a form of its own (`chinese_forms`) is found before the tagger is asked.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.agents.offline.claims import lexicon_zh as words
from core.agents.offline.claims.chinese_forms import Course, forms
from core.agents.offline.claims.statement import Denial, Kind, Statement, Term
from core.agents.offline.claims.vocabulary import chinese_key, groups, vocabulary
from core.text.chinese import Word, rarity, tagged

_DATE = (
    r"(?:(?:[\d零〇一二三四五六七八九十]{1,4} ?[年月日号] ?)+|(?:19|20)\d\d(?:[-/.]\d{1,2}){0,2}"
    r"|(?:周|星期|礼拜)[一二三四五六日天])"
)
DATELINE = re.compile(rf"\s*{_DATE}(?:\s.*)?|.*\S\s+{_DATE}\s*")  # a date set apart, as in a diary
ENDED = ("。", "！", "？", "!", "?", "；", ".")
CONDITION = re.compile(r"\s*(?:如果|假如|假设|倘若|若|当|一旦|除非|只要)(?!时|天|年|地|代|前)")
TITLE = re.compile(r"《[^》]{1,40}》|“[^”]{1,40}”|「[^」]{1,40}」|\"[^\"]{1,40}\"")
PASSIVE = re.compile(r"由|被|所")
PREDICATES = frozenset("v vd vi vq vg a ag z i l d p".split())  # kinds; vn and an may be nouns
NAMES = ("nr", "ns", "nt", "nz")  # kinds of words that are names
SKIPPED = ("x", "uj", "ul", "ug", "uz", "ud", "uv", "p", "c", "e", "y", "o", "k", "h")  # that carry nothing
BREAKS = frozenset("；;：:—。.")
PAUSES = frozenset("，,")
CLAUSE_OPENERS = frozenset({"而是", "但", "但是", "而", "反而", "却", "不过", "然而"})
CONTRASTS = ("而不是", "不是", "而非", "并非")
RARE = 17.0  # of a word that the dictionary has not, or has seen twice
SPEAKS = re.compile(r"说[^，。；]{0,8}[语话文]")  # a language, which is an ability
REPORTS = re.compile(r"说[^\W了过着的]")  # what somebody says follows
PRONOUNS = groups(words.PERSONAL)
OWNED = {"he": "his", "she": "her", "they": "their", "you": "your"}
ASSERTS = re.compile(  # what opens with a verb and is no order: 预算批了, 进博物馆要买票
    r"(?<![忘好])了[。！]?$|^[^，。；]{2,}?(?:要|得|需要|必须|不用|不能|不许|禁止|很|更|最|成功|失败|正常|不)"
    r"|^(?:比起|相比)|^[^，。；把将请]{2,}?(?:[重长高宽深][约有达为]?[\d一二两三四五六七八九十半]|(?:放|藏|存|停|挂|搁|落)在)"
)


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
    if not course.terms:
        return False
    if course.starts_with_a_verb and not course.copula and ASSERTS.search(course.text) is None:
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


def _stretch(course: Course, start: int, end: int) -> None:
    """Reads text[start:end]: what has a form by its pattern, what lies between by the tagger."""
    text, at = course.text, start
    ahead = [(found, form) for form in forms() if (found := form.search(text, at, end))]
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


def _words(course: Course, start: int, end: int) -> None:
    cut = tagged(course.text[start:end]) if start < end else []
    at = start
    for place, (word, kind) in enumerate(cut):
        following = cut[place + 1].text if place + 1 < len(cut) else course.text[end : end + 1]
        if word in PRONOUNS and not course.terms and _is_owner(word, cut[place + 1 :]):
            course.personal = OWNED.get(PRONOUNS[word], "my")
        _word(course, word, kind, at, following)
        at += len(word)


def _is_owner(pronoun: str, behind: Sequence[Word]) -> bool:
    """Whether the pronoun tells whose the noun right behind it is: 我弟弟, 他妈妈."""
    return len(pronoun) == 1 and bool(behind) and behind[0].kind in ("n", "nr") and len(behind[0].text) > 1


def _word(course: Course, word: str, kind: str, at: int, following: str) -> None:
    if word in BREAKS | PAUSES:
        _mark(course, word, at)
    elif word in words.NEGATORS or word == "而非":
        if following not in words.BOUNDING:  # 不能超过 tells the most
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
            course.personal = OWNED.get(course.personal, "my")
    if word in words.EXCLUSIVE:
        course.only_at.add(len(course.terms))
    denied = vocabulary(chinese=True).denying.get(word)
    _verb(course, word, "v" if denied else kind, at)
    if denied:
        course.denial = Denial.CLAUSE
    elif word in words.FUNCTION or kind in SKIPPED or not word.strip():
        return
    if word == "说":
        if SPEAKS.match(course.text, at):
            word = "会说"
        elif REPORTS.match(course.text, at):
            return  # that two sentences report is no matter they share
    if kind.startswith("n") and _follows_a_surname(course, at):
        _name_with(course, word, at, is_known_by_parts=False)
        return
    if word in words.FIRMS and _follows_a_rare_name(course, at):
        _name_with(course, word, at, is_known_by_parts=True)
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


def _follows_a_rare_name(course: Course, at: int) -> bool:
    """Whether something stands in front that hardly any text has: 恒光, but neither 国家 nor 杭州."""
    last = course.terms[-1] if course.terms else None
    return (
        last is not None
        and last.end == at
        and last.kind in (Kind.NAME, Kind.WORD)
        and last.key == course.text[last.start : at]
        and rarity(last.key) > RARE
    )


def _name_with(course: Course, word: str, at: int, *, is_known_by_parts: bool) -> None:
    """Makes one name of the last term and the word behind it. A firm is called by its own name alone, too."""
    first = course.terms.pop()
    whole = first.key + word
    parts = frozenset({first.key, word} if is_known_by_parts else {whole})
    course.add(Kind.NAME, whole, first.start, at + len(word), parts=parts)


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
