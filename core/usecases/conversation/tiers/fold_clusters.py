"""Folding: the coldest cluster becomes a summary, where there are more clusters than there may be."""

from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.mid import coldest, ranges_of
from core.conversation.steps import MidDrop
from core.conversation.stretches import put_summary
from core.keys import ConversationKey
from core.model.conversation import SummaryKind, SummaryOwed
from core.usecases.conversation.ports import TierPorts
from core.usecases.conversation.tiers.summarise_turns import summarised
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land


async def fold_clusters(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Folds clusters until there are no more than there may be. Raises ConversationNotFound, AgentUnavailable,
    AgentReplyInvalid, BudgetSpent."""
    while await _fold_one(ports, key, ledger):
        pass


async def _fold_one(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> bool:
    """Whether there was one to fold."""
    async with ports.conversations.reading(key) as conversation:
        seen, cluster = SeenConversation.of(conversation), coldest(conversation)
        if cluster is None:
            return False
        ranges = ranges_of(cluster.steps, conversation.steps)
        turns = [conversation.turn(step) for step in cluster.steps]
        limit = conversation.tiers.summary_length
    owed = SummaryOwed(summary_id=f"f{cluster.steps[0]}", kind=SummaryKind.FOLDED, ranges=ranges)
    summary = await summarised(ports, ledger, owed, turns, limit)

    def make(conversation: Conversation) -> Outcome | None:
        if conversation.clusters.get(cluster.cluster_id) != cluster:
            return None
        drop = MidDrop(cluster_id=cluster.cluster_id)
        return conversation.record, [*put_summary(conversation, summary), drop]

    await land(ports, key, seen, ledger, make)
    return True
