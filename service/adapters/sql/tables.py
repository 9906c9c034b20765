"""The tables that hold one value a row, and the statements that carry out a step on the rows.

Law: each step becomes the same rows wherever it is carried out; nothing is read to find out how.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.bank.change import (
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    EdgeDrop,
    EdgePut,
    InsightPut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    NodePut,
    PairForget,
    PairSettle,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.bank.codec import encode_text, vector_bytes
from core.errors import StepUnknown
from core.ids import BankKey
from core.model.conflict import Conflict
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.request import RequestRecord
from core.model.structuring import ClusterWork, Structuring
from service.adapters.sql.rows import Row, RowShape, Table

T = TypeVar("T")

PURGES: Mapping[str, str] = {  # what removes a bank, by table: those that refer to others first
    table: f"DELETE FROM {table} WHERE tenant = :tenant AND bank_id = :bank_id"
    for table in (
        "edges",
        "settled_pairs",
        "nodes",
        "interaction_attachments",
        "attachments",
        "segments",
        "clusters",
        "structurings",
        "interactions",
        "merges",
        "conflicts",
        "insights",
        "requests",
        "changes",
        "banks",
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement for several rows. `names_rows`: each must be there, else the change is invalid."""

    sql: str
    rows: Sequence[Row]
    names_rows: bool = False


class Tables:
    """Values as rows, steps as statements. Made once per store, with the dialect's named queries."""

    def __init__(self, queries: Mapping[str, str]) -> None:
        self._queries = queries
        self.insights = Table("insights", RowShape(Insight))
        self.interactions = Table(
            "interactions", RowShape(Interaction, apart=("spans", "attachments")), key=("interaction_id",)
        )
        self.spans = Table(
            "segments",
            RowShape(Span),
            key=("interaction_id", "index"),
            beside=("interaction_id", "index", "refuted_by", "embedding"),
        )
        self.enclosed = Table(
            "interaction_attachments",
            RowShape(Attachment),
            key=("interaction_id", "index"),
            beside=("interaction_id", "index"),
        )
        self.attachments = Table("attachments", RowShape(Attachment), key=("attachment_id",))
        self.structurings = Table("structurings", RowShape(Structuring), key=("interaction_id",))
        self.clusters = Table("clusters", RowShape(ClusterWork), key=("interaction_id", "number"))
        self.nodes = Table("nodes", RowShape(Node), key=("node_id",), beside=("embedding",))
        self.merges = Table("merges", RowShape(MergeRecord), key=("index",))
        self.conflicts = Table("conflicts", RowShape(Conflict), key=("conflict_id",))
        self.requests = RowShape(RequestRecord)

    def statements(self, key: BankKey, steps: Iterable[Step]) -> list[Statement]:
        """What carries out the steps, in order. Pure: may run in any thread. Raises StepUnknown."""
        bank = bank_row(key)
        return [statement for step in steps for statement in self._of_step(bank, step)]

    def _of_step(self, bank: Row, step: Step) -> Iterable[Statement]:  # one case a step, read at a glance
        match step:
            case BankPut():
                yield self._named("put_record", bank, {"record": encode_text(step.record)})
            case InsightPut():
                yield Statement(
                    sql=self.insights.put, rows=[{**bank, **self.insights.shape.row(step.insight)}]
                )
            case InteractionAdd():
                yield from self._of_interaction(bank, step.interaction)
            case AttachmentPut():
                yield self._put(self.attachments, bank, step.attachment)
            case StructuringPut():
                yield self._put(self.structurings, bank, step.structuring)
            case ClusterPut():
                yield self._put(self.clusters, bank, step.cluster)
            case NodePut():
                embedding = None if step.vector is None else vector_bytes(step.vector)
                row = {**bank, **self.nodes.shape.row(step.node), "embedding": embedding}
                yield Statement(sql=self.nodes.put, rows=[row])
            case NodeDrop():
                yield self._named("drop_node", bank, {"node_id": step.node_id}, names_rows=True)
                yield self._named("forget_pairs", bank, {"node_id": step.node_id})
            case EdgePut():
                yield self._named("add_edge", bank, pair_row(step.node_id, step.other_node_id))
            case EdgeDrop():
                yield self._named("drop_edge", bank, pair_row(step.node_id, step.other_node_id))
            case MergeAdd():
                yield self._named("add_merge", bank, self.merges.shape.row(step.record))
            case ConflictPut():
                yield self._put(self.conflicts, bank, step.conflict)
            case PairSettle():
                yield self._named("settle_pair", bank, pair_row(step.node_id, step.other_node_id))
            case PairForget():
                yield self._named("forget_pairs", bank, {"node_id": step.node_id})
            case SegmentRefute():
                place = {**step.ref._asdict(), "conflict_id": step.conflict_id}
                yield self._named("refute_segment", bank, place, names_rows=True)
            case _:
                raise StepUnknown(type(step).__name__)

    def _of_interaction(self, bank: Row, interaction: Interaction) -> Iterable[Statement]:
        yield Statement(
            sql=self.interactions.insert, rows=[{**bank, **self.interactions.shape.row(interaction)}]
        )
        place = {**bank, "interaction_id": interaction.interaction_id}
        unmade = {"refuted_by": None, "embedding": None}
        spans = [
            {**place, "index": index, **self.spans.shape.row(span), **unmade}
            for index, span in enumerate(interaction.spans)
        ]
        enclosed = [
            {**place, "index": index, **self.enclosed.shape.row(attachment)}
            for index, attachment in enumerate(interaction.attachments)
        ]
        yield Statement(sql=self.spans.insert, rows=spans)
        yield Statement(sql=self.enclosed.insert, rows=enclosed)

    def _put(self, table: Table[T], bank: Row, value: T) -> Statement:
        return Statement(sql=table.put, rows=[{**bank, **table.shape.row(value)}])

    def _named(self, name: str, bank: Row, row: Row, *, names_rows: bool = False) -> Statement:
        return Statement(sql=self._queries[name], rows=[{**bank, **row}], names_rows=names_rows)


def bank_row(key: BankKey) -> Row:
    """The columns that every row begins with."""
    return {"tenant": key.tenant, "bank_id": key.bank_id}


def pair_row(node_id: str, other_node_id: str) -> Row:
    return {"node_id": node_id, "other_node_id": other_node_id}
