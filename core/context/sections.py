"""A prompt before and after it is fitted into a budget: titled sections of items, what of them stands and what not.

Law: values alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import NamedTuple

from core.context.evidence import Copy
from core.text.tokens import weight


class Tier(IntEnum):
    """When an item goes: those of a lower tier before all of a higher one."""

    SPARE = 0
    FITTING = 1
    NEEDED = 2
    LAST = 3


class Item(NamedTuple):
    """One memory in a section. `short` is its shorter form ("" for none); `weight` says what goes last in its `tier`.
    `spare`: what its full form has more than `short` goes before anything else does. `group`: a line that stands once
    above all items of it that follow one another. `copies`: ids and days of what says no more than it. `takes` and
    `short_takes`: what either form takes, in parts of a token, where that is known; 0 is weighed when it is fitted.
    `handle`: what its line begins with, in brackets; empty for none.
    `is_pair`: the sides of a quarrel, of which none stands alone. `requires`: the ids of items that it does not stand
    without. A tuple, as a context makes many.
    """

    item_id: str
    full: str
    short: str = ""
    weight: float = 0.0
    tier: Tier = Tier.FITTING
    fixed: bool = False
    spare: bool = False
    group: str = ""
    copies: Sequence[Copy] = ()
    takes: int = 0
    short_takes: int = 0
    is_pair: bool = False
    requires: Sequence[str] = ()
    handle: str = ""

    @property
    def size(self) -> int:
        """What `full` takes, in parts of a token."""
        return self.takes or weight(self.full)


class Section(NamedTuple):
    """A titled run of items. An empty section is left out altogether; one without a title has no line for it.

    `share`: of the budget, what its loose items may take, and the title, where nothing fixed stands under it; without
    one they may take all that there is.
    `note` is said of all that stands in it, behind its title.
    `more` says of how many dropped items nothing else stands there; without it nothing is said.
    `scored`: weights are scores, which compare with no other section's; their ranks do.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    note: str = ""
    share: float | None = None
    more: Callable[[int], str] | None = None
    scored: bool = False

    @property
    def title_line(self) -> str:
        """The heading with its note; empty without a title."""
        if not self.title:
            return ""
        return f"## {self.title}. {self.note}" if self.note else f"## {self.title}"

    @property
    def weights(self) -> Sequence[float]:
        """The items' weights; of a scored section by rank, the best 1, however many there are."""
        weights = [item.weight for item in self.items]
        if self.scored:
            order = sorted(range(len(weights)), key=weights.__getitem__, reverse=True)
            for rank, place in enumerate(order):
                weights[place] = 1.0 - rank / len(weights)
        return weights


class Loss(StrEnum):
    SHORTENED = "shortened"
    DROPPED = "dropped"
    CONTESTED = "contested"
    BELOW_FLOOR = "below floor"


class LeftOut(NamedTuple):
    """What did not fit: the item, what happened to it, and the tokens that saved. CONTESTED: sides of a quarrel, all of
    which have no room together. BELOW_FLOOR: found, and never laid out: no tokens are known."""

    section: str
    item_id: str
    loss: Loss
    tokens: int


class Standing(NamedTuple):
    """An item as it stands: its tokens, what it stands for besides itself, and its handle."""

    item_id: str
    tokens: int
    copies: Sequence[Copy] = ()
    handle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSize:
    """A section's tokens, and the items that stand in it, in order."""

    name: str
    tokens: int
    items: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The text, its tokens by section and in all, and what was shortened or dropped, in section order."""

    text: str
    tokens: int
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    texts: Mapping[str, str] = field(default_factory=dict)  # by section; none of an empty one
