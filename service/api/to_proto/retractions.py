"""Answers about records and turns that were taken back."""

from datetime import datetime
from typing import Protocol

from core.model.interaction_retraction import InteractionRetraction
from core.model.turn_retraction import TurnRetraction
from core.ports.aggregates import CommitResult
from core.usecases.bank.verbs.close_interactions import InteractionsEnded
from core.usecases.bank.verbs.retract_interactions import InteractionsRetracted
from core.usecases.conversation.verbs.retract_turns import TurnsRetracted
from memorybank.v1 import conversation_pb2, memory_bank_pb2, types_pb2
from service.api.mapping.rendering import rendering
from service.api.to_proto.scalars import time_or_none

MOST = 1_000  # ids or steps in an answer


class Retracting(Protocol):
    """What took back what was written from `since` until before `until`."""

    @property
    def since(self) -> datetime | None: ...

    @property
    def until(self) -> datetime | None: ...


def written(value: Retracting) -> types_pb2.TimeRange | None:
    if value.since is None and value.until is None:
        return None
    return types_pb2.TimeRange(start=time_or_none(value.since), end=time_or_none(value.until))


# ---- records of a bank ----


interaction_retraction = rendering(
    InteractionRetraction,
    memory_bank_pb2.InteractionRetraction,
    interaction_ids=lambda value: value.interaction_ids[:MOST],
    written=written,
)
retract_interactions = rendering(
    CommitResult[InteractionsRetracted],
    memory_bank_pb2.RetractInteractionsResponse,
    interaction_ids=lambda done: done.result.interaction_ids[:MOST],
)
erase_interactions = rendering(
    CommitResult[InteractionsEnded],
    memory_bank_pb2.EraseInteractionsResponse,
    restructured_ids=lambda done: done.result.anew[:MOST],
)


# ---- turns of a conversation ----


turn_retraction = rendering(
    TurnRetraction,
    conversation_pb2.TurnRetraction,
    steps=lambda value: value.steps[:MOST],
    turns=lambda value: len(value.steps),
    written=written,
)
retract_turns = rendering(
    CommitResult[TurnsRetracted],
    conversation_pb2.RetractTurnsResponse,
    steps=lambda done: done.result.steps[:MOST],
    turns=lambda done: len(done.result.steps),
)
