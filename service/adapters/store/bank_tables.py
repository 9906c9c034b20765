"""The tables of banks: one value a row, and the statements that carry out a step on the rows.

Law: the statements of a step follow from the step alone; nothing is read first.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from core.aggregate.change import Head
from core.aggregate.codec import dumps, encode_text, vector_bytes
from core.bank.state import BankState
from core.bank.steps import (
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgeDrop,
    EdgePut,
    InsightPut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    NodePut,
    PairForget,
    PairSettle,
    RecordsDrop,
    RetractionPut,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.errors import StepUnknown
from core.ids import SegmentRef
from core.index.giving_way import GiveWay
from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.insight import Insight
from core.model.interaction import Interaction
from core.model.vector import Vector
from core.ports.store import PurgeCounts
from service.adapters.store.bank_rows import BankRows
from service.adapters.store.bank_state import StateReading
from service.adapters.store.checksums import check, seed_of
from service.adapters.store.database import Connection, GuardedStatement
from service.adapters.store.owned import OwnedRows, record_row
from service.adapters.store.rows import Column, Row, Table, Values, bank_row

T = TypeVar("T")

REMOVED: Mapping[
    str, tuple[str, ...]
] = {  # with a bank, in this order: tables that refer to others first; their keys
    "edges": ("node_id", "other_node_id"),
    "settled_pairs": ("node_id", "other_node_id"),
    "copies": ("node_id",),
    "nodes": ("node_id",),
    "interaction_attachments": ("interaction_id", "index"),
    "attachments": ("attachment_id",),
    "refutations": ("interaction_id", "index", "start", "end", "conflict_id"),
    "segments": ("interaction_id", "index"),
    "clusters": ("interaction_id", "number"),
    "structurings": ("interaction_id",),
    "interactions": ("interaction_id",),
    "merges": ("index",),
    "conflicts": ("conflict_id",),
    "retractions": ("retraction_id",),
    "completed_tasks": ("index",),
    "insights": (),
}

OF_INTERACTIONS = (
    "refutations_of",
    "segments_of",
    "enclosed_of",
    "clusters_of",
    "structuring_of",
    "interaction",
)
"""What goes with a record, in this order: rows that refer to others first."""

FEW = 8  # steps; so few brief ones become statements sooner than another thread would begin
BRIEF = (NodePut, NodeDrop, EdgePut, EdgeDrop)


class _RowStatement(NamedTuple):
    """A statement for one row."""

    sql: str
    row: Row | Values
    names_rows: bool = False


class BankTables(BankRows):
    """Implements `OwnedTables`: values as rows, steps as statements, with the dialect's named queries."""

    def __init__(self, queries: Mapping[str, str], give_way: GiveWay) -> None:
        super().__init__()
        self._queries = queries
        self._give_way = give_way

    def is_brief(self, steps: Sequence[Step]) -> bool:
        return len(steps) <= FEW and all(isinstance(step, BRIEF) for step in steps)

    def founding(self, key: BankKey, record: BankRecord) -> Iterable[GuardedStatement]:
        yield GuardedStatement(self.insights.put, [self.insights.row(key, Insight(goal=record.goal))])

    def statements(self, key: BankKey, steps: Sequence[Step]) -> list[GuardedStatement]:
        """Returns the statements of the steps, in order; consecutive rows of one statement go together."""
        grouped: list[tuple[str, list[Row | Values], bool]] = []
        for step in steps:
            for sql, row, names_rows in self._of_step(key, step):
                if grouped and grouped[-1][0] == sql:
                    grouped[-1][1].append(row)
                else:
                    grouped.append((sql, [row], names_rows))
        return [
            GuardedStatement(sql, rows, len(rows) if names_rows else None)
            for sql, rows, names_rows in grouped
        ]

    def state(
        self, connection: Connection, key: BankKey, head: Head, record: BankRecord, space: str
    ) -> BankState:
        """Returns all of the bank. Its vectors are all of its own space."""
        return StateReading(connection, key, self, self._queries, self._give_way).state(head, record)

    def vector_writes(
        self, key: BankKey, part: str, space: str, vectors: Mapping[SegmentRef, Vector]
    ) -> Iterable[GuardedStatement]:
        seed = seed_of(key)
        rows = [
            {**bank_row(key), **ref._asdict(), "embedding": stored, "checksum": crc32(stored, seed)}
            for ref, stored in ((ref, vector_bytes(vector)) for ref, vector in vectors.items())
        ]
        yield GuardedStatement(self._queries["put_segment_vector"], rows)

    def vector_query(
        self, key: BankKey, uid: str, part: str, space: str, items: Sequence[SegmentRef]
    ) -> tuple[str, Row]:
        row = {**bank_row(key), "uid": uid, "items": dumps(list(items))}
        return self._queries["segment_vectors"], row

    def value_query(self, key: BankKey, uid: str, part: str, items: Sequence[str]) -> tuple[str, Row]:
        raise TypeError("a bank has no parts")

    def value_of(self, key: BankKey, row: Sequence[Any]) -> tuple[str, Any]:
        raise TypeError("a bank has no parts")

    def verify(self, connection: Connection, key: BankKey) -> None:
        """Does nothing: a bank is loaded whole."""

    def item_of(self, row: Sequence[Any]) -> SegmentRef:
        return SegmentRef(row[0], row[1])

    def check_vector(self, key: BankKey, row: Sequence[Any]) -> None:
        check(key, "segments", row[-2], crc32(row[-1], seed_of(key)))

    def purge(self, key: BankKey) -> Sequence[OwnedRows]:
        return [OwnedRows(table, bank_row(key), columns) for table, columns in REMOVED.items()]

    def counted(self, connection: Connection, key: BankKey) -> PurgeCounts:
        (files_left,) = connection.execute(self._queries["files_left"], bank_row(key)).fetchone()
        return PurgeCounts(files_left=files_left)

    def _of_step(
        self, key: BankKey, step: Step
    ) -> Iterable[_RowStatement]:  # one case a step, read at a glance
        match step:  # the most frequent first: cases are tried in turn
            case NodePut():
                yield _put(
                    self.nodes, key, step.node, None if step.vector is None else vector_bytes(step.vector)
                )
            case CopiesPut():
                yield _put(self.copies, key, step.copies)
            case EdgePut():
                ends = (key.tenant, key.bank_id, *sorted((step.node_id, step.other_node_id)))
                yield _RowStatement(self._queries["add_edge"], ends)
            case BankPut():
                yield _RowStatement(self._queries["put_record"], record_row(key, encode_text(step.record)))
            case InsightPut():
                yield _put(self.insights, key, step.insight)
                for index, task in enumerate(step.insight.completed, start=step.kept):
                    yield _put(self.completed, key, task, index)
            case InteractionAdd():
                yield from self._of_interaction(key, step.interaction)
            case AttachmentPut():
                yield _put(self.attachments, key, step.attachment)
            case StructuringPut():
                yield _put(self.structurings, key, step.structuring)
            case ClusterPut():
                yield _put(self.clusters, key, step.cluster)
            case NodeDrop():
                yield self._named("drop_node", key, {"node_id": step.node_id}, names_rows=True)
                yield self._named("forget_pairs", key, {"node_id": step.node_id})
            case EdgeDrop():
                yield self._named("drop_edge", key, pair_row(step.node_id, step.other_node_id))
            case MergeAdd():
                *_, kept = self.merges.row(key, step.record)
                yield self._named(
                    "add_merge", key, {**self.merges.shape.columns(step.record), "checksum": kept}
                )
            case ConflictPut():
                yield _put(self.conflicts, key, step.conflict)
            case PairSettle():
                yield self._named("settle_pair", key, pair_row(step.node_id, step.other_node_id))
            case PairForget():
                yield self._named("forget_pairs", key, {"node_id": step.node_id})
            case SegmentRefute():
                words: Row = {"conflict_id": step.conflict_id, "start": step.start, "end": step.end}
                yield self._named("refute_segment", key, {**step.ref._asdict(), **words})
            case _:
                yield from self._of_rare_step(key, step)

    def _of_rare_step(self, key: BankKey, step: Step) -> Iterable[_RowStatement]:
        match step:
            case RecordsDrop():
                yield from self._of_drop(key, step)
            case RetractionPut():
                yield _put(self.retractions, key, step.retraction)
            case _:
                raise StepUnknown(type(step).__name__)

    def _of_interaction(self, key: BankKey, interaction: Interaction) -> Iterable[_RowStatement]:
        yield _RowStatement(self.interactions.insert, self.interactions.row(key, interaction))
        place = interaction.interaction_id
        for index, span in enumerate(interaction.spans):
            yield _RowStatement(self.spans.insert, self.spans.row(key, span, place, index, None))
        for index, attachment in enumerate(interaction.attachments):
            yield _RowStatement(self.enclosed.insert, self.enclosed.row(key, attachment, place, index))

    def _of_drop(self, key: BankKey, step: RecordsDrop) -> Iterable[_RowStatement]:
        for conflict_id in step.conflict_ids:
            yield self._named("drop_refutations", key, {"conflict_id": conflict_id})
        for table in OF_INTERACTIONS:
            for interaction_id in step.interaction_ids:
                yield self._named(f"drop_{table}", key, {"interaction_id": interaction_id})
        for node_id in step.merged:
            yield self._named("drop_merge", key, {"into": node_id})
        for conflict_id in step.conflict_ids:
            yield self._named("drop_conflict", key, {"conflict_id": conflict_id})
        for attachment_id in step.attachment_ids:
            yield self._named("drop_attachment", key, {"attachment_id": attachment_id})

    def _named(self, name: str, key: BankKey, row: Row, *, names_rows: bool = False) -> _RowStatement:
        return _RowStatement(self._queries[name], {**bank_row(key), **row}, names_rows)


def _put(table: Table[T], key: BankKey, value: T, *beside: Column) -> _RowStatement:
    return _RowStatement(table.put, table.row(key, value, *beside))


def pair_row(node_id: str, other_node_id: str) -> Row:
    one, other = sorted((node_id, other_node_id))  # by their bytes, as the database sorts them
    return {"node_id": one, "other_node_id": other}
