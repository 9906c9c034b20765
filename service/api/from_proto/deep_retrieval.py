"""Requests of DeepRetrieval."""

from core.caller import Caller
from core.ids import AttachmentId, InteractionId, NodeId
from core.usecases.bank.retrieval.passages import SURROUNDINGS, Passages
from core.usecases.bank.verbs.get_interaction import GetInteraction
from core.usecases.bank.verbs.get_lineage import GetLineage
from core.usecases.bank.verbs.list_interactions import ListInteractions
from core.usecases.bank.verbs.read_attachment import ReadAttachment
from memorybank.v1 import deep_retrieval_pb2 as pb
from service.api.enums import STRUCTURING_STATES
from service.api.from_proto.checks import GOAL, NAME, SOURCE, Checks, checking
from service.api.from_proto.retrieval import MOST_SOURCES, MOST_STATES, time_range

RECORDS = 10  # to a page, where the caller does not say
MOST_RECORDS = 100
MOST_SURROUNDINGS = 100_000


def get_interaction(request: pb.GetInteractionRequest, caller: Caller) -> GetInteraction:
    with checking(caller, request) as check:
        by = request.WhichOneof("target")
        if by is None:
            check.wrong("node_id", "must be given, or interaction_id")
        node_id = check.id("node_id", request.node_id) if by == "node_id" else None
        interaction_id = (
            check.id("interaction_id", request.interaction_id) if by == "interaction_id" else None
        )
        attachment_id = check.id_or_none("attachment_id", request.attachment_id)
        start = check.at_least("start", request.start)
        end = check.at_least("end", request.end, start + 1) if request.HasField("end") else None
        return GetInteraction(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(node_id) if node_id else None,
            interaction_id=InteractionId(interaction_id) if interaction_id else None,
            attachment_id=AttachmentId(attachment_id) if attachment_id else None,
            start=start,
            end=end,
            passages=_passages(check, request) if request.HasField("passages") else None,
            page_size=check.page_size(request.page_size, RECORDS, MOST_RECORDS),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def _passages(check: Checks, request: pb.GetInteractionRequest) -> Passages:
    wanted = request.passages
    for field in ("start", "end"):
        if request.HasField(field):
            check.wrong(field, "goes with whole texts: leave out passages, or this")
    segment = check.at_least("passages.segment", wanted.segment) if wanted.HasField("segment") else None
    if segment is not None and request.WhichOneof("target") != "interaction_id":
        check.wrong("passages.segment", "is a number within one record: give its interaction_id")
    if segment is not None and wanted.query:
        check.wrong("passages.segment", "or a query, not both")
    return Passages(
        query=check.text("passages.query", wanted.query, GOAL),
        segment=segment,
        surroundings=check.int_or(
            wanted, "surroundings", SURROUNDINGS, 0, MOST_SURROUNDINGS, "passages.surroundings"
        ),
    )


def list_interactions(request: pb.ListInteractionsRequest, caller: Caller) -> ListInteractions:
    with checking(caller, request) as check:
        node_id = check.id_or_none("node_id", request.node_id)
        since, until = time_range(check, "event_time", request.event_time)
        check.amount("states", request.states, MOST_STATES)
        return ListInteractions(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(node_id) if node_id else None,
            since=since,
            until=until,
            sources=frozenset(check.texts("sources", request.sources, MOST_SOURCES, SOURCE)),
            writer=check.text("writer", request.writer, NAME),
            labels=check.labels("labels", request.labels),
            states=check.choices("states", request.states[:MOST_STATES], STRUCTURING_STATES),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def read_attachment(request: pb.ReadAttachmentRequest, caller: Caller) -> ReadAttachment:
    with checking(caller, request) as check:
        return ReadAttachment(
            key=check.key(caller, request.bank_id),
            attachment_id=AttachmentId(check.id("attachment_id", request.attachment_id)),
            offset=check.at_least("offset", request.offset),
            limit=check.at_least("limit", request.limit) if request.HasField("limit") else None,
            min_revision=check.min_revision(request),
        )


def get_lineage(request: pb.GetLineageRequest, caller: Caller) -> GetLineage:
    with checking(caller, request) as check:
        return GetLineage(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(check.id("node_id", request.node_id)),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )
