"""The rows of a bank as plain dicts and sets: what the store in memory keeps, and the oracle of the other stores.

Law: stricter than they are: a step that names what is not there, or a vector of another dimension, is refused. Shares
no code with `Bank.apply` or with SQL.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.aggregate.change import Head
from core.aggregate.codec import vector_bytes, vector_of
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
from core.errors import (
    StepUnknown,
)
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
from core.ports.store import PurgeCounts
from service.adapters.store.fence import ChangeInvalid
from service.adapters.store.undo import Undo

Pair = tuple[NodeId, NodeId]


@dataclass(slots=True, kw_only=True)
class BankContents:
    """One bank's rows."""

    record: BankRecord
    insight: Insight
    nodes: dict[NodeId, Node] = field(default_factory=dict)
    vectors: dict[NodeId, Vector] = field(default_factory=dict)
    copies: dict[NodeId, Copies] = field(default_factory=dict)
    edges: set[Pair] = field(default_factory=set)
    interactions: dict[InteractionId, Interaction] = field(default_factory=dict)
    attachments: dict[AttachmentId, Attachment] = field(default_factory=dict)
    structurings: dict[InteractionId, Structuring] = field(default_factory=dict)
    clusters: dict[tuple[InteractionId, int], ClusterWork] = field(default_factory=dict)
    merges: list[MergeRecord] = field(default_factory=list)
    conflicts: dict[ConflictId, Conflict] = field(default_factory=dict)
    settled: set[Pair] = field(default_factory=set)
    refuted: set[SegmentRefute] = field(default_factory=set)
    retractions: dict[str, InteractionRetraction] = field(default_factory=dict)
    segment_vectors: dict[SegmentRef, Vector] = field(default_factory=dict)

    def has_segment(self, ref: SegmentRef) -> bool:
        interaction = self.interactions.get(ref.interaction_id)
        return interaction is not None and 0 <= ref.index < len(interaction.spans)

    def apply(self, step: Step, undo: Undo) -> None:  # one case a step, read at a glance
        match step:
            case BankPut():
                undo.set(self, "record", step.record)
            case InsightPut():
                undo.set(self, "insight", step.over(self.insight))
            case InteractionAdd():
                interaction_id = step.interaction.interaction_id
                _require(interaction_id not in self.interactions, f"{interaction_id} is there already")
                undo.put(self.interactions, interaction_id, step.interaction)
            case AttachmentPut():
                undo.put(self.attachments, step.attachment.attachment_id, step.attachment)
            case StructuringPut():
                self._require_interaction(step.structuring.interaction_id)
                undo.put(self.structurings, step.structuring.interaction_id, step.structuring)
            case ClusterPut():
                self._put_cluster(step.cluster, undo)
            case NodePut():
                self._put_node(step.node, step.vector, undo)
            case NodeDrop():
                self._drop_node(step.node_id, undo)
            case CopiesPut():
                self._put_copies(step.copies, undo)
            case EdgePut():
                self._require_nodes(step.node_id, step.other_node_id)
                undo.add(self.edges, _pair(step.node_id, step.other_node_id))
            case EdgeDrop():
                undo.discard(self.edges, _pair(step.node_id, step.other_node_id))
            case MergeAdd():
                undo.append(self.merges, step.record)
            case ConflictPut():
                undo.put(self.conflicts, step.conflict.conflict_id, step.conflict)
            case PairSettle():
                undo.add(self.settled, _pair(step.node_id, step.other_node_id))
            case PairForget():
                _forget(self.settled, step.node_id, undo)
            case SegmentRefute():
                _require(self.has_segment(step.ref), f"no segment {step.ref}")
                undo.add(self.refuted, step)
            case _:
                self._apply_rare(step, undo)

    def _apply_rare(self, step: Step, undo: Undo) -> None:
        match step:
            case RecordsDrop():
                self._drop_records(step, undo)
            case RetractionPut():
                undo.put(self.retractions, step.retraction.retraction_id, step.retraction)
            case _:
                raise StepUnknown(type(step).__name__)

    def _put_cluster(self, cluster: ClusterWork, undo: Undo) -> None:
        self._require_interaction(cluster.interaction_id)
        undo.put(self.clusters, (cluster.interaction_id, cluster.number), cluster)

    def _put_node(self, node: Node, vector: Vector | None, undo: Undo) -> None:
        for ref in node.segments:
            _require(self.has_segment(ref), f"{node.node_id} rests on a segment that is not there: {ref}")
        for interaction_id in node.interaction_ids:
            self._require_interaction(interaction_id)
        if vector is not None:
            fits = vector.shape == (self.record.space.dimension,)
            _require(fits, f"{node.node_id} has a vector of shape {vector.shape}")
            undo.put(self.vectors, node.node_id, vector)
        undo.put(self.nodes, node.node_id, node)

    def _put_copies(self, copies: Copies, undo: Undo) -> None:
        self._require_nodes(copies.node_id)
        _require(len(copies.refs) <= copies.count, f"{copies.node_id} keeps more copies than it has")
        for ref in copies.refs:
            _require(self.has_segment(ref), f"no segment {ref}")
        undo.put(self.copies, copies.node_id, copies)

    def _drop_node(self, node_id: NodeId, undo: Undo) -> None:
        self._require_nodes(node_id)
        undo.drop(self.nodes, node_id)
        undo.drop(self.copies, node_id)
        undo.drop(self.vectors, node_id)
        _forget(self.edges, node_id, undo)
        _forget(self.settled, node_id, undo)

    def _drop_records(self, step: RecordsDrop, undo: Undo) -> None:
        for interaction_id in step.interaction_ids:
            self._require_interaction(interaction_id)
            gone = {interaction_id}
            resting = [n for n, node in self.nodes.items() if not gone.isdisjoint(node.interaction_ids)]
            _require(not resting, f"{resting} rest on {interaction_id}")
            undo.drop(self.interactions, interaction_id)
            undo.drop(self.structurings, interaction_id)
            for place in [place for place in self.clusters if place[0] == interaction_id]:
                undo.drop(self.clusters, place)
            for ref in [ref for ref in self.segment_vectors if ref.interaction_id == interaction_id]:
                undo.drop(self.segment_vectors, ref)
        for refuted in list(self.refuted):
            if refuted.ref.interaction_id in step.interaction_ids or refuted.conflict_id in step.conflict_ids:
                undo.discard(self.refuted, refuted)
        undo.set(self, "merges", [record for record in self.merges if record.into not in step.merged])
        for conflict_id in step.conflict_ids:
            undo.drop(self.conflicts, conflict_id)
        for attachment_id in step.attachment_ids:
            undo.drop(self.attachments, attachment_id)

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
            copies=tuple(self.copies[n] for n in sorted(self.copies)),
            edges=tuple(sorted(self.edges)),
            interactions=tuple(self.interactions[i] for i in sorted(self.interactions)),
            attachments=tuple(self.attachments[a] for a in sorted(self.attachments)),
            structurings=tuple(self.structurings[i] for i in sorted(self.structurings)),
            clusters=tuple(self.clusters[place] for place in sorted(self.clusters)),
            merges=tuple(self.merges),
            conflicts=tuple(self.conflicts[c] for c in sorted(self.conflicts)),
            settled=tuple(sorted(self.settled)),
            refuted=tuple(sorted(self.refuted, key=lambda r: (r.ref, r.start, r.end, r.conflict_id))),
            retractions=tuple(self.retractions[r] for r in sorted(self.retractions)),
            segment_vectors={ref: self.segment_vectors[ref] for ref in sorted(self.segment_vectors)},
        )


def _forget(pairs: set[Pair], node_id: NodeId, undo: Undo) -> None:
    for pair in [pair for pair in pairs if node_id in pair]:
        undo.discard(pairs, pair)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ChangeInvalid(problem)


def _pair(one: NodeId, other: NodeId) -> Pair:
    _require(one != other, f"{one} cannot be paired with itself")
    return (one, other) if one < other else (other, one)
