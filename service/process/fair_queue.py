"""A queue that is fair between callers.

Law: the next to be served is of the caller that has been served least while it waited; of one caller's, the lightest
first, then the oldest. A caller that comes anew owes nothing and is owed nothing: start-time fair queueing.
"""

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Line(Generic[T]):
    """One caller's entries. `served`: its virtual time, which begins at that of the caller last served."""

    served: float
    heap: list[tuple[float, int, T]] = field(default_factory=list)
    weight: float = 0.0


class FairQueue(Generic[T]):
    """Entries with a caller and a weight each."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line[T]] = {}
        self._numbers = count()
        self._served = 0.0  # virtual time of the caller last served: where a new caller begins

    def __bool__(self) -> bool:
        return bool(self._lines)

    def push(self, caller: str, weight: float, entry: T) -> None:
        line = self._lines.get(caller)
        if line is None:
            line = self._lines[caller] = _Line(served=self._served)
        heappush(line.heap, (weight, next(self._numbers), entry))
        line.weight += weight

    def pop(self) -> tuple[str, T]:
        """Takes out the next entry, with its caller; its weight counts as served. Raises IndexError when empty."""
        if not self._lines:
            raise IndexError("nothing waits")
        name, line = min(self._lines.items(), key=_turn)
        weight, _, entry = heappop(line.heap)
        self._served = max(self._served, line.served)
        line.served += weight
        line.weight -= weight
        if not line.heap:
            del self._lines[name]
        return name, entry

    def remove(self, caller: str, entry: T) -> None:
        """Removes an entry, if it still waits."""
        line = self._lines.get(caller)
        place = next((n for n, (_, _, e) in enumerate(line.heap) if e is entry), None) if line else None
        if line is None or place is None:
            return
        line.weight -= line.heap.pop(place)[0]
        heapify(line.heap)
        if not line.heap:
            del self._lines[caller]

    def ahead(self, caller: str, weight: float) -> float:
        """Returns the weight that would be served before an entry, at most: as much of each other caller as of its
        own."""
        line = self._lines.get(caller)
        own = sum(w for w, _, _ in line.heap if w <= weight) if line else 0.0
        return own + sum(
            min(other.weight, own + weight) for name, other in self._lines.items() if name != caller
        )


def _turn(item: tuple[str, _Line[T]]) -> tuple[float, float, int]:
    """Returns the sort key of a caller's turn: the least served first, then the lightest entry, then the oldest."""
    line = item[1]
    weight, number, _ = line.heap[0]
    return line.served, weight, number
