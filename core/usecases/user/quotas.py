"""How many aggregates of a kind a user may have: the configured limit, or the user's own quota where that is less.

Law: counted by the store's index as one is founded. Two foundings at once may go beyond by one each.
"""

from core.errors import LimitReached
from core.keys import CollectionKey, ConversationKey, RunKey
from core.usecases.user.permission import Permission
from core.usecases.user.ports import QuotaPorts

LIMITS = {
    ConversationKey.kind: ("conversations_per_user", "delete one"),
    CollectionKey.kind: ("collections_per_user", "delete one"),
    RunKey.kind: ("runs_per_user", "let runs expire"),
}
"""The limit of each kind that has one, by its name in the configuration, and how a user comes to have fewer."""

KINDS = tuple(sorted(LIMITS))
"""What a user's quotas may name."""


async def require_room(ports: QuotaPorts, permission: Permission, kind: str) -> None:
    """Raises LimitReached where the user can have no more of this kind."""
    limit, remedy = LIMITS[kind]
    most: int = getattr(ports.settings.limits, limit)
    own, key = permission.quota(kind, most), permission.key
    if await ports.store.count(key.tenant, kind, key.user) < min(own, most):
        return
    if own < most:
        raise LimitReached(f"quotas.{kind}", own, f"{remedy}, or raise the user's quota of {kind}s")
    raise LimitReached(limit, most, f"{remedy}, or raise the limit")
