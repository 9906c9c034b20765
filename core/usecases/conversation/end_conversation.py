"""EndConversation: what has no summary yet gets one now; the next turn begins again."""

from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, ConversationState
from core.ports.aggregates import Committed, Draft, RequestKey
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class EndConversation:
    key: ConversationKey
    request: RequestKey | None = None


async def end_conversation(house: House, command: EndConversation) -> Committed[ConversationRecord]:
    """One that has ended stays as it is. Raises ConversationNotFound, RequestIdReused."""
    now = house.clock.now()

    def stage(conversation: Conversation, _revision: int) -> Draft[ConversationRecord]:
        before = conversation.record
        if before.state is ConversationState.ENDED:
            return Draft(result=before)
        record = replace(before, state=ConversationState.ENDED, end_time=now, due_time=now)
        return Draft(
            result=record, steps=(ConversationPut(record=record),), touches=frozenset({"conversation"})
        )

    return await house.conversations.commit(command.key, stage, command.request, ConversationRecord)
