"""Core's values as messages."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from core.bank.steps import SegmentRefute
from core.ids import NodeId, SegmentRef
from core.model.bank import NEVER, BankRecord
from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.interaction import Attachment, Interaction, Refutation, Segment, Span
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring
from core.model.usage import RoleUsage, Usage
from core.model.vector import Vector
from memorybank.v1 import types_pb2 as pb
from service.api.enums import NODE_STATES, numbers
from service.api.mapping.rendering import UNSET, rendering
from service.api.to_proto.encodings import content, delimited, field
from service.api.to_proto.scalars import time, time_or_none, vector

_NODE_STATES = numbers(NODE_STATES)

# ---- banks ----


_bank = rendering(BankRecord, pb.Bank, embedding_space="space", revision=UNSET, purge_time=UNSET)


def bank(record: BankRecord, revision: int, kept: timedelta = NEVER) -> pb.Bank:
    """`kept`: how long a finished bank stays that does not say itself."""
    made = _bank(record)
    made.revision = revision
    if (goes := time_or_none(record.goes_at(kept))) is not None:
        made.purge_time.CopyFrom(goes)
    return made


# ---- nodes and segments ----


def passing(text: str) -> Any:
    """Encodes a text for a message: beyond ASCII as UTF-8, which the text itself would else keep while it lives."""
    return text if text.isascii() else text.encode()


def node(value: Node, embedding: Vector | None = None) -> pb.Node:
    return pb.Node(
        node_id=value.node_id,
        summary=passing(value.summary),
        context=passing(value.context),
        keywords=map(passing, value.keywords),
        event_time=time(value.event_time),
        create_time=time(value.create_time),
        update_time=time(value.update_time),
        state=_NODE_STATES[value.state],
        labels=value.labels or None,  # an empty one takes as long to put in as a full one
        source=value.source,
        interaction_ids=value.interaction_ids or None,
        segments=map(segment_ref, value.segments) if value.segments else None,
        revision=value.revision,
        embedding=None if embedding is None else vector(embedding),
        writer=value.writer,
    )


segment_ref = rendering(SegmentRef, pb.SegmentRef)


segment = rendering(Segment, pb.Segment, text=lambda value: passing(value.text))


def node_bytes(value: Node, embedding: Vector | None = None) -> bytes:
    """Encodes the node's message, delimited."""
    try:
        plain = value.encoding
    except AttributeError:
        plain = value.keep_encoding(delimited(node(value).SerializeToString(deterministic=True)))
    if embedding is None:
        return plain
    made = delimited(vector(embedding).SerializeToString())
    return delimited(content(plain) + field(pb.Node.EMBEDDING_FIELD_NUMBER, made))


def node_encodings(values: Sequence[Node]) -> list[bytes]:
    """Encodes the messages of many nodes, delimited."""
    try:
        return [value.encoding for value in values]
    except AttributeError:
        return [node_bytes(value) for value in values]


def segment_bytes(value: Segment) -> bytes:
    """Encodes the segment's message, delimited."""
    try:
        return value.encoding
    except AttributeError:
        return value.keep_encoding(delimited(segment(value).SerializeToString(deterministic=True)))


refutation = rendering(Refutation, pb.Refutation)


refuted_segment = rendering(SegmentRefute, pb.RefutedSegment, segment="ref")


pair = rendering(
    tuple[NodeId, NodeId], pb.NodePair, node_id=lambda ids: ids[0], other_node_id=lambda ids: ids[1]
)


# ---- the verbatim record ----


attachment = rendering(Attachment, pb.Attachment)


_span = rendering(Span, pb.Span, index=UNSET, node_ids=UNSET, refuted_by=UNSET, refuted=UNSET)


def span(index: int, value: Span) -> pb.Span:
    made = _span(value)
    made.index = index
    return made


interaction = rendering(
    Interaction,
    pb.Interaction,
    text_length=lambda value: len(value.text),
    **dict.fromkeys(("text", "text_offset", "segments", "structuring", "node_ids"), UNSET),
)
"""Renders a record without text, segments and what the bank knows about it."""


structuring = rendering(
    Structuring,
    pb.Structuring,
    **dict.fromkeys(("insight", "clusters", "completed_tasks", "usage", "revision"), UNSET),
)
"""Renders a structuring without its clusters and what it came to, which exports alone carry."""


cluster = rendering(ClusterWork, pb.ClusterWork)


copies = rendering(Copies, pb.Copies, segments="refs")


merge_record = rendering(
    MergeRecord, pb.MergeRecord, into_node_id="into", absorbed=lambda value: map(node, value.absorbed)
)


# ---- conflicts ----


conflict = rendering(Conflict, pb.Conflict)


# ---- what it cost ----


_role = rendering(RoleUsage, pb.RoleUsage, role=UNSET)


def _roles(value: Usage) -> list[pb.RoleUsage]:
    made = []
    for role, spent in sorted(value.roles.items()):
        made.append(_role(spent))
        made[-1].role = role
    return made


usage = rendering(Usage, pb.Usage, roles=_roles)
