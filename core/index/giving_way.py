"""Long work that gives way to more urgent work: in a thread, or between two portions on the loop.

Law: core does not know what a thread gives way to: it calls what it is given, between portions of a fraction of a
millisecond.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

GiveWay = Callable[[], None]
"""Called between two portions of long work, in its thread: returns when it may go on."""

FEW = 50  # values to a portion, where each takes a few microseconds
MANY = 500  # the same, where each takes less than one
PASSES = 25  # times around the loop, 0.3 ms where no call waits: more of them gain nothing


async def yield_to_loop() -> None:
    """Lets other calls take some steps, between two portions of long work on the loop.

    A call takes several, with gRPC's own thread in between: one that is let in for a single step waits for a portion at
    each of them.
    """
    for _ in range(PASSES):
        await asyncio.sleep(0)


def at_once() -> None:
    """Returns at once: for work that gives way to nothing."""


def in_turns(items: Iterable[V], give_way: GiveWay, portion: int = FEW) -> Iterator[V]:
    """Yields the items, giving way between two portions of them; a few go without."""
    for place, item in enumerate(items):
        if place and place % portion == 0:
            give_way()
        yield item


def every_n(act: Callable[[K], V], give_way: GiveWay, portion: int = FEW) -> Callable[[K], V]:
    """Returns the same function, which gives way between two portions of its calls."""
    calls = count()

    def acting(value: K) -> V:
        if next(calls) % portion == portion - 1:
            give_way()
        return act(value)

    return acting


class InTurns(Mapping[K, V], Generic[K, V]):
    """The same mapping, which gives way between two portions when it is iterated."""

    def __init__(self, inner: Mapping[K, V], give_way: GiveWay, portion: int = FEW) -> None:
        self._inner, self._give_way, self._portion = inner, give_way, portion

    def __getitem__(self, key: K) -> V:
        return self._inner[key]

    def __iter__(self) -> Iterator[K]:
        return in_turns(self._inner, self._give_way, self._portion)

    def __len__(self) -> int:
        return len(self._inner)
