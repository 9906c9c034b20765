"""Durable aggregates of every kind.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from core.aggregate.change import Change, Head
from core.ids import InteractionId, RequestId, Tenant
from core.keys import BankKey, ConversationKey, Key
from core.model.access import OPEN, Binding
from core.model.request import RequestRecord
from core.model.vector import Vector
from core.ports.credentials import Credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeCounts:
    """What a purge removed. `items`: values of kinds other than the bank, by part."""

    nodes: int = 0
    edges: int = 0
    interactions: int = 0
    segments: int = 0
    conflicts: int = 0
    changes: int = 0
    requests: int = 0
    files_removed: int = 0  # written by the service
    files_left: int = 0  # named by callers through a URI
    items: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which aggregates of a kind to list. Empty fields admit all; labels must all match; `state` is the record's.
    `within`: what the caller's credential is bound to."""

    user: str = ""
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    state: str = ""
    within: Binding = OPEN


class NamedConversation(NamedTuple):
    """A conversation by its key, and the collection that it teaches."""

    key: ConversationKey
    collection: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """An interaction whose structuring is not DONE (PENDING or FAILED), and when it last moved."""

    key: BankKey
    interaction_id: InteractionId
    update_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """Which kind of store it is, its schema (0: it has none), and the bytes of its database on the disk."""

    kind: str
    schema: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Require:
    """What must hold of another aggregate in the very transaction of a change: it is there, under this `uid` and
    at this `generation` if they are given, and its memory is on unless `enabled` is False.

    `if_there`: an aggregate that does not exist fulfils it, too.
    """

    key: Key
    uid: str | None = None
    generation: int | None = None
    enabled: bool = True
    if_there: bool = False


class Store(Protocol):
    """Aggregates: rows and change feed, one transaction per append. Raises StoreUnavailable, and MemoryDamaged where
    what is read is not what was written.

    "Not found" and "exists" are the errors that a key's kind has for them (`Kind.missing`, `Kind.taken`).
    `credentials` are the API keys, kept in the same place.
    """

    @property
    def credentials(self) -> Credentials: ...

    async def append(
        self,
        key: Key,
        uid: str,
        changes: Sequence[Change[Any]],
        *,
        requires: Sequence[Require] = (),
        erase: bool = False,
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Stores changes, all or none; durable when it returns.

        `meanwhile` is for what the loop can do as the disk is waited for: it is called once before this returns, or not
        at all. `erase`: content was dropped; every older entry of the aggregate's feed goes in the same transaction,
        and its traces on disk with the next scrub.

        The first change's parent must be the head (None: the aggregate must not exist and its first step puts its
        record). Raises HeadMoved, exists (a create that lost), not found (gone, or there under another uid),
        RequirementFailed, RequestRepeated (one of the requests is stored already, with this body or another);
        RevisionTaken where what it founds does not begin above every revision that a purged aggregate of the tenant
        had, the purge's own included. An outcome that was lost on the way is settled.
        """
        ...

    async def load(self, key: Key, space: str = "") -> Any | None:
        """Returns the state of its kind, head and rows in one snapshot, or None. Derived vectors of the embedding
        `space` are included (a bank's are all of its own)."""
        ...

    async def record(self, key: Key) -> Any | None:
        """Returns an aggregate's record, read by its row alone; None where there is none."""
        ...

    async def keys(self, after: Key | None, limit: int) -> Sequence[Key]:
        """Returns the keys of all aggregates of all tenants after this one, by tenant, kind and name."""
        ...

    async def verify(self, key: Key) -> Any | None:
        """Reads everything that is stored of an aggregate; returns what `load` does. Raises MemoryDamaged."""
        ...

    async def check_database(self) -> Sequence[str]:
        """Returns what the database finds wrong with itself, in its own words."""
        ...

    async def facts(self) -> StoreFacts:
        """Returns what the store is, and how large."""
        ...

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        """Returns the heads of those that exist, in one query."""
        ...

    async def moved(self, known: Mapping[Key, Head]) -> Mapping[Key, Head | None]:
        """Returns the present heads of those whose head is not the known one; None: they exist no more. In one
        query."""
        ...

    async def changes(self, key: Key, uid: str, after: int, limit: int) -> Sequence[Change[Any]]:
        """Returns the feed after a revision, oldest first, without requests. After 0 comes everything, at whatever
        revision it was founded. Raises RevisionTrimmed, not found."""
        ...

    async def requests(
        self, key: Key, request_ids: Collection[RequestId]
    ) -> Mapping[RequestId, RequestRecord]:
        """Returns those of the requests that are stored, in one query."""
        ...

    async def put_vectors(
        self, key: Key, uid: str, part: str, space: str, vectors: Mapping[Any, Vector]
    ) -> None:
        """Stores derived vectors, outside the feed, by item; nothing of items that are gone. Raises not found."""
        ...

    async def values(self, key: Key, uid: str, part: str, items: Sequence[str]) -> Mapping[str, Any]:
        """Returns values of a part that aggregates are loaded without, by item; nothing of what is not there. Raises
        MemoryDamaged."""
        ...

    async def vectors(
        self, key: Key, uid: str, part: str, space: str, items: Sequence[Any]
    ) -> Mapping[Any, Vector]:
        """Returns the items' vectors that are there of this embedding space."""
        ...

    async def listed(
        self, tenant: Tenant, kind: str, chosen: Listing, after: str, limit: int
    ) -> Sequence[tuple[Any, int]]:
        """Returns records with their revisions, ordered by name, those after the name `after`."""
        ...

    async def newest(
        self, tenant: Tenant, kind: str, chosen: Listing, limit: int
    ) -> Sequence[NamedConversation]:
        """Returns a user's conversations, the one with the newest turn first: those that are enabled and have turns.
        Two of one time: by name, downwards. Their records are not decoded: they are many, and of each most calls
        want to know no more."""
        ...

    async def count(self, tenant: Tenant, kind: str, user: str) -> int:
        """Counts the aggregates of a kind that a user has."""
        ...

    async def delete(self, key: Key, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        """Removes every row of the aggregate and every trace on disk.

        A large one stops being there at once; its rows go a portion at a time, between other writes. One that was cut
        short is still among `keys_of_user` and `expired`: to delete it again, under its uid, is to go on; so does the
        next founding under the key.

        Raises not found (also for another uid), HeadMoved where it does not stand at `revision`.
        """
        ...

    async def keys_of_user(
        self, tenant: Tenant, user: str, *, include_banks: bool, limit: int
    ) -> Sequence[tuple[Key, str]]:
        """Returns some of the user's aggregates (key, uid), the user's own row not among them: runs, invocations,
        conversations, collections, instructions of level `user`, and banks of that user if `include_banks`."""
        ...

    async def count_all(self, tenant: Tenant, kind: str, most: int) -> int:
        """Counts the tenant's aggregates of a kind, and no further than `most`."""
        ...

    async def oldest_due_time(self) -> datetime | None:
        """Returns the earliest `due_time` of any aggregate, past or still to come; None where no record has one."""
        ...

    async def due(self, now: datetime, limit: int) -> Sequence[tuple[Key, str]]:
        """Returns aggregates (key, uid) whose record's `due_time` has passed, longest due first."""
        ...

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        """Returns interactions of any tenant still to be structured, longest untouched first."""
        ...

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[Key, str]]:
        """Returns aggregates (key, uid) whose time is over: finished banks whose ttl, or the default, has run out, and
        whatever has a `purge_time` that has passed."""
        ...

    async def claim(self, what: str, holder: str, seconds: float) -> bool:
        """Claims a piece of work for so long, by the store's own clock, or prolongs the holder's claim; False where
        another holder's claim still lasts. Claims save work done twice, and nothing depends on them."""
        ...

    async def latest_time(self) -> datetime | None:
        """Returns the latest time that any process has told the store; before one has, that of its newest change, if
        any."""
        ...

    async def tell_time(self, now: datetime) -> None:
        """Tells the store the time; one earlier than the latest changes nothing."""
        ...

    async def trim(self, before: datetime) -> int:
        """Forgets feed entries and requests older than `before` (never an aggregate's newest), and claims that have run
        out; returns how many entries and requests."""
        ...

    async def scrub(self) -> None:
        """Leaves no byte on disk of what changes erased before this call; does nothing where nothing was."""
        ...

    async def close(self) -> None: ...
