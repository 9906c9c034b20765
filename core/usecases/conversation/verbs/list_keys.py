"""ListKeys: keys as prompts show them."""

from dataclasses import dataclass

from core.keys import ConversationKey
from core.model.conversation import KeyMemory
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of
from core.usecases.ports import HasConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKeys:
    key: ConversationKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysListed:
    keys: tuple[KeyMemory, ...]
    next_page_token: str
    revision: int


async def list_keys(ports: HasConversations, command: ListKeys) -> KeysListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        ordered = conversation.keys_in_order()
        place = {key.key_id: number for number, key in enumerate(ordered)}
        page = page_of(
            command,
            ordered,
            lambda key: (place[key.key_id],),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        return KeysListed(
            keys=page.items, next_page_token=page.next_page_token, revision=conversation.revision
        )
