"""Requests of Conversation that take turns back."""

from core.caller import Caller
from core.usecases.conversation.verbs.close_turns import CloseTurns
from core.usecases.conversation.verbs.list_turn_retractions import ListTurnRetractions
from core.usecases.conversation.verbs.retract_turns import RetractTurns
from memorybank.v1 import conversation_pb2 as pb
from service.api.from_proto.checks import NAME, SOURCE, checking
from service.api.from_proto.conversation import named_steps
from service.api.from_proto.retrieval import time_range
from service.api.from_proto.values import conversation_key


def retract(request: pb.RetractTurnsRequest, caller: Caller) -> RetractTurns:
    with checking(caller, request) as check:
        since, until = time_range(check, "written", request.written)
        named = named_steps(check, request.steps)
        writer = check.text("writer", request.writer, NAME)
        if bool(named) is bool(writer or since or until):
            check.wrong("steps", "must name the turns, or writer or written must, not both")
        return RetractTurns(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            steps=named,
            writer=writer,
            since=since,
            until=until,
            reason=check.text("reason", request.reason, SOURCE),
            dry_run=request.dry_run,
            request=check.request(request),
        )


def release(request: pb.ReleaseTurnsRequest, caller: Caller) -> CloseTurns:
    return _close(request, caller, erases=False)


def erase(request: pb.EraseTurnsRequest, caller: Caller) -> CloseTurns:
    return _close(request, caller, erases=True)


def _close(
    request: pb.ReleaseTurnsRequest | pb.EraseTurnsRequest, caller: Caller, *, erases: bool
) -> CloseTurns:
    with checking(caller, request) as check:
        return CloseTurns(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            retraction_id=check.id("retraction_id", request.retraction_id),
            erases=erases,
            request=check.request(request),
        )


def list_retractions(request: pb.ListTurnRetractionsRequest, caller: Caller) -> ListTurnRetractions:
    with checking(caller, request) as check:
        return ListTurnRetractions(
            key=conversation_key(check, caller, request.user, request.conversation_id),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )
