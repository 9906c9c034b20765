"""The values of an aggregate by part, as a store keeps them: only the bank has tables of its own.

Law: a part holds values of one class, each under an item's name that is unique in the part and sorts as its values
are to be read. What a step does to the parts follows from the step alone, so a store carries it out without reading.
"""

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, cast

from core.aggregate.aggregate import LargeMembers, Restless, Tuning
from core.aggregate.change import Change, Head, S
from core.aggregate.indexes import Indexes
from core.model.vector import Vector

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A named set of values: each a frozen dataclass of class `of`.

    `loaded`: an aggregate is loaded with them. Values of a part that is not stay in the store, which is asked for them
    by name (`Store.values`); a kind has one such part at most.
    """

    name: str
    of: type[Any]
    loaded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPut:
    """Sets the item's value, whether the item is new or not."""

    part: Part
    item: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDrop:
    """Removes the item and its derived vectors. Removing what is gone has no effect."""

    part: Part
    item: str


Effect = ItemPut | ItemDrop


def numbered(number: int) -> str:
    """Returns the name of an item that is a number from 0 to 10¹² − 1: names sort as the numbers do."""
    return f"{number:012d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsState(Generic[R]):
    """All of an aggregate that is kept by parts and loaded: every such part there, items in the order of their names.

    `vectors`: derived ones of the requested embedding space, by part and item.
    """

    head: Head
    record: R
    parts: Mapping[str, Mapping[str, Any]]
    vectors: Mapping[str, Mapping[str, Vector]] = field(default_factory=dict)


class PartsAggregate(Restless, Generic[R, S]):
    """An aggregate that is its record and its parts: kinds subclass it, and keep what they derive in `entered`
    and `left`.

    `kind`: the kind's own `Kind` value, or whatever has its `parts` and `puts`.
    """

    kind: ClassVar[Any]

    def __init__(self, record: R, head: Head, tuning: Tuning) -> None:
        self.record: R = record
        self.head = head
        self.tuning = tuning
        self.parts: dict[str, MutableMapping[str, Any]] = {
            part.name: {} for part in self.kind.parts if part.loaded
        }

    # ---- making one ----

    @classmethod
    def found(cls, change: Change[S], uid: str, tuning: Tuning) -> Any:
        """Returns the aggregate that its first change describes: that change's first step puts the record."""
        first: Any = change.steps[0]
        if type(first) is not cls.kind.puts:
            raise TypeError("the first step of an aggregate's first change puts its record")
        made = cls(first.record, Head(uid=uid, revision=0, change_id=change.change_id), tuning)
        made.apply(change)
        return made

    @classmethod
    def load(cls, state: PartsState[R], tuning: Tuning, cached: Mapping[str, Any] | None = None) -> Any:
        """Returns the aggregate that a store's rows describe. May take a while: called off the loop."""
        made = cls(state.record, state.head, tuning)
        for part, items in state.parts.items():
            for item, value in items.items():
                tuning.give_way()
                made._put(part, item, value)
        for name, vectors in state.vectors.items():
            made.put_vectors(name, vectors)
        return made

    # ---- reads ----

    @property
    def key(self) -> Any:
        return self.record.key  # type: ignore[attr-defined]  # every record has one

    @property
    def uid(self) -> str:
        return self.head.uid

    @property
    def revision(self) -> int:
        return self.head.revision

    @property
    def size(self) -> int:
        return 4_000 + 1_000 * self.items

    @property
    def items(self) -> int:
        return sum(map(len, self.parts.values()))

    @property
    def indexes(self) -> Indexes:
        return Indexes()

    @property
    def large_members(self) -> LargeMembers:
        return LargeMembers(many=tuple(values for values in self.parts.values() if isinstance(values, dict)))

    @property
    def wanting_vectors(self) -> Mapping[str, Any]:
        return {}

    def state(self) -> PartsState[R]:
        """Returns everything, items by name; vectors apart, which are derived."""
        parts = {name: dict(sorted(items.items())) for name, items in self.parts.items()}
        return PartsState(head=self.head, record=self.record, parts=parts)

    # ---- changing ----

    def prepare(self, steps: Iterable[S]) -> Any:
        """Returns nothing, unless a kind has words to find."""
        return None

    def apply(self, change: Change[S], prepared: Any = None) -> None:
        """Carries out a stored change, and moves to its revision."""
        puts, steps = self.kind.puts, cast(Sequence[Any], change.steps)
        for step in steps:
            if type(step) is puts:
                self.record = step.record
            for effect in step.effects():
                if not effect.part.loaded:
                    continue
                if isinstance(effect, ItemPut):
                    self._put(effect.part.name, effect.item, effect.value)
                else:
                    self._drop(effect.part.name, effect.item)
        self.head = Head(uid=self.head.uid, revision=change.revision, change_id=change.change_id)

    def put_vectors(self, part: str, vectors: Mapping[Any, Vector]) -> None:
        """Does nothing, unless a kind searches by vectors."""

    def entered(self, part: str, item: str, value: Any, before: Any | None) -> None:
        """Takes note of a value that came, or took the place of the one `before`."""

    def left(self, part: str, item: str, before: Any) -> None:
        """Takes note of a value that went."""

    def _put(self, part: str, item: str, value: Any) -> None:
        values = self.parts[part]
        before = values.get(item)
        values[item] = value
        self.entered(part, item, value, before)

    def _drop(self, part: str, item: str) -> None:
        before = self.parts[part].pop(item, None)
        if before is not None:
            self.left(part, item, before)
