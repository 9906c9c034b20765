"""Giving the turns that fell out of the short tier their clusters, in step order."""

from dataclasses import replace

from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.mid import placings
from core.conversation.steps import MidPut
from core.keys import ConversationKey
from core.ports.embedder import Embedder
from core.usecases.conversation.ports import TurnVectorPorts
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land


async def place_turns(ports: TurnVectorPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Places turns up to the first that has no vector yet. Raises ConversationNotFound."""
    embedder = ports.embedder

    def make(conversation: Conversation) -> Outcome | None:
        clusters, placed_to = placings(conversation, embedder.space, line_of(embedder, conversation))
        if not clusters:
            return None
        record = replace(conversation.record, placed_to=placed_to)
        return record, [MidPut(cluster=cluster) for cluster in clusters]

    async with ports.conversations.reading(key) as conversation:
        seen = SeenConversation.of(conversation)
    while await land(ports, key, seen, ledger, make):
        pass


def line_of(embedder: Embedder, conversation: Conversation) -> float:
    """Returns how like a cluster a turn of this conversation must be to join it."""
    line = conversation.tiers.similarity
    return embedder.thresholds.cluster if line is None else line
