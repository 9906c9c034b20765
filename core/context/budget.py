"""Fitting memories into a token budget, and saying what was left out.

Law: pure. What is marked `fixed` is never touched. A section with a share of the budget is cut to that first, and
then stands as what is fixed does. Of the rest what is spare goes first, then tier by tier the lightest: what has a
shorter form is shortened, what has none is dropped; if that is not enough, what was shortened is dropped, again the
lightest first. So what weighs most in a tier stays whole as long as each can stand at all. What is `held` is touched
when nothing else is left, in the same way. The order of sections and items never changes.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from itertools import accumulate

from core.errors import BudgetTooSmall

TokenCounter = Callable[[str], int]

FIRST = -1  # before every tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory in a section. `short` is its shorter form ("" for none); `weight` says what goes last in its `tier`,
    of which the lower go first, and `held` what goes after all that is not. `spare`: what its full form has more than
    `short` goes before anything else does.
    """

    item_id: str
    full: str
    short: str = ""
    weight: float = 0.0
    tier: int = 0
    held: bool = False
    fixed: bool = False
    spare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled run of items. An empty section is left out altogether; one without a title has no line for it.

    `share`: of the budget, what its loose items may take; without one they may take all that there is.
    `more` says of how many dropped items nothing else stands there; without it nothing is said.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    share: float | None = None
    more: Callable[[int], str] | None = None


class Loss(StrEnum):
    SHORTENED = "shortened"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What did not fit: the item, what happened to it, and the tokens that saved."""

    section: str
    item_id: str
    loss: Loss
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSize:
    name: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """The text, its tokens by section and in all, and what was shortened or dropped, in section order."""

    text: str
    tokens: int
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    texts: Mapping[str, str] = field(default_factory=dict)  # by section; none of an empty one


def assemble(sections: Sequence[Section], budget: int | None, count: TokenCounter, field: str) -> Assembled:
    """All sections as one text of at most `budget` tokens (None: no bound).

    Raises BudgetTooSmall naming `field` when what is fixed does not fit.
    """
    count = cache(count)
    taken = [] if budget is None else _taken(sections, budget, count)
    shown = _shown(sections, taken)
    text = _text(sections, shown)
    total = count(text)
    if budget is not None and total > budget:
        raise BudgetTooSmall(field, total, budget)
    lost = {(each.section, each.item_id): each for each in taken}
    texts = {s.name: shows for s in sections if (shows := _section_text(s, shown))}
    return Assembled(
        text=text,
        tokens=total,
        sections=tuple(SectionSize(name=name, tokens=count(text)) for name, text in texts.items()),
        left_out=tuple(lost[key] for key in shown if key in lost),
        texts=texts,
    )


def _taken(sections: Sequence[Section], budget: int, count: TokenCounter) -> list[LeftOut]:
    """The losses that make all fit, in their order; all there are, if that cannot be."""
    taken: list[LeftOut] = []
    for section in sections:
        if section.share is not None:
            taken += _cut(section, int(section.share * budget), count)

    def tokens(losses: Sequence[LeftOut]) -> int:
        return count(_text(sections, _shown(sections, [*taken, *losses])))

    return taken + _fewest([s for s in sections if s.share is None], count, tokens, budget)


def _cut(section: Section, room: int, count: TokenCounter) -> list[LeftOut]:
    """The losses by which what is loose in a section takes no more than `room`."""
    loose = replace(section, items=tuple(item for item in section.items if not item.fixed))

    def tokens(losses: Sequence[LeftOut]) -> int:
        return count("\n".join(_lines(loose, _shown([loose], losses))))

    return _fewest([loose], count, tokens, room)


def _fewest(
    sections: Sequence[Section], count: TokenCounter, tokens: Callable[[Sequence[LeftOut]], int], room: int
) -> list[LeftOut]:
    """The fewest losses after which no more than `room` is taken; all of them, if that cannot be.

    Every loss makes the text shorter, so they are searched for outwards from where their own tokens add up to what
    is too much: counting the whole text is what takes time here.
    """
    excess = tokens(()) - room
    if excess <= 0:
        return []
    losses = _losses(sections, count)
    saved = list(accumulate(loss.tokens for loss in losses))
    low, high = 0, len(losses)
    likely, step = min(bisect_left(saved, excess) + 1, high), 1
    while low < high:
        if tokens(losses[:likely]) <= room:
            high, likely = likely, likely - step
        else:
            low, likely = likely + 1, likely + step
        step *= 2
        if not low <= likely < high:
            likely = (low + high) // 2
    return losses[:high]


def _losses(sections: Sequence[Section], count: TokenCounter) -> list[LeftOut]:
    """What may be lost, in the order of the module's law."""
    loose = sorted(
        ((i.weight, -place, s.name, i) for s in sections for place, i in enumerate(s.items) if not i.fixed),
        key=lambda entry: entry[:3],
    )
    order: dict[tuple[bool, int, int], list[LeftOut]] = {}

    def lose(held: bool, tier: int, turn: int, loss: LeftOut) -> None:
        order.setdefault((held, tier, turn), []).append(loss)

    for _, _, section, item in loose:
        whole, short = count(item.full), count(item.short)
        dropped = LeftOut(section=section, item_id=item.item_id, loss=Loss.DROPPED, tokens=whole)
        if item.short and short < whole:
            shortened = replace(dropped, loss=Loss.SHORTENED, tokens=whole - short)
            if item.spare:
                lose(False, FIRST, 0, shortened)
            else:
                lose(item.held, item.tier, 1, shortened)
            lose(item.held, item.tier, 1 if item.spare else 2, dropped)
        elif whole:
            lose(item.held, item.tier, 1, dropped)
    return [loss for turn in sorted(order) for loss in order[turn]]


def _shown(sections: Sequence[Section], losses: Sequence[LeftOut]) -> dict[tuple[str, str], str]:
    """The form of every item after some losses."""
    items = {(s.name, i.item_id): i for s in sections for i in s.items}
    shown = {key: item.full for key, item in items.items()}
    for each in losses:
        key = (each.section, each.item_id)
        shown[key] = items[key].short if each.loss is Loss.SHORTENED else ""
    return shown


def _text(sections: Sequence[Section], shown: dict[tuple[str, str], str]) -> str:
    texts = (_section_text(section, shown) for section in sections)
    return "\n\n".join(text for text in texts if text)


def _section_text(section: Section, shown: dict[tuple[str, str], str]) -> str:
    lines = _lines(section, shown)
    if not lines:
        return ""
    return "\n".join((f"## {section.title}", *lines) if section.title else lines)


def _lines(section: Section, shown: dict[tuple[str, str], str]) -> list[str]:
    """What stands of a section; how much more there was stands behind the last of what could be dropped."""
    texts = [shown[section.name, item.item_id] for item in section.items]
    dropped = [place for place, text in enumerate(texts) if not text and section.items[place].full]
    if section.more and dropped:
        last = max(place for place, item in enumerate(section.items) if not item.fixed)
        texts.insert(last + 1, section.more(len(dropped)))
    return [text for text in texts if text]
