"""The order in which aggregates leave memory: the longest unread first.

Law: a read costs nothing here. Each is queued by the time of its last read, or an earlier one; its place is corrected
when it comes to the front.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from itertools import count

from core.keys import Key
from service.holding.held import HeldAggregate

FEW = 64  # places of evicted aggregates that are not worth clearing up


class EvictionOrder:
    """A heap over what is open."""

    def __init__(self, open_: Mapping[Key, HeldAggregate]) -> None:
        self._open = open_
        self._heap: list[tuple[float, int, Key]] = []  # when it was last read, or earlier
        self._serial = count()  # keys are not compared

    def add(self, held: HeldAggregate) -> None:
        if len(self._heap) > 2 * len(self._open) + FEW:  # most of them have gone
            self._heap = [self._place(each) for each in self._open.values()]
            heapify(self._heap)
        else:
            heappush(self._heap, self._place(held))

    def pop(self) -> HeldAggregate | None:
        """Takes out the longest unread; None: the order is empty."""
        while self._heap:
            used, _, key = heappop(self._heap)
            held = self._open.get(key)
            if held is None:
                continue
            if held.used <= used:
                return held
            heappush(self._heap, self._place(held))  # read since it was queued
        return None

    def _place(self, held: HeldAggregate) -> tuple[float, int, Key]:
        return held.used, next(self._serial), held.aggregate.key
