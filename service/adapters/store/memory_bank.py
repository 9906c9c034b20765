"""The rows of a bank as plain dicts and sets: what the store in memory keeps, and the oracle of the other stores.

Law: stricter than they are: a step that names what is not there, or a vector of another dimension, is refused. Shares
no code with `Bank.apply` or with SQL.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field

from core.aggregate.change import Head
from core.aggregate.codec import vector_bytes, vector_of
from core.bank.state import BankState
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
from core.errors import (
    StepUnknown,
)
from core.ids import AttachmentId, ConflictId, InteractionId, NodeId, SegmentRef
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring
from core.model.vector import Vector
from core.ports.store import PurgeCounts
from service.adapters.store.fence import ChangeInvalid

Pair = tuple[NodeId, NodeId]


@dataclass(slots=True, kw_only=True)
class BankContents:
    """One bank's rows. A copy copies the containers, not the frozen values."""

    record: BankRecord
    insight: Insight
    nodes: dict[NodeId, Node] = field(default_factory=dict)
    vectors: dict[NodeId, Vector] = field(default_factory=dict)
    edges: set[Pair] = field(default_factory=set)
    interactions: dict[InteractionId, Interaction] = field(default_factory=dict)
    attachments: dict[AttachmentId, Attachment] = field(default_factory=dict)
    structurings: dict[InteractionId, Structuring] = field(default_factory=dict)
    clusters: dict[tuple[InteractionId, int], ClusterWork] = field(default_factory=dict)
    merges: list[MergeRecord] = field(default_factory=list)
    conflicts: dict[ConflictId, Conflict] = field(default_factory=dict)
    settled: set[Pair] = field(default_factory=set)
    refuted: set[SegmentRefute] = field(default_factory=set)
    segment_vectors: dict[SegmentRef, Vector] = field(default_factory=dict)

    def copied(self) -> "BankContents":
        fields = {name: getattr(self, name) for name in self.__slots__}
        return BankContents(**{name: copy(value) for name, value in fields.items()})

    def has_segment(self, ref: SegmentRef) -> bool:
        interaction = self.interactions.get(ref.interaction_id)
        return interaction is not None and 0 <= ref.index < len(interaction.spans)

    def apply(self, step: Step) -> None:  # one case a step, read at a glance
        match step:
            case BankPut():
                self.record = step.record
            case InsightPut():
                self.insight = step.over(self.insight)
            case InteractionAdd():
                interaction_id = step.interaction.interaction_id
                _require(interaction_id not in self.interactions, f"{interaction_id} is there already")
                self.interactions[interaction_id] = step.interaction
            case AttachmentPut():
                self.attachments[step.attachment.attachment_id] = step.attachment
            case StructuringPut():
                self._require_interaction(step.structuring.interaction_id)
                self.structurings[step.structuring.interaction_id] = step.structuring
            case ClusterPut():
                self._require_interaction(step.cluster.interaction_id)
                self.clusters[step.cluster.interaction_id, step.cluster.number] = step.cluster
            case NodePut():
                self._put_node(step.node, step.vector)
            case NodeDrop():
                self._drop_node(step.node_id)
            case EdgePut():
                self._require_nodes(step.node_id, step.other_node_id)
                self.edges.add(_pair(step.node_id, step.other_node_id))
            case EdgeDrop():
                self.edges.discard(_pair(step.node_id, step.other_node_id))
            case MergeAdd():
                self.merges.append(step.record)
            case ConflictPut():
                self.conflicts[step.conflict.conflict_id] = step.conflict
            case PairSettle():
                self.settled.add(_pair(step.node_id, step.other_node_id))
            case PairForget():
                self.settled = {pair for pair in self.settled if step.node_id not in pair}
            case SegmentRefute():
                _require(self.has_segment(step.ref), f"no segment {step.ref}")
                self.refuted.add(step)
            case _:
                raise StepUnknown(type(step).__name__)

    def _put_node(self, node: Node, vector: Vector | None) -> None:
        for ref in node.segments:
            _require(self.has_segment(ref), f"{node.node_id} rests on a segment that is not there: {ref}")
        for interaction_id in node.interaction_ids:
            self._require_interaction(interaction_id)
        if vector is not None:
            fits = vector.shape == (self.record.space.dimension,)
            _require(fits, f"{node.node_id} has a vector of shape {vector.shape}")
            self.vectors[node.node_id] = vector
        self.nodes[node.node_id] = node

    def _drop_node(self, node_id: NodeId) -> None:
        self._require_nodes(node_id)
        del self.nodes[node_id]
        self.vectors.pop(node_id, None)
        self.edges = {pair for pair in self.edges if node_id not in pair}
        self.settled = {pair for pair in self.settled if node_id not in pair}

    def _require_interaction(self, interaction_id: InteractionId) -> None:
        _require(interaction_id in self.interactions, f"no interaction {interaction_id}")

    def _require_nodes(self, *node_ids: NodeId) -> None:
        for node_id in node_ids:
            _require(node_id in self.nodes, f"no node {node_id}")

    def counts(self) -> PurgeCounts:
        named = [a for i in self.interactions.values() for a in i.attachments] + list(
            self.attachments.values()
        )
        return PurgeCounts(
            nodes=len(self.nodes),
            edges=len(self.edges),
            interactions=len(self.interactions),
            segments=sum(len(i.spans) for i in self.interactions.values()),
            conflicts=len(self.conflicts),
            files_left=len({a.uri for a in named if not a.stored}),
        )

    def put_vectors(self, part: str, space: str, vectors: Mapping[SegmentRef, Vector]) -> None:
        for ref, vector in vectors.items():
            if self.has_segment(ref):
                self.segment_vectors[ref] = vector_of(vector_bytes(vector))

    def vectors_of(self, part: str, space: str) -> Mapping[SegmentRef, Vector]:
        return self.segment_vectors

    def state(self, head: Head, space: str) -> BankState:
        return BankState(
            head=head,
            record=self.record,
            insight=self.insight,
            nodes=tuple(NodePut(node=self.nodes[n], vector=self.vectors.get(n)) for n in sorted(self.nodes)),
            edges=tuple(sorted(self.edges)),
            interactions=tuple(self.interactions[i] for i in sorted(self.interactions)),
            attachments=tuple(self.attachments[a] for a in sorted(self.attachments)),
            structurings=tuple(self.structurings[i] for i in sorted(self.structurings)),
            clusters=tuple(self.clusters[place] for place in sorted(self.clusters)),
            merges=tuple(self.merges),
            conflicts=tuple(self.conflicts[c] for c in sorted(self.conflicts)),
            settled=tuple(sorted(self.settled)),
            refuted=tuple(sorted(self.refuted, key=lambda r: (r.ref, r.start, r.end, r.conflict_id))),
            segment_vectors={ref: self.segment_vectors[ref] for ref in sorted(self.segment_vectors)},
        )


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ChangeInvalid(problem)


def _pair(one: NodeId, other: NodeId) -> Pair:
    _require(one != other, f"{one} cannot be paired with itself")
    return (one, other) if one < other else (other, one)
