"""The nodes of an export, and what is said of them: copies, edges, merges, conflicts, vectors."""

from collections.abc import Callable, Mapping, Sequence

from core.bank.steps import NodePut, SegmentRefute
from core.caller import Caller
from core.ids import ConflictId, InteractionId, NodeId, SegmentRef
from core.model.conflict import Conflict, Side
from core.model.copies import Copies
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.usecases.bank.exchange.export_records import (
    Edge,
    ExportRecord,
    SegmentVector,
    SettledPair,
)
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import (
    CONFLICT_STATUSES,
    MERGE_REASONS,
    NODE_STATES,
)
from service.api.from_proto.checks import NAME, Checks


def writer(check: Checks, field: str, told: str, caller: Caller) -> str:
    """Returns who brings it; what a file says of writers is believed where no key is asked for."""
    return caller.subject or check.text(field, told, NAME)


def _node_put(check: Checks, node: types_pb2.Node, caller: Caller) -> NodePut:
    return NodePut(
        node=_node(check, "", node, caller),
        vector=check.vector("embedding", node.embedding) if node.HasField("embedding") else None,
    )


def _node(check: Checks, path: str, node: types_pb2.Node, caller: Caller) -> Node:
    return Node(
        node_id=NodeId(check.id(f"{path}node_id", node.node_id)),
        summary=check.text(f"{path}summary", node.summary),
        context=check.text(f"{path}context", node.context),
        keywords=words(check, f"{path}keywords", node.keywords),
        base_context=check.text(f"{path}base_context", node.base_context),
        base_keywords=words(check, f"{path}base_keywords", node.base_keywords),
        event_time=check.time(f"{path}event_time", node.event_time),
        create_time=check.time(f"{path}create_time", node.create_time),
        update_time=check.time(f"{path}update_time", node.update_time),
        state=check.choice(f"{path}state", node.state, NODE_STATES),
        labels=check.labels(f"{path}labels", node.labels),
        source=check.text(f"{path}source", node.source),
        interaction_ids=tuple(
            InteractionId(check.id(f"{path}interaction_ids[{i}]", one))
            for i, one in enumerate(node.interaction_ids)
        ),
        segments=tuple(_ref(check, f"{path}segments[{i}].", ref) for i, ref in enumerate(node.segments)),
        revision=check.at_least(f"{path}revision", node.revision),
        writer=writer(check, f"{path}writer", node.writer, caller),
    )


def words(check: Checks, path: str, given: Sequence[str]) -> tuple[str, ...]:
    return tuple(check.text(f"{path}[{i}]", word) for i, word in enumerate(given))


def _ref(check: Checks, path: str, ref: types_pb2.SegmentRef) -> SegmentRef:
    return SegmentRef(
        InteractionId(check.id(f"{path}interaction_id", ref.interaction_id)),
        check.at_least(f"{path}index", ref.index),
    )


def _edge(check: Checks, given: types_pb2.NodePair, _: Caller) -> Edge:
    one, other = pair(check, "", given)
    return Edge(node_id=one, other_node_id=other)


def _settled(check: Checks, given: types_pb2.NodePair, _: Caller) -> SettledPair:
    one, other = pair(check, "", given)
    return SettledPair(node_id=one, other_node_id=other)


def pair(check: Checks, path: str, given: types_pb2.NodePair) -> tuple[NodeId, NodeId]:
    return (
        NodeId(check.id(f"{path}node_id", given.node_id)),
        NodeId(check.id(f"{path}other_node_id", given.other_node_id)),
    )


def _copies(check: Checks, copies: types_pb2.Copies, _: Caller) -> Copies:
    return Copies(
        node_id=NodeId(check.id("node_id", copies.node_id)),
        count=check.at_least("count", copies.count, 1),
        first_time=check.time("first_time", copies.first_time),
        last_time=check.time("last_time", copies.last_time),
        refs=tuple(_ref(check, "segments", ref) for ref in copies.segments),
    )


def _merge(check: Checks, merge: types_pb2.MergeRecord, caller: Caller) -> MergeRecord:
    conflict_id = check.id_or_none("conflict_id", merge.conflict_id)
    return MergeRecord(
        into=NodeId(check.id("into_node_id", merge.into_node_id)),
        absorbed=tuple(
            _node(check, f"absorbed[{i}].", node, caller) for i, node in enumerate(merge.absorbed)
        ),
        reason=check.choice("reason", merge.reason, MERGE_REASONS),
        description=check.text("description", merge.description),
        time=check.time("time", merge.time),
        conflict_id=ConflictId(conflict_id) if conflict_id else None,
        verdict=check.text("verdict", merge.verdict),
    )


def _conflict(check: Checks, conflict: types_pb2.Conflict, _: Caller) -> Conflict:
    verdict_id = check.id_or_none("verdict_interaction_id", conflict.verdict_interaction_id)
    node_id = check.id_or_none("node_id", conflict.node_id)
    return Conflict(
        conflict_id=ConflictId(check.id("conflict_id", conflict.conflict_id)),
        sides=tuple(_side(check, f"sides[{i}].", side) for i, side in enumerate(conflict.sides)),
        description=check.text("description", conflict.description),
        confidence=check.ratio("confidence", conflict.confidence),
        reasoning=check.text("reasoning", conflict.reasoning),
        status=check.choice("status", conflict.status, CONFLICT_STATUSES),
        create_time=check.time("create_time", conflict.create_time),
        close_time=check.optional_time(conflict, "close_time"),
        verdict=check.text("verdict", conflict.verdict),
        verdict_interaction_id=InteractionId(verdict_id) if verdict_id else None,
        node_id=NodeId(node_id) if node_id else None,
    )


def _side(check: Checks, path: str, side: types_pb2.Side) -> Side:
    return Side(
        node_id=NodeId(check.id(f"{path}node_id", side.node_id)),
        segments=tuple(_ref(check, f"{path}segments[{i}].", ref) for i, ref in enumerate(side.segments)),
        quote=check.text(f"{path}quote", side.quote),
    )


def _refuted(check: Checks, refuted: types_pb2.RefutedSegment, _: Caller) -> SegmentRefute:
    return SegmentRefute(
        ref=_ref(check, "segment.", refuted.segment),
        conflict_id=ConflictId(check.id("conflict_id", refuted.conflict_id)),
        start=check.at_least("start", refuted.start),
        end=check.at_least("end", refuted.end),
    )


def _segment_vector(check: Checks, vector: pb.SegmentVector, _: Caller) -> SegmentVector:
    return SegmentVector(
        ref=_ref(check, "segment.", vector.segment), vector=check.vector("embedding", vector.embedding)
    )


OF_NODES: Mapping[str, Callable[..., ExportRecord]] = {
    "node": _node_put,
    "copies": _copies,
    "edge": _edge,
    "merge": _merge,
    "conflict": _conflict,
    "settled": _settled,
    "refuted": _refuted,
    "segment_vector": _segment_vector,
}
