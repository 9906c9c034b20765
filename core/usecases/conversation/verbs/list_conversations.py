"""ListConversations: a user's conversations by id, from the store: they need not be in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.ids import Tenant, User
from core.keys import ConversationKey
from core.model.access import OPEN, Binding
from core.model.conversation import ConversationRecord
from core.ports.store import Listing
from core.usecases.paging import BY_ID, DEFAULT_PAGE, first_page, place_of
from core.usecases.ports import HasStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConversations:
    """Empty fields admit all; labels must all match. `within`: what the caller is bound to; another's page token is
    none of this list."""

    tenant: Tenant
    user: User
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    state: str = ""
    within: Binding = OPEN
    page_size: int = DEFAULT_PAGE
    page_token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsListed:
    conversations: tuple[ConversationRecord, ...]
    next_page_token: str


async def list_conversations(ports: HasStore, command: ListConversations) -> ConversationsListed:
    """Raises InvalidField (page_token)."""
    place = place_of(command, command.page_token, BY_ID)
    chosen = Listing(
        user=command.user,
        collection=command.collection,
        labels=command.labels,
        state=command.state,
        within=command.within,
    )
    after = str(place[0]) if place else ""
    found = await ports.store.listed(
        command.tenant, ConversationKey.kind, chosen, after, command.page_size + 1
    )
    page = first_page(
        command, [record for record, _ in found], lambda record: (record.key.name,), command.page_size
    )
    return ConversationsListed(conversations=page.items, next_page_token=page.next_page_token)
