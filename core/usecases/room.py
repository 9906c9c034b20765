"""How much of an answer fits into one message.

Law: a page, or what a search found, ends before it outgrows what gRPC clients accept unless they are told otherwise
(4 MiB); an item that is larger by itself comes alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, TypeVar

import numpy as np

Item = TypeVar("Item")

MESSAGE_BYTES = 4 * 1024 * 1024
"""The largest message that a gRPC client accepts by default."""
ROOM = MESSAGE_BYTES - 512 * 1024
"""Bytes for the items of an answer; the others are for what stands beside them."""
PLAIN = 20
"""Bytes of a number, a time, a tag with its length: protobuf's are shorter."""
WITHOUT_PARTS = (int, float, datetime, timedelta)


def weight(value: Any) -> int:
    """Counts the bytes that a value takes in a message, or a little more."""
    if isinstance(value, str):
        return PLAIN + (len(value) if value.isascii() else len(value.encode()))
    if value is None or isinstance(value, WITHOUT_PARTS):
        return PLAIN
    if isinstance(value, bytes):
        return PLAIN + len(value)
    if isinstance(value, np.ndarray):
        return PLAIN + value.nbytes
    return PLAIN + sum([weight(part) for part in _parts(value)])


def fitting(
    items: Sequence[Item], weigh: Callable[[Item], int] = weight, room: int = ROOM
) -> tuple[Item, ...]:
    """Returns the first items that `room` bytes hold together; of a non-empty sequence at least one."""
    return tuple(items[: max(1, fitted(map(weigh, items), room))])


def fitted(weights: Iterable[int], room: int = ROOM) -> int:
    """Counts the first items that `room` bytes hold together."""
    return sum(1 for taken in accumulate(weights) if taken <= room)


def _parts(value: Any) -> Iterable[Any]:
    """Returns what a value is made of; nothing of what is not known here."""
    kind: Any = type(value)
    if names := _names(kind):
        return [getattr(value, name) for name in names]
    if isinstance(value, tuple | list | set | frozenset):
        return value
    return chain(value, value.values()) if isinstance(value, Mapping) else ()


@lru_cache(maxsize=256)
def _names(kind: Any) -> tuple[str, ...]:
    """Returns the fields of a dataclass; of another class none."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
