"""ListUsers: the users for whom something was written, by name, from the store."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ids import Tenant
from core.keys import UserKey
from core.model.user import UserRecord
from core.ports.store import Listing
from core.usecases.paging import BY_ID, DEFAULT_PAGE, first_page, place_of
from core.usecases.ports import HasStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ListUsers:
    tenant: Tenant
    page_size: int = DEFAULT_PAGE
    page_token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersListed:
    """Records, each with its revision."""

    users: Sequence[tuple[UserRecord, int]]
    next_page_token: str


async def list_users(ports: HasStore, command: ListUsers) -> UsersListed:
    """Raises InvalidField (page_token)."""
    place = place_of(command, command.page_token, BY_ID)
    after = str(place[0]) if place else ""
    found = await ports.store.listed(command.tenant, UserKey.kind, Listing(), after, command.page_size + 1)
    page = first_page(command, found, lambda each: (each[0].key.name,), command.page_size)
    return UsersListed(users=page.items, next_page_token=page.next_page_token)
