"""Metadata of turns, which a conversation is loaded without: read from the store, a few at a time."""

from collections.abc import AsyncIterator, Sequence

from core.aggregate.parts import numbered
from core.conversation.steps import METADATA
from core.keys import ConversationKey
from core.usecases.ports import HasConversations

AT_ONCE = 8  # turns, each of which may have a megabyte


async def metadata_of(
    ports: HasConversations, key: ConversationKey, uid: str, steps: Sequence[int]
) -> AsyncIterator[tuple[int, str]]:
    """Yields steps with their metadata as it came; nothing of a turn that has none, or is gone by then."""
    for start in range(0, len(steps), AT_ONCE):
        names = [numbered(step) for step in steps[start : start + AT_ONCE]]
        values = await ports.conversations.values(key, uid, METADATA.name, names)
        for name, value in values.items():
            yield int(name), value.metadata_json
