"""Durable banks.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.aggregate.change import Head, Vector
from core.bank.state import BankState
from core.bank.steps import BankChange
from core.ids import BankKey, InteractionId, RequestId, SegmentRef, Tenant
from core.model.bank import BankRecord
from core.model.request import RequestRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeCounts:
    """What a purge removed."""

    nodes: int = 0
    edges: int = 0
    interactions: int = 0
    segments: int = 0
    conflicts: int = 0
    changes: int = 0
    requests: int = 0
    files_removed: int = 0  # written by the service
    files_left: int = 0  # named by callers through a URI


@dataclass(frozen=True, slots=True, kw_only=True)
class BankFilter:
    """Which banks to list. Empty fields admit all; labels must all match."""

    user: str = ""
    collection: str = ""
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """An interaction whose structuring is not DONE (PENDING or FAILED), and when it last moved."""

    key: BankKey
    interaction_id: InteractionId
    update_time: datetime


class Store(Protocol):
    """Durable banks: rows and change feed, one transaction per append. Raises StoreUnavailable."""

    async def append(
        self,
        key: BankKey,
        uid: str,
        changes: Sequence[BankChange],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Store changes, all or none; durable when it returns.

        `meanwhile` is for what the loop can do as the disk is waited for: it is called once before this
        returns, or not at all.

        The first change's parent must be the head (None: the bank must not exist and its first
        step is BankPut). Raises HeadMoved, BankExists (a create that lost), BankNotFound (gone, or
        there under another uid). An outcome that was lost on the way is settled by the change_id.
        """
        ...

    async def load(self, key: BankKey) -> BankState | None:
        """Head and rows in one snapshot, or None. Segment vectors included."""
        ...

    async def heads(self, keys: Sequence[BankKey]) -> Mapping[BankKey, Head]:
        """The heads of those that exist, in one query."""
        ...

    async def changes(self, key: BankKey, uid: str, after: int, limit: int) -> Sequence[BankChange]:
        """The feed after a revision, oldest first, without requests. Raises RevisionTrimmed, BankNotFound."""
        ...

    async def request(self, key: BankKey, request_id: RequestId) -> RequestRecord | None: ...

    async def put_segment_vectors(self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]) -> None:
        """Derived rows, outside the feed. Raises BankNotFound."""
        ...

    async def segment_vectors(
        self, key: BankKey, uid: str, refs: Sequence[SegmentRef]
    ) -> Mapping[SegmentRef, Vector]: ...

    async def list_banks(
        self, tenant: Tenant, chosen: BankFilter, after: str, limit: int
    ) -> Sequence[tuple[BankRecord, int]]:
        """Records with their revisions, ordered by bank_id, those after `after`."""
        ...

    async def delete(self, key: BankKey, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        """Remove every row of the bank and every trace on disk.

        Raises BankNotFound (also for another uid), HeadMoved where it does not stand at `revision`.
        """
        ...

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        """Interactions of any tenant still to be structured, longest untouched first."""
        ...

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[BankKey, str]]:
        """Finished banks (key, uid) whose ttl, or the default, has run out."""
        ...

    async def trim(self, before: datetime) -> int:
        """Forget feed entries and requests older than `before` (never a bank's newest); how many."""
        ...

    async def close(self) -> None: ...
