"""AddInvocationSummary: what a run left that was not kept by the service joins a conversation."""

from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.ids import Collection, InvocationId
from core.keys import ConversationKey
from core.model.invocation import InvocationSummary
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.founding import require_on, written
from core.usecases.conversation.learning.conclude_invocation import put_invocation
from core.usecases.conversation.ports import TurnPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class AddInvocationSummary:
    """`dated`: whether the summary's `event_time` was given; else it is now. One of the same invocation is replaced."""

    key: ConversationKey
    summary: InvocationSummary
    dated: bool
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryNamed:
    """What is kept for a repetition."""

    invocation_id: InvocationId


async def add_invocation_summary(
    ports: TurnPorts, command: AddInvocationSummary
) -> CommitResult[SummaryNamed]:
    """Makes a conversation that is not there. Raises TurnNotFound (of a step), MemoryOff, LimitReached,
    RequestIdReused."""
    now = ports.clock.now()
    summary = command.summary if command.dated else replace(command.summary, event_time=now)

    def stage(conversation: Conversation, _revision: int) -> Draft[SummaryNamed]:
        require_on(conversation)
        if summary.step:
            conversation.turn(summary.step)
        return Draft(
            result=SummaryNamed(invocation_id=summary.invocation_id),
            steps=tuple(put_invocation(conversation, summary)),
            touches=frozenset({"conversation"}),
        )

    return await written(ports, command.key, Collection(""), stage, command.request, SummaryNamed)
