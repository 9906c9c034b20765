"""Promoting: a cluster that was recalled often becomes a key, once; its key is made anew when a turn joins it, or when
one elsewhere says that it is otherwise.

Law: a key holds what its cluster says now.
"""

from dataclasses import replace

from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.keys import to_distil, uncompared
from core.conversation.steps import Step
from core.keys import ConversationKey
from core.model.conversation import KeyMemory, KeyType
from core.usecases.conversation.ports import TierPorts
from core.usecases.conversation.tiers.key_of_cluster import TurnsOfCluster, changes_of, key_of, keys_with
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land


async def promote_clusters(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Promotes clusters until none is ripe, or keys of the user leave no room, and makes keys anew. Raises
    ConversationNotFound, AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable."""
    while await _compare_keys(ports, key, ledger):
        pass
    while await _promote_one(ports, key, ledger):
        pass


async def _promote_one(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> bool:
    """Whether there was one."""
    async with ports.conversations.reading(key) as conversation:
        seen, cluster = SeenConversation.of(conversation), to_distil(conversation)
        if cluster is None:
            return False
        read = TurnsOfCluster.of(conversation, cluster)
    made = await key_of(ports, ledger, read)

    def make(conversation: Conversation) -> Outcome | None:
        if conversation.clusters.get(cluster.cluster_id) != cluster or to_distil(conversation) != cluster:
            return None
        return conversation.record, list(keys_with(conversation, cluster, made))

    await land(ports, key, seen, ledger, make)
    return True


async def _compare_keys(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> bool:
    """Compares the keys of the system with the newest turns, and makes anew what these change. Whether there were
    any."""
    async with ports.conversations.reading(key) as conversation:
        seen, steps = SeenConversation.of(conversation), uncompared(conversation)
        if not steps:
            return False
        newest = list(map(conversation.turn, steps))
        known = [
            (each, TurnsOfCluster.of(conversation, conversation.clusters[each.cluster_id]))
            for each in conversation.keys_in_order(KeyType.SYSTEM)
            if each.cluster_id in conversation.clusters
        ]
    made: list[tuple[KeyMemory, TurnsOfCluster, KeyMemory | None]] = []
    for old, read in known:
        if await changes_of(ports, old, (turn for turn in newest if turn not in read.turns)):
            made.append((old, read, await key_of(ports, ledger, read)))

    def make(conversation: Conversation) -> Outcome | None:
        if uncompared(conversation)[: len(steps)] != steps:
            return None
        record = replace(conversation.record, compared_to=steps[-1])
        changed: list[Step] = []
        for old, read, new in made:
            cluster = conversation.clusters.get(old.cluster_id)
            if cluster == read.cluster and conversation.keys.get(old.key_id) == old:
                changed += keys_with(conversation, cluster, new)
        return record, changed

    await land(ports, key, seen, ledger, make)
    return True
