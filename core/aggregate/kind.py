"""What a kind of aggregate is to those that store, hold and follow it: one frozen value each.

Law: nothing outside a kind's own folder asks which kind an aggregate is of; it asks the `Kind`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from core.aggregate.aggregate import Record, Tuning
from core.aggregate.change import Change, S
from core.aggregate.codec import StepCodec
from core.aggregate.parts import Effect, Part
from core.errors import AggregateExists, AggregateNotFound
from core.ids import Tenant
from core.index.restoring import Cached
from core.keys import Key

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chore:
    """Background work that an aggregate's state asks for, by name: at most one of a name is at work per aggregate.

    What exactly is to be done is read off the state when it begins, so one that finds nothing to do does nothing.
    """

    name: str


def _no_text(steps: Sequence[Any]) -> int:
    return 0


def _nothing_due(aggregate: Any, now: datetime) -> Sequence[Chore]:
    return ()


def _no_owner(record: Any) -> Key | None:
    return None


def _no_effects(step: Any) -> Iterable[Effect]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[A, S]):
    """One kind of aggregate.

    `key_of`: the key of a tenant's aggregate by its name. `record`: the class of its records. `record_of`: the record
    that a step puts, None for other steps; the first step of the first change puts one. `missing` and `taken`: the
    errors of a key that has no aggregate, or has one already. `text_length`: characters of new text in steps.
    `parts` and `effects`: its values and what a step does to them; none for a kind whose tables are its own (the bank).
    `due`: the chores that the state asks for at a moment; pure. `owner_of`: the key of the user's record that no
    write of an aggregate with this record may find switched off or purged, where it is there at all.
    """

    name: str
    key_of: Callable[[Tenant, str], Key]
    record: type[Any]
    steps: StepCodec[S]
    record_of: Callable[[S], Record | None]
    found: Callable[[Change[S], str, Tuning], A]
    load: Callable[[Any, Tuning, Mapping[str, Cached] | None], A]
    missing: Callable[[Any], AggregateNotFound]
    taken: Callable[[Any], AggregateExists]
    text_length: Callable[[Sequence[S]], int] = _no_text
    parts: tuple[Part, ...] = ()
    effects: Callable[[S], Iterable[Effect]] = _no_effects
    due: Callable[[A, datetime], Sequence[Chore]] = _nothing_due
    owner_of: Callable[[Any], Key | None] = _no_owner


Kinds = Mapping[str, Kind[Any, Any]]
"""Every kind there is, by name."""
