"""GetConversation: a conversation's record, and how much it holds."""

from dataclasses import dataclass

from core.conversation.conversation import Conversation
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, SummaryKind
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConversation:
    key: ConversationKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationCounts:
    turns: int
    clusters: int
    long_summaries: int
    folded_summaries: int
    keys: int
    unplaced_turns: int
    unembedded_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSeen:
    record: ConversationRecord
    counts: ConversationCounts
    revision: int


async def get_conversation(house: House, command: GetConversation) -> ConversationSeen:
    """Raises ConversationNotFound, RevisionNotReached."""
    async with house.conversations.reading(command.key, command.min_revision) as conversation:
        return ConversationSeen(
            record=conversation.record, counts=_counts(conversation), revision=conversation.revision
        )


def _counts(conversation: Conversation) -> ConversationCounts:
    kinds = [summary.kind for summary in conversation.summaries.values()]
    return ConversationCounts(
        turns=len(conversation.turns),
        clusters=len(conversation.clusters),
        long_summaries=kinds.count(SummaryKind.LONG),
        folded_summaries=kinds.count(SummaryKind.FOLDED),
        keys=len(conversation.keys),
        unplaced_turns=len(conversation.unplaced()),
        unembedded_turns=len(conversation.unembedded),
    )
