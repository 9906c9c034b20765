"""A kind's tables, as the store needs them: the statements of its steps, its state, and what a purge removes.

Law: the store reaches the tables of a kind through these alone; its own are those that every aggregate has.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from core.aggregate.change import Head
from core.keys import Key
from core.model.vector import Vector
from core.ports.store import PurgeCounts
from service.adapters.store.checksums import checksum, seed_of
from service.adapters.store.database import Connection, GuardedStatement
from service.adapters.store.rows import Row


class OwnedRows(NamedTuple):
    """The rows of one aggregate in one table: those with the owner's values in its columns. `key`: the columns that
    identify a row among them."""

    table: str
    owner: Row
    key: tuple[str, ...]


class OwnedTables(Protocol):
    """The tables of one kind, or of several that are kept alike."""

    def is_brief(self, steps: Sequence[Any]) -> bool:
        """Whether the statements of the steps are made sooner than another thread would begin."""
        ...

    def founding(self, key: Any, record: Any) -> Iterable[GuardedStatement]:
        """Returns what is written when an aggregate begins, beside its own row."""
        ...

    def statements(self, key: Any, steps: Sequence[Any]) -> Sequence[GuardedStatement]:
        """Returns the statements of the steps, in order. Pure: may run in any thread. Raises StepUnknown."""
        ...

    def state(self, connection: Connection, key: Any, head: Head, record: Any, space: str) -> Any:
        """Returns all of the aggregate, read in one snapshot."""
        ...

    def vector_writes(
        self, key: Any, part: str, space: str, vectors: Mapping[Any, Vector]
    ) -> Iterable[GuardedStatement]: ...

    def vector_query(
        self, key: Any, uid: str, part: str, space: str, items: Sequence[Any]
    ) -> tuple[str, Row]:
        """Returns the query of derived vectors: its rows are an item, a checksum and the vector."""
        ...

    def value_query(self, key: Any, uid: str, part: str, items: Sequence[str]) -> tuple[str, Row]:
        """Returns the query of values of a part that is not loaded."""
        ...

    def value_of(self, key: Any, row: Sequence[Any]) -> tuple[str, Any]:
        """Returns the item and the value of such a row. Raises MemoryDamaged."""
        ...

    def verify(self, connection: Connection, key: Any) -> None:
        """Checks the rows of what is not loaded. Raises MemoryDamaged."""
        ...

    def item_of(self, row: Sequence[Any]) -> Any:
        """Returns the item of such a row; its last column is the vector."""
        ...

    def check_vector(self, key: Any, row: Sequence[Any]) -> None:
        """Checks such a row against its last column but one, the checksum. Raises MemoryDamaged."""
        ...

    def purge(self, key: Any) -> Sequence[OwnedRows]:
        """Returns its rows, those that refer to others first."""
        ...

    def counted(self, connection: Connection, key: Any) -> PurgeCounts:
        """Returns counts of what goes with it that the purge itself does not count."""
        ...


def record_row(key: Key, record: str) -> Row:
    """Returns the columns of an aggregate's record, which is written by itself."""
    return {**owner_row(key), "record": record, "checksum": checksum(seed_of(key), (record,))}


def owner_row(key: Key) -> Row:
    """Returns the columns that every row of every aggregate begins with."""
    return {"tenant": key.tenant, "kind": key.kind, "name": key.name}
