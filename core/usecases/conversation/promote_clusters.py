"""Promoting: a cluster that was recalled often becomes a key, once."""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.faithful import problem_of_key
from core.agents.memory_roles import Passage
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.keys import displaced, has_room
from core.conversation.mid import ripe
from core.conversation.steps import KeyDrop, KeyPut, MidPut
from core.errors import AgentReplyInvalid
from core.keys import ConversationKey
from core.model.conversation import KeyMemory, KeyType, TurnCluster
from core.usecases.conversation.tending import Outcome, Seen, have_words, land, passages_of
from core.usecases.house import House


async def promote_clusters(house: House, key: ConversationKey, ledger: Ledger) -> None:
    """Promotes clusters until none is ripe, or keys of the user leave no room. Raises ConversationNotFound,
    AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    while await _promote_one(house, key, ledger):
        pass


async def _promote_one(house: House, key: ConversationKey, ledger: Ledger) -> bool:
    """Whether one was ripe, and had room."""
    async with house.conversations.reading(key) as conversation:
        seen, cluster = Seen.of(conversation), ripe(conversation)
        if cluster is None or not has_room(conversation):
            return False
        passages = passages_of(conversation.turn(step) for step in cluster.steps)
    promoted = MidPut(cluster=replace(cluster, promoted=True))
    made = await _distilled(house, ledger, cluster, passages) if have_words(passages) else None

    def make(conversation: Conversation) -> Outcome | None:
        if conversation.clusters.get(cluster.cluster_id) != cluster or not has_room(conversation):
            return None
        if made is None:
            return conversation.record, [promoted]
        return conversation.record, [
            *(KeyDrop(key_id=each.key_id) for each in displaced(conversation, made)),
            KeyPut(key=replace(made, revision=conversation.revision + 1)),
            promoted,
        ]

    await land(house, key, seen, ledger, make)
    return True


async def _distilled(
    house: House, ledger: Ledger, cluster: TurnCluster, passages: Sequence[Passage]
) -> KeyMemory:
    """Returns the key of a cluster, its revision still to be told."""
    with ledger.spending("distiller"):
        opinion = await house.memory_agents.distiller.key(passages)
        if problem := problem_of_key(opinion, passages):
            raise AgentReplyInvalid("distiller", problem)
    now = house.clock.now()
    return KeyMemory(
        key_id=f"k-{cluster.cluster_id}",
        type=KeyType.SYSTEM,
        text=opinion.text,
        create_time=now,
        update_time=now,
        revision=0,
        cluster_id=cluster.cluster_id,
        from_steps=tuple(sorted({passages[number].step for number in opinion.passages})),
    )
