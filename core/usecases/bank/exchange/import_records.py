"""Reading an export: every record is checked as it comes, against those before it.

Law: what `ExportRecords` yields is a bank that could have come about by changes: every id that is
named exists, vectors are unit vectors of the bank's space, merges form a tree.
"""

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from core.aggregate.change import Head
from core.bank.state import BankState
from core.bank.steps import NodePut, SegmentRefute
from core.errors import ImportInvalid
from core.ids import AttachmentId, ChangeId, ConflictId, InteractionId, NodeId, SegmentRef, is_id
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.copies import MOST_REFS, Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction, Span
from core.model.lineage import MergeRecord
from core.model.structuring import ClusterWork, Structuring
from core.model.vector import Vector
from core.usecases.bank.exchange.export_records import (
    FORMAT,
    Edge,
    ExportHeader,
    ExportRecord,
    ExportTrailer,
    FileChunk,
    InteractionHead,
    InteractionPart,
    SegmentVector,
    SettledPair,
)
from core.usecases.limits import Limits

UNIT = 1e-3  # how far a stored vector's length may be from 1
MOST = 1 << 53  # of what goes on being counted: no store, and no message, counts further than 1 << 63
LARGEST = 1 << 62  # of a revision that is read: no bank that began at MOST ever comes to it

ORDER: tuple[tuple[type, ...], ...] = (
    (ExportHeader,),
    (BankRecord,),
    (Insight,),
    (InteractionHead, InteractionPart),
    (Attachment,),
    (NodePut,),
    (Copies,),
    (Edge,),
    (Structuring,),
    (ClusterWork,),
    (MergeRecord,),
    (Conflict,),
    (SettledPair,),
    (SegmentRefute,),
    (SegmentVector,),
    (FileChunk,),
    (ExportTrailer,),
)
RANKS = {kind: rank for rank, kinds in enumerate(ORDER) for kind in kinds}
FRAMES = (ExportHeader, BankRecord, Insight, ExportTrailer)  # there once each

K = TypeVar("K")
N = TypeVar("N", bound=str)
V = TypeVar("V")


@dataclass(slots=True)
class _Text:
    """An interaction while its parts come."""

    head: Interaction
    texts: list[str]
    spans: list[Span]
    length: int = 0


class ExportRecords:
    """The records of one export so far. `take` raises ImportInvalid (naming the record) and LimitReached."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rank = -1
        self._open: _Text | None = None
        self._segments = 0
        self._absorbed: set[NodeId] = set()
        self.line = 0
        self.header: ExportHeader | None = None
        self.record: BankRecord | None = None
        self.trailer: ExportTrailer | None = None
        self._insight = Insight()
        self._interactions: dict[InteractionId, Interaction] = {}
        self.attachments: dict[AttachmentId, Attachment] = {}
        self._nodes: dict[NodeId, NodePut] = {}
        self._copies: dict[NodeId, Copies] = {}
        self._edges: dict[tuple[NodeId, NodeId], None] = {}
        self._structurings: dict[InteractionId, Structuring] = {}
        self._clusters: dict[tuple[InteractionId, int], ClusterWork] = {}
        self._merges: list[MergeRecord] = []
        self._conflicts: dict[ConflictId, Conflict] = {}
        self._settled: dict[tuple[NodeId, NodeId], None] = {}
        self._refuted: dict[SegmentRefute, None] = {}
        self._vectors: dict[SegmentRef, Vector] = {}

    def take(self, record: ExportRecord) -> None:
        """Takes the next record."""
        self.line += 1
        self._check_order(record)
        if not isinstance(record, InteractionPart):
            self._close_interaction()
        match record:  # one case a kind: the record, and the graph
            case InteractionHead():
                self._take_interaction(record.interaction)
            case InteractionPart():
                self._take_part(record)
            case Attachment():
                self._add_named(self.attachments, record.attachment_id, record)
            case NodePut():
                self._take_node(record)
            case Copies():
                self._take_copies(record)
            case Edge():
                self._edges[self._pair(record.node_id, record.other_node_id)] = None
            case MergeRecord():
                self._take_merge(record)
            case Conflict():
                self._take_conflict(record)
            case SettledPair():
                self._settled[self._pair(record.node_id, record.other_node_id)] = None
            case _:
                self._take_other(record)

    def _take_other(self, record: ExportRecord) -> None:
        match record:  # the frame, and what hangs on segments and files
            case ExportHeader():
                self._require(record.format == FORMAT, f"only format {FORMAT} is known")
                self._require(1 <= record.revision <= LARGEST, f"a revision is 1 to {LARGEST:,}")
                self.header = record
            case BankRecord():
                self._require(record.tokens_spent <= MOST, f"no more than {MOST:,} tokens can be spent")
                self.record = record
            case Insight():
                self._insight = record
            case Structuring():
                self._interaction(record.interaction_id)
                self._add(self._structurings, record.interaction_id, record)
            case ClusterWork():
                self._take_cluster(record)
            case SegmentRefute():
                self._take_refutation(record)
            case SegmentVector():
                self._segment(record.ref)
                self._vector(record.vector)
                self._add(self._vectors, record.ref, record.vector)
            case FileChunk():
                stored = self.attachments.get(record.attachment_id)
                self._require(stored is not None and stored.stored, "a file that the bank does not keep")
            case ExportTrailer():
                self._require(record.records == self.line - 1, f"{self.line - 1} records came before")
                self.trailer = record

    def state(self, record: BankRecord, kept: dict[AttachmentId, Attachment]) -> BankState:
        """Returns all of the bank, under its new record. `kept` are the files whose bytes came, at their new places.

        It begins at MOST at the latest: all banks after it begin above it, and their exports are to be imported, too.
        """
        assert self.header is not None
        revision = min(self.header.revision, MOST)
        return BankState(
            head=Head(uid=record.uid, revision=revision, change_id=ChangeId("")),
            record=record,
            insight=self._insight,
            nodes=tuple(_no_newer(put, revision) for put in self._nodes.values()),
            copies=tuple(self._copies.values()),
            edges=tuple(self._edges),
            interactions=tuple(_at_home(i, kept) for i in self._interactions.values()),
            attachments=tuple(_kept(a, kept) for a in self.attachments.values()),
            structurings=tuple(self._structurings.values()),
            clusters=tuple(self._clusters.values()),
            merges=tuple(self._merges),
            conflicts=tuple(self._conflicts.values()),
            settled=tuple(self._settled),
            refuted=tuple(self._refuted),
            segment_vectors=self._vectors,
        )

    def counted(self) -> dict[str, int]:
        """Returns how many there are of each part that has any, by its name."""
        parts: dict[str, Sized] = {
            "nodes": self._nodes,
            "edges": self._edges,
            "interactions": self._interactions,
            "conflicts": self._conflicts,
            "attachments": self.attachments,
        }
        return {name: len(values) for name, values in parts.items() if values}

    # ---- kinds ----

    def _check_order(self, record: ExportRecord) -> None:
        kind = type(record)
        rank = RANKS[kind]
        self._require(self.trailer is None, "nothing comes after the trailer")
        self._require(rank >= self._rank, f"{kind.__name__} comes too late")
        self._require(rank > self._rank or kind not in FRAMES, f"a second {kind.__name__}")
        skipped = [k for kinds in ORDER[self._rank + 1 : rank] for k in kinds if k in FRAMES]
        self._require(not skipped, f"{skipped[0].__name__ if skipped else ''} is missing before this record")
        self._rank = rank

    def _take_interaction(self, head: Interaction) -> None:
        self._require(is_id(head.interaction_id), "no interaction has such an id")
        self._require(head.interaction_id not in self._interactions, f"{head.interaction_id} comes twice")
        self._require(not head.text and not head.spans, "text and segments come in parts")
        self._open = _Text(head, [], [])

    def _take_part(self, part: InteractionPart) -> None:
        opened = self._open
        if opened is None or opened.head.interaction_id != part.interaction_id:
            raise ImportInvalid(self.line, "a part follows its interaction")
        opened.texts.append(part.text)
        opened.length += len(part.text)
        opened.spans.extend(part.spans)
        self._limits.check_context(opened.length)

    def _close_interaction(self) -> None:
        if self._open is None:
            return
        head, text, spans = self._open.head, "".join(self._open.texts), tuple(self._open.spans)
        self._open = None
        end = 0
        for span in spans:
            self._require(end <= span.start <= span.end, f"segments of {head.interaction_id} overlap")
            end = span.end
        self._require(end <= len(text), f"segments of {head.interaction_id} lie outside its text")
        self._segments += len(spans)
        self._limits.check_segment_count(self._segments)
        self._interactions[head.interaction_id] = replace(head, text=text, spans=spans)

    def _take_node(self, put: NodePut) -> None:
        node = put.node
        assert self.header is not None
        self._add_named(self._nodes, node.node_id, put)
        self._limits.check_node_count(len(self._nodes))
        self._require(0 <= node.revision <= self.header.revision, "a node is no newer than its bank")
        for interaction_id in node.interaction_ids:
            self._interaction(interaction_id)
        for ref in node.segments:
            self._segment(ref)
        for named in (node.interaction_ids, node.segments):
            self._require(len(set(named)) == len(named), f"{node.node_id} names what it stands for twice")
        if put.vector is not None:
            self._vector(put.vector)

    def _take_copies(self, copies: Copies) -> None:
        self._require(copies.node_id in self._nodes, f"{copies.node_id} is no node of this bank")
        self._require(copies.count <= MOST, f"no more than {MOST:,} copies can be counted")
        kept = len(copies.refs)
        self._require(kept <= min(copies.count, MOST_REFS), f"{kept} copies of {copies.count} are kept")
        self._require(len(set(copies.refs)) == kept, f"{copies.node_id} names a copy twice")
        self._require(copies.first_time <= copies.last_time, "the first copy comes before the last")
        for ref in copies.refs:
            self._segment(ref)
        self._add(self._copies, copies.node_id, copies)

    def _take_cluster(self, cluster: ClusterWork) -> None:
        self._require(cluster.interaction_id in self._structurings, "a topic without a structuring")
        for index in cluster.segments:
            self._segment(SegmentRef(cluster.interaction_id, index))
        self._add(self._clusters, (cluster.interaction_id, cluster.number), cluster)

    def _take_merge(self, record: MergeRecord) -> None:
        """Takes merges in the order in which they happened, so that none goes into a node that is already gone."""
        absorbed = [node.node_id for node in record.absorbed]
        self._require(all(map(is_id, (record.into, *absorbed))), "no node has such an id")
        self._absorbed.update(absorbed)
        self._require(record.into not in self._absorbed, f"{record.into} was absorbed before")
        self._require(not any(n in self._nodes for n in absorbed), "an absorbed node is among the living")
        self._merges.append(record)

    def _take_conflict(self, conflict: Conflict) -> None:
        self._add_named(self._conflicts, conflict.conflict_id, conflict)
        if not conflict.is_closed:
            nodes = {side.node_id for side in conflict.sides}
            self._require(len(nodes) > 1, "an open conflict has two sides or more")
            self._require(len(nodes) == len(conflict.sides), "a node is one side of a conflict")
            for side in conflict.sides:
                self._require(side.node_id in self._nodes, f"{side.node_id} is no node of this bank")
        for side in conflict.sides:
            for ref in side.segments:
                self._segment(ref)

    # ---- checks ----

    def _require(self, holds: bool, problem: str) -> None:
        if not holds:
            raise ImportInvalid(self.line, problem)

    def _add(self, known: dict[K, V], key: K, value: V) -> None:
        self._require(key not in known, f"{key} comes twice")
        known[key] = value

    def _add_named(self, known: dict[N, V], named: N, value: V) -> None:
        self._require(is_id(named), f"{named!r} is no id")
        self._add(known, named, value)

    def _pair(self, one: NodeId, other: NodeId) -> tuple[NodeId, NodeId]:
        self._require(one in self._nodes and other in self._nodes, "a pair of nodes that are not there")
        self._require(one != other, "a pair is of two nodes")
        return (one, other) if one < other else (other, one)

    def _interaction(self, interaction_id: InteractionId) -> Interaction:
        self._require(
            interaction_id in self._interactions, f"{interaction_id} is no interaction of this bank"
        )
        return self._interactions[interaction_id]

    def _segment(self, ref: SegmentRef) -> None:
        count = len(self._interaction(ref.interaction_id).spans)
        self._require(0 <= ref.index < count, f"{ref.interaction_id} has no segment {ref.index}")

    def _take_refutation(self, refuted: SegmentRefute) -> None:
        self._segment(refuted.ref)
        span = self._interaction(refuted.ref.interaction_id).spans[refuted.ref.index]
        length = span.end - span.start
        inside = refuted.start < (refuted.end or length) <= length
        self._require(inside, f"a refutation lies within its segment's {length:,} code points")
        self._add(self._refuted, refuted, None)

    def _vector(self, vector: Vector) -> None:
        assert self.record is not None
        dimension = self.record.space.dimension
        self._require(vector.shape == (dimension,), f"a vector has {dimension} numbers here")
        self._require(abs(float(np.linalg.norm(vector)) - 1.0) <= UNIT, "a vector has unit length")


def _no_newer(put: NodePut, revision: int) -> NodePut:
    if put.node.revision <= revision:
        return put
    return replace(put, node=replace(put.node, revision=revision))


def _at_home(interaction: Interaction, kept: dict[AttachmentId, Attachment]) -> Interaction:
    if not any(attachment.stored for attachment in interaction.attachments):
        return interaction
    return replace(interaction, attachments=tuple(_kept(a, kept) for a in interaction.attachments))


def _kept(attachment: Attachment, kept: dict[AttachmentId, Attachment]) -> Attachment:
    """Returns the file at its new place; one whose bytes did not come is only named."""
    if not attachment.stored:
        return attachment
    moved = kept.get(attachment.attachment_id)
    return replace(attachment, stored=False) if moved is None else replace(attachment, uri=moved.uri)
