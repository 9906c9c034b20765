"""How much of an answer fits into one message.

Law: a page, or what a search found, ends before it outgrows what gRPC clients accept unless they are told otherwise
(4 MiB); an item that is larger by itself comes alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

Item = TypeVar("Item")

MESSAGE_BYTES = 4 * 1024 * 1024
"""The largest message that a gRPC client accepts by default."""
ROOM = MESSAGE_BYTES - 512 * 1024
"""Bytes for the items of an answer; the others are for what stands beside them."""
PLAIN = 20
"""Bytes of a number, a time, a tag with its length: protobuf's are shorter."""


def weight(value: Any) -> int:
    """Bytes that a value takes in a message, or a little more."""
    if isinstance(value, str):
        return PLAIN + (len(value) if value.isascii() else len(value.encode()))
    if isinstance(value, bytes):
        return PLAIN + len(value)
    if isinstance(value, np.ndarray):
        return PLAIN + value.nbytes
    return PLAIN + sum(map(weight, _parts(value)))


def fitting(
    items: Sequence[Item], weigh: Callable[[Item], int] = weight, room: int = ROOM
) -> tuple[Item, ...]:
    """Returns the first items that `room` bytes hold together; of a non-empty sequence at least one."""
    return tuple(items[: max(1, fitted(map(weigh, items), room))])


def fitted(weights: Iterable[int], room: int = ROOM) -> int:
    """Counts the first items that `room` bytes hold together."""
    return sum(1 for taken in accumulate(weights) if taken <= room)


def _parts(value: Any) -> Iterator[Any]:
    """Yields what a value is made of; nothing for a number, a time, a truth."""
    if isinstance(value, Mapping):
        yield from value
        yield from value.values()
    elif isinstance(value, tuple | list | set | frozenset):
        yield from value
    elif is_dataclass(value):
        kind: Any = type(value)
        yield from (getattr(value, name) for name in _names(kind))


@lru_cache(maxsize=256)
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))
