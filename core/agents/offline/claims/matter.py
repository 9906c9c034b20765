"""What a Chinese clause tells something of, and whether two clauses tell it of the same.

Law: pure; says what a word or value is told of, never whether two such contradict. Two matters are one where neither
has a word of its own, or one alone has some that narrow nothing: what stands in front of a thing that both name
(夜间构建, 去年的大会) makes it another.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agents.offline.claims.alignment import Alignment, align, matches
from core.agents.offline.claims.clock import UNIT as CLOCK
from core.agents.offline.claims.lexicon_frames_zh import BESIDE
from core.agents.offline.claims.occasions import on_another_occasion
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.vocabulary import chinese_key

PAUSE = re.compile("[，,；;：:。！？—]")
PRONOUN = re.compile("我们|他们|她们|我|他|她|你")
DAILY = re.compile("天天|每天|七天|全年无休|没有休息日")
PART = re.compile(
    r"有些|有的(?!是)|某些|一些|部分|个别|少数|有几|几[个间位名家条扇台张只份辆道件棵栋块]"
    r"|(?:^|[，。；])[有还]?[一二两三四五六七八九十百\d]+[个间位名家条扇台张只份辆道件棵栋块](?!人$)"
)
COUNTING = tuple("个间位名家条扇台张只份辆道件棵栋块")
ALL = re.compile("所有|全部|每[个位名间家条]|都|全|一律|齐")
INSIDE = re.compile("^.[里上中内]$")  # 班里, 班上
MOST_BESIDE = 3  # words of one side alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """The terms of a clause, and those of its subject where it has none, without those that tell."""

    statement: Statement
    terms: tuple[Term, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(_word(self.statement, term) for term in self.terms)


def matter(
    statement: Statement,
    start: int,
    end: int,
    told: frozenset[str] = frozenset(),
    without: Kind | None = None,
) -> Matter:
    """Returns what text[start:end] is told of: its clause without it, the words in `told` and terms of a kind."""
    begin, close = clause_of(statement.text, start, end)
    own = [t for t in statement.terms if begin <= t.start < close]
    if begin and not any(t.start < start for t in own):
        own = [*(t for t in statement.subject if t.start < begin), *own]
    own = [_before(statement, t, start) for t in own]
    kept = (t for t in own if not (t.start < end and t.end > start) and not _aside(statement, t, told))
    kept = (t for t in kept if t.kind is not without and not _by_how_much(statement, t, end))
    return Matter(statement=statement, terms=tuple(kept))


def before(own: Matter, place: int) -> Matter:
    """Returns what stands before a place."""
    return replace(own, terms=tuple(term for term in own.terms if term.start < place))


def _before(statement: Statement, term: Term, start: int) -> Term:
    """Returns a place without the word for its inside; of a word that the tagger drew too long, the part before."""
    if term.kind is Kind.WORD and INSIDE.match(term.key):
        return replace(term, key=term.key[:-1])
    if term.kind not in (Kind.WORD, Kind.NAME) or not term.start < start < term.end:
        return term
    part = statement.text[term.start : start]
    return replace(term, kind=Kind.WORD, key=chinese_key(part), end=start, parts=frozenset())


def _by_how_much(statement: Statement, term: Term, end: int) -> bool:
    """Whether a number stands right behind what ends there: 晚了一个小时."""
    return term.kind is Kind.NUMBER and term.start >= end and statement.text[end : term.start] in ("", "了")


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns where the clause of text[start:end] begins and ends."""
    begin = max((one.end() for one in PAUSE.finditer(text, 0, start)), default=0)
    close = PAUSE.search(text, end)
    return begin, close.start() if close else len(text)


def _aside(statement: Statement, term: Term, told: frozenset[str]) -> bool:
    word = statement.text[term.start : term.end]
    return word in BESIDE or term.key in told or any(word in one for one in told)


def one_matter(ours: Matter, theirs: Matter, *, alike: bool = False, least: int = 1) -> bool:
    """Whether two clauses tell of the same; `alike`: in the same words. `least`: how many things both name."""
    left, right = ours.statement, theirs.statement
    if on_another_occasion(left, right) or _parts_apart(left, right):
        return False
    whole = align(ours.terms, theirs.terms, left.chinese)
    laid = _cut_alike(whole, ours, theirs)
    cut = len(laid.only_a) < len(whole.only_a) or len(laid.only_b) < len(whole.only_b)
    if any(_excepted(left, x) is not _excepted(right, y) for x, y in laid.pairs):
        return False
    named = [x for x, y in laid.pairs if x.kind not in (Kind.NUMBER, Kind.DATE) and _same_thing(x, y)]
    if least > 1 and len(named) < least:
        return False
    if not named and not cut and (not left.personal or laid.only_a and laid.only_b):
        return False
    if alike and (laid.only_a or laid.only_b or len(named) < len(laid.pairs)):
        return False
    if laid.only_a and laid.only_b or any(x.unit == CLOCK for x, _ in laid.pairs):
        return False  # what opens at nine and closes at nine
    shared = ([x for x, _ in laid.pairs], [y for _, y in laid.pairs])
    daily = bool(DAILY.search(left.text) or DAILY.search(right.text))
    return not (
        _narrowed(left, laid.only_a, shared[0], daily) or _narrowed(right, laid.only_b, shared[1], daily)
    )


def _parts_apart(left: Statement, right: Statement) -> bool:
    """Whether one tells of some of them, and the other not of all."""
    some = [PART.search(side.text) is not None for side in (left, right)]
    return all(some) or any(some) and ALL.search((right if some[0] else left).text) is None


def _cut_alike(laid: Alignment, ours: Matter, theirs: Matter) -> Alignment:
    """Takes out the words of one side that the tagger cuts into smaller ones on the other: 步道, 步 and 道."""
    a, b = ours.words, theirs.words
    return replace(
        laid,
        only_a=tuple(
            t for t in laid.only_a if not _is_cut(_word(ours.statement, t), b) and not _is_some(ours, t)
        ),
        only_b=tuple(
            t for t in laid.only_b if not _is_cut(_word(theirs.statement, t), a) and not _is_some(theirs, t)
        ),
    )


def _is_some(own: Matter, term: Term) -> bool:
    """Whether a term tells how many of them, where the other tells of all."""
    text = own.statement.text
    counted = term.kind is Kind.NUMBER or text[: term.end].endswith(COUNTING)
    return counted and PART.search(text) is not None


def _is_cut(word: str, others: Sequence[str]) -> bool:
    return len(word) > 1 and word in "".join(others) and not any(word in other for other in others)


def _word(statement: Statement, term: Term) -> str:
    return statement.text[term.start : term.end]


def _excepted(statement: Statement, term: Term) -> bool:
    """Whether it is what is none: 非会员."""
    return statement.text[: term.start].endswith("非")


def _same_thing(a: Term, b: Term) -> bool:
    """Whether one is no compound with the other in it: 火车站 is no 火车."""
    return a.kind is not Kind.WORD or a.key == b.key


def _narrowed(statement: Statement, own: Sequence[Term], shared: Sequence[Term], daily: bool) -> bool:
    """Whether words of one side alone make what is told of another thing."""
    return len(own) > MOST_BESIDE or any(_narrows(statement, term, shared, daily) for term in own)


def _narrows(statement: Statement, term: Term, shared: Sequence[Term], daily: bool) -> bool:
    if term.kind is Kind.LABEL or term.kind is Kind.NUMBER and term.unit == CLOCK:
        return True
    if term.kind is Kind.DATE and term.unit == "weekday":
        return not daily
    before = statement.text[: term.start]
    if any(
        before.endswith(tuple(statement.text[t.start : t.end] + mark for mark in ("的", "家", "家的")))
        for t in shared
    ):
        return True  # 老魏的哥哥
    whose = PRONOUN.match(statement.text)
    if whose is not None and before in (whose.group(), whose.group() + "的", whose.group() + "家"):
        return True  # 我弟弟
    return _in_front(statement, term, shared)


def of_others(left: Statement, right: Statement) -> bool:
    """Whether the sentences tell of two things of one owner, or of a thing and of one that something narrows."""
    if on_another_occasion(left, right) or _whose_apart(left, right):
        return True
    ours, theirs = left.terms[: left.subject_end], right.terms[: right.subject_end]
    laid = align(ours, theirs, True)
    if any(_excepted(left, x) is not _excepted(right, y) for x, y in laid.pairs):
        return True
    if not laid.pairs:
        return False
    possessed = [_possessed(left, laid.only_a), _possessed(right, laid.only_b)]
    if all(possessed):
        return True
    shared = ([x for x, _ in laid.pairs], [y for _, y in laid.pairs])
    return (
        any(_in_front(left, t, shared[0]) for t in laid.only_a)
        and not laid.only_b
        or (any(_in_front(right, t, shared[1]) for t in laid.only_b) and not laid.only_a)
    )


def _whose_apart(left: Statement, right: Statement) -> bool:
    """Whether they tell of two things or people of one whom a pronoun names: 她的爸爸, 她的叔叔."""
    ours, theirs = (_of_a_pronoun(side) for side in (left, right))
    return ours is not None and theirs is not None and not matches(ours, theirs)


def _of_a_pronoun(statement: Statement) -> Term | None:
    whose = PRONOUN.match(statement.text)
    if whose is None or not statement.terms:
        return None
    first = statement.terms[0]
    between = statement.text[whose.end() : first.start]
    return first if between == "的" else None


def _possessed(statement: Statement, own: Sequence[Term]) -> bool:
    return any(statement.text[: term.start].endswith("的") for term in own)


def _in_front(statement: Statement, term: Term, shared: Sequence[Term]) -> bool:
    """Whether a term stands in front of one that both have and narrows it: 测试集群, 公司的空调."""
    after = statement.text[term.end :]
    if not any(t.start >= term.end and not PAUSE.search(statement.text[term.end : t.start]) for t in shared):
        return False
    if term.kind is Kind.DATE:
        return after.startswith(("的", "那"))
    return after[:1] in ("的", "那", "这") or any(
        t.start == term.end and t.kind is not Kind.NAME for t in shared
    )
