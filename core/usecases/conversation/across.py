"""Several conversations of a user, read for one call: those with the newest turns, a few at a time.

Law: which are read does not depend on which happen to be in memory; one that is deleted meanwhile is passed over.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TypeVar

from core.conversation.conversation import Conversation
from core.errors import ConversationNotFound
from core.ids import Tenant, User
from core.keys import ConversationKey
from core.model.access import OPEN, Binding
from core.model.conversation import ConversationRecord
from core.ports.store import Listing
from core.usecases.house import House
from core.usecases.long_term.memory import memory_of

MOST_CONVERSATIONS = 100
AT_ONCE = 4  # conversations that one call loads at a time
PAGE = 1_000

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllConversations:
    """Which of a user's: those that teach a collection (empty: any), with all of the labels; at the most so many.
    `within`: what the caller is bound to."""

    tenant: Tenant
    user: User
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    within: Binding = OPEN
    most: int = MOST_CONVERSATIONS


def _any(_record: ConversationRecord) -> bool:
    return True


async def newest(
    house: House, among: AllConversations, admits: Callable[[ConversationRecord], bool] = _any
) -> tuple[list[ConversationRecord], bool]:
    """Returns the conversations to be read, with memory on, and whether there are more."""
    if not (await memory_of(house, among.tenant, among.user)).enabled:
        return [], False
    listing = Listing(user=among.user, collection=among.collection, labels=among.labels, within=among.within)
    on: list[ConversationRecord] = []
    after = ""
    while True:
        page = await house.store.listed(among.tenant, ConversationKey.kind, listing, after, PAGE)
        on += [record for record, _ in page if record.enabled and record.turn_count and admits(record)]
        if len(page) < PAGE:
            break
        after = page[-1][0].key.name
    chosen = nlargest(
        among.most, on, key=lambda record: (record.last_turn_time or record.create_time, record.key.name)
    )
    return chosen, len(on) > len(chosen)


async def read_each(
    house: House, keys: Sequence[ConversationKey], read: Callable[[Conversation], Found]
) -> list[tuple[ConversationKey, Found]]:
    """Returns what is read of each that is there, in their order."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(key: ConversationKey) -> tuple[ConversationKey, Found] | None:
        async with free:
            try:
                async with house.conversations.reading(key) as conversation:
                    return key, read(conversation)
            except ConversationNotFound:
                return None

    found = await asyncio.gather(*map(one, keys))
    return [each for each in found if each is not None]
