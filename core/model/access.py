"""What an API key may do, and what it is bound to.

Law: every part of a binding admits all where it is absent, and nothing where it is an empty list; the parts hold
together. An API key's secret is in no value of this module.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from core.ids import Tenant, User
from core.keys import (
    BankKey,
    CollectionKey,
    ConversationKey,
    InstructionsKey,
    InvocationKey,
    Key,
    RunKey,
    UserKey,
)

OF_USER = (UserKey, ConversationKey, InvocationKey, CollectionKey, RunKey)
OF_COLLECTION = frozenset(
    {BankKey.kind, ConversationKey.kind, InvocationKey.kind, CollectionKey.kind}
)  # their records name one
USER_LEVEL = "user"


class Scope(StrEnum):
    """What a call may ask of the service."""

    READ = "read"
    WRITE = "write"
    APPROVE = "approve"
    SPEAK_FOR_USER = "speak_for_user"
    ADMIN = "admin"


EVERY_SCOPE = frozenset(Scope)


def bank_prefix_of(user: User) -> str:
    """Returns what the ids of a user's banks begin with, where a binding says nothing else."""
    return f"u{sha256(user.encode()).hexdigest()[:16]}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The part of a tenant's memory that an API key reaches. `owners` are those of documents, as `level/name`; the
    level `tenant` has no name.

    A binding to a user has a prefix of bank ids, too: the user's own (`bank_prefix_of`), unless another is named.
    """

    user: User | None = None
    bank_prefix: str = ""
    banks: tuple[str, ...] | None = None
    collections: tuple[str, ...] | None = None
    owners: tuple[str, ...] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it admits the whole tenant."""
        return self == OPEN

    @property
    def has_list(self) -> bool:
        """Whether it reaches only a part of one user's memory."""
        own = "" if self.user is None else bank_prefix_of(self.user)
        return self.bank_prefix not in ("", own) or not (
            self.banks is None and self.collections is None and self.owners is None
        )

    def admits_user(self, user: str) -> bool:
        return self.user is None or user == self.user

    def admits_bank(self, bank_id: str) -> bool:
        return bank_id.startswith(self.bank_prefix) and (self.banks is None or bank_id in self.banks)

    def admits_collection(self, collection: str) -> bool:
        return self.collections is None or collection in self.collections

    def admits_owner(self, level: str, name: str) -> bool:
        """Whether documents of this owner are reached. A user's are the user's own alone."""
        if level == USER_LEVEL and not self.admits_user(name):
            return False
        return self.owners is None or owner_name(level, name) in self.owners

    def admits(self, key: Key) -> bool:
        """Whether an aggregate may be reached, as far as its key tells."""
        if isinstance(key, BankKey):
            return self.admits_bank(key.bank_id)
        if isinstance(key, InstructionsKey):
            return self.admits_owner(key.level, key.owner)
        if isinstance(key, CollectionKey) and not self.admits_collection(key.collection):
            return False
        return isinstance(key, OF_USER) and self.admits_user(key.user)

    def needs_record(self, key: Key) -> bool:
        """Whether the record decides as well: a bank's user and collection, a conversation's collection."""
        if isinstance(key, BankKey):
            return self.user is not None or self.collections is not None
        return self.collections is not None and isinstance(key, ConversationKey | InvocationKey)

    def admits_record(self, user: str, collection: str) -> bool:
        return self.admits_user(user) and self.admits_collection(collection)


OPEN = Binding()


def owner_name(level: str, name: str) -> str:
    """Returns an owner of documents as a binding lists it."""
    return f"{level}/{name}" if name else level


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key as it is stored. `digest`: the SHA-256 of the whole key, in hexadecimal. `last_used`: the day of it,
    at midnight."""

    key_id: str
    tenant: Tenant
    subject: str
    digest: str
    scopes: tuple[Scope, ...]
    binding: Binding = OPEN
    creator: str = ""
    create_time: datetime
    expire_time: datetime
    revoke_time: datetime | None = None
    last_used: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        return self.revoke_time is None and now < self.expire_time
