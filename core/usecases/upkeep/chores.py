"""Chores at work in this process: what the state of an aggregate asks for, done by whoever changed it.

Law: at most one chore of a name is at work per aggregate and process; several processes may do the same one, and the
store's fence decides. A chore reads, lets go, asks its agents, then commits one change. One that fails stays due: it is
tried again after a pause that doubles, or when the aggregate changes, and by any process once the record's `due_time`
has passed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from core.aggregate.aggregate import Aggregate
from core.aggregate.kind import Kinds
from core.errors import AggregateNotFound, MemoryBankError
from core.keys import Key
from core.ports.aggregates import Aggregates
from core.ports.clock import Clock
from core.ports.store import Store

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
    ) -> None:
        self._kinds, self._aggregates, self._store, self._clock = kinds, aggregates, store, clock
        self._failed = failed
        self._works: dict[tuple[str, str], Work] = {}
        self._running: dict[Place, asyncio.Task[None]] = {}
        self._rests: dict[Place, tuple[int, datetime]] = {}  # failures in a row, and when to try again

    def assign(self, kind: str, works: Mapping[str, Work]) -> None:
        """Say who does a kind's chores, by name. Chores that nobody was assigned to wait for another process."""
        self._works.update({(kind, name): work for name, work in works.items()})

    def look(self, aggregate: Aggregate[Any]) -> None:
        """Begin what its state asks for, unless it is at work or rests after a failure."""
        key = aggregate.key
        for chore in self._kinds[key.kind].due(aggregate, self._clock.now()):
            self._begin(key, chore.name)

    async def finished(self, key: Key, name: str) -> None:
        """Wait for a chore that is at work; at once where none is."""
        if (task := self._running.get((key, name))) is not None:
            await asyncio.wait([task])

    async def take_up(self) -> int:
        """Look at aggregates whose `due_time` has passed, whoever made them due; how many there were."""
        found = await self._store.due(self._clock.now(), AT_ONCE)
        for key, _ in found:
            try:
                async with self._aggregates.reading(key) as aggregate:
                    self.look(aggregate)
            except AggregateNotFound:
                continue  # gone meanwhile
        return len(found)

    async def close(self) -> None:
        """Stop all chores where they stand: they are due still, and whoever opens the store next goes on."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, key: Key, name: str) -> None:
        work, place = self._works.get((key.kind, name)), (key, name)
        rest = self._rests.get(place)
        if work is None or place in self._running or (rest is not None and rest[1] > self._clock.now()):
            return
        self._running[place] = asyncio.create_task(self._do(place, work))

    async def _do(self, place: Place, work: Work) -> None:
        key, name = place
        try:
            await work(key)
        except AggregateNotFound:
            self._rests.pop(place, None)
        except MemoryBankError as failure:
            self._rest(place)
            self._failed(key, name, failure)
        except Exception as defect:  # noqa: BLE001 - told to the log; other chores go on
            self._rest(place)
            self._failed(key, name, defect)
        else:
            self._rests.pop(place, None)
        finally:
            del self._running[place]
        await self._look_again(key)

    def _rest(self, place: Place) -> None:
        failures = self._rests.get(place, (0, None))[0] + 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures - 1, 20))
        self._rests[place] = (failures, self._clock.now() + pause)

    async def _look_again(self, key: Key) -> None:
        """What came while the chore was at work may have made it due once more."""
        try:
            async with self._aggregates.reading(key) as aggregate:
                self.look(aggregate)
        except (AggregateNotFound, MemoryBankError):
            return
