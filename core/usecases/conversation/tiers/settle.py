"""What time does to a conversation that is left alone: it ends, and is looked at no more."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.due import is_idle, next_look
from core.keys import ConversationKey
from core.model.conversation import NOTHING_TAUGHT, ConversationRecord, ConversationState
from core.usecases.conversation.ports import ConversationPorts
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land


async def end_idle(ports: ConversationPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Ends it if it has been idle for so long. Raises ConversationNotFound."""
    now = ports.clock.now()

    def make(conversation: Conversation) -> Outcome | None:
        if not is_idle(conversation, now):
            return None
        return ending(conversation.record, now), ()

    await _land(ports, key, ledger, make)


def ending(record: ConversationRecord, now: datetime) -> ConversationRecord:
    """Returns the record with its end stored, due at once."""
    return replace(record, state=ConversationState.ENDING, end_time=now, due_time=now, taught=NOTHING_TAUGHT)


async def settle(ports: ConversationPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Puts off the next look: nothing is left to do. Raises ConversationNotFound."""
    now = ports.clock.now()

    def make(conversation: Conversation) -> Outcome | None:
        looked_at = conversation.record.due_time
        if looked_at is None or looked_at > now:
            return None
        return replace(conversation.record, due_time=next_look(conversation)), ()

    await _land(ports, key, ledger, make)


async def _land(
    ports: ConversationPorts,
    key: ConversationKey,
    ledger: Ledger,
    make: Callable[[Conversation], Outcome | None],
) -> None:
    async with ports.conversations.reading(key) as conversation:
        seen = SeenConversation.of(conversation)
    await land(ports, key, seen, ledger, make)
