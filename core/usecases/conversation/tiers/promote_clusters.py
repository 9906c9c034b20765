"""Promoting: a cluster that was recalled often becomes a key, once; its key is made anew when a turn joins it.

Law: a key holds what its cluster says now. Of two that say the same the older one stands.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.agents.faithful import problem_of_key
from core.agents.memory_roles import Passage
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.keys import displaced, says_the_same, to_distil
from core.conversation.steps import KeyDrop, KeyPut, MidPut, Step
from core.errors import AgentReplyInvalid
from core.keys import ConversationKey
from core.model.conversation import KeyMemory, KeyType, TurnCluster
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, have_words, land, passages_of
from core.usecases.house import House


async def promote_clusters(house: House, key: ConversationKey, ledger: Ledger) -> None:
    """Promotes clusters until none is ripe, or keys of the user leave no room, and makes keys anew. Raises
    ConversationNotFound, AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    while await _promote_one(house, key, ledger):
        pass


async def _promote_one(house: House, key: ConversationKey, ledger: Ledger) -> bool:
    """Whether there was one."""
    async with house.conversations.reading(key) as conversation:
        seen, cluster = SeenConversation.of(conversation), to_distil(conversation)
        if cluster is None:
            return False
        passages = passages_of(conversation.turn(step) for step in cluster.steps)
    promoted = MidPut(cluster=replace(cluster, promoted=True))
    made = await _distilled(house, ledger, cluster, passages) if have_words(passages) else None

    def make(conversation: Conversation) -> Outcome | None:
        if conversation.clusters.get(cluster.cluster_id) != cluster or to_distil(conversation) != cluster:
            return None
        return conversation.record, [*_keys(conversation, cluster, made), promoted]

    await land(house, key, seen, ledger, make)
    return True


def _keys(conversation: Conversation, cluster: TurnCluster, made: KeyMemory | None) -> Iterator[Step]:
    """Yields what becomes of the keys: the one made stands in the place of the cluster's own, if there is one."""
    own = [key for key in conversation.keys_in_order(KeyType.SYSTEM) if key.cluster_id == cluster.cluster_id]
    others = [key for key in conversation.keys.values() if key not in own]
    if made is None or any(_stands_for(other, made) for other in others):
        yield from (KeyDrop(key_id=key.key_id) for key in own)
        return
    first = own[0] if own else made
    text_changed = first.text != made.text or not own
    made = replace(
        made,
        create_time=first.create_time,
        update_time=made.update_time if text_changed else first.update_time,
        revision=conversation.revision + 1 if text_changed else first.revision,
    )
    yield from (KeyDrop(key_id=each.key_id) for each in displaced(conversation, made))
    yield KeyPut(key=made)


def _stands_for(other: KeyMemory, made: KeyMemory) -> bool:
    """Whether another key says as much, or is the user's wording of this one."""
    return other.key_id == made.key_id or says_the_same(made.text, other.text)


async def _distilled(
    house: House, ledger: Ledger, cluster: TurnCluster, passages: Sequence[Passage]
) -> KeyMemory | None:
    """Returns the key of a cluster, its revision still to be told; None where nothing of it is worth keeping."""
    with ledger.spending("distiller"):
        opinion = await house.memory_agents.distiller.key(passages)
        if problem := problem_of_key(opinion, passages):
            raise AgentReplyInvalid("distiller", problem)
    if not opinion.text:
        return None
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
        event_time=max(filter(None, (passages[n].event_time for n in opinion.passages)), default=None),
        seen_to=cluster.steps[-1],
    )
