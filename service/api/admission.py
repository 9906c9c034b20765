"""Who may begin, who waits and who is refused, by the kind of work that a call is.

Law: of each kind so many calls are at work, and no more wait than can be begun in time. By Little's law one that comes
waits for the seconds that those ahead of it will keep their places, over the places; what would come too late for its
deadline is refused at once, before its request is parsed. How long a call keeps its place is reckoned from what its
method took of late and from its size. Turns are fair between callers, and what its caller gave up never begins. Reads
take no place: most are done before another could begin, and texts have a lane.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from google.protobuf.descriptor_pool import Default

from core.errors import Overloaded
from service.process.calling import Caller
from service.process.fair_queue import FairQueue

SMOOTHING = 0.1  # weight of the newest measurement
PLAIN = 1_000  # bytes of a request that take as long as what a call of any size takes
IN_TIME = (
    0.5  # share of the time left that beginning and working may take, as reckoned: loads vary, answers travel
)
LONGEST_WAIT = 30.0  # seconds that any call waits to begin, with a later deadline or without one
UNKNOWN, NO_SIDE_EFFECTS = 0, 1  # google.protobuf.MethodOptions.IdempotencyLevel


class Kind(Enum):
    """What a call is to the service; the value is what its caller is told."""

    READ = "reads"
    WRITE = "writes"
    BATCH = "batches"
    LONG = "long jobs"
    STREAM = "streams"
    ENDLESS = "endless streams"


LONG_JOBS = frozenset(
    {
        "Memorize",
        "StartTask",
        "AdvanceTask",
        "Restructure",
        "ResolveConflict",
        "MergeNodes",
        "DeleteBank",
        "PurgeUser",
        "EndInvocation",
        "EndConversation",
        "GenerateReflection",
    }
)
"""Unary calls that may take seconds: they ask agents, or remove much."""


def kind_of(method: str, *, streams: bool = False, endless: bool = False) -> Kind:
    """Returns the kind of `package.Service/Method`. What has no side effects, by the contract, is a read."""
    name = method.rpartition("/")[2]
    if endless:
        return Kind.ENDLESS
    if streams:
        return Kind.STREAM
    if name in LONG_JOBS:
        return Kind.LONG
    if name.startswith("Batch"):
        return Kind.BATCH
    return Kind.READ if _idempotency(method) == NO_SIDE_EFFECTS else Kind.WRITE


def writes(method: str) -> bool:
    """Whether `package.Service/Method` changes memory, by the contract. What counts uses alone does not."""
    return _idempotency(method) == UNKNOWN


@cache
def _idempotency(method: str) -> int:
    try:
        options = Default().FindMethodByName(method.replace("/", ".")).GetOptions()
    except KeyError:
        return UNKNOWN
    return int(options.idempotency_level)


class Pace:
    """What calls of one method take. A call is reckoned by its size, and as no more than the slowest of late: bytes of
    vectors are not bytes of text."""

    def __init__(self) -> None:
        self._each = self._longest = 0.0  # seconds: of a byte, of a call

    def seconds(self, size: int) -> float:
        """Reckons how long a call of so many bytes will keep its place."""
        return min(self._longest, self._each * (PLAIN + size))

    def learn(self, size: int, seconds: float) -> None:
        self._each += SMOOTHING * (seconds / (PLAIN + size) - self._each)
        self._longest = max(seconds, self._longest + SMOOTHING * (seconds - self._longest))


class ConcurrencyLimit:
    """So many places for one kind of work, and the queue before them."""

    def __init__(self, work: str, places: int) -> None:
        self._work = work
        self._places = self._free = places
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue()
        self._paces: defaultdict[str, Pace] = defaultdict(Pace)
        self.waiting = 0

    async def enter(self, who: Caller, now: float, method: str, size: int = 0) -> None:
        """Takes a place, in turn. `size`: bytes of the request. Raises Overloaded when it would be too late."""
        if self._free:
            self._free -= 1
            return
        own = self._paces[method].seconds(size)
        wait = (self._queue.ahead(who.name, own) + own) / self._places
        left = LONGEST_WAIT if who.deadline is None else (who.deadline - now) * IN_TIME - own
        if wait > min(left, LONGEST_WAIT):
            raise Overloaded(self._work, round(wait, 3))
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.push(who.name, own, turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            self._queue.remove(who.name, turn)
            if not turn.cancelled():  # its turn came as it left
                self._give_on()
            raise
        finally:
            self.waiting -= 1

    def leave(self, method: str, size: int, seconds: float, *, is_done: bool) -> None:
        """Gives the place on, which was kept for so long. Of a call that was not carried out only that counts, that it
        took longer than reckoned: a refusal takes next to nothing."""
        pace = self._paces[method]
        if is_done or seconds > pace.seconds(size):
            pace.learn(size, seconds)
        self._give_on()

    def _give_on(self) -> None:
        while self._queue:
            _, turn = self._queue.pop()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Rooms by kind, what calls without a deadline get (seconds), and the most calls at once; kinds without a room
    begin at once."""

    rooms: Mapping[Kind, ConcurrencyLimit] = field(default_factory=dict)
    default_deadline: float | None = None
    most: int | None = None

    def deadline_of(self, kind: Kind, remaining: float | None) -> float | None:
        """Seconds that a call has. Long jobs and streams may go on as long as they must."""
        if remaining is None and kind not in (Kind.LONG, Kind.STREAM, Kind.ENDLESS):
            return self.default_deadline
        return remaining


class MemoryQuota:
    """Bytes that calls keep in memory, all of them together: the newest that would go beyond is refused."""

    def __init__(self, allowed: int | None = None) -> None:
        self._allowed = allowed
        self.taken = 0

    @contextmanager
    def load(self) -> "Iterator[Load]":
        """Yields what one call keeps; given back when it ends."""
        load = Load(self)
        try:
            yield load
        finally:
            self.taken -= load.size

    def take(self, size: int) -> None:
        """Raises Overloaded."""
        if self._allowed is not None and self.taken + size > self._allowed:
            raise Overloaded("bytes in flight", 1.0)
        self.taken += size


class Load:
    """The bytes of one call."""

    def __init__(self, hold: MemoryQuota) -> None:
        self._hold = hold
        self.size = 0

    def add(self, size: int) -> None:
        """Raises Overloaded."""
        self._hold.take(size)
        self.size += size

    def replace(self, size: int) -> None:
        """Keeps so many bytes instead of those before. Raises Overloaded."""
        self._hold.taken -= self.size
        self.size = 0
        self.add(size)
