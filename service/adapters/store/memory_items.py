"""The items of an aggregate as plain dicts: what the store in memory keeps of every kind but the bank.

Law: shares no code with `PartsAggregate.apply` or with SQL.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.aggregate.change import Head
from core.aggregate.codec import decode, encode, vector_bytes, vector_of
from core.aggregate.kind import Kind
from core.aggregate.parts import ItemPut, PartsState
from core.model.vector import Vector
from core.ports.store import PurgeCounts
from service.adapters.store.undo import Undo


@dataclass(slots=True, kw_only=True)
class ItemContents:
    """One aggregate's record, its items by (part, item) as written, and vectors with their space."""

    kind: Kind[Any, Any]
    record: Any
    items: dict[tuple[str, str], bytes] = field(default_factory=dict)
    vectors: dict[tuple[str, str], tuple[str, Vector]] = field(default_factory=dict)

    def apply(self, step: Any, undo: Undo) -> None:
        record = self.kind.record_of(step)
        if record is not None:
            undo.set(self, "record", decode(self.kind.record, encode(record)))
        for effect in step.effects():
            place = (effect.part.name, effect.item)
            if isinstance(effect, ItemPut):
                undo.put(self.items, place, encode(effect.value))
            else:
                undo.drop(self.items, place)
                undo.drop(self.vectors, place)

    def put_vectors(self, part: str, space: str, vectors: Mapping[str, Vector]) -> None:
        for item, vector in vectors.items():
            if (part, item) in self.items:
                self.vectors[part, item] = (space, vector_of(vector_bytes(vector)))

    def vectors_of(self, part: str, space: str) -> Mapping[str, Vector]:
        return {
            item: vector
            for (name, item), (made_in, vector) in sorted(self.vectors.items(), key=lambda kept: kept[0])
            if name == part and made_in == space
        }

    def values_of(self, part: str) -> Mapping[str, Any]:
        of = next(each.of for each in self.kind.parts if each.name == part)
        return {item: decode(of, written) for (name, item), written in self.items.items() if name == part}

    def counts(self) -> PurgeCounts:
        counted: dict[str, int] = {}
        for part, _ in sorted(self.items):
            counted[part] = counted.get(part, 0) + 1
        return PurgeCounts(items=counted)

    def state(self, head: Head, space: str) -> PartsState[Any]:
        classes = {part.name: part.of for part in self.kind.parts if part.loaded}
        parts: dict[str, dict[str, Any]] = {part: {} for part in classes}
        for (part, item), written in sorted(self.items.items()):
            if part in classes:
                parts[part][item] = decode(classes[part], written)
        vectors = {part: self.vectors_of(part, space) for part in parts}
        return PartsState(
            head=head, record=self.record, parts=parts, vectors={p: v for p, v in vectors.items() if v}
        )
