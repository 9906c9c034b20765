"""What a call that may write has read from memory, where that may be behind the store: its read set, as in optimistic
concurrency control.

Law: a write is checked by the store's fence; what a call merely read is not. So where such a call is refused, its read
set is compared with the store's heads, and no refusal that rests on an older state leaves (`OpenAggregates.validated`).
"""

from contextvars import ContextVar

from core.aggregate.change import Head
from core.keys import Key
from service.holding.held import HeldAggregate


class ReadSet:
    """The heads at which a call has read, of aggregates that were not confirmed since it began.

    `is_current`: every aggregate is confirmed before this call reads it. `has_written`: something of it is stored.
    """

    __slots__ = ("_began", "has_written", "heads", "is_current")

    def __init__(self, began: float, *, is_current: bool = False) -> None:
        self._began = began
        self.is_current = is_current
        self.has_written = False
        self.heads: dict[Key, Head] = {}

    def admits(self, held: HeldAggregate) -> bool:
        """Whether the call may read this aggregate as it is in memory."""
        return not self.is_current or held.confirmed >= self._began

    def add(self, held: HeldAggregate) -> None:
        """Takes note that the call reads this aggregate."""
        if held.confirmed < self._began:
            self.heads.setdefault(held.aggregate.key, held.aggregate.head)


READ_SET: ContextVar[ReadSet | None] = ContextVar("memorybank.read_set", default=None)
"""Of the call that the code works for; None: it only reads, or no call asked for it."""
