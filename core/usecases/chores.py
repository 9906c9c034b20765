"""Chores at work in this process: what the state of an aggregate asks for, done by the process that changed it.

Law: at most one chore of a name is at work per aggregate and process; several processes may do the same one, and the
store's fence decides. A chore reads, lets go, asks its agents, then commits one change. One that fails, or changes
nothing and is due as before, rests for a pause that doubles; then the next change of the aggregate begins it again, or
any process once the record's `due_time` has passed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from core.aggregate.aggregate import Aggregate
from core.aggregate.kind import Chore, Kinds
from core.errors import AggregateNotFound, MemoryBankError, MemoryDamaged
from core.keys import Key
from core.ports.aggregates import Aggregates
from core.ports.clock import Clock
from core.ports.store import Store
from core.usecases.claims import Claims, work_on

Work = Callable[[Any], Awaitable[Any]]
"""Does one chore of the aggregate under a key. Finds nothing to do, and does nothing, where that is so."""

FIRST_PAUSE = timedelta(seconds=1)
LONGEST_PAUSE = timedelta(minutes=10)
AT_ONCE = 64  # aggregates taken up in one round

Place = tuple[Key, str]


class Chores:
    """The chores of every kind. `failed` is told of what a chore raised."""

    def __init__(
        self,
        kinds: Kinds,
        aggregates: Aggregates[Any],
        store: Store,
        clock: Clock,
        failed: Callable[[Key, str, Exception], None] = lambda *_: None,
        claims: Claims | None = None,
        time: Clock | None = None,
    ) -> None:
        """`time`: by which chores are due; without it, the clock's."""
        self._kinds, self._aggregates, self._store, self._clock = kinds, aggregates, store, clock
        self._time = time or clock
        self._failed = failed
        self._claims = claims or Claims(store, "")
        self._works: dict[tuple[str, str], Work] = {}
        self._running: dict[Place, asyncio.Task[None]] = {}
        self._rests: dict[Place, tuple[int, datetime]] = {}  # how often in a row, and until when
        self._closed = False

    def assign(self, kind: str, works: Mapping[str, Work]) -> None:
        """Assigns a kind's chores, by name. Chores that are not assigned wait for another process."""
        self._works.update({(kind, name): work for name, work in works.items()})

    def look(self, aggregate: Aggregate[Any]) -> None:
        """Begins what its state asks for, unless it is at work or rests after a failure."""
        for chore in self._due(aggregate):
            self._begin((aggregate.key, chore.name), aggregate.head.revision)

    async def finished(self, key: Key, name: str) -> None:
        """Waits for a chore that is at work; at once where none is."""
        if (task := self._running.get((key, name))) is not None:
            await asyncio.wait([task])

    async def take_up(self, beside: Iterable[Key] = ()) -> int:
        """Looks at aggregates whose `due_time` has passed, in whichever process they became due, and at those `beside`;
        returns how many."""
        due = await self._store.due(self._time.now(), AT_ONCE)
        found = dict.fromkeys((*(key for key, _ in due), *beside))
        for key in found:
            if not await self._claims.take(work_on(key)):
                continue  # at work in another process
            try:
                async with self._aggregates.reading(key) as aggregate:
                    self.look(aggregate)
            except AggregateNotFound:
                continue  # gone meanwhile
            except MemoryDamaged as damaged:  # the others are looked at all the same
                self._failed(key, "", damaged)
        return len(found)

    async def close(self) -> None:
        """Stops all chores where they stand, and begins no more: what is written last may make some due, and what they
        work with closes next. They are due still, and the next process to open the store goes on."""
        self._closed = True
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _due(self, aggregate: Aggregate[Any]) -> Sequence[Chore]:
        return self._kinds[aggregate.key.kind].due(aggregate, self._time.now())

    def _begin(self, place: Place, revision: int) -> None:
        key, name = place
        work, rest = self._works.get((key.kind, name)), self._rests.get(place)
        if self._closed or work is None or place in self._running:
            return
        if rest is not None and rest[1] > self._clock.now():
            return
        self._running[place] = asyncio.create_task(self._do(place, revision, work))

    async def _do(self, place: Place, revision: int, work: Work) -> None:
        key, name = place
        has_failed = False
        try:
            async with self._claims.kept(work_on(key)):
                await work(key)
        except AggregateNotFound:
            self._rests.pop(place, None)
            return
        except Exception as failure:  # noqa: BLE001 - it is logged; other chores go on
            has_failed = True
            self._failed(key, name, failure)
        finally:
            del self._running[place]
        await self._look_again(place, revision, has_failed=has_failed)

    async def _look_again(self, place: Place, revision: int, *, has_failed: bool) -> None:
        """Looks again: what came while the chore was at work may have made it, or another, due once more."""
        key, name = place
        try:
            async with self._aggregates.reading(key) as aggregate:
                is_as_before = aggregate.head.revision == revision
                if has_failed or (is_as_before and name in [chore.name for chore in self._due(aggregate)]):
                    self._rest(place)
                else:
                    self._rests.pop(place, None)
                self.look(aggregate)
        except AggregateNotFound:
            self._rests.pop(place, None)
        except MemoryBankError:
            self._rest(place)

    def _rest(self, place: Place) -> None:
        times = self._rests.get(place, (0, None))[0] + 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(times - 1, 20))
        self._rests[place] = (times, self._clock.now() + pause)
