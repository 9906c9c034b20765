"""Items and derived vectors: how every kind but the bank is kept.

Law: a value is one row of JSON, found by part and item; what a step does to the rows is its `effects`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from core.aggregate.change import Head
from core.aggregate.codec import dumps, encode_text, form, vector_bytes, vector_of
from core.aggregate.kind import Kind
from core.aggregate.parts import ItemPut, PartsState
from core.index.giving_way import GiveWay, in_turns
from core.keys import Key
from core.model.vector import Vector
from core.ports.store import PurgeCounts
from service.adapters.store.checksums import check, checksum, seed_of
from service.adapters.store.database import Connection, GuardedStatement
from service.adapters.store.owned import OwnedRows, owner_row, record_row
from service.adapters.store.rows import Row

FEW = 8  # steps whose statements are made on the loop
PORTION = 20  # rows read before others may go on


class ItemTables:
    """Implements `OwnedTables` for one kind."""

    def __init__(self, kind: Kind[Any, Any], queries: Mapping[str, str], give_way: GiveWay) -> None:
        self._kind, self._queries, self._give_way = kind, queries, give_way

    def is_brief(self, steps: Sequence[Any]) -> bool:
        return len(steps) <= FEW

    def founding(self, key: Key, record: Any) -> Iterable[GuardedStatement]:
        return ()

    def statements(self, key: Key, steps: Sequence[Any]) -> Sequence[GuardedStatement]:
        made: list[GuardedStatement] = []
        owner, seed = (key.tenant, key.kind, key.name), seed_of(key)
        for step in steps:
            record = self._kind.record_of(step)
            if record is not None:
                made.append(
                    GuardedStatement(self._queries["put_record"], [record_row(key, encode_text(record))])
                )
            for effect in step.effects():
                place = (*owner, effect.part.name, effect.item)
                if isinstance(effect, ItemPut):
                    written = (effect.part.name, effect.item, encode_text(effect.value))
                    row = (*owner, *written, checksum(seed, written))
                    made.append(GuardedStatement(self._queries["put_item"], [row]))
                else:
                    made.append(GuardedStatement(self._queries["drop_item"], [place]))
                    made.append(GuardedStatement(self._queries["drop_vector"], [place]))
        return made

    def state(self, connection: Connection, key: Key, head: Head, record: Any, space: str) -> PartsState[Any]:
        loaded = [part for part in self._kind.parts if part.loaded]
        parts: dict[str, dict[str, Any]] = {part.name: {} for part in loaded}
        forms = {part.name: form(part.of) for part in loaded}
        seed = seed_of(key)
        rows = connection.execute(self._queries["items"], self._left_out(key))
        for part, item, value, kept in in_turns(rows, self._give_way, PORTION):
            check(key, "items", kept, checksum(seed, (part, item, value)))
            parts[part][item] = forms[part].taken(json.loads(value))
        vectors: dict[str, dict[str, Vector]] = {}
        row = {**owner_row(key), "space": space}
        found = connection.execute(self._queries["vectors"], row)
        for part, item, embedding, kept in in_turns(found, self._give_way, PORTION):
            check(key, "vectors", kept, crc32(embedding, seed))
            vectors.setdefault(part, {})[item] = vector_of(embedding)
        return PartsState(head=head, record=record, parts=parts, vectors=vectors)

    def vector_writes(
        self, key: Key, part: str, space: str, vectors: Mapping[Any, Vector]
    ) -> Iterable[GuardedStatement]:
        seed = seed_of(key)
        rows = [
            {
                **owner_row(key),
                "part": part,
                "item": item,
                "space": space,
                "embedding": stored,
                "checksum": crc32(stored, seed),
            }
            for item, stored in ((item, vector_bytes(vector)) for item, vector in vectors.items())
        ]
        yield GuardedStatement(self._queries["put_vector"], rows)

    def vector_query(
        self, key: Key, uid: str, part: str, space: str, items: Sequence[Any]
    ) -> tuple[str, Row]:
        row = {"uid": uid, "part": part, "space": space, "items": dumps(list(items))}
        return self._queries["vectors_of"], {**owner_row(key), **row}

    def value_query(self, key: Key, uid: str, part: str, items: Sequence[str]) -> tuple[str, Row]:
        row = {"uid": uid, "part": part, "items": dumps(list(items))}
        return self._queries["values_of"], {**owner_row(key), **row}

    def value_of(self, key: Key, row: Sequence[Any]) -> tuple[str, Any]:
        part, item, value, kept = row
        check(key, "items", kept, checksum(seed_of(key), (part, item, value)))
        of = next(each.of for each in self._kind.parts if each.name == part)
        return item, form(of).taken(json.loads(value))

    def verify(self, connection: Connection, key: Key) -> None:
        for row in connection.execute(self._queries["items_left_out"], self._left_out(key)):
            self.value_of(key, row)

    def _left_out(self, key: Key) -> Row:
        return {**owner_row(key), "left_out": self._kind.left_out}

    def item_of(self, row: Sequence[Any]) -> Any:
        return row[0]

    def check_vector(self, key: Key, row: Sequence[Any]) -> None:
        check(key, "vectors", row[-2], crc32(row[-1], seed_of(key)))

    def purge(self, key: Key) -> Sequence[OwnedRows]:
        return [OwnedRows(table, owner_row(key), ("part", "item")) for table in ("vectors", "items")]

    def counted(self, connection: Connection, key: Key) -> PurgeCounts:
        return PurgeCounts(
            items=dict(connection.execute(self._queries["item_counts"], owner_row(key)).fetchall())
        )
