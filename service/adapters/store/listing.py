"""Which aggregates of a kind a list has, as parameters of a statement."""

from core.aggregate.codec import dumps
from core.ids import Tenant
from core.keys import BankKey
from core.model.access import OF_COLLECTION, Binding
from core.ports.store import Listing
from service.adapters.store.rows import Row


def chosen_row(tenant: Tenant, kind: str, chosen: Listing) -> Row:
    return {
        "tenant": tenant,
        "kind": kind,
        "user": chosen.user,
        "collection": chosen.collection,
        "labels": dumps(dict(chosen.labels)),
        "state": chosen.state,
        **_within(kind, chosen.within),
    }


def _within(kind: str, binding: Binding) -> Row:
    """Returns how a list keeps to a binding: names begin so, and are among these, as are collections; `null`: any."""
    is_bank = kind == BankKey.kind
    return {
        "prefix": binding.bank_prefix if is_bank else "",
        "names": dumps(binding.banks if is_bank else None),
        "collections": dumps(binding.collections if kind in OF_COLLECTION else None),
    }
