"""What the store asks of a database: reads in one snapshot, writes as data, all or none.

Law: the store decides what is written and what must hold; the database knows no aggregate. A write is a plan, so it
can go to a server in one message: whatever it depends on is a guard in it, and nothing is read midway.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol, TypeVar

from service.adapters.store.rows import Row, Values

T = TypeVar("T")


class Guarded(NamedTuple):
    """One statement for several rows of parameters, and what must come of it.

    `must_touch`: so many rows changed in all, or the plan is refused. `finds`: a query, which must find something for
    each of the rows.
    """

    sql: str
    rows: Sequence[Row | Values]
    must_touch: int | None = None
    finds: bool = False


Plan = Sequence[Guarded]


class Length(Enum):
    """How long a read takes. Each has a lane of its own, so that none waits for a longer one."""

    BRIEF = auto()
    LOAD = auto()  # of an aggregate
    LONG_LOAD = auto()  # of one with a great many rows: it may take seconds


class Refused(Exception):
    """A guard of the plan did not hold, or a constraint of the schema. Nothing of it was written."""

    def __init__(self, guard: Guarded, problem: str = "") -> None:
        super().__init__(problem or f"not as required: {guard.sql}")
        self.guard = guard


class Connection(Protocol):
    """What a read is given: `execute(sql, row)` gives something with `fetchone`, `fetchmany` and `fetchall`."""

    def execute(self, sql: str, row: Any = ..., /) -> Any: ...


class Database(Protocol):
    """Raises StoreUnavailable, also after `close`."""

    async def read(self, act: Callable[[Any], T], length: Length = Length.BRIEF) -> T:
        """What `act` reads from a Connection, all of it from one snapshot."""
        ...

    async def fetch(self, sql: str, row: Row) -> list[Any]:
        """The rows of one query, which is a snapshot by itself."""
        ...

    async def prepare(self, make: Callable[[], T]) -> T:
        """What `make` makes, without the database, ahead of a write: in a thread that has nothing else to do."""
        ...

    async def write(
        self, plan: Plan, landed: Guarded | None = None, meanwhile: Callable[[], None] | None = None
    ) -> Sequence[int]:
        """Rows that each statement touched, when all is durable. Raises Refused.

        `landed` is a query that finds something where the plan was stored though its outcome was lost. `meanwhile` is
        called on the loop as the disk is waited for.
        """
        ...

    async def scrub(self) -> None:
        """Leave no byte on disk of what was deleted before this call."""
        ...

    async def close(self) -> None: ...
