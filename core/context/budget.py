"""Fitting memories into a token budget, and saying what was left out.

Law: pure. What is marked `fixed` is never touched; of the rest the lightest is shortened first, then
dropped, until all fits. The order of sections and items never changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.errors import BudgetTooSmall

TokenCounter = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory in a section. `short` is its shorter form ("" for none); `weight` says what goes last."""

    item_id: str
    full: str
    short: str = ""
    weight: float = 0.0
    fixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled run of items. An empty section is left out altogether."""

    name: str
    title: str
    items: tuple[Item, ...]


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


def assemble(sections: Sequence[Section], budget: int | None, count: TokenCounter, field: str) -> Assembled:
    """All sections as one text of at most `budget` tokens (None: no bound).

    Raises BudgetTooSmall naming `field` when what is fixed does not fit.
    """
    shown: dict[tuple[str, str], str] = {(s.name, i.item_id): i.full for s in sections for i in s.items}
    lost: dict[tuple[str, str], LeftOut] = {}
    loose = sorted(
        ((i.weight, -place, s.name, i) for s in sections for place, i in enumerate(s.items) if not i.fixed),
        key=lambda entry: entry[:3],
    )
    total = count(_text(sections, shown))
    for loss in Loss:
        for _, _, section, item in loose:
            if budget is None or total <= budget:
                break
            key = (section, item.item_id)
            form = item.short if loss is Loss.SHORTENED else ""
            if (loss is Loss.SHORTENED and not item.short) or count(form) >= count(shown[key]) > 0:
                continue
            shown[key] = form
            lost[key] = LeftOut(
                section=section, item_id=item.item_id, loss=loss, tokens=count(item.full) - count(form)
            )
            total = count(_text(sections, shown))
    if budget is not None and total > budget:
        raise BudgetTooSmall(field, total, budget)
    sizes = [SectionSize(name=s.name, tokens=count(_section_text(s, shown))) for s in sections]
    order = {key: place for place, key in enumerate(shown)}
    return Assembled(
        text=_text(sections, shown),
        tokens=total,
        sections=tuple(size for size in sizes if size.tokens),
        left_out=tuple(lost[key] for key in sorted(lost, key=lambda k: order[k])),
    )


def _text(sections: Sequence[Section], shown: dict[tuple[str, str], str]) -> str:
    texts = (_section_text(section, shown) for section in sections)
    return "\n\n".join(text for text in texts if text)


def _section_text(section: Section, shown: dict[tuple[str, str], str]) -> str:
    items = [text for item in section.items if (text := shown[section.name, item.item_id])]
    return "\n".join((f"## {section.title}", *items)) if items else ""
