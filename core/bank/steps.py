"""The steps of a bank: what one change may do to it.

Law: a bank changes only by `Bank.apply(change)`. The same steps serve live writes, following and tests.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from core.aggregate import step
from core.aggregate.change import Change
from core.aggregate.codec import StepCodec
from core.ids import AttachmentId, ConflictId, InteractionId, NodeId, SegmentRef
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction
from core.model.interaction_retraction import InteractionRetraction
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring
from core.model.vector import Vector


class Step(step.Step):
    """What may happen to a bank."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BankPut(Step):
    """The bank's own record: the first step of its first change, and again when its settings change."""

    record: BankRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightPut(Step):
    """The insight document, whose `completed` are those behind the first `kept`, which stay as they are."""

    insight: Insight
    kept: int = 0

    def over(self, before: Insight) -> Insight:
        """Returns the document as it stands then."""
        if not self.kept:
            return self.insight
        return replace(self.insight, completed=(*before.completed[: self.kept], *self.insight.completed))


def insight_put(before: Insight, insight: Insight) -> InsightPut:
    """Returns the step from one document to the next: of its completed tasks those that are new, or more than
    before."""
    kept = len(before.completed)
    if insight.completed[:kept] != before.completed:
        pairs = enumerate(zip(before.completed, insight.completed, strict=False))
        kept = next((place for place, (old, new) in pairs if old != new), 0)
    return InsightPut(insight=replace(insight, completed=insight.completed[kept:]), kept=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionAdd(Step):
    interaction: Interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentPut(Step):
    """A file uploaded ahead of the interaction that will name it."""

    attachment: Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuringPut(Step):
    structuring: Structuring


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPut(Step):
    """A cluster planned, or the same one done (its outcome set)."""

    cluster: ClusterWork


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NodePut(Step):
    """A node, new or changed. `vector` is None when the stored one stays (or the node has none)."""

    node: Node
    vector: Vector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDrop(Step):
    """A node goes, and its edges with it."""

    node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiesPut(Step):
    """The copies of a node that is there, as they stand now. They go with the node."""

    STORED_NAME: ClassVar[str] = "CopiesPut"

    copies: Copies


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgePut(Step):
    """A *related* edge, undirected. Putting it twice is putting it once."""

    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeDrop(Step):
    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeAdd(Step):
    record: MergeRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictPut(Step):
    conflict: Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSettle(Step):
    """Two nodes found not to be in conflict (dismissed, or a verdict's round): not judged against each other again."""

    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class PairForget(Step):
    """Every settled pair of a node whose source text changed is open to judgement again."""

    node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRefute(Step):
    """A verdict speaks against words of this segment: it is still found, they are marked, and it ranks below.

    `start` and `end` are code points of the segment's text; `end` 0 means the segment's end.
    """

    ref: SegmentRef
    conflict_id: ConflictId
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsDrop(Step):
    """Records go, with their segments and structurings: nodes that rest on them went before. So do merges, by the nodes
    that came of them, conflicts with what their verdicts refuted, and uploaded files."""

    interaction_ids: tuple[InteractionId, ...]
    merged: tuple[NodeId, ...] = ()
    conflict_ids: tuple[ConflictId, ...] = ()
    attachment_ids: tuple[AttachmentId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionPut(Step):
    """A retraction, new or closed."""

    retraction: InteractionRetraction


BankChange = Change[Step]
STEPS: StepCodec[Step] = StepCodec(Step)
