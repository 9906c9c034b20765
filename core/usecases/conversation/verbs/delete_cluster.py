"""DeleteCluster: a cluster goes, and its turns are placed anew in the same change: no turn is between two tiers."""

from contextlib import suppress
from dataclasses import dataclass

from core.conversation.conversation import Conversation
from core.conversation.mid import placed
from core.conversation.steps import KeyDrop, MidDrop, MidPut, Step
from core.errors import ClusterNotFound, MemoryOff, UserNotFound
from core.keys import ConversationKey
from core.model.conversation import KeyType
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.ports import ClusterPorts
from core.usecases.conversation.tiers.embed_turns import embed_turns
from core.usecases.conversation.tiers.place_turns import line_of
from core.usecases.user.permission import permission_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteCluster:
    key: ConversationKey
    cluster_id: str
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDeleted:
    """`cluster_ids`: where its turns lie now, by their first steps. `keys` of the system that went."""

    cluster_ids: tuple[str, ...]
    keys: int


async def delete_cluster(ports: ClusterPorts, command: DeleteCluster) -> CommitResult[ClusterDeleted]:
    """Raises ConversationNotFound, ClusterNotFound, EmbedderUnavailable, RequestIdReused."""
    async with ports.conversations.reading(command.key) as conversation:
        lacks_vectors = conversation.record.enabled and bool(conversation.verbatim.wanting)
    if lacks_vectors:  # of another embedder's space, or of turns that have just come
        with suppress(MemoryOff, UserNotFound):  # then those without one lie alone
            (await permission_of(ports, command.key)).tender()
            await embed_turns(ports, command.key, ports.workshop.ledger(command.key))

    def stage(conversation: Conversation, _revision: int) -> Draft[ClusterDeleted]:
        gone = conversation.clusters.get(command.cluster_id)
        if gone is None:
            raise ClusterNotFound(command.cluster_id)
        others = [each for each in conversation.clusters.values() if each is not gone]
        changed = placed(
            conversation, gone.steps, others, ports.embedder.space, line_of(ports.embedder, conversation)
        )
        keys = [
            key.key_id
            for key in conversation.keys_in_order(KeyType.SYSTEM)
            if key.cluster_id == command.cluster_id
        ]
        changed.sort(key=lambda each: each.steps[0])
        steps: tuple[Step, ...] = (
            MidDrop(cluster_id=command.cluster_id),
            *(KeyDrop(key_id=key_id) for key_id in keys),
            *(MidPut(cluster=each) for each in changed),
        )
        result = ClusterDeleted(cluster_ids=tuple(each.cluster_id for each in changed), keys=len(keys))
        return Draft(
            result=result, steps=steps, touches=frozenset({"conversation", "keys"}), erase=bool(keys)
        )

    return await ports.conversations.commit(command.key, stage, command.request, ClusterDeleted)
