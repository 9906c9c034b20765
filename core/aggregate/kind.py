"""A kind of aggregate, as storing, holding and following it need it: one frozen value each.

Law: nothing outside a kind's own folder branches on which kind an aggregate is of; it calls the `Kind`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar, get_type_hints

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change, S
from core.aggregate.codec import StepCodec
from core.aggregate.parts import Part
from core.errors import AggregateExists, AggregateNotFound
from core.ids import Tenant
from core.index.restoring import Cached
from core.keys import Key

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chore:
    """Background work that is due by an aggregate's state, by name: at most one of a name runs per aggregate.

    What is to be done is read off the state when it begins, so a chore without work does nothing.
    """

    name: str


def _no_text(steps: Sequence[Any]) -> int:
    return 0


def _nothing_due(aggregate: Any, now: datetime) -> Sequence[Chore]:
    return ()


def _no_owner(record: Any) -> Key | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[A, S]):
    """One kind of aggregate.

    `key_of`: the key of a tenant's aggregate by its name. `puts`: the class of the step that puts the record, in its
    field `record`; the first step of the first change is one. `missing` and `taken`: the errors of a key that has no
    aggregate, or has one already. `text_length`: characters of new text in steps. `parts`: its values; none of a kind
    whose tables are its own (the bank).
    `due`: the chores that are due by the state at a moment; pure. `owner_of`: the key of the user's record that no
    write of an aggregate with this record may find switched off or purged, where it is there at all.
    """

    name: str
    key_of: Callable[[Tenant, str], Key]
    steps: StepCodec[S]
    puts: type[S]
    found: Callable[[Change[S], str, Tuning], A]
    load: Callable[[Any, Tuning, Mapping[str, Cached] | None], A]
    missing: Callable[[Any], AggregateNotFound] = lambda key: AggregateNotFound()
    taken: Callable[[Any], AggregateExists] = lambda key: AggregateExists()
    text_length: Callable[[Sequence[S]], int] = _no_text
    parts: tuple[Part, ...] = ()
    due: Callable[[A, datetime], Sequence[Chore]] = _nothing_due
    owner_of: Callable[[Any], Key | None] = _no_owner
    record: type[Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "record", get_type_hints(self.puts)["record"])

    @property
    def left_out(self) -> str:
        """The name of the part that it is loaded without; empty for none."""
        return next((part.name for part in self.parts if not part.loaded), "")

    def record_of(self, step: Any) -> Any | None:
        """Returns the record that the step puts; None for other steps."""
        puts: type[Any] = self.puts
        return step.record if type(step) is puts else None


Kinds = Mapping[str, Kind[Any, Any]]
"""Every kind there is, by name."""
