"""ListCollections: a user's collections by name, from the store: they need not be in memory."""

from dataclasses import dataclass

from core.ids import Tenant, User
from core.keys import CollectionKey
from core.model.access import OPEN, Binding
from core.model.collection import CollectionRecord
from core.ports.store import Listing
from core.usecases.paging import BY_ID, DEFAULT_PAGE, first_page, place_of
from core.usecases.ports import HasStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCollections:
    """`within`: what the caller is bound to; another's page token is none of this list."""

    tenant: Tenant
    user: User
    within: Binding = OPEN
    page_size: int = DEFAULT_PAGE
    page_token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionsListed:
    """Each record with its collection's revision."""

    collections: tuple[tuple[CollectionRecord, int], ...]
    next_page_token: str


async def list_collections(ports: HasStore, command: ListCollections) -> CollectionsListed:
    """Raises InvalidField (page_token)."""
    place = place_of(command, command.page_token, BY_ID)
    after = str(place[0]) if place else ""
    chosen = Listing(user=command.user, within=command.within)
    found = await ports.store.listed(command.tenant, CollectionKey.kind, chosen, after, command.page_size + 1)
    page = first_page(command, found, lambda each: (each[0].key.name,), command.page_size)
    return CollectionsListed(collections=page.items, next_page_token=page.next_page_token)
