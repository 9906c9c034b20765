"""DeleteConversation: a purge. Nothing of the conversation remains."""

from contextlib import suppress
from dataclasses import dataclass

from core.errors import ConversationNotFound
from core.keys import ConversationKey
from core.ports.store import PurgeCounts
from core.usecases.conversation.forget_turns import forget_turns
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteConversation:
    """`if_revision`: only one that has not changed since. `allow_missing`: one that is gone is a success."""

    key: ConversationKey
    allow_missing: bool = False
    if_revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPurged:
    """What was removed, and the revision of the purge (0: there was nothing)."""

    counts: PurgeCounts
    revision: int


async def delete_conversation(house: House, command: DeleteConversation) -> ConversationPurged:
    """Raises ConversationNotFound, StaleRevision."""
    with suppress(ConversationNotFound):
        await forget_turns(house, command.key)  # else nobody would know what deleted turns taught
    try:
        counts, revision = await house.conversations.delete(command.key, if_revision=command.if_revision)
    except ConversationNotFound:
        if not command.allow_missing:
            raise
        return ConversationPurged(counts=PurgeCounts(), revision=0)
    return ConversationPurged(counts=counts, revision=revision)
