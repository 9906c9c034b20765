"""Where aggregates live: under a tenant, one name of its own for each of a kind.

Law: a key is the only way to an aggregate, and its tenant never comes from a request. Names of a user's conversations,
runs and collections begin with the user's. What callers name freely (users, collections, owners) is percent-encoded in
names; ids stand as they are, and none contains a slash.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, Protocol

from core.ids import BankId, Collection, ConversationId, InvocationId, RunId, Tenant, User


class Key(Protocol):
    """The identity of one aggregate. Hashable; keys of different kinds are never equal."""

    kind: ClassVar[str]

    @property
    def tenant(self) -> Tenant: ...

    @property
    def name(self) -> str:
        """Unique among the tenant's aggregates of this kind; compares by bytes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BankKey:
    """Where a bank lives. Every row, feed entry, cache and port takes both halves."""

    kind: ClassVar[str] = "bank"
    tenant: Tenant
    bank_id: BankId

    @property
    def name(self) -> str:
        return self.bank_id

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "BankKey":
        return cls(tenant=tenant, bank_id=BankId(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class UserKey:
    """Where a user's own record lives: whether memory is on, quotas, retention."""

    kind: ClassVar[str] = "user"
    tenant: Tenant
    user: User

    @property
    def name(self) -> str:
        return encoded(self.user)

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "UserKey":
        return cls(tenant=tenant, user=User(decoded(name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationKey:
    kind: ClassVar[str] = "conversation"
    tenant: Tenant
    user: User
    conversation_id: ConversationId

    @property
    def name(self) -> str:
        return f"{encoded(self.user)}/{self.conversation_id}"

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "ConversationKey":
        user, last = _of_user(name)
        return cls(tenant=tenant, user=user, conversation_id=ConversationId(last))


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationKey:
    kind: ClassVar[str] = "invocation"
    tenant: Tenant
    user: User
    invocation_id: InvocationId

    @property
    def name(self) -> str:
        return f"{encoded(self.user)}/{self.invocation_id}"

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "InvocationKey":
        user, last = _of_user(name)
        return cls(tenant=tenant, user=user, invocation_id=InvocationId(last))


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionKey:
    """Where a user's long-term memory under one name lives; the name may be empty."""

    kind: ClassVar[str] = "collection"
    tenant: Tenant
    user: User
    collection: Collection

    @property
    def name(self) -> str:
        return f"{encoded(self.user)}/{encoded(self.collection)}"

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "CollectionKey":
        user, last = _of_user(name)
        return cls(tenant=tenant, user=user, collection=Collection(decoded(last)))


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsKey:
    """Where the instruction documents of one owner live. `level`: user, agent, project or tenant (no owner then)."""

    kind: ClassVar[str] = "instructions"
    tenant: Tenant
    level: str
    owner: str

    @property
    def name(self) -> str:
        return f"{self.level}/{encoded(self.owner)}"

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "InstructionsKey":
        level, _, owner = name.partition("/")
        return cls(tenant=tenant, level=level, owner=decoded(owner))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """Where one agent run's choice of instruction versions lives; `user` may be empty."""

    kind: ClassVar[str] = "run"
    tenant: Tenant
    user: User
    run_id: RunId

    @property
    def name(self) -> str:
        return f"{encoded(self.user)}/{self.run_id}"

    @classmethod
    def named(cls, tenant: Tenant, name: str) -> "RunKey":
        user, last = _of_user(name)
        return cls(tenant=tenant, user=user, run_id=RunId(last))


def _of_user(name: str) -> tuple[User, str]:
    """Splits an aggregate's name into its user, and its name among the user's."""
    user, _, last = name.partition("/")
    return User(decoded(user)), last


_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")
_ENCODED = re.compile(rb"%([0-9A-F]{2})")


def encoded(text: str) -> str:
    """Returns the text with every byte of its UTF-8 outside `[A-Za-z0-9._:-]` as `%XX`."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode())


def decoded(name: str) -> str:
    """Returns what `encoded` was given."""
    return _ENCODED.sub(lambda found: bytes.fromhex(found[1].decode()), name.encode()).decode()
