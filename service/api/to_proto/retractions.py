"""Answers of MemoryBank about records that were taken back."""

from core.model.interaction_retraction import InteractionRetraction
from core.ports.aggregates import CommitResult
from core.usecases.bank.verbs.close_interactions import InteractionsEnded
from core.usecases.bank.verbs.list_retractions import InteractionRetractionsListed
from core.usecases.bank.verbs.retract_interactions import InteractionsRetracted
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.enums import RETRACTION_STATES, numbers
from service.api.to_proto.values import time, time_or_none

_STATES = numbers(RETRACTION_STATES)
_TOLD = 1_000  # ids


def retract(done: CommitResult[InteractionsRetracted]) -> pb.RetractInteractionsResponse:
    made = done.result
    return pb.RetractInteractionsResponse(
        retraction=None if made.retraction is None else _retraction(made.retraction),
        interaction_ids=made.interaction_ids[:_TOLD],
        nodes=made.nodes,
        conflicts=made.conflicts,
        others=made.others,
        revision=done.revision,
        replayed=done.replayed,
    )


def release(done: CommitResult[InteractionsEnded]) -> pb.ReleaseInteractionsResponse:
    return pb.ReleaseInteractionsResponse(
        retraction=_retraction(done.result.retraction), revision=done.revision, replayed=done.replayed
    )


def erase(done: CommitResult[InteractionsEnded]) -> pb.EraseInteractionsResponse:
    return pb.EraseInteractionsResponse(
        retraction=_retraction(done.result.retraction),
        restructured_ids=done.result.anew[:_TOLD],
        revision=done.revision,
        replayed=done.replayed,
    )


def list_retractions(listed: InteractionRetractionsListed) -> pb.ListInteractionRetractionsResponse:
    return pb.ListInteractionRetractionsResponse(
        retractions=map(_retraction, listed.retractions),
        next_page_token=listed.next_page_token,
        revision=listed.revision,
    )


def _retraction(value: InteractionRetraction) -> pb.InteractionRetraction:
    has_time = value.since is not None or value.until is not None
    written = types_pb2.TimeRange(start=time_or_none(value.since), end=time_or_none(value.until))
    return pb.InteractionRetraction(
        retraction_id=value.retraction_id,
        state=_STATES[value.state],
        create_time=time(value.create_time),
        close_time=time_or_none(value.close_time),
        interaction_ids=value.interaction_ids[:_TOLD],
        nodes=value.nodes,
        conflicts=value.conflicts,
        source=value.source,
        written=written if has_time else None,
        reason=value.reason,
        writer=value.writer,
    )
