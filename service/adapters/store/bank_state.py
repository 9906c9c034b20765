"""All of a bank, read from its rows in one snapshot of the file.

Law: what is read together is made together: a portion of rows becomes values a column at a time, and every vector
goes from its row to its place in one matrix, which an index then keeps as it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np

from core.aggregate.change import Head
from core.aggregate.codec import vector_of
from core.bank.rows import NodeRows
from core.bank.state import BankState
from core.bank.steps import SegmentRefute
from core.errors import MemoryDamaged
from core.ids import InteractionId, NodeId, SegmentRef
from core.index.giving_way import MANY, GiveWay, in_turns
from core.index.rows import VectorRows
from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.copies import Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.node import Node
from service.adapters.store.bank_rows import BankRows
from service.adapters.store.database import Connection
from service.adapters.store.rows import Table, bank_row

K = TypeVar("K")
T = TypeVar("T")

COMMON = 16_000  # texts of lists that are kept for reuse
PORTION = 100  # rows: as many as are quicker read together, few enough to let other threads in between
FEW = 20  # rows fetched in one go: at each of them SQLite lets go of Python's lock, and waits to have it back


class StateReading:
    """One bank's rows as its state. For one use, in a reader's thread, in one transaction."""

    def __init__(
        self,
        connection: Connection,
        key: BankKey,
        tables: BankRows,
        queries: Mapping[str, str],
        give_way: GiveWay,
    ) -> None:
        self._connection, self._key, self._bank = connection, key, bank_row(key)
        self._tables, self._queries, self._give_way = tables, queries, give_way
        self._texts: dict[str, str] = {}  # interned members of lists: keywords, ids

    def state(self, head: Head, record: BankRecord) -> BankState:
        """Returns all of the bank that has this head and record."""
        rows, tables = self._rows, self._tables
        spans, vectors = self._segments()
        nodes = self._nodes()
        return BankState(
            head=head,
            record=record,
            insight=self._insight(),
            nodes=nodes,
            copies=self._copies(spans),
            edges=self._edges(nodes.nodes),
            interactions=self._interactions(spans),
            attachments=tuple(self._values(tables.attachments)),
            structurings=tuple(self._values(tables.structurings)),
            clusters=tuple(self._values(tables.clusters)),
            merges=tuple(self._values(tables.merges)),
            conflicts=tuple(self._values(tables.conflicts)),
            settled=tuple(rows(self._queries["settled_pairs"])),
            refuted=self._refuted(spans),
            retractions=tuple(self._values(tables.retractions)),
            segment_vectors=vectors,
        )

    def _rows(self, sql: str) -> Any:
        return self._connection.execute(sql, self._bank)

    def _values(self, table: Table[T]) -> Iterator[T]:
        return (table.shape.value(row) for some in self._of(table) for row in some)

    def _of(self, table: Table[Any]) -> Iterator[list[Any]]:
        """Yields the rows of a table in portions, each compared with its checksum."""
        return (table.checked(self._key, some) for some in self._portions(self._rows(table.select)))

    def _count(self, table: Table[Any]) -> int:
        count: int = self._rows(table.count).fetchone()[0]
        return count

    def _common(self) -> dict[str, str]:
        """Returns the interned texts, emptied when there are many: frequent ones soon return, and a look-up in a large
        dictionary takes longer than making a text."""
        if len(self._texts) > COMMON:
            self._texts.clear()
        return self._texts

    def _insight(self) -> Insight:
        tables = self._tables
        done = tuple(self._values(tables.completed))
        for (row,) in self._of(tables.insights):
            insight: Insight = tables.insights.shape.value(row, completed=done)
            return insight
        raise self._damaged(tables.insights.name)

    def _nodes(self) -> NodeRows:
        table = self._tables.nodes
        nodes: list[Node] = []
        vectors: _VectorBuffer[NodeId] = _VectorBuffer(self._count(table))
        for some in self._of(table):
            values = table.shape.values(some, self._common())
            nodes += values
            vectors.put([node.node_id for node in values], [row[-1] for row in some])
        return NodeRows(nodes, vectors.filled())

    def _edges(self, nodes: Iterable[Node]) -> tuple[tuple[NodeId, NodeId], ...]:
        """Returns edges that share the ids of the nodes: else each end of each edge would be a text of its own."""
        ids = {node.node_id: node.node_id for node in in_turns(nodes, self._give_way, MANY)}
        found: list[tuple[NodeId, NodeId]] = []
        for some in self._portions(self._rows(self._queries["edges"])):
            try:
                found += [(ids[one], ids[other]) for one, other in some]
            except KeyError:  # edges have no checksum: a missing end shows the damage
                raise self._damaged("edges") from None
        return tuple(found)

    def _refuted(self, spans: Mapping[str, Sequence[Span]]) -> tuple[SegmentRefute, ...]:
        found: list[SegmentRefute] = []
        for interaction_id, index, start, end, conflict_id in self._rows(self._queries["refutations"]):
            if index >= len(spans.get(interaction_id, ())):
                raise self._damaged("refutations")
            ref = SegmentRef(interaction_id, index)
            found.append(SegmentRefute(ref=ref, conflict_id=conflict_id, start=start, end=end))
        return tuple(found)

    def _copies(self, spans: Mapping[str, Sequence[Span]]) -> tuple[Copies, ...]:
        found = tuple(self._values(self._tables.copies))
        if any(index >= len(spans.get(name, ())) for copies in found for name, index in copies.refs):
            raise self._damaged("copies")
        return found

    def _damaged(self, table: str) -> MemoryDamaged:
        return MemoryDamaged(self._key.kind, self._key.name, table)

    def _segments(self) -> tuple[dict[str, list[Span]], VectorRows[SegmentRef]]:
        table = self._tables.spans
        same = self._texts.setdefault
        spans: dict[str, list[Span]] = {}
        vectors: _VectorBuffer[SegmentRef] = _VectorBuffer(self._count(table))
        for some in self._of(table):
            beside = [row[len(table.shape.names) :] for row in some]
            refs = [SegmentRef(InteractionId(same(owner, owner)), index) for owner, index, _ in beside]
            values = table.shape.values(some, self._common())
            for span, ref in zip(values, refs, strict=True):
                spans.setdefault(ref.interaction_id, []).append(span)
            vectors.put(refs, [row[-1] for row in beside])
        return spans, vectors.filled()

    def _enclosed(self) -> dict[str, list[Attachment]]:
        table = self._tables.enclosed
        enclosed: dict[str, list[Attachment]] = {}
        for row in chain.from_iterable(self._of(table)):
            enclosed.setdefault(row[len(table.shape.names)], []).append(table.shape.value(row))
        return enclosed

    def _interactions(self, spans: Mapping[str, list[Span]]) -> tuple[Interaction, ...]:
        table, enclosed = self._tables.interactions, self._enclosed()
        place = table.shape.names.index("interaction_id")
        return tuple(
            table.shape.value(
                row, spans=tuple(spans.get(row[place], ())), attachments=tuple(enclosed.get(row[place], ()))
            )
            for some in self._of(table)
            for row in some
        )

    def _portions(self, rows: Any) -> Iterator[list[Any]]:
        some: list[Any] = []
        while few := rows.fetchmany(FEW):
            self._give_way()
            some += few
            if len(some) >= PORTION:
                yield some
                some = []
        if some:
            yield some


class _VectorBuffer(Generic[K]):
    """A matrix for the vectors of up to so many rows, filled from its top."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._keys: list[K] = []
        self._matrix = np.empty((0, 0), np.float32)

    def put(self, keys: Sequence[K], stored: Sequence[bytes | None]) -> None:
        """Adds the vectors of these keys, where a row has one. The first of all sets the dimension."""
        present = [vector for vector in stored if vector is not None]
        if not present:
            return
        if not self._keys:  # rows that are never written to take no memory
            self._matrix = np.empty((self._rows, len(vector_of(present[0]))), np.float32)
        start = len(self._keys)
        self._keys += [key for key, vector in zip(keys, stored, strict=True) if vector is not None]
        self._matrix[start : len(self._keys)].reshape(-1)[:] = vector_of(b"".join(present))

    def filled(self) -> VectorRows[K]:
        return VectorRows(self._keys, self._matrix[: len(self._keys)])
