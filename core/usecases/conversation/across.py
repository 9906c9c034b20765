"""Several conversations of a user, read for one call: those with the newest turns, a few at a time.

Law: which are read does not depend on which happen to be in memory; one that is deleted meanwhile is passed over.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from core.conversation.conversation import Conversation
from core.errors import ConversationNotFound
from core.ids import Tenant, User
from core.keys import ConversationKey
from core.model.access import OPEN, Binding
from core.ports.store import Listing, NamedConversation
from core.usecases.ports import HasConversations, HasStore
from core.usecases.user.permission import Permission

MOST_CONVERSATIONS = 100
AT_ONCE = 4  # conversations that one call loads at a time
SPARE = 8  # records asked for beyond those wanted: the call's own conversation may be among them
FURTHER = 4  # times as many are asked for where too few of them are admitted

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


def _any(_conversation: NamedConversation) -> bool:
    return True


async def newest(
    ports: HasStore,
    among: AllConversations,
    permission: Permission,
    admits: Callable[[NamedConversation], bool] = _any,
) -> tuple[list[NamedConversation], bool]:
    """Returns the conversations to be read, with memory on, and whether there are more."""
    if not permission.is_on:
        return [], False
    listing = Listing(user=among.user, collection=among.collection, labels=among.labels, within=among.within)
    wanted = among.most + SPARE
    while True:
        page = await ports.store.newest(among.tenant, ConversationKey.kind, listing, wanted)
        on = [each for each in page if admits(each)]
        if len(on) > among.most or len(page) < wanted:
            return on[: among.most], len(on) > among.most
        wanted *= FURTHER


async def read_each(
    ports: HasConversations, keys: Sequence[ConversationKey], read: Callable[[Conversation], Found]
) -> list[tuple[ConversationKey, Found]]:
    """Returns what is read of each that is there, in their order."""
    await ports.conversations.confirm(keys)
    free = asyncio.Semaphore(AT_ONCE)

    async def one(key: ConversationKey) -> tuple[ConversationKey, Found] | None:
        async with free:
            try:
                async with ports.conversations.reading(key) as conversation:
                    return key, read(conversation)
            except ConversationNotFound:
                return None

    found = await asyncio.gather(*map(one, keys))
    return [each for each in found if each is not None]
