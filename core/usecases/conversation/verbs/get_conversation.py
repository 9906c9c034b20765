"""GetConversation: a conversation's record, and how much it holds."""

from dataclasses import dataclass

from core.conversation.conversation import Conversation
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, SummaryKind
from core.model.invocation import InvocationSummary
from core.usecases.ports import HasConversations

MOST = 200  # invocations of an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConversation:
    key: ConversationKey
    include_invocations: bool = False
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
    invocations: tuple[InvocationSummary, ...] = ()


async def get_conversation(ports: HasConversations, command: GetConversation) -> ConversationSeen:
    """Raises ConversationNotFound, RevisionNotReached."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        left = conversation.invocations_in_order()[-MOST:] if command.include_invocations else []
        return ConversationSeen(
            record=conversation.record,
            counts=_counts(conversation),
            revision=conversation.revision,
            invocations=tuple(left),
        )


def _counts(conversation: Conversation) -> ConversationCounts:
    kinds = [summary.kind for summary in conversation.summaries.values()]
    return ConversationCounts(
        turns=len(conversation.turns),
        clusters=len(conversation.clusters),
        long_summaries=kinds.count(SummaryKind.LONG),
        folded_summaries=kinds.count(SummaryKind.FOLDED),
        keys=len(conversation.keys),
        unplaced_turns=conversation.unplaced_count,
        unembedded_turns=len(conversation.unembedded),
    )
