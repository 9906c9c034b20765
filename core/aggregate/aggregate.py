"""What every aggregate offers to its holder in memory.

Law: `apply` is the only mutator. It never fails on a change that was staged on this very state, and the same `apply`
serves live writes and following another process.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.aggregate.change import Change, Head, S
from core.aggregate.indexes import Indexes
from core.index.compiled_vectors import VectorSettings
from core.index.giving_way import GiveWay, at_once
from core.index.snapshot import Report, unreported
from core.keys import Key
from core.model.conversation import Tiers
from core.model.vector import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How aggregates are held in memory, the same for all: settings of the derived indexes, and the tiers of
    conversations. `give_way` is called by a load in its thread, `report` with the reason for each snapshot that it
    could not use. `space` and `dimension` are those of the service's own vectors, `reader` the name of what reads
    turns: what another made of them counts as missing."""

    vectors: VectorSettings = field(default_factory=VectorSettings)
    give_way: GiveWay = at_once
    report: Report = unreported
    space: str = ""
    dimension: int = 0
    reader: str = ""
    tiers: Tiers = field(default_factory=Tiers)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeMembers:
    """The large members of an aggregate: dicts of `many` values, and `parts` that are released in one piece each."""

    many: Sequence[dict[Any, Any]] = ()
    parts: Sequence[Any] = ()


class AggregateRecord(Protocol):
    """The metadata of an aggregate: one frozen value, replaced as a whole.

    A field called `user`, `collection`, `labels`, `state`, `enabled`, `generation`, `due_time`, `purge_time`,
    `finish_time` or `ttl` is a column that the store filters and schedules by.
    """

    @property
    def key(self) -> Any: ...

    @property
    def uid(self) -> str: ...


class Aggregate(Protocol[S]):
    """One unit with a head of its own: read freely between awaits, changed by `apply`."""

    head: Head

    @property
    def key(self) -> Key: ...

    @property
    def record(self) -> AggregateRecord: ...

    @property
    def size(self) -> int:
        """Approximate bytes in memory. Read after every change, so it must be cheap."""
        ...

    @property
    def items(self) -> int:
        """Approximate number of values: for planning garbage collection."""
        ...

    @property
    def indexes(self) -> Indexes: ...

    @property
    def large_members(self) -> LargeMembers: ...

    @property
    def rests(self) -> bool:
        """Whether it has dropped what can be made again: a reader has to `wake` it first."""
        ...

    def rest(self) -> None:
        """Drops what can be made again, if that is worth while. To be called when it is not being read."""
        ...

    def made_again(self) -> Any:
        """Makes what `rest` dropped. Reads only: may run in another thread, while nothing is applied."""
        ...

    def wake(self, made: Any) -> None:
        """Puts back what `made_again` made; without effect on one that does not rest any more."""
        ...

    def prepare(self, steps: Iterable[S]) -> Any:
        """Returns what `apply` would otherwise spend its time on. Pure: may run in another thread."""
        ...

    def apply(self, change: Change[S], prepared: Any = None) -> None:
        """Carries out a stored change, and moves to its revision."""
        ...

    def state(self) -> Any:
        """Returns everything, as plain values in a defined order: two equal aggregates have equal states."""
        ...

    @property
    def wanting_vectors(self) -> Mapping[str, Collection[Any]]:
        """Items that still lack a vector of the service's embedder, by part. None of most kinds."""
        ...

    def put_vectors(self, part: str, vectors: Mapping[Any, Vector]) -> None:
        """Indexes vectors of existing items; others are ignored. Derived: no revision."""
        ...


class Restless:
    """For aggregates that never rest: nothing they derive is worth dropping between two readers."""

    @property
    def rests(self) -> bool:
        return False

    def rest(self) -> None:
        """Does nothing."""

    def made_again(self) -> Any:
        """Returns None: nothing was dropped."""
        return None

    def wake(self, made: Any) -> None:
        """Does nothing."""
