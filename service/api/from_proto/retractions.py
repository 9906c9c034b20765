"""Requests of MemoryBank that take records back."""

from core.caller import Caller
from core.ids import InteractionId
from core.usecases.bank.verbs.close_interactions import CloseInteractions
from core.usecases.bank.verbs.list_retractions import ListInteractionRetractions
from core.usecases.bank.verbs.retract_interactions import RetractInteractions
from memorybank.v1 import memory_bank_pb2 as pb
from service.api.from_proto.checks import NAME, SOURCE, checking
from service.api.from_proto.retrieval import time_range

MOST_INTERACTIONS = 100


def retract(request: pb.RetractInteractionsRequest, caller: Caller) -> RetractInteractions:
    with checking(caller, request) as check:
        since, until = time_range(check, "written", request.written)
        named = check.ids("interaction_ids", request.interaction_ids, MOST_INTERACTIONS)
        source = check.text("source", request.source, SOURCE) if request.HasField("source") else None
        writer = check.text("writer", request.writer, NAME)
        by_what = bool(writer) or any(given is not None for given in (source, since, until))
        if bool(named) is by_what:
            check.wrong(
                "interaction_ids", "must name the records, or source, writer or written must, not both"
            )
        return RetractInteractions(
            key=check.key(caller, request.bank_id),
            interaction_ids=tuple(map(InteractionId, named)),
            source=source,
            writer=writer,
            since=since,
            until=until,
            reason=check.text("reason", request.reason, SOURCE),
            dry_run=request.dry_run,
            request=check.request(request),
        )


def release(request: pb.ReleaseInteractionsRequest, caller: Caller) -> CloseInteractions:
    return _close(request, caller, erases=False)


def erase(request: pb.EraseInteractionsRequest, caller: Caller) -> CloseInteractions:
    return _close(request, caller, erases=True)


def _close(
    request: pb.ReleaseInteractionsRequest | pb.EraseInteractionsRequest, caller: Caller, *, erases: bool
) -> CloseInteractions:
    with checking(caller, request) as check:
        return CloseInteractions(
            key=check.key(caller, request.bank_id),
            retraction_id=check.id("retraction_id", request.retraction_id),
            erases=erases,
            request=check.request(request),
        )


def list_retractions(
    request: pb.ListInteractionRetractionsRequest, caller: Caller
) -> ListInteractionRetractions:
    with checking(caller, request) as check:
        return ListInteractionRetractions(
            key=check.key(caller, request.bank_id),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )
