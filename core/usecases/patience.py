"""When work that failed is worth another try unasked: what the background must not hammer at.

Law: only the background asks; whoever calls is served at once. Kept in memory: a process that starts
anew tries once.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import BudgetSpent, MemoryBankError
from core.ids import BankKey, InteractionId
from core.ports import Clock

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    """A bank whose work failed lately: how often in a row, and until when it is left alone."""

    failures: int
    until: datetime


class Patience:
    """Leaves a bank alone for longer with each failure in a row; what broke a budget, until somebody asks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._resting: dict[BankKey, _Rest] = {}
        self._spent: set[tuple[BankKey, InteractionId]] = set()

    def succeeded(self, key: BankKey, interaction_id: InteractionId) -> None:
        """The bank's agents answer again."""
        self._resting.pop(key, None)
        self._spent.discard((key, interaction_id))

    def failed(self, key: BankKey, interaction_id: InteractionId, cause: MemoryBankError) -> None:
        """Work on this interaction ended by `cause`."""
        if isinstance(cause, BudgetSpent):
            self._spent.add((key, interaction_id))
            return
        rest = self._resting.get(key)
        failures = 1 if rest is None else rest.failures + 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures - 1, 16))
        self._resting[key] = _Rest(failures=failures, until=self._clock.now() + pause)

    def gone(self, key: BankKey) -> None:
        """The bank is no more."""
        self._resting.pop(key, None)
        self._spent = {place for place in self._spent if place[0] != key}

    def allows(self, key: BankKey, interaction_id: InteractionId) -> bool:
        """Whether the background may take this up now."""
        if (key, interaction_id) in self._spent:
            return False
        rest = self._resting.get(key)
        return rest is None or self._clock.now() >= rest.until

    def is_tried(self, key: BankKey) -> bool:
        """Whether the bank's last work failed: then one interaction is tried before the others."""
        return key in self._resting
