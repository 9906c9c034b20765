"""Aggregates in this process's memory: for tests, for trials without a disk, and the oracle of the other stores.

Law: the same meaning as theirs, and stricter. It keeps everything as the bytes the codec writes of it or as
values replayed on plain dicts, and shares no code with `apply` or with SQL.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from heapq import nlargest
from time import monotonic
from typing import Any

from core.aggregate.change import Change, Head
from core.aggregate.kind import Kind, Kinds
from core.errors import RevisionTrimmed, StoreUnavailable
from core.ids import ChangeId, RequestId, Tenant
from core.internal_errors import HeadMoved, RequestRepeated, RequirementFailed, RevisionTaken
from core.keys import BankKey, Key
from core.kinds import KINDS
from core.model.bank import BankRecord
from core.model.insight import Insight
from core.model.request import RequestRecord
from core.model.structuring import StructuringState
from core.model.vector import Vector
from core.ports.store import Leftover, Listing, NamedConversation, PurgeCounts, Require, StoreFacts
from service.adapters.store.fence import ChangeInvalid, check_chain
from service.adapters.store.memory_bank import BankContents
from service.adapters.store.memory_credentials import MemoryCredentials
from service.adapters.store.memory_items import ItemContents
from service.adapters.store.undo import Undo

Contents = BankContents | ItemContents


@dataclass(slots=True, kw_only=True)
class _Entry:
    """An entry of the feed: the change without its steps, and these encoded. Nothing is shared with the writer."""

    change: Change[Any]
    steps: str


@dataclass(slots=True, kw_only=True)
class _Aggregate:
    head: Head
    contents: Any
    feed: list[_Entry] = field(default_factory=list)
    change_ids: set[ChangeId] = field(default_factory=set)  # of the feed
    requests: dict[RequestId, RequestRecord] = field(default_factory=dict)


class MemoryStore:
    """Implements `core.ports.store.Store`. Nothing in it awaits, so every call is atomic."""

    def __init__(self, kinds: Kinds = KINDS) -> None:
        self._kinds = kinds
        self._stored: dict[Key, _Aggregate] = {}
        self._floors: dict[Tenant, int] = {}  # by tenant: above it begins what is founded
        self._claims: dict[str, tuple[str, float]] = {}  # holder, and until when
        self._latest: datetime | None = None  # time that was recorded
        self._closed = False
        self.credentials = MemoryCredentials()

    # ---- writing ----

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
        self._refuse_if_closed()
        kind = self._kinds[key.kind]
        founding = check_chain(kind, key, uid, changes)
        first, last = changes[0], changes[-1]
        stored = self._stored.get(key)
        if stored and stored.head.uid == uid and _has(stored, last):
            return  # an append whose outcome was lost, sent again
        for require in requires:
            self._check(require)
        if founding is not None:
            if stored is not None:
                raise kind.taken(key)
            if first.revision <= (floor := self._floors.get(key.tenant, 0)):
                raise RevisionTaken(floor)
            stored = _Aggregate(
                head=Head(uid=uid, revision=0, change_id=last.change_id), contents=_new(kind, founding)
            )
        else:
            stored = self._of(key, uid)
            if stored.head.change_id != first.parent:
                raise HeadMoved
            if stored.head.revision + 1 != first.revision:
                raise ChangeInvalid(f"{first.change_id} skips revisions")
        with Undo() as undo:
            entries = [_replayed(kind, stored, change, undo) for change in changes]
            if meanwhile is not None:
                meanwhile()
        stored.head = Head(uid=uid, revision=last.revision, change_id=last.change_id)
        if erase:
            stored.feed = entries[-1:]
            stored.change_ids = {last.change_id}
        else:
            stored.feed += entries
            stored.change_ids.update(change.change_id for change in changes)
        self._stored[key] = stored

    async def put_vectors(
        self, key: Key, uid: str, part: str, space: str, vectors: Mapping[Any, Vector]
    ) -> None:
        self._of(key, uid).contents.put_vectors(part, space, vectors)

    async def delete(self, key: Key, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        self._refuse_if_closed()
        stored = self._stored.get(key)
        if stored is None or uid not in (None, stored.head.uid):
            raise self._kinds[key.kind].missing(key)
        if revision not in (None, stored.head.revision):
            raise HeadMoved
        del self._stored[key]
        self._floors[key.tenant] = max(self._floors.get(key.tenant, 0), stored.head.revision + 1)
        counts: PurgeCounts = stored.contents.counts()
        return replace(counts, changes=len(stored.feed), requests=len(stored.requests))

    async def claim(self, what: str, holder: str, seconds: float) -> bool:
        self._refuse_if_closed()
        now = monotonic()
        theirs, until = self._claims.get(what, (holder, now))
        if theirs != holder and until >= now:
            return False
        self._claims[what] = (holder, now + seconds)
        return True

    async def latest_time(self) -> datetime | None:
        self._refuse_if_closed()
        if self._latest is not None:
            return self._latest
        return max(
            (entry.change.time for stored in self._stored.values() for entry in stored.feed), default=None
        )

    async def tell_time(self, now: datetime) -> None:
        self._refuse_if_closed()
        self._latest = now if self._latest is None else max(self._latest, now)

    async def trim(self, before: datetime) -> int:
        self._refuse_if_closed()
        return sum(_trim(stored, before) for stored in self._stored.values())

    async def scrub(self) -> None:
        """Does nothing: nothing is on a disk."""

    async def close(self) -> None:
        self._closed = True

    # ---- reading ----

    async def load(self, key: Key, space: str = "") -> Any | None:
        self._refuse_if_closed()
        stored = self._stored.get(key)
        return stored.contents.state(stored.head, space) if stored else None

    async def record(self, key: Key) -> Any | None:
        self._refuse_if_closed()
        stored = self._stored.get(key)
        return stored.contents.record if stored else None

    async def keys(self, after: Key | None, limit: int) -> Sequence[Key]:
        place = ("", "", "") if after is None else (after.tenant, after.kind, after.name)
        return [key for key, _ in self._sorted() if (key.tenant, key.kind, key.name) > place][:limit]

    async def verify(self, key: Key) -> Any | None:
        return await self.load(key)

    async def check_database(self) -> Sequence[str]:
        return ()

    async def facts(self) -> StoreFacts:
        return StoreFacts(kind="memory")

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        self._refuse_if_closed()
        return {key: self._stored[key].head for key in keys if key in self._stored}

    async def moved(self, known: Mapping[Key, Head]) -> Mapping[Key, Head | None]:
        heads = await self.heads(list(known))
        return {key: heads.get(key) for key, head in known.items() if heads.get(key) != head}

    async def changes(self, key: Key, uid: str, after: int, limit: int) -> Sequence[Change[Any]]:
        feed, codec = self._of(key, uid).feed, self._kinds[key.kind].steps
        oldest = feed[0].change.revision - 1
        is_from_founding = not after and feed[0].change.parent is None
        if after < oldest and not is_from_founding:
            raise RevisionTrimmed(after, oldest)
        newer = [entry for entry in feed if entry.change.revision > after][:limit]
        return [replace(entry.change, steps=codec.steps(entry.steps)) for entry in newer]

    async def requests(
        self, key: Key, request_ids: Collection[RequestId]
    ) -> Mapping[RequestId, RequestRecord]:
        self._refuse_if_closed()
        kept = self._stored[key].requests if key in self._stored else {}
        return {name: kept[name] for name in request_ids if name in kept}

    async def values(self, key: Key, uid: str, part: str, items: Sequence[str]) -> Mapping[str, Any]:
        self._refuse_if_closed()
        stored = self._stored.get(key)
        kept = stored.contents.values_of(part) if stored and stored.head.uid == uid else {}
        return {item: kept[item] for item in items if item in kept}

    async def vectors(
        self, key: Key, uid: str, part: str, space: str, items: Sequence[Any]
    ) -> Mapping[Any, Vector]:
        self._refuse_if_closed()
        stored = self._stored.get(key)
        kept = stored.contents.vectors_of(part, space) if stored and stored.head.uid == uid else {}
        return {item: kept[item] for item in items if item in kept}

    async def listed(
        self, tenant: Tenant, kind: str, chosen: Listing, after: str, limit: int
    ) -> Sequence[tuple[Any, int]]:
        return [
            (stored.contents.record, stored.head.revision)
            for key, stored in self._sorted()
            if (key.tenant, key.kind) == (tenant, kind)
            and key.name > after
            and _is_chosen(key, stored.contents.record, chosen)
        ][:limit]

    async def newest(
        self, tenant: Tenant, kind: str, chosen: Listing, limit: int
    ) -> Sequence[NamedConversation]:
        found = await self.listed(tenant, kind, chosen, "", len(self._stored))
        on = [record for record, _ in found if record.enabled and record.turn_count]
        newest = nlargest(
            limit, on, key=lambda each: (each.last_turn_time or each.create_time, each.key.name)
        )
        return [NamedConversation(record.key, record.collection) for record in newest]

    async def count(self, tenant: Tenant, kind: str, user: str) -> int:
        return len([1 for key, _ in self._of_user(tenant, user) if key.kind == kind])

    async def count_all(self, tenant: Tenant, kind: str, most: int) -> int:
        return min(most, len([1 for key, _ in self._sorted() if (key.tenant, key.kind) == (tenant, kind)]))

    async def oldest_due_time(self) -> datetime | None:
        times = (getattr(stored.contents.record, "due_time", None) for _, stored in self._sorted())
        return min((time for time in times if time is not None), default=None)

    async def keys_of_user(
        self, tenant: Tenant, user: str, *, include_banks: bool, limit: int
    ) -> Sequence[tuple[Key, str]]:
        apart = {"user"} if include_banks else {"user", BankKey.kind}
        found = [
            (key, stored.head.uid) for key, stored in self._of_user(tenant, user) if key.kind not in apart
        ]
        return found[:limit]

    async def due(self, now: datetime, limit: int) -> Sequence[tuple[Key, str]]:
        return self._past("due_time", now, limit)

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[Key, str]]:
        default = timedelta(seconds=default_ttl_seconds)
        times: list[tuple[datetime, Key, str]] = []
        for key, stored in self._sorted():
            record = stored.contents.record
            is_bank = isinstance(record, BankRecord)
            time = record.goes_at(default) if is_bank else getattr(record, "purge_time", None)
            if time is not None:
                times.append((time, key, stored.head.uid))
        times.sort(key=lambda one: one[0])
        return [(key, uid) for time, key, uid in times if time <= now][:limit]

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        left = [
            Leftover(key=key, interaction_id=work.interaction_id, update_time=work.update_time)
            for key, stored in self._sorted()
            if isinstance(key, BankKey)
            for work in stored.contents.structurings.values()
            if work.state is not StructuringState.DONE
        ]
        left.sort(key=lambda one: (one.update_time, one.key.tenant, one.key.bank_id, one.interaction_id))
        return left[:limit]

    # ---- parts ----

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _of(self, key: Key, uid: str) -> _Aggregate:
        self._refuse_if_closed()
        stored = self._stored.get(key)
        if stored is None or stored.head.uid != uid:
            raise self._kinds[key.kind].missing(key)
        return stored

    def _sorted(self) -> list[tuple[Key, _Aggregate]]:
        self._refuse_if_closed()
        return sorted(self._stored.items(), key=lambda one: (one[0].tenant, one[0].kind, one[0].name))

    def _of_user(self, tenant: Tenant, user: str) -> list[tuple[Key, _Aggregate]]:
        return [
            (key, stored)
            for key, stored in self._sorted()
            if key.tenant == tenant and user and getattr(stored.contents.record, "user", "") == user
        ]

    def _past(self, field_name: str, now: datetime, limit: int) -> list[tuple[Key, str]]:
        times = [
            (time, key, stored.head.uid)
            for key, stored in self._sorted()
            if (time := getattr(stored.contents.record, field_name, None)) is not None and time <= now
        ]
        return [(key, uid) for _, key, uid in sorted(times, key=lambda one: one[0])][:limit]

    def _check(self, require: Require) -> None:
        """Raises RequirementFailed."""
        stored = self._stored.get(require.key)
        if stored is None:
            if require.if_there:
                return
            raise RequirementFailed(require.key)
        record = stored.contents.record
        fits = require.uid in (None, stored.head.uid)
        fits = fits and require.generation in (None, getattr(record, "generation", None))
        is_on = getattr(record, "enabled", True) and getattr(record, "state", "") != "purging"
        if not fits or (require.enabled and not is_on):
            raise RequirementFailed(require.key)


def _new(kind: Kind[Any, Any], record: Any) -> Contents:
    if kind.name == BankKey.kind:
        return BankContents(record=record, insight=Insight(goal=record.goal))
    return ItemContents(kind=kind, record=record)


def _has(stored: _Aggregate, change: Change[Any]) -> bool:
    return change.change_id in stored.change_ids


def _replayed(kind: Kind[Any, Any], stored: _Aggregate, change: Change[Any], undo: Undo) -> _Entry:
    """Carries out a change on what is stored, from its bytes. Returns its entry of the feed."""
    steps = kind.steps.text(change.steps)
    for step in kind.steps.steps(steps):
        stored.contents.apply(step, undo)
    for request in change.requests:
        if request.request_id in stored.requests:
            raise RequestRepeated
        undo.put(stored.requests, request.request_id, request)
    return _Entry(change=replace(change, steps=(), requests=()), steps=steps)


def _trim(stored: _Aggregate, before: datetime) -> int:
    young = [n for n, entry in enumerate(stored.feed) if entry.change.time >= before]
    first = young[0] if young else len(stored.feed) - 1
    old = [name for name, request in stored.requests.items() if request.create_time < before]
    for name in old:
        del stored.requests[name]
    stored.change_ids.difference_update(entry.change.change_id for entry in stored.feed[:first])
    stored.feed = stored.feed[first:]
    return first + len(old)


def _is_chosen(key: Key, record: Any, chosen: Listing) -> bool:
    if isinstance(key, BankKey) and not chosen.within.admits_bank(key.bank_id):
        return False
    if hasattr(record, "collection") and not chosen.within.admits_collection(record.collection):
        return False
    return (
        chosen.user in ("", getattr(record, "user", ""))
        and chosen.collection in ("", getattr(record, "collection", ""))
        and chosen.state in ("", getattr(record, "state", ""))
        and chosen.labels.items() <= getattr(record, "labels", {}).items()
    )
