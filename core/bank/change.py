"""A change: the unit of durability, one revision; and its steps.

Law: a bank changes only by `Bank.apply(change)`, and a change is stored before it is applied.
Steps are plain frozen values, versioned by name and additive: a step is never given another
meaning, a new need gets a new step. The same steps serve live writes, following and tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from core.ids import ChangeId, ConflictId, NodeId, SegmentRef
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.request import RequestRecord
from core.model.structuring import ClusterWork, Structuring

Vector = NDArray[np.float32]
"""One embedding: shape (dimension,), unit length, read-only by convention."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BankPut:
    """The bank's own record: the first step of its first change, and again when its settings change."""

    record: BankRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightPut:
    insight: Insight


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionAdd:
    interaction: Interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentPut:
    """A file uploaded ahead of the interaction that will name it."""

    attachment: Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuringPut:
    structuring: Structuring


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPut:
    """A cluster planned, or the same one done (its outcome set)."""

    cluster: ClusterWork


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NodePut:
    """A node, new or changed. `vector` is None when the stored one stays (or the node has none)."""

    node: Node
    vector: Vector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDrop:
    """A node goes, and its edges with it."""

    node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgePut:
    """A *related* edge, undirected. Putting it twice is putting it once."""

    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeDrop:
    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeAdd:
    record: MergeRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictPut:
    conflict: Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSettle:
    """Two nodes found not to be in conflict (dismissed, or a verdict's round): not judged against each other again."""

    node_id: NodeId
    other_node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class PairForget:
    """Every settled pair of a node whose source text changed is open to judgement again."""

    node_id: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRefute:
    """A verdict speaks against this segment: it is still found, marked, and ranks below."""

    ref: SegmentRef
    conflict_id: ConflictId


Step = (
    BankPut
    | InsightPut
    | InteractionAdd
    | AttachmentPut
    | StructuringPut
    | ClusterPut
    | NodePut
    | NodeDrop
    | EdgePut
    | EdgeDrop
    | MergeAdd
    | ConflictPut
    | PairSettle
    | PairForget
    | SegmentRefute
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Change:
    """What one revision adds. `parent` is the change before (None for the first): the fence.

    `requests` are rows written in the same transaction and kept out of the feed: what became of
    a request_id interests nobody who follows.
    """

    change_id: ChangeId
    parent: ChangeId | None
    revision: int
    time: datetime
    steps: tuple[Step, ...]
    requests: tuple[RequestRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a bank stands: which bank (`uid`), how far (`revision`), by which change (`change_id`)."""

    uid: str
    revision: int
    change_id: ChangeId


@dataclass(frozen=True, slots=True, kw_only=True)
class BankState:
    """All of a bank as plain values, in a defined order: what a store loads and an export carries.

    `settled` pairs are sorted within and among themselves; nodes, edges, interactions and all
    else come in the order of their ids, so that two equal banks have equal states.
    """

    head: Head
    record: BankRecord
    insight: Insight
    nodes: Sequence[NodePut] = ()  # from a store: `core.bank.rows.NodeRows`
    edges: tuple[tuple[NodeId, NodeId], ...] = ()
    interactions: tuple[Interaction, ...] = ()
    attachments: tuple[Attachment, ...] = ()  # uploaded, by id
    structurings: tuple[Structuring, ...] = ()
    clusters: tuple[ClusterWork, ...] = ()  # by interaction, then number
    merges: tuple[MergeRecord, ...] = ()  # in the order they happened
    conflicts: tuple[Conflict, ...] = ()
    settled: tuple[tuple[NodeId, NodeId], ...] = ()
    refuted: tuple[tuple[SegmentRef, ConflictId], ...] = ()
    segment_vectors: Mapping[SegmentRef, Vector] | None = None  # from a store: `core.bank.rows.VectorRows`


def steps_of(state: BankState) -> list[Step]:
    """The state's rows as the steps that would make them in a bank that has its record and insight."""
    return [
        *(InteractionAdd(interaction=i) for i in state.interactions),
        *state.nodes,
        *(EdgePut(node_id=a, other_node_id=b) for a, b in state.edges),
        *other_steps_of(state),
    ]


def other_steps_of(state: BankState) -> list[Step]:
    """Those of `steps_of` but for interactions, nodes and edges, which come before them."""
    return [
        *(AttachmentPut(attachment=a) for a in state.attachments),
        *(MergeAdd(record=m) for m in state.merges),
        *(ConflictPut(conflict=c) for c in state.conflicts),
        *(PairSettle(node_id=a, other_node_id=b) for a, b in state.settled),
        *(SegmentRefute(ref=ref, conflict_id=c) for ref, c in state.refuted),
        *(StructuringPut(structuring=s) for s in state.structurings),
        *(ClusterPut(cluster=c) for c in state.clusters),
    ]
