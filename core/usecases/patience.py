"""When work that failed is worth another try unasked: what the background must not hammer at.

Law: only the background waits; a call is served at once. Kept in memory: a process that starts
anew tries once.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import AgentUnavailable, BudgetSpent, EmbedderUnavailable, StoreUnavailable
from core.ids import InteractionId
from core.keys import Key
from core.ports.clock import Clock

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)

Place = tuple[Key, InteractionId]

PASSING = (AgentUnavailable, EmbedderUnavailable, StoreUnavailable)
"""What is not the interaction's own fault: it may be tried as soon as others of the bank succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    """What failed lately: how often in a row, and until when it is left alone."""

    failures: int
    until: datetime


class RetryBackoff:
    """Leaves a bank alone for longer with each failure in a row, and an interaction that failed by itself, however
    well the bank's others fare; what broke a budget, until it is asked for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._banks: dict[Key, _Rest] = {}
        self._own: dict[Place, _Rest] = {}
        self._spent: set[Place] = set()

    def succeeded(self, key: Key, interaction_id: InteractionId) -> None:
        """Notes that the bank's agents answer again."""
        self._banks.pop(key, None)
        self._own.pop((key, interaction_id), None)
        self._spent.discard((key, interaction_id))

    def failed(self, key: Key, interaction_id: InteractionId, cause: BaseException) -> None:
        """Notes that work on this interaction ended by `cause`."""
        if isinstance(cause, BudgetSpent):
            self._spent.add((key, interaction_id))
            return
        self._banks[key] = self._longer(self._banks.get(key))
        if not isinstance(cause, PASSING):
            self._own[key, interaction_id] = self._longer(self._own.get((key, interaction_id)))

    def gone(self, key: Key) -> None:
        """Forgets a bank that is no more."""
        self._banks.pop(key, None)
        self._own = {place: rest for place, rest in self._own.items() if place[0] != key}
        self._spent = {place for place in self._spent if place[0] != key}

    def allows(self, key: Key, interaction_id: InteractionId) -> bool:
        """Whether the background may take this up now."""
        place = (key, interaction_id)
        rests = (self._banks.get(key), self._own.get(place))
        now = self._clock.now()
        return place not in self._spent and all(rest is None or now >= rest.until for rest in rests)

    def is_tried(self, key: Key) -> bool:
        """Whether the bank's last work failed: then one interaction is tried before the others."""
        return key in self._banks

    def _longer(self, before: _Rest | None) -> _Rest:
        failures = 1 if before is None else before.failures + 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures - 1, 16))
        return _Rest(failures=failures, until=self._clock.now() + pause)
