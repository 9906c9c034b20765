"""Relations that hold one way, however they are put: A beat B, B lost to A; first A, then B. Chinese alone.

Law: pure, by patterns. Each wording of a relation tells which of two is the first; two sentences with the two
exchanged exclude each other, and two with the same order agree.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.statement import Statement

CONFIDENCE = 0.75
ALIKE = 0.75  # of the shorter one's characters
_ONE, _OTHER = "(?P<one>[^，。；]{1,10}?)", "(?P<other>[^，。；]{1,10}?)"
_TO_THE_END = "(?=了?[，。；！]|$)"
_LIKES = "(?:喜欢|喜爱|爱)[吃喝听看玩读]?"
_BOSS = "(?:上司|领导|上级|老板|主管|经理)"
_MOVES = "(?:发|寄|交|借|送|卖|递|传|还|转)"
_WIN = "(?:赢|打败|击败|战胜|打赢|淘汰|险胜|大胜)"

# A relation and its wordings; `one` is the first, and `who` whom it is told of.
_RELATIONS = {
    "beats": (
        f"^{_ONE}(?:以?[一二三四五六七八九零\\d]+比[一二三四五六七八九零\\d]+)?{_WIN}了?{_OTHER}{_TO_THE_END}",
        f"^{_OTHER}(?:输给|败给|不敌)了?{_ONE}{_TO_THE_END}",
        f"^{_OTHER}被{_ONE}{_WIN}",
    ),
    "prefers": (
        f"(?P<who>[^，。]*?){_LIKES}{_ONE}(?:胜过|超过|多于|甚于){_OTHER}{_TO_THE_END}",
        f"(?:比起|相比|[跟和与同]){_OTHER}(?:相比|比)?[，,](?P<who>[^，。]*?)(?:更|还是){_LIKES}{_ONE}{_TO_THE_END}",
        f"(?P<who>[^，。]*?)更?{_LIKES}{_ONE}(?:，?而)?不是{_OTHER}{_TO_THE_END}",
    ),
    "is earlier": (
        f"先{_ONE}[，,]?(?:再|然后|后|接着|最后){_OTHER}{_TO_THE_END}",
        f"^{_OTHER}(?:之前|以前|前)[，,]?(?:都|要|得|必须|应)?先{_ONE}{_TO_THE_END}",
        f"^{_ONE}(?:好|完|过)?(?:之后|以后|后)[，,]?(?:才|再){_OTHER}{_TO_THE_END}",
        f"^{_OTHER}在{_ONE}(?:之后|以后)(?:再?[^，。；]{{0,4}})?{_TO_THE_END}",
        f"^{_ONE}在{_OTHER}(?:之前|以前)(?:[^，。；]{{0,4}})?{_TO_THE_END}",
    ),
    "is above": (
        f"^{_ONE}在{_OTHER}的?(?:上面|上方|楼上|上头|上边|之上)",
        f"^{_OTHER}在{_ONE}的?(?:下面|下方|楼下|下头|下边|底下|之下)",
        f"^{_OTHER}的?(?:上面|上方|楼上|上头|上边)就?是{_ONE}{_TO_THE_END}",
        f"^{_ONE}的?(?:下面|下方|楼下|底下|下边)就?是{_OTHER}{_TO_THE_END}",
    ),
    "gives": (
        f"^{_ONE}把(?P<who>[^，。]+?){_MOVES}给了?{_OTHER}{_TO_THE_END}",
        f"^(?P<who>[^，。]+?)由{_ONE}{_MOVES}给了?{_OTHER}{_TO_THE_END}",
        f"^{_OTHER}从{_ONE}(?:那里|那儿|手里|手上)?(?:收到|借来|借了|拿到|买了|买来|接过|得到)了?(?P<who>[^，。]+?){_TO_THE_END}",
    ),
    "leads": (
        f"^{_ONE}是{_OTHER}的{_BOSS}",
        f"^{_OTHER}的{_BOSS}是{_ONE}{_TO_THE_END}",
        f"^{_OTHER}归{_ONE}管",
        f"^{_OTHER}向{_ONE}汇报",
    ),
}
_SCALED = "大小 高矮 高低 重轻 早晚 快慢 多少 贵便宜 长短 远近 老年轻 强弱 好差 宽窄 深浅 热冷"
_COMPARED = (
    "^{one}比{other}(?:要|更|还|都|得)?(?:[来到跑走做学]得)?{word}"
    "(?:[一两三四五六七八九十\\d点些得多了很][^，。]*)?{end}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directed:
    """A relation told, from `one` to `other`; `who` may tell of whom."""

    relation: str
    one: str
    other: str
    who: str


def exchanged(left: Statement, right: Statement, least: int = 1) -> Contradiction | None:
    """Returns the same relation told the other way round, or None."""
    shared = _beginning(left.text, right.text)
    for x, y in _alike(left, right):
        x, y = _behind(x, shared), _behind(y, shared)
        if _same(x.one, y.other) and _same(x.other, y.one) and not _same(x.one, y.one):
            return of_values(Slot.ROLE, True, x.one, y.one, CONFIDENCE)
    return None


def agree_in_direction(left: Statement, right: Statement) -> bool:
    """Whether both tell one relation of two, the same way."""
    return any(_same(x.one, y.one) and _same(x.other, y.other) for x, y in _alike(left, right))


def _alike(left: Statement, right: Statement) -> Iterator[tuple[Directed, Directed]]:
    ours = left.in_text(_directed)
    theirs = right.in_text(_directed) if ours else ()
    for x in ours:
        for y in theirs:
            if x.relation == y.relation and (not x.who or not y.who or _same(x.who, y.who)):
                yield x, y


def _beginning(a: str, b: str) -> str:
    """Returns the time or place that both texts begin with: 决赛里."""
    size = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:size] if size > 1 and a[size - 1] in "里中上时，" else ""


def _behind(told: Directed, shared: str) -> Directed:
    """Returns it without what both sentences begin with."""
    if not told.one.startswith(shared) or len(told.one) == len(shared):
        return told
    return replace(told, one=told.one[len(shared) :])


def _same(a: str, b: str) -> bool:
    """Whether two phrases name the same, in whatever order their words are put: 构建镜像, 镜像构建."""
    return a == b or len(set(a) & set(b)) >= ALIKE * min(len(set(a)), len(set(b))) > 1


def _directed(text: str) -> tuple[Directed, ...]:
    """Returns the relations that a text tells."""
    return tuple(_found(text))


def _found(text: str) -> Iterator[Directed]:
    for relation, pattern in _PATTERNS:
        if (found := pattern.search(text)) is not None:
            who = found.groupdict().get("who") or ""
            yield Directed(
                relation=relation, one=_bare(found["one"]), other=_bare(found["other"]), who=_bare(who)
            )


def _bare(part: str) -> str:
    """Returns what is named, without what stands around it."""
    return re.sub("^(?:了|要|就|会|都|是|[这那该][个条场次支位]?)|(?:了|的|跑|做|好|完|[跑做]?完)$", "", part)


def _comparisons() -> Iterator[tuple[str, re.Pattern[str]]]:
    for pair in _SCALED.split():
        words = (pair[0], pair[1:])
        for word, (one, other) in zip(words, ((_ONE, _OTHER), (_OTHER, _ONE)), strict=True):
            yield pair, re.compile(_COMPARED.format(one=one, other=other, word=word, end=_TO_THE_END))


_PATTERNS = (
    *((relation, re.compile(one)) for relation, wordings in _RELATIONS.items() for one in wordings),
    *_comparisons(),
)
