"""Counting that prompts recalled clusters. Nothing waits for it, and what it counts adds up over replicas."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from core.conversation.conversation import Conversation
from core.conversation.steps import HitsPut
from core.errors import ConversationNotFound
from core.keys import ConversationKey
from core.model.conversation import ClusterHits
from core.ports.aggregates import Draft
from core.usecases.house import House


async def write_hits(house: House) -> None:
    """Writes what was counted. Raises StoreUnavailable; what was not written is lost then."""
    for (key, uid), waiting in house.hits.take().items():
        with suppress(ConversationNotFound):  # it is gone, and so are its hits
            await count_hits(house, key, uid, waiting.counts, waiting.last)


async def count_hits(
    house: House, key: ConversationKey, uid: str, counted: Mapping[str, int], last: datetime
) -> None:
    """Adds to the hits of clusters; those that are gone are passed over. Raises ConversationNotFound."""

    def stage(conversation: Conversation, _revision: int) -> Draft[None]:
        there = conversation.clusters.keys() & counted.keys() if conversation.uid == uid else set()
        steps = tuple(HitsPut(hits=_added(conversation, name, counted[name], last)) for name in sorted(there))
        return Draft(result=None, steps=steps, touches=frozenset({"hits"}))

    await house.conversations.commit(key, stage)


def _added(conversation: Conversation, name: str, more: int, last: datetime) -> ClusterHits:
    before = conversation.hits.get(name)
    if before is None:
        return ClusterHits(cluster_id=name, hits=more, last_hit_time=last)
    return ClusterHits(
        cluster_id=name, hits=before.hits + more, last_hit_time=max(last, before.last_hit_time)
    )
