"""What a kind's rows are to the store: the statements of its steps, its state, and what a purge removes.

Law: the store asks these of the tables of a kind, and knows no table but those of every aggregate.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from core.aggregate.change import Head
from core.keys import Key
from core.model.vector import Vector
from core.ports.store import PurgeCounts
from service.adapters.store.checksums import checksum, seed_of
from service.adapters.store.database import Connection, Guarded
from service.adapters.store.rows import Row


class OwnedRows(NamedTuple):
    """The rows of one aggregate in one table: those with the owner's values in its columns. The columns of `key` tell
    them apart."""

    table: str
    owner: Row
    key: tuple[str, ...]


class OwnedTables(Protocol):
    """The tables of one kind, or of several that are kept alike."""

    def is_brief(self, steps: Sequence[Any]) -> bool:
        """Whether the statements of the steps are made sooner than another thread would begin."""
        ...

    def founding(self, key: Any, record: Any) -> Iterable[Guarded]:
        """What is written when an aggregate begins, beside its own row."""
        ...

    def statements(self, key: Any, steps: Sequence[Any]) -> Sequence[Guarded]:
        """What carries out the steps, in order. Pure: may run in any thread. Raises StepUnknown."""
        ...

    def state(self, connection: Connection, key: Any, head: Head, record: Any, space: str) -> Any:
        """All of the aggregate, read in one snapshot."""
        ...

    def vector_writes(
        self, key: Any, part: str, space: str, vectors: Mapping[Any, Vector]
    ) -> Iterable[Guarded]: ...

    def vectors_asked(
        self, key: Any, uid: str, part: str, space: str, items: Sequence[Any]
    ) -> tuple[str, Row]:
        """The query of derived vectors: its rows are an item and what is stored of it."""
        ...

    def item_of(self, row: Sequence[Any]) -> Any:
        """The item that such a row is of; its last column is the vector."""
        ...

    def check_vector(self, key: Any, row: Sequence[Any]) -> None:
        """The last column but one is its checksum. Raises MemoryDamaged."""
        ...

    def purge(self, key: Any) -> Sequence[OwnedRows]:
        """Its rows, those that refer to others first."""
        ...

    def counted(self, connection: Connection, key: Any) -> PurgeCounts:
        """What there is to be removed that the purge itself does not count."""
        ...


def record_row(key: Key, record: str) -> Row:
    """The columns of an aggregate's record, which is written by itself."""
    return {**owner_row(key), "record": record, "checksum": checksum(seed_of(key), (record,))}


def owner_row(key: Key) -> Row:
    """The columns that every row of every aggregate begins with."""
    return {"tenant": key.tenant, "kind": key.kind, "name": key.name}
