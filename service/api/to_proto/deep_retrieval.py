"""Answers of DeepRetrieval."""

from collections.abc import AsyncGenerator

from core.model.interaction import Segment
from core.usecases.bank.interactions import InteractionSeen
from core.usecases.bank.verbs.get_interaction import InteractionsRead
from core.usecases.bank.verbs.get_lineage import Lineage
from core.usecases.bank.verbs.list_interactions import InteractionsListed
from core.usecases.bank.verbs.read_attachment import OpenedAttachment
from memorybank.v1 import deep_retrieval_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.to_proto import values


def get_interaction(read: InteractionsRead) -> pb.GetInteractionResponse:
    return pb.GetInteractionResponse(
        interactions=map(interaction, read.interactions),
        attachment=None if read.attachment is None else values.attachment(read.attachment),
        content=read.content,
        node_id=read.node_id or "",
        next_page_token=read.next_page_token,
        revision=read.revision,
    )


def list_interactions(listed: InteractionsListed) -> pb.ListInteractionsResponse:
    return pb.ListInteractionsResponse(
        interactions=map(interaction, listed.interactions),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def interaction(seen: InteractionSeen) -> types_pb2.Interaction:
    """Renders the record, with what is there of its text, and as the bank knows it."""
    message = values.interaction(seen.interaction)
    message.text = seen.text
    message.text_offset = seen.text_offset
    message.segments.extend(span(segment, seen) for segment in seen.segments)
    message.node_ids.extend(seen.node_ids)
    if seen.structuring is not None:
        message.structuring.CopyFrom(values.structuring(seen.structuring, seen.clusters))
    return message


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


def get_lineage(lineage: Lineage) -> pb.GetLineageResponse:
    return pb.GetLineageResponse(
        node_id=lineage.node_id,
        merges=map(values.merge_record, lineage.merges),
        next_page_token=lineage.next_page_token,
        revision=lineage.revision,
    )
