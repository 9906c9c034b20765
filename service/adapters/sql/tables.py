"""The tables that hold one value a row, and the statements that carry out a step on the rows.

Law: each step becomes the same rows wherever it is carried out; nothing is read to find out how.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from core.aggregate.codec import encode_text, vector_bytes
from core.bank.steps import (
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
from core.errors import StepUnknown
from core.ids import BankKey
from core.model.conflict import Conflict
from core.model.insight import CompletedTask, Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.request import RequestRecord
from core.model.structuring import ClusterWork, Structuring
from service.adapters.sql.rows import Column, Row, RowShape, Table, Values

T = TypeVar("T")

PURGES: Mapping[str, str] = {  # what removes a bank, by table: those that refer to others first
    table: f"DELETE FROM {table} WHERE tenant = :tenant AND bank_id = :bank_id"
    for table in (
        "edges",
        "settled_pairs",
        "nodes",
        "interaction_attachments",
        "attachments",
        "refutations",
        "segments",
        "clusters",
        "structurings",
        "interactions",
        "merges",
        "conflicts",
        "completed_tasks",
        "insights",
        "requests",
        "changes",
        "banks",
    )
}


class Statement(NamedTuple):
    """One statement for several rows. `names_rows`: each must be there, else the change is invalid."""

    sql: str
    rows: list[Row | Values]
    names_rows: bool = False


class _Written(NamedTuple):
    """A statement for one row."""

    sql: str
    row: Row | Values
    names_rows: bool = False


class Tables:
    """Values as rows, steps as statements. Made once per store, with the dialect's named queries."""

    def __init__(self, queries: Mapping[str, str]) -> None:
        self._queries = queries
        self.insights = Table("insights", RowShape(Insight, apart=("completed",)))
        self.completed = Table("completed_tasks", RowShape(CompletedTask), key=("index",), beside=("index",))
        self.interactions = Table(
            "interactions", RowShape(Interaction, apart=("spans", "attachments")), key=("interaction_id",)
        )
        self.spans = Table(
            "segments",
            RowShape(Span),
            key=("interaction_id", "index"),
            beside=("interaction_id", "index", "embedding"),
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
        """What carries out the steps, in order; rows that follow one another go together.

        Pure: may run in any thread. Raises StepUnknown.
        """
        made: list[Statement] = []
        for step in steps:
            for sql, row, names_rows in self._of_step(key, step):
                if made and made[-1].sql == sql:
                    made[-1].rows.append(row)
                else:
                    made.append(Statement(sql, [row], names_rows))
        return made

    def _of_step(self, key: BankKey, step: Step) -> Iterable[_Written]:  # one case a step, read at a glance
        match step:  # the most frequent first: each case is asked in turn
            case NodePut():
                yield _put(
                    self.nodes, key, step.node, None if step.vector is None else vector_bytes(step.vector)
                )
            case EdgePut():
                row = (key.tenant, key.bank_id, step.node_id, step.other_node_id)
                yield _Written(self._queries["add_edge"], row)
            case BankPut():
                yield self._named("put_record", key, {"record": encode_text(step.record)})
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
                yield self._named("add_merge", key, self.merges.shape.columns(step.record))
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
                raise StepUnknown(type(step).__name__)

    def _of_interaction(self, key: BankKey, interaction: Interaction) -> Iterable[_Written]:
        yield _Written(self.interactions.insert, self.interactions.row(key, interaction))
        place = interaction.interaction_id
        for index, span in enumerate(interaction.spans):
            yield _Written(self.spans.insert, self.spans.row(key, span, place, index, None))
        for index, attachment in enumerate(interaction.attachments):
            yield _Written(self.enclosed.insert, self.enclosed.row(key, attachment, place, index))

    def _named(self, name: str, key: BankKey, row: Row, *, names_rows: bool = False) -> _Written:
        return _Written(self._queries[name], {**bank_row(key), **row}, names_rows)


def _put(table: Table[T], key: BankKey, value: T, *beside: Column) -> _Written:
    return _Written(table.put, table.row(key, value, *beside))


def bank_row(key: BankKey) -> Row:
    """The columns that every row begins with."""
    return {"tenant": key.tenant, "bank_id": key.bank_id}


def pair_row(node_id: str, other_node_id: str) -> Row:
    return {"node_id": node_id, "other_node_id": other_node_id}
