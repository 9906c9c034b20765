"""Working memory as a prompt may show it: bounded, whatever an agent has put in.

Law: pure. What is shown takes at most `threshold` tokens. The items of the last steps stand as they are, or shortened;
one COMPRESSED item of at most half the threshold stands before them for all others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.model.invocation import CompressedItems, Item, ItemType
from core.text.tokens import estimate

LEAST = 40  # tokens that an item of the last steps has at least
MARK = " … "
TOLD = 3 / 4  # of the room for older items that a model's text of them may take
MOST_AT_ONCE = 60  # items that a model is told of in one call


Gist = Callable[[Item, int], str]
"""What a tool's result comes to, in so many tokens: its first error line, and what it states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """`older` are to be compressed into `room` tokens; `newest` stand for themselves."""

    older: tuple[Item, ...]
    newest: tuple[Item, ...]
    room: int


def size_of(item: Item) -> int:
    """Tokens of what a prompt shows of it."""
    return sum(estimate(text) for text in (item.content, item.tool, item.arguments_json) if text)


def tokens_of(items: Sequence[Item]) -> int:
    return sum(map(size_of, items))


def to_compress(parted: Split, known: CompressedItems | None) -> tuple[Item, ...]:
    """Returns the older items that a model is to summarise next; none, while they take fewer tokens than are worth
    its call."""
    waiting = not_told(parted.older, known)[:MOST_AT_ONCE]
    taken = 0
    for item in waiting:
        taken += size_of(item)
        if taken >= parted.room // 2:
            return waiting
    return waiting if len(waiting) == MOST_AT_ONCE else ()


def not_told(older: Sequence[Item], known: CompressedItems | None) -> tuple[Item, ...]:
    """Returns those that no model has summarised yet."""
    last = known.last if known else 0
    return tuple(item for item in older if item.number > last)


def split(items: Sequence[Item], threshold: int, keep_steps: int) -> Split:
    """Returns where the older items end; none are older while all of them fit."""
    everything = tuple(items)
    if tokens_of(everything) <= threshold:
        return Split(older=(), newest=everything, room=0)
    return parted(everything, threshold, keep_steps)


def parted(everything: tuple[Item, ...], threshold: int, keep_steps: int) -> Split:
    """Returns where the older items end of more than fit."""
    last = set(sorted({item.step for item in everything})[-keep_steps:])
    kept = tuple(item for item in everything if item.step in last)[-(threshold // 2 // LEAST) :]
    return Split(older=everything[: len(everything) - len(kept)], newest=kept, room=threshold // 2)


def shown(parted: Split, text: str, threshold: int, gist: Gist) -> tuple[Item, ...]:
    """Returns the text of the older items, if there is one, before the newest, which are shortened as far as they
    must be."""
    if not parted.older:
        return shortened(parted.newest, threshold, gist)
    newest_older = parted.older[-1]
    head = Item(
        number=newest_older.number,
        step=newest_older.step,
        type=ItemType.COMPRESSED,
        content=text,
        event_time=newest_older.event_time,
    )
    return (head, *shortened(parted.newest, threshold - size_of(head), gist))


def shortened(items: Sequence[Item], room: int, gist: Gist) -> tuple[Item, ...]:
    """Returns the items within `room` tokens: the longest lose most, none more than they must."""
    sizes = list(map(size_of, items))
    if sum(sizes) <= room:
        return tuple(items)
    low, high = 0, room
    while low < high:
        middle = (low + high + 1) // 2
        fits = sum(min(size, middle) for size in sizes) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return tuple(
        item if size <= low else _within(item, low, gist) for item, size in zip(items, sizes, strict=True)
    )


def _within(item: Item, room: int, gist: Gist) -> Item:
    """Returns the item within `room` tokens: its arguments go where they take more than half; a result tells what it
    comes to."""
    if estimate(item.arguments_json) > room // 2:
        item = replace(item, arguments_json="")
    if estimate(item.tool) > room // 4:
        item = replace(item, tool=cut(item.tool, room // 4))
    left = room - estimate(item.tool) - estimate(item.arguments_json)
    if estimate(item.content) <= left:
        return item
    if item.type is not ItemType.OBSERVATION and not item.failed:
        return replace(item, content=cut(item.content, left))
    return replace(item, content=cut(gist(item, left), left))


def cut(text: str, room: int) -> str:
    """Returns the text, or its beginning and its end, within `room` tokens; empty where not even a mark has room."""
    if estimate(text) <= room:
        return text
    low, high = 0, len(text) // 2
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimate(_ends(text, middle)) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    made = _ends(text, low)
    return made if estimate(made) <= room else ""


def _ends(text: str, kept: int) -> str:
    """Returns two thirds of `2 kept` characters from the beginning, one from the end; half a figure would be another
    one."""
    head, tail = kept * 4 // 3, kept * 2 // 3
    start, end = text[:head], text[len(text) - tail :] if tail else ""
    if head < len(text) and text[head].isdigit():
        start = start.rstrip("0123456789.,")
    if end and text[len(text) - tail - 1].isdigit():
        end = end.lstrip("0123456789.,")
    return start.rstrip() + MARK + end.lstrip()
