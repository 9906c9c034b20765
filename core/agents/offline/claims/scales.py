"""Two sides of one scale: on time and late, free and charged for, awake early and a night owl. Chinese alone.

Law: pure, by the lexicon's scales and one rule: what is told in words of one side is not told in words of another, nor
denied of the same side, where both tell it of the same.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.agents.offline.claims.alignment import align
from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.lexicon_frames_zh import SCALES
from core.agents.offline.claims.matter import PAUSE, matter, one_matter
from core.agents.offline.claims.occasions import at_other_times
from core.agents.offline.claims.order import turned_by_place_or_time
from core.agents.offline.claims.statement import Statement, Term

CONFIDENCE = 0.75
COMPARED = re.compile("比|胜过|不如")
GAP = "[^，。；]{0,8}?"
ENDS_A_CLAUSE = re.compile("[了的着得]?(?:[，,；;。！？]|$)")
DENIED = re.compile(
    r"(?:不(?![仅但过久同断少])|没有?|未(?![来])|无法|并非|禁止)[^，。；不没]{0,2}$|没有?[一哪谁][^，。；]{0,4}$|(?:不是|并非)(?:每|所有|全部)[^，。；]{0,6}$|^[^，。；]{0,12}[都也]不$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A side of a scale, told at text[start:end], or denied."""

    scale: int
    side: int
    denied: bool
    start: int
    end: int


def opposed(left: Statement, right: Statement, least: int = 1) -> Contradiction | None:
    """Returns the sides of one scale that both tell of the same, or None; `least` as in `one_matter`."""
    ours = left.in_text(_told)
    theirs = right.in_text(_told) if ours else ()
    if theirs and COMPARED.search(left.text) and COMPARED.search(right.text):
        return None  # of two it depends who is first
    for x in ours:
        for y in theirs:
            if x.scale == y.scale and _exclude(x, y) and _of_the_same(left, x, right, y, least):
                return _found(left, x, right, y)
    return None


def _exclude(x: Told, y: Told) -> bool:
    if x.side == y.side:
        return x.denied is not y.denied
    return not x.denied and not y.denied


def _of_the_same(left: Statement, x: Told, right: Statement, y: Told, least: int) -> bool:
    if at_other_times(left, right):
        return False
    told = left.text[x.start : x.end] + right.text[y.start : y.end]
    if turned_by_place_or_time(left, right) and not {"前", "后"} & set(told):
        return False
    ours, theirs = matter(left, x.start, x.end), matter(right, y.start, y.end)
    return one_matter(ours, theirs, least=least) and not _turned(ours.terms, x.start, theirs.terms, y.start)


def _turned(ours: Sequence[Term], x: int, theirs: Sequence[Term], y: int) -> bool:
    """Whether of several that both tell of one stands before the one and behind the other: A beats B, B loses to A."""
    pairs = align(ours, theirs, True).pairs
    return len(pairs) > 1 and any((a.start < x) is not (b.start < y) for a, b in pairs)


def _found(left: Statement, x: Told, right: Statement, y: Told) -> Contradiction:
    return of_values(Slot.OPPOSITE, True, left.text[x.start : x.end], right.text[y.start : y.end], CONFIDENCE)


@cache
def _wordings() -> Mapping[str, tuple[tuple[int, int], ...]]:
    """Returns each wording with the scales and sides it tells."""
    listed: dict[str, list[tuple[int, int]]] = {}
    for scale, line in enumerate(SCALES.splitlines()):
        for side, wordings in enumerate(line.split(" / ")):
            for wording in wordings.split():
                listed.setdefault(wording, []).append((scale, side))
    return {wording: tuple(sides) for wording, sides in listed.items()}


@cache
def _longest() -> int:
    return max(map(len, _wordings()))


def _told(text: str) -> tuple[Told, ...]:
    """Returns the sides told in a text; of wordings that overlap the longest."""
    return tuple(_tellings(text))


def _tellings(text: str) -> Iterator[Told]:
    wordings, at = _wordings(), 0
    while at < len(text):
        size = next(
            (n for n in range(_longest(), 0, -1) if text[at : at + n] in wordings and _stands(text, at, n)), 0
        )
        if size:
            for scale, side in wordings[text[at : at + size]]:
                yield Told(scale=scale, side=side, denied=_denied(text, at), start=at, end=at + size)
        at += size or 1
    for wording, start, end in _with_gaps(text):
        for scale, side in wordings[wording]:
            yield Told(scale=scale, side=side, denied=_denied(text, start), start=start, end=end)


def _denied(text: str, at: int) -> bool:
    begin = max((one.end() for one in PAUSE.finditer(text, 0, at)), default=0)
    return DENIED.search(text[begin:at]) is not None


def _with_gaps(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields each wording with a gap that the text has, and where."""
    for wording, pattern in _gapped():
        if wording[0] in text and (found := pattern.search(text)) is not None:
            yield wording, found.start(), found.end()


@cache
def _gapped() -> Sequence[tuple[str, re.Pattern[str]]]:
    return [(one, re.compile(one.replace("…", GAP))) for one in _wordings() if "…" in one]


def _stands(text: str, at: int, size: int) -> bool:
    """Whether a wording may be one there: one character alone ends a clause."""
    return size > 1 or ENDS_A_CLAUSE.match(text, at + 1) is not None
