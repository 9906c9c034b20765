"""A queue that is fair between callers.

Law: jobs are served one after another, each whole, in the order in which they would end if all callers had equal shares
all the time: so none ends later than it would by sharing, and many of one size do not all end last. Of one caller's
jobs the lightest goes first, then the oldest. A caller that comes anew owes nothing and is owed nothing: start-time
fair queueing.
"""

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, TypeVar

T = TypeVar("T")

_numbers = count()


@dataclass(slots=True, eq=False)
class Job:
    """What a caller asks for at once, an entry or several: what it weighs as a whole, and what was not served yet."""

    weight: float
    left: float = field(init=False)
    number: int = field(init=False, default_factory=lambda: next(_numbers))

    def __post_init__(self) -> None:
        self.left = self.weight


@dataclass(slots=True)
class _Line(Generic[T]):
    """One caller's entries. `served`: its virtual time, which begins at that of the caller last served."""

    served: float
    heap: list[tuple[float, int, int, Job, float, T]] = field(default_factory=list)
    weight: float = 0.0


class FairQueue(Generic[T]):
    """Entries with a caller and a weight each."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line[T]] = {}
        self._numbers = count()
        self._served = 0.0  # virtual time of the caller last served: where a new caller begins

    def __bool__(self) -> bool:
        return bool(self._lines)

    def push(self, caller: str, weight: float, entry: T, job: Job | None = None) -> None:
        """Adds an entry, which is a part of a `job`, or one by itself."""
        line = self._lines.get(caller)
        if line is None:
            line = self._lines[caller] = _Line(served=self._served)
        job = job or Job(weight)
        heappush(line.heap, (job.weight, job.number, next(self._numbers), job, weight, entry))
        line.weight += weight

    def pop(self) -> tuple[str, T]:
        """Takes out the next entry, with its caller; its weight counts as served. Raises IndexError when empty."""
        if not self._lines:
            raise IndexError("nothing waits")
        name, line = min(self._lines.items(), key=_turn)
        *_, job, weight, entry = heappop(line.heap)
        self._served = max(self._served, line.served)
        line.served += weight
        line.weight -= weight
        job.left -= weight
        if not line.heap:
            del self._lines[name]
        return name, entry

    def remove(self, caller: str, entry: T) -> None:
        """Removes an entry, if it still waits."""
        line = self._lines.get(caller)
        place = next((n for n, each in enumerate(line.heap) if each[-1] is entry), None) if line else None
        if line is None or place is None:
            return
        line.weight -= line.heap.pop(place)[-2]
        heapify(line.heap)
        if not line.heap:
            del self._lines[caller]

    def ahead(self, caller: str, weight: float) -> float:
        """Returns the weight that would be served before an entry, at most: as much of each other caller as of its
        own."""
        line = self._lines.get(caller)
        own = sum(each[-2] for each in line.heap if each[0] <= weight) if line else 0.0
        return own + sum(
            min(other.weight, own + weight) for name, other in self._lines.items() if name != caller
        )


def _turn(item: tuple[str, _Line[T]]) -> tuple[float, int]:
    """Returns the sort key of a caller's turn: when its next job would end by equal shares, then the oldest."""
    line = item[1]
    job = line.heap[0][3]
    return line.served + job.left, job.number
