"""Who calls, and what the call may reach.

Law: the one place where the keys of what a call names are made, so that its binding holds for each. A caller comes from
a credential, never from a request; `Caller.local` is for callers within the process.
"""

from dataclasses import dataclass, field
from typing import TypeVar

from core.errors import PermissionDenied
from core.ids import BankId, Collection, ConversationId, InvocationId, Tenant, User
from core.keys import (
    BankKey,
    CollectionKey,
    ConversationKey,
    InvocationKey,
    Key,
    UserKey,
)
from core.model.access import EVERY_SCOPE, OPEN, Binding, Scope

Made = TypeVar("Made", bound=Key)

DEFAULT_TENANT = Tenant("default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """`subject` is the same for all API keys that follow each other by rotation; empty where no credential is asked
    for. `key_id` names the API key. `is_held`: its requests must be looked through, as it is bound to something or may
    not write."""

    tenant: Tenant
    subject: str = ""
    key_id: str = ""
    scopes: frozenset[Scope] = EVERY_SCOPE
    binding: Binding = OPEN
    is_held: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        is_held = self.binding is not OPEN or Scope.WRITE not in self.scopes
        object.__setattr__(self, "is_held", is_held)

    @classmethod
    def local(cls, tenant: Tenant = DEFAULT_TENANT) -> "Caller":
        """Returns a caller that may do everything with a tenant's memory."""
        return cls(tenant=tenant)

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes

    # ---- keys ----

    def bank(self, bank_id: str) -> BankKey:
        return self._admitted(BankKey(tenant=self.tenant, bank_id=BankId(bank_id)), "bank")

    def user(self, user: str) -> UserKey:
        return self._admitted(UserKey(tenant=self.tenant, user=User(user)), "user")

    def collection(self, user: str, collection: str) -> CollectionKey:
        key = CollectionKey(tenant=self.tenant, user=User(user), collection=Collection(collection))
        return self._admitted(key, "collection")

    def conversation(self, user: str, conversation_id: str) -> ConversationKey:
        key = ConversationKey(
            tenant=self.tenant, user=User(user), conversation_id=ConversationId(conversation_id)
        )
        return self._admitted(key, "user")

    def invocation(self, user: str, invocation_id: str) -> InvocationKey:
        key = InvocationKey(tenant=self.tenant, user=User(user), invocation_id=InvocationId(invocation_id))
        return self._admitted(key, "user")

    def _admitted(self, key: Made, what: str) -> Made:
        if self.binding is not OPEN and not self.binding.admits(key):
            raise PermissionDenied(f"the API key is bound to another {what}")
        return key


EVERYONE = Caller.local()
"""Whoever calls where no credential is asked for."""
