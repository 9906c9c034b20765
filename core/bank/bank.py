"""A bank in memory: the aggregate of one task's memory.

Law: `apply` is the only mutator, and it never fails on a change that was staged on this bank's
state; indexes are derived from the same steps. Everything here is used from one thread, except
`prepare` and the `build` of a compaction, which may run beside it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from core.aggregate.aggregate import LargeMembers, Restless, Tuning
from core.aggregate.change import Head
from core.aggregate.handles import Handles
from core.aggregate.indexes import Indexes
from core.bank.disputes import Disputes
from core.bank.dropping import drop_records
from core.bank.fields import NODE_WEIGHTS, node_fields
from core.bank.graph import QueryGraph
from core.bank.interaction_tree import InteractionTree
from core.bank.prepared import PreparedChange, prepared_change
from core.bank.snapshot import state_of
from core.bank.state import BankState
from core.bank.steps import (
    AttachmentPut,
    BankChange,
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
from core.bank.unembedded import relisted
from core.errors import (
    AttachmentNotFound,
    ConflictNotFound,
    NodeAbsorbed,
    NodeNotFound,
)
from core.ids import AttachmentId, ConflictId, InteractionId, NodeId, SegmentRef
from core.index.keyword_index import KeywordIndex
from core.index.vector_index import VectorIndex
from core.keys import BankKey
from core.model.bank import BankRecord, SpaceSource
from core.model.conflict import Conflict, ConflictStatus
from core.model.copies import Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction
from core.model.interaction_retraction import InteractionRetraction
from core.model.node import Node
from core.model.vector import Vector
from core.text.data_runs import is_data
from core.verbatim.segment_order import SegmentMarks
from core.verbatim.verbatim import Verbatim

SEGMENTS = "segments"
"""The part of a bank whose vectors are derived."""


class Bank(Restless):
    """One bank: read it freely between awaits; change it by `apply`."""

    def __init__(self, record: BankRecord, head: Head, tuning: Tuning) -> None:
        self.record = record
        self.head = head
        self.insight = Insight(goal=record.goal)
        # When these last changed. Not stored: of a bank just loaded, no later than its own revision.
        self.record_revision = head.revision
        self.insight_revision = head.revision
        self.nodes: dict[NodeId, Node] = {}
        self.copies: dict[NodeId, Copies] = {}
        self.graph = QueryGraph()
        self.verbatim = Verbatim(record.space.dimension, tuning.vectors)
        self.tree = InteractionTree(self.verbatim.order)
        self._disputes = Disputes()
        self.conflicts = self._disputes.conflicts
        self.attachments: dict[AttachmentId, Attachment] = {}  # uploaded
        self.retractions: dict[str, InteractionRetraction] = {}
        self.node_words: KeywordIndex[NodeId] = KeywordIndex(NODE_WEIGHTS)
        self.node_vectors: VectorIndex[NodeId] = VectorIndex(record.space.dimension, tuning.vectors)
        self.handles = Handles()
        self._characters = 0

    # ---- making one ----

    @classmethod
    def found(cls, change: BankChange, uid: str, tuning: Tuning) -> "Bank":
        """Returns the bank that its first change describes. That change's first step is BankPut."""
        first = change.steps[0]
        if not isinstance(first, BankPut):
            raise TypeError("the first step of a bank's first change is BankPut")
        bank = cls(first.record, Head(uid=uid, revision=0, change_id=change.change_id), tuning)
        bank.apply(change)
        return bank

    # ---- reads ----

    @property
    def key(self) -> BankKey:
        return self.record.key

    @property
    def uid(self) -> str:
        return self.head.uid

    @property
    def revision(self) -> int:
        return self.head.revision

    @property
    def embeds(self) -> bool:
        """Whether the service makes this bank's vectors."""
        return self.record.space.source is SpaceSource.SERVER

    @property
    def size(self) -> int:
        """An estimate of the bytes the bank takes in memory."""
        vector_bytes = 4 * self.record.space.dimension * (len(self.node_vectors) + len(self.verbatim.vectors))
        return (
            64_000
            + vector_bytes * 5 // 4
            + 8 * self._characters
            + 1_500 * (len(self.nodes) + self.tree.segment_count)
        )

    def node(self, node_id: NodeId) -> Node:
        """Raises NodeAbsorbed (with the node that stands for it now), NodeNotFound."""
        node = self.nodes.get(node_id)
        if node is not None:
            return node
        into = self.tree.standing_for(node_id)
        if into is not None and into in self.nodes:
            raise NodeAbsorbed(node_id, into)
        raise NodeNotFound(node_id)

    def node_named(self, name: NodeId) -> Node:
        """Returns the node of an id, or of the handle that prompts show for it: for what only reads. Raises as `node`
        does, InvalidField for a handle that two share."""
        if name in self.nodes or self.tree.standing_for(name) is not None:
            return self.node(name)
        return self.node(NodeId(self.handles.id_of(name, "node_id", self._is_node) or name))

    def node_standing_for(self, name: NodeId) -> Node:
        """Returns the same, or the node it was merged into. Raises NodeNotFound, InvalidField."""
        try:
            return self.node_named(name)
        except NodeAbsorbed as absorbed:
            return self.nodes[NodeId(absorbed.into)]

    def evidence(self, node: Node) -> tuple[SegmentRef, ...]:
        """Returns the segments that a node was made from, then the kept copies of them."""
        copies = self.copies.get(node.node_id)
        return tuple(dict.fromkeys((*node.segments, *copies.refs))) if copies else node.segments

    def records(self, node: Node) -> tuple[InteractionId, ...]:
        """Returns the interactions that a node stands for, those of its kept copies last."""
        copies = self.copies.get(node.node_id)
        if copies is None:
            return node.interaction_ids
        return tuple(dict.fromkeys((*node.interaction_ids, *(ref.interaction_id for ref in copies.refs))))

    def conflict_named(self, name: ConflictId) -> Conflict:
        """Returns the conflict of an id, or of its handle. Raises ConflictNotFound, InvalidField for a handle that two
        share."""
        if name in self.conflicts:
            return self.conflicts[name]
        return self.conflict(
            ConflictId(self.handles.id_of(name, "conflict_id", self.conflicts.__contains__) or name)
        )

    def interaction_named(self, name: InteractionId) -> Interaction:
        """Returns the record of an id, or of its handle, by which prompts name segments that no node stands for. Raises
        InteractionNotFound, InvalidField for a handle that two share."""
        if name in self.tree.interactions:
            return self.tree.interactions[name]
        told = self.handles.id_of(name, "interaction_id", self.tree.interactions.__contains__)
        return self.tree.interaction(InteractionId(told or name))

    def _is_node(self, name: str) -> bool:
        return name in self.nodes or self.tree.standing_for(NodeId(name)) is not None

    def conflict(self, conflict_id: ConflictId) -> Conflict:
        """Raises ConflictNotFound."""
        try:
            return self.conflicts[conflict_id]
        except KeyError:
            raise ConflictNotFound(conflict_id) from None

    def open_conflicts(self) -> list[Conflict]:
        """Returns the open conflicts, oldest first."""
        return [c for c in self.conflicts.values() if c.status is ConflictStatus.OPEN]

    def suspected_conflicts(self) -> list[Conflict]:
        """Returns the suspected conflicts, in no order."""
        return [self.conflicts[conflict_id] for conflict_id in self._disputes.suspected]

    def suspected_conflicts_of(self, node_id: NodeId) -> list[Conflict]:
        """Returns the suspected conflicts in which a node is a side, by id."""
        return self._disputes.suspected_of(node_id)

    def open_conflicts_of(self, node_id: NodeId) -> list[Conflict]:
        return self._disputes.open_of(node_id)

    def settled_with(self, node_id: NodeId) -> set[NodeId]:
        """Returns nodes this one was found not to contradict, by a person or a verdict."""
        return self._disputes.settled_with(node_id)

    def attachment(self, attachment_id: AttachmentId) -> Attachment:
        """Returns an uploaded file's record. Raises AttachmentNotFound."""
        try:
            return self.attachments[attachment_id]
        except KeyError:
            raise AttachmentNotFound(attachment_id) from None

    @property
    def items(self) -> int:
        """Nodes and segments."""
        return len(self.nodes) + self.tree.segment_count

    def unembedded(self) -> list[InteractionId]:
        """Interactions that lack vectors of segments and whose structuring, if they have one, is done."""
        waiting = {s.interaction_id for s in self.tree.unfinished()}
        wanting = dict.fromkeys(ref.interaction_id for ref in self.verbatim.wanting)
        return [interaction_id for interaction_id in wanting if interaction_id not in waiting]

    def state(self) -> BankState:
        """Returns all of the bank as plain values, in a defined order."""
        return state_of(self)

    # ---- changing ----

    def prepare(self, steps: Iterable[Step]) -> PreparedChange:
        """Finds the words of the steps' new texts. Pure: may run in another thread."""
        return prepared_change(steps, self.node_words, self.verbatim.words)

    def apply(self, change: BankChange, prepared: PreparedChange | None = None) -> None:
        """Carries out a stored change, and stands at its revision."""
        prepared = prepared or self.prepare(change.steps)
        before = self.record
        for step in change.steps:
            self._apply_step(step, prepared)
        self._index(prepared)  # last: a node that went and came back keeps its words
        if any(isinstance(step, BankPut) for step in change.steps):
            self.relist()
            if not before.is_noted_as(self.record):
                self.record_revision = change.revision
        if any(isinstance(step, InsightPut) for step in change.steps):
            self.insight_revision = change.revision
        self.head = Head(uid=self.head.uid, revision=change.revision, change_id=change.change_id)

    def relist(self) -> None:
        """Lists on the record what waits to be embedded, where an earlier program has dropped the list."""
        self.record = relisted(self.record, self.tree.all_clusters(), self.nodes, self.node_vectors.get)

    @property
    def wanting_vectors(self) -> Mapping[str, Collection[SegmentRef]]:
        """Segments whose vectors are still to be made."""
        return {SEGMENTS: self.verbatim.wanting} if self.verbatim.wanting else {}

    def put_vectors(self, part: str, vectors: Mapping[SegmentRef, Vector]) -> None:
        """Indexes vectors of segments this bank has; others are passed over. Derived: no revision."""
        known = {
            ref: vector for ref, vector in vectors.items() if ref.interaction_id in self.tree.interactions
        }
        self.verbatim.put_vectors(known)

    @property
    def indexes(self) -> Indexes:
        """The derived indexes, by part."""
        words: dict[str, KeywordIndex[Any]] = {
            "node_words": self.node_words,
            "segment_words": self.verbatim.words,
        }
        vectors: dict[str, VectorIndex[Any]] = {
            "node_vectors": self.node_vectors,
            "segment_vectors": self.verbatim.vectors,
        }
        return Indexes(words=words, vectors=vectors, others={"graph": self.graph})

    @property
    def large_members(self) -> LargeMembers:
        """What memory the bank holds, to be let go of a little at a time."""
        words, vectors = [self.node_words, self.verbatim.words], [self.node_vectors, self.verbatim.vectors]
        return LargeMembers(
            many=(self.nodes, self.tree.interactions), parts=(self.graph, self.tree, *words, *vectors)
        )

    # ---- steps ----

    def _apply_step(
        self, step: Step, prepared: PreparedChange | None = None
    ) -> None:  # one case a step: long, and read at a glance
        match step:  # the most frequent first: each case is asked in turn
            case NodePut():
                self._put_node(step)
            case CopiesPut():
                self._put_copies(step.copies)
            case EdgePut():
                self.graph.add_edge(step.node_id, step.other_node_id)
            case BankPut():
                self.record = step.record
            case InsightPut():
                self.insight = step.over(self.insight)
            case InteractionAdd():
                added = step.interaction
                self._add_interaction(added, prepared.marks.get(added.interaction_id) if prepared else None)
            case AttachmentPut():
                self.attachments[step.attachment.attachment_id] = step.attachment
            case StructuringPut():
                self.tree.put_structuring(step.structuring)
            case ClusterPut():
                self.tree.put_cluster(step.cluster)
            case NodeDrop():
                self._drop_node(step.node_id)
            case EdgeDrop():
                self.graph.drop_edge(step.node_id, step.other_node_id)
            case MergeAdd():
                self.tree.add_merge(step.record)
                for node in step.record.absorbed:
                    self.handles.add(node.node_id)
            case ConflictPut():
                self._disputes.put(step.conflict)
                self.handles.add(step.conflict.conflict_id)
            case PairSettle():
                self._disputes.settle(step)
            case PairForget():
                self._disputes.forget_pairs(step.node_id)
            case SegmentRefute():
                self.tree.refute(step)
            case RecordsDrop():
                drop_records(self, step)
            case RetractionPut():
                self.retractions[step.retraction.retraction_id] = step.retraction

    def _add_interaction(self, interaction: Interaction, marks: SegmentMarks | None = None) -> None:
        self.tree.add_interaction(interaction, marks)
        self.handles.add(interaction.interaction_id)
        self._characters += len(interaction.text)
        if self.embeds:
            self.verbatim.want(self.tree.refs(interaction.interaction_id))

    def pass_over_data(self, refs: Iterable[SegmentRef]) -> None:
        """Asks for no vectors of segments that are no words."""
        self.verbatim.have([ref for ref in refs if is_data(self.tree.text(ref))])

    def _put_node(self, step: NodePut) -> None:
        node = step.node
        before = self.nodes.get(node.node_id)
        self.nodes[node.node_id] = node
        if before is None:
            self.graph.add_node(node.node_id)
            self.handles.add(node.node_id)
            self._characters += len(node.summary)
        else:
            self.node_words.drop(node.node_id, node_fields(before))
        if step.vector is not None:
            self.node_vectors.put(node.node_id, step.vector)
        self.tree.relink(before, node)

    def _put_copies(self, copies: Copies) -> None:
        before = self.copies.get(copies.node_id)
        self.copies[copies.node_id] = copies
        self.tree.relink_copies(self.nodes[copies.node_id], before, copies)

    def _drop_node(self, node_id: NodeId) -> None:
        before = self.nodes.pop(node_id)
        if (copies := self.copies.pop(node_id, None)) is not None:
            self.tree.relink_copies(before, copies, None)
        self.graph.drop_node(node_id)
        self.node_words.drop(node_id, node_fields(before))
        if node_id in self.node_vectors:
            self.node_vectors.drop(node_id)
        self.tree.relink(before, None)
        self._disputes.forget_pairs(node_id)

    # ---- words ----

    def _index(self, prepared: PreparedChange) -> None:
        self.node_words.put(prepared.nodes)
        self.verbatim.words.put(prepared.segments)
        self.verbatim.have(prepared.data)
