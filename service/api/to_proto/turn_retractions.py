"""Answers of Conversation about turns that were taken back."""

from core.model.turn_retraction import TurnRetraction
from core.ports.aggregates import CommitResult
from core.usecases.conversation.verbs.close_turns import TurnsClosed
from core.usecases.conversation.verbs.list_turn_retractions import TurnRetractionsListed
from core.usecases.conversation.verbs.retract_turns import TurnsRetracted
from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import RETRACTION_STATES, numbers
from service.api.to_proto.values import time, time_or_none

_STATES = numbers(RETRACTION_STATES)
_TOLD = 1_000  # steps


def retract(done: CommitResult[TurnsRetracted]) -> pb.RetractTurnsResponse:
    made = done.result
    return pb.RetractTurnsResponse(
        retraction=None if made.retraction is None else _retraction(made.retraction),
        steps=made.steps[:_TOLD],
        turns=len(made.steps),
        clusters=made.clusters,
        summaries=made.summaries,
        keys=made.keys,
        records=made.records,
        changed=made.changed,
        revision=done.revision,
        replayed=done.replayed,
    )


def release(done: CommitResult[TurnsClosed]) -> pb.ReleaseTurnsResponse:
    return pb.ReleaseTurnsResponse(
        retraction=_retraction(done.result.retraction),
        turns=done.result.turns,
        revision=done.revision,
        replayed=done.replayed,
    )


def erase(done: CommitResult[TurnsClosed]) -> pb.EraseTurnsResponse:
    return pb.EraseTurnsResponse(
        retraction=_retraction(done.result.retraction),
        turns=done.result.turns,
        revision=done.revision,
        replayed=done.replayed,
    )


def list_retractions(listed: TurnRetractionsListed) -> pb.ListTurnRetractionsResponse:
    return pb.ListTurnRetractionsResponse(
        retractions=map(_retraction, listed.retractions),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def _retraction(value: TurnRetraction) -> pb.TurnRetraction:
    has_time = value.since is not None or value.until is not None
    written = types_pb2.TimeRange(start=time_or_none(value.since), end=time_or_none(value.until))
    return pb.TurnRetraction(
        retraction_id=value.retraction_id,
        state=_STATES[value.state],
        create_time=time(value.create_time),
        close_time=time_or_none(value.close_time),
        steps=value.steps[:_TOLD],
        turns=len(value.steps),
        writer=value.writer,
        written=written if has_time else None,
        reason=value.reason,
    )
