"""The rows of banks: which table holds each class of values, by which key."""

from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.insight import CompletedTask, Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.interaction_retraction import InteractionRetraction
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring
from service.adapters.store.rows import Table, shape_of


class BankRows:
    """A table for each class of values."""

    def __init__(self) -> None:
        self.insights = Table("insights", shape_of(Insight, apart=("completed",)))
        self.completed = Table("completed_tasks", shape_of(CompletedTask), key=("index",), beside=("index",))
        self.interactions = Table(
            "interactions",
            shape_of(Interaction, apart=("spans", "attachments")),
            key=("interaction_id",),
            later=True,
        )
        self.spans = Table(
            "segments",
            shape_of(Span),
            key=("interaction_id", "index"),
            beside=("interaction_id", "index", "embedding"),
        )
        self.enclosed = Table(
            "interaction_attachments",
            shape_of(Attachment),
            key=("interaction_id", "index"),
            beside=("interaction_id", "index"),
        )
        self.attachments = Table("attachments", shape_of(Attachment), key=("attachment_id",))
        self.structurings = Table("structurings", shape_of(Structuring), key=("interaction_id",))
        self.clusters = Table("clusters", shape_of(ClusterWork), key=("interaction_id", "number"))
        self.nodes = Table("nodes", shape_of(Node), key=("node_id",), beside=("embedding",), later=True)
        self.copies = Table("copies", shape_of(Copies), key=("node_id",))
        self.merges = Table("merges", shape_of(MergeRecord), key=("index",))
        self.retractions = Table(
            "retractions", shape_of(InteractionRetraction), key=("retraction_id",), later=True
        )
        self.conflicts = Table("conflicts", shape_of(Conflict), key=("conflict_id",))
