"""Core's values as messages."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from core.bank.steps import SegmentRefute
from core.ids import NodeId, SegmentRef
from core.model.bank import NEVER, BankRecord, EmbeddingSpace
from core.model.conflict import Conflict, Side
from core.model.copies import Copies
from core.model.interaction import Attachment, Interaction, Refutation, Segment, Span, TaskReport
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, MergeMade, Outcome, Structuring, StructuringState
from core.model.usage import Usage
from core.model.vector import Vector
from core.usecases.bank.verbs.get_bank import BankCounts
from memorybank.v1 import types_pb2 as pb
from service.api.enums import (
    CONFLICT_STATUSES,
    MERGE_REASONS,
    NODE_STATES,
    ORIGINS,
    PURPOSES,
    SPACE_SOURCES,
    STRUCTURING_STATES,
    TASK_OUTCOMES,
    TASK_STATUSES,
    VERDICT_TYPES,
    numbers,
)
from service.api.to_proto.encodings import content, delimited, field

_CONFLICT_STATUSES = numbers(CONFLICT_STATUSES)
_MERGE_REASONS = numbers(MERGE_REASONS)
_NODE_STATES = numbers(NODE_STATES)
_ORIGINS = numbers(ORIGINS)
_PURPOSES = numbers(PURPOSES)
_SPACE_SOURCES = numbers(SPACE_SOURCES)
_STRUCTURING_STATES = numbers(STRUCTURING_STATES)
_TASK_OUTCOMES = numbers(TASK_OUTCOMES)
_TASK_STATUSES = numbers(TASK_STATUSES)
_VERDICT_TYPES = numbers(VERDICT_TYPES)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@lru_cache(maxsize=256)  # a node bears its time three times, a batch one for all
def time(value: datetime) -> Timestamp:
    """Renders a time. It is shared: messages take a copy of it, and nothing may change it."""
    seconds, micros = divmod((value - _EPOCH) // _MICROSECOND, 1_000_000)
    return Timestamp(seconds=seconds, nanos=micros * 1_000)


def time_or_none(value: datetime | None) -> Timestamp | None:
    return None if value is None else time(value)


def duration(value: timedelta) -> Duration:
    seconds, micros = divmod(value // _MICROSECOND, 1_000_000)
    return Duration(seconds=seconds, nanos=micros * 1_000)


def vector(value: Vector) -> pb.Vector:
    return pb.Vector(f32=value.astype("<f4", copy=False).tobytes())


# ---- banks ----


def space(value: EmbeddingSpace) -> pb.EmbeddingSpace:
    return pb.EmbeddingSpace(
        name=value.name,
        dimension=value.dimension,
        source=_SPACE_SOURCES[value.source],
        cosine_floor=value.cosine_floor,
        cosine_ceiling=value.cosine_ceiling,
    )


def bank(record: BankRecord, revision: int, kept: timedelta = NEVER) -> pb.Bank:
    """`kept`: how long a finished bank stays that does not say itself."""
    return pb.Bank(
        bank_id=record.key.bank_id,
        uid=record.uid,
        goal=record.goal,
        user=record.user,
        collection=record.collection,
        top_k=record.settings.top_k,
        alpha=record.settings.alpha,
        chunk_ratio=record.settings.chunk_ratio,
        validation_floor=record.settings.validation_floor,
        judge_assistants=record.settings.judge_assistants,
        embedding_space=space(record.space),
        labels=record.labels,
        ttl=None if record.ttl is None else duration(record.ttl),
        create_time=time(record.create_time),
        update_time=time(record.update_time),
        finish_time=time_or_none(record.finish_time),
        revision=revision,
        tokens_spent=record.tokens_spent,
        purge_time=time_or_none(record.goes_at(kept)),
    )


def bank_counts(counts: BankCounts) -> pb.BankCounts:
    return pb.BankCounts(
        nodes=counts.nodes,
        edges=counts.edges,
        interactions=counts.interactions,
        segments=counts.segments,
        open_conflicts=counts.open_conflicts,
        unstructured_interactions=counts.unstructured_interactions,
        merges=counts.merges,
    )


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


def segment_ref(ref: SegmentRef) -> pb.SegmentRef:
    return pb.SegmentRef(interaction_id=ref.interaction_id, index=ref.index)


def segment(value: Segment) -> pb.Segment:
    return pb.Segment(
        interaction_id=value.ref.interaction_id,
        index=value.ref.index,
        message_id=value.message_id,
        role=value.role,
        speaker=value.speaker,
        text=passing(value.text),
        event_time=time(value.event_time),
        offset=value.offset,
        node_ids=value.node_ids,
        refuted_by=value.refuted_by,
        source=value.source,
        refuted=map(refutation, value.refuted),
    )


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


def refutation(value: Refutation) -> pb.Refutation:
    return pb.Refutation(start=value.start, end=value.end, conflict_id=value.conflict_id)


def refuted_segment(step: SegmentRefute) -> pb.RefutedSegment:
    return pb.RefutedSegment(
        segment=segment_ref(step.ref), conflict_id=step.conflict_id, start=step.start, end=step.end
    )


def pair(ids: tuple[NodeId, NodeId]) -> pb.NodePair:
    return pb.NodePair(node_id=ids[0], other_node_id=ids[1])


# ---- the verbatim record ----


def attachment(value: Attachment) -> pb.Attachment:
    return pb.Attachment(
        attachment_id=value.attachment_id,
        type=value.type,
        uri=value.uri,
        media_type=value.media_type,
        size=value.size,
        stored=value.stored,
    )


def task_report(report: TaskReport) -> pb.TaskReport:
    return pb.TaskReport(
        type=report.type,
        description=report.description,
        status=_TASK_STATUSES[report.status],
        task_id=report.task_id,
        retry_of=report.retry_of,
        result=report.result,
    )


def span(index: int, value: Span) -> pb.Span:
    return pb.Span(
        index=index,
        start=value.start,
        end=value.end,
        message_id=value.message_id,
        role=value.role,
        speaker=value.speaker,
        event_time=time_or_none(value.event_time),
    )


def interaction(value: Interaction) -> pb.Interaction:
    """Renders a record without text, segments and what the bank knows about it."""
    return pb.Interaction(
        interaction_id=value.interaction_id,
        text_length=len(value.text),
        event_time=time(value.event_time),
        create_time=time(value.create_time),
        origin=_ORIGINS[value.origin],
        source=value.source,
        labels=value.labels,
        task=None if value.task is None else task_report(value.task),
        attachments=map(attachment, value.attachments),
        writer=value.writer,
    )


def structuring(value: Structuring, clusters: Iterable[ClusterWork] = ()) -> pb.Structuring:
    """Renders a structuring without its insight, which exports alone carry."""
    return pb.Structuring(
        interaction_id=value.interaction_id,
        purpose=_PURPOSES[value.purpose],
        state=structuring_state(value.state),
        update_time=time(value.update_time),
        planned=value.planned,
        next_segment=value.next_segment,
        conflict_id=value.conflict_id or "",
        problem=value.problem,
        clusters=map(cluster, clusters),
        verdict_type=_VERDICT_TYPES[value.verdict_type]
        if value.verdict_type
        else pb.VERDICT_TYPE_UNSPECIFIED,
    )


def structuring_state(state: StructuringState) -> "pb.StructuringState.ValueType":
    return _STRUCTURING_STATES[state]


def cluster(value: ClusterWork) -> pb.ClusterWork:
    return pb.ClusterWork(
        interaction_id=value.interaction_id,
        number=value.number,
        segments=value.segments,
        context=value.context,
        keywords=value.keywords,
        outcome=None if value.outcome is None else outcome(value.outcome),
    )


def outcome(value: Outcome) -> pb.Outcome:
    return pb.Outcome(
        node_id=value.node_id,
        merges=map(merge_made, value.merges),
        related=map(pair, value.related),
        conflict_id=value.conflict_id or "",
        joined=value.joined,
    )


def copies(value: Copies) -> pb.Copies:
    return pb.Copies(
        node_id=value.node_id,
        count=value.count,
        first_time=time(value.first_time),
        last_time=time(value.last_time),
        segments=map(segment_ref, value.refs),
    )


def merge_made(value: MergeMade) -> pb.MergeMade:
    return pb.MergeMade(into_node_id=value.into_node_id, absorbed_node_ids=value.absorbed_node_ids)


def merge_record(value: MergeRecord) -> pb.MergeRecord:
    return pb.MergeRecord(
        into_node_id=value.into,
        absorbed=map(node, value.absorbed),
        reason=_MERGE_REASONS[value.reason],
        description=value.description,
        time=time(value.time),
        conflict_id=value.conflict_id or "",
        verdict=value.verdict,
    )


# ---- conflicts ----


def conflict(value: Conflict) -> pb.Conflict:
    return pb.Conflict(
        conflict_id=value.conflict_id,
        sides=map(side, value.sides),
        description=value.description,
        confidence=value.confidence,
        reasoning=value.reasoning,
        status=_CONFLICT_STATUSES[value.status],
        create_time=time(value.create_time),
        close_time=time_or_none(value.close_time),
        verdict=value.verdict,
        verdict_interaction_id=value.verdict_interaction_id or "",
        node_id=value.node_id or "",
    )


def side(value: Side) -> pb.Side:
    return pb.Side(node_id=value.node_id, segments=map(segment_ref, value.segments), quote=value.quote)


def usage(value: Usage) -> pb.Usage:
    return pb.Usage(
        roles=[
            pb.RoleUsage(
                role=role,
                calls=spent.calls,
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                milliseconds=spent.milliseconds,
                fell_back=spent.fell_back,
            )
            for role, spent in sorted(value.roles.items())
        ]
    )
