"""What the store requires of a database: reads in one snapshot, writes as data, all or none.

Law: the store decides what is written and what must hold; the database has no notion of aggregates. A write is a plan,
so it can go to a server in one message: whatever it depends on is a guard in it, and nothing is read midway.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol, TypeVar

from service.adapters.store.rows import Row, Values

T = TypeVar("T")


class GuardedStatement(NamedTuple):
    """One statement for several rows of parameters, and the guard on its outcome.

    `must_touch`: the plan is refused unless so many rows change in all. `finds`: a query, which must find something
    for each of the rows.
    """

    sql: str
    rows: Sequence[Row | Values]
    must_touch: int | None = None
    finds: bool = False


Plan = Sequence[GuardedStatement]


class Length(Enum):
    """How long a read takes. Each has a pool of its own, so that none waits for a longer one."""

    BRIEF = auto()
    LOAD = auto()  # of an aggregate
    LONG_LOAD = auto()  # of an aggregate with a great many rows: it may take seconds


class Connections(NamedTuple):
    """The connections to a database's server, those at work among them; and how many commits got no answer so far."""

    open: int = 0
    busy: int = 0
    unknown: int = 0


class WriteRefused(Exception):
    """A guard of the plan did not hold, or a constraint of the schema. Nothing was written."""

    def __init__(self, guard: GuardedStatement, problem: str = "") -> None:
        super().__init__(problem or f"not as required: {guard.sql}")
        self.guard = guard


class Connection(Protocol):
    """What a read gets: `execute(sql, row)` returns a cursor with `fetchone`, `fetchmany` and `fetchall`."""

    def execute(self, sql: str, row: Any = ..., /) -> Any: ...


class Database(Protocol):
    """Raises StoreUnavailable, also after `close`.

    `rows_at_once`: how many may go in one transaction without other writes waiting for long; one of them may have
    half a megabyte.
    """

    rows_at_once: int

    async def read(self, act: Callable[[Any], T], length: Length = Length.BRIEF) -> T:
        """Returns what `act` reads from a Connection, all of it from one snapshot."""
        ...

    async def fetch(self, sql: str, row: Row) -> list[Any]:
        """Returns the rows of one query, which is a snapshot by itself."""
        ...

    async def prepare(self, make: Callable[[], T]) -> T:
        """Returns what `make` makes ahead of a write, without the database: in a thread for that alone."""
        ...

    async def write(
        self, plan: Plan, landed: GuardedStatement | None = None, meanwhile: Callable[[], None] | None = None
    ) -> Sequence[int]:
        """Returns how many rows each statement touched, once all is durable. Raises WriteRefused.

        `landed` is a query that finds something if the plan was stored though its outcome was lost. `meanwhile` is
        called on the loop while the disk syncs.
        """
        ...

    async def scrub(self) -> None:
        """Clears every byte on disk of what was deleted before this call."""
        ...

    async def close(self) -> None: ...
