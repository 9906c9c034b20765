"""The time by which things are forgotten: the clock's, as far as the times that the store has been told bear it out.

Law: one process whose clock is ahead forgets nothing that is fresh to the others. Every process tells the store the
time now and then. A clock that is far ahead of the latest time told is distrusted, and time stands at that one; until
for a while no process has told another time: then all were away, and time did pass. Of processes that all have been
ahead from the first, none can tell.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from core.ports.clock import Clock
from core.ports.store import Store

FAR = timedelta(minutes=10)  # ahead of the latest time told, and the clock is distrusted
OFTEN = timedelta(minutes=1)  # the store is told the time
PATIENCE = timedelta(minutes=10)  # without another process telling another time, and the clock is believed


class StoreTime:
    """Implements `Clock`. `told` hears by how much a clock is ahead when it is distrusted; `elapsed`: seconds since any
    moment, which no setting of the clock changes."""

    def __init__(
        self,
        clock: Clock,
        store: Store,
        told: Callable[[timedelta], None],
        elapsed: Callable[[], float],
    ) -> None:
        self._clock, self._store, self._told, self._elapsed = clock, store, told, elapsed
        self._stands_at: datetime | None = None  # the latest time told, while the clock is distrusted
        self._since = 0.0  # by `elapsed`, no other has been told

    def now(self) -> datetime:
        now = self._clock.now()
        return now if self._stands_at is None else min(now, self._stands_at)

    async def look(self) -> None:
        """Compares the clock with the latest time that was stored, and stores this one. To be called often."""
        now, latest = self._clock.now(), await self._store.latest_time()
        if latest is not None and now - latest > FAR and not self._all_were_away(now, latest):
            return
        self._stands_at = None
        if latest is None or now - latest >= OFTEN:
            await self._store.tell_time(now)

    def _all_were_away(self, now: datetime, latest: datetime) -> bool:
        if self._stands_at is None:
            self._told(now - latest)
        if self._stands_at != latest:
            self._stands_at, self._since = latest, self._elapsed()
        return self._elapsed() - self._since >= PATIENCE.total_seconds()
