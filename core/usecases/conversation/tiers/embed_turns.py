"""Making the vectors of turns that lack them, some at a time, stored as they come."""

from itertools import groupby, islice

from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.steps import TURNS
from core.conversation.turn_vectors import joined
from core.keys import ConversationKey
from core.text.data_runs import without_data
from core.usecases.conversation.ports import TurnVectorPorts

BATCH = 32  # segments asked for at once, and turns stored at once


async def embed_turns(ports: TurnVectorPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Raises ConversationNotFound, EmbedderUnavailable.

    A turn whose words were overwritten as they were embedded is embedded again.
    """
    while True:
        async with ports.conversations.reading(key) as conversation:
            uid, lines = conversation.uid, _next(conversation)
        if not lines:
            return
        made = {}
        for item, texts in lines.items():
            with ledger.spending("embedder"):
                parts = [
                    await ports.embedder.embed_passages(texts[start : start + BATCH])
                    for start in range(0, len(texts), BATCH)
                ]
            made[item] = joined([row for rows in parts for row in rows])
        async with ports.conversations.reading(key) as conversation:
            there = [item for item in made if item in conversation.turns]
            standing = [item for item in there if _lines(conversation, item) == lines[item]]
        await ports.conversations.keep_vectors(key, uid, TURNS.name, {item: made[item] for item in standing})


def _next(conversation: Conversation) -> dict[str, list[str]]:
    """Returns the texts of turns still to be embedded: of some, the oldest first."""
    by_turn = groupby(conversation.verbatim.wanting, key=lambda ref: ref.interaction_id)
    return {item: _lines(conversation, item) for item, _ in islice(by_turn, BATCH)}


def _lines(conversation: Conversation, item: str) -> list[str]:
    return list(map(without_data, conversation.lines(conversation.turns[item]).values()))
