"""The rows of banks: which table holds each class of values, by which key."""

from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.insight import CompletedTask, Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.interaction_retraction import InteractionRetraction
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring
from service.adapters.store.rows import RowShape, Table


class BankRows:
    """A table for each class of values."""

    def __init__(self) -> None:
        self.insights = Table("insights", RowShape(Insight, apart=("completed",)))
        self.completed = Table("completed_tasks", RowShape(CompletedTask), key=("index",), beside=("index",))
        self.interactions = Table(
            "interactions",
            RowShape(Interaction, apart=("spans", "attachments")),
            key=("interaction_id",),
            later=True,
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
        self.nodes = Table("nodes", RowShape(Node), key=("node_id",), beside=("embedding",), later=True)
        self.copies = Table("copies", RowShape(Copies), key=("node_id",))
        self.merges = Table("merges", RowShape(MergeRecord), key=("index",))
        self.retractions = Table(
            "retractions", RowShape(InteractionRetraction), key=("retraction_id",), later=True
        )
        self.conflicts = Table("conflicts", RowShape(Conflict), key=("conflict_id",))
