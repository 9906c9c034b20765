"""ListBanks: a tenant's banks by id, from the store: they need not be in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.ids import Tenant
from core.keys import BankKey
from core.model.access import OPEN, Binding
from core.model.bank import BankRecord
from core.ports.store import Listing
from core.usecases.bank.ports import BankListPorts
from core.usecases.paging import BY_ID, DEFAULT_PAGE, first_page, place_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBanks:
    """Empty fields admit all; labels must all match. `within`: what the caller is bound to; another's page token is
    none of this list. `names_users`: the users of banks are told."""

    tenant: Tenant
    user: str = ""
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    within: Binding = OPEN
    names_users: bool = True
    page_size: int = DEFAULT_PAGE
    page_token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BanksListed:
    """Each record with its bank's revision, ordered by bank_id. `model` compares sentences in this process, in
    `model_bytes` of memory."""

    banks: tuple[tuple[BankRecord, int], ...]
    next_page_token: str
    model: str
    model_bytes: int


async def list_banks(ports: BankListPorts, command: ListBanks) -> BanksListed:
    """Raises InvalidField (page_token)."""
    place = place_of(command, command.page_token, BY_ID)
    chosen = Listing(
        user=command.user, collection=command.collection, labels=command.labels, within=command.within
    )
    after = str(place[0]) if place else ""
    found = await ports.store.listed(command.tenant, BankKey.kind, chosen, after, command.page_size + 1)
    if not command.names_users:
        found = [(replace(record, user=""), revision) for record, revision in found]
    page = first_page(command, found, lambda each: (each[0].key.bank_id,), command.page_size)
    return BanksListed(
        banks=page.items,
        next_page_token=page.next_page_token,
        model=ports.comparer.model,
        model_bytes=ports.comparer.size,
    )
