"""Answers of DeepRetrieval."""

from collections.abc import AsyncGenerator

from core.model.interaction import Segment
from core.usecases.bank.interactions import InteractionSeen
from core.usecases.bank.verbs.read_attachment import OpenedAttachment
from memorybank.v1 import deep_retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.mapping.rendering import rendering
from service.api.to_proto import values


def _structuring(seen: InteractionSeen) -> types_pb2.Structuring | None:
    if seen.structuring is None:
        return None
    made = values.structuring(seen.structuring)
    made.clusters.extend(map(values.cluster, seen.clusters))
    return made


interaction = rendering(
    InteractionSeen,
    types_pb2.Interaction,
    interaction_id="interaction.interaction_id",
    text_length=lambda seen: len(seen.interaction.text),
    segments=lambda seen: [span(segment, seen) for segment in seen.segments],
    structuring=_structuring,
)
"""Renders the record, with what is there of its text, and as the bank knows it."""


def span(segment: Segment, seen: InteractionSeen) -> types_pb2.Span:
    """Renders where a segment lies in the whole text."""
    message = values.span(segment.ref.index, seen.interaction.spans[segment.ref.index])
    message.node_ids.extend(segment.node_ids)
    message.refuted_by = segment.refuted_by
    message.refuted.extend(map(values.refutation, segment.refuted))
    return message


async def read_attachment(
    opened: OpenedAttachment, offset: int
) -> AsyncGenerator[pb.ReadAttachmentResponse, None]:
    """Renders the file from `offset` on: first what it is, then its bytes as they come."""
    first: types_pb2.Attachment | None = values.attachment(opened.attachment)
    async for content in opened.chunks:
        yield pb.ReadAttachmentResponse(
            attachment=first, offset=offset, content=content, revision=opened.revision
        )
        first = None
        offset += len(content)
    if first is not None:
        yield pb.ReadAttachmentResponse(attachment=first, offset=offset, revision=opened.revision)
