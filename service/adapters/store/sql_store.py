"""Aggregates of every kind in a database: the fence, the feed, the requests. Each kind's tables keep its rows.

Law: a change's rows and its feed entry are written in one transaction, and only where the head
is the change's parent. Everything of an aggregate is keyed by (tenant, kind, name) and goes with it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, cast

import structlog

from core.aggregate.change import Change, Head
from core.aggregate.codec import decode, dumps, instant, micros, vector_of
from core.aggregate.kind import Kinds
from core.errors import AggregateNotFound, MemoryDamaged, RevisionTrimmed, StoreUnavailable
from core.ids import BankId, ChangeId, InteractionId, RequestId, Tenant
from core.index.giving_way import GiveWay
from core.internal_errors import HeadMoved
from core.keys import BankKey, ConversationKey, Key
from core.model.request import RequestRecord
from core.model.vector import Vector
from core.ports.store import Leftover, Listing, NamedConversation, PurgeCounts, Require, StoreFacts
from service.adapters.store.bank_tables import BankTables
from service.adapters.store.checksums import check, check_row, checksum, seed_of
from service.adapters.store.database import Connection, Database, GuardedStatement, Length, WriteRefused
from service.adapters.store.fence import check_chain
from service.adapters.store.item_tables import ItemTables
from service.adapters.store.listing import chosen_row
from service.adapters.store.owned import OwnedTables, owner_row
from service.adapters.store.plans import Plans
from service.adapters.store.purging import Purgeable, Purging, are_more
from service.adapters.store.refusals import Refusals
from service.adapters.store.rows import Row, shape_of
from service.adapters.store.sql_credentials import SqlCredentials
from service.adapters.store.trimming import trimmed
from service.adapters.store.verifying import request_checksum, verify_rows

LARGE = 5_000  # rows of an aggregate whose load takes a tenth of a second, and more


def tables_of(kinds: Kinds, queries: Mapping[str, str], give_way: GiveWay) -> Mapping[str, OwnedTables]:
    """Returns the tables of each kind. What reads all of an aggregate calls `give_way` now and then."""
    items: dict[str, OwnedTables] = {
        name: ItemTables(kind, queries, give_way) for name, kind in kinds.items()
    }
    return {**items, BankKey.kind: BankTables(queries, give_way)}


def digest_of(what: str) -> str:
    """Returns the digest of a claim's name: claims are kept as digests, so that a purge leaves no id behind."""
    return sha256(what.encode()).hexdigest()


log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.store")

_IS_LARGE = object()  # in the place of a state that is to be read in another pool
Standing = tuple[
    str, int, str, str, int | None
]  # uid, revision, head, record and its checksum, as they are stored


class SqlStore:
    """Implements `core.ports.store.Store` over a `Database`."""

    name: str
    """Of the kind of database."""

    def __init__(
        self, database: Database, queries: Mapping[str, str], kinds: Kinds, tables: Mapping[str, OwnedTables]
    ) -> None:
        """`tables`: of each kind, by its name."""
        self._database = database
        self._sql = queries
        self._kinds = kinds
        self._tables = tables
        self._requests = shape_of(RequestRecord)
        self._plans = Plans(queries, kinds, tables, self._requests)
        self._refusals = Refusals(database, queries, kinds, self._plans)
        self._purging = Purging(database, queries, tables)
        self.credentials = SqlCredentials(database, queries)

    async def close(self) -> None:
        await self._database.close()

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
        founding = check_chain(self._kinds[key.kind], key, uid, changes)
        tables = self._tables[key.kind]
        make = partial(self._plans.plan, key, uid, founding, changes, requires, erase=erase)
        brief = all(tables.is_brief(change.steps) for change in changes)
        plan = make() if brief else await self._database.prepare(make)
        try:
            await self._database.write(plan, self._plans.landed(key, uid, changes[-1]), meanwhile)
        except WriteRefused as refused:
            if founding is not None and await self._finishes_purge(key):
                await self.append(key, uid, changes, requires=requires, erase=erase)
            else:
                await self._refusals.name(key, uid, changes, requires, refused)

    async def put_vectors(
        self, key: Key, uid: str, part: str, space: str, vectors: Mapping[Any, Vector]
    ) -> None:
        writes = self._tables[key.kind].vector_writes(key, part, space, vectors)
        try:
            await self._database.write([self._plans.is_there(key, uid, None), *writes])
        except WriteRefused:
            raise self._kinds[key.kind].missing(key) from None

    async def delete(self, key: Key, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        while True:
            standing, counts = await self._database.read(partial(self._to_be_purged, key))
            if standing is None or uid not in (None, standing.uid):
                raise self._kinds[key.kind].missing(key)
            if revision not in (None, standing.revision):
                raise HeadMoved
            try:
                removed = await self._purging.purge(key, standing)
            except WriteRefused:
                continue  # it changed, or went, between the look-up and the purge
            log.info("erased", kind=key.kind, uid=standing.uid)  # no name: the log, too, keeps no trace of it
            await self._database.scrub()
            counted = {table: removed[table] for table in _COUNTED if table in removed}
            return replace(counts, **counted)  # type: ignore[arg-type]  # names of counts, all of them numbers

    async def claim(self, what: str, holder: str, seconds: float) -> bool:
        row: Row = {"what": digest_of(what), "holder": holder, "seconds": float(seconds)}
        (touched,) = await self._database.write([GuardedStatement(self._sql["claim"], [row])])
        return touched == 1

    async def latest_time(self) -> datetime | None:
        ((latest,),) = await self._fetch("latest_time", {})
        return None if latest is None else instant(latest)

    async def tell_time(self, now: datetime) -> None:
        await self._database.write([GuardedStatement(self._sql["tell_time"], [{"now": micros(now)}])])

    async def trim(self, before: datetime) -> int:
        await self._database.write([GuardedStatement(self._sql["trim_claims"], [()])])
        requests = await trimmed(self._database, self._sql, "requests", micros(before))
        return requests + await trimmed(self._database, self._sql, "changes", micros(before))

    async def scrub(self) -> None:
        if "owes_a_scrub" in self._sql and await self._fetch("owes_a_scrub", {}):
            await self._database.scrub()

    # ---- reading ----

    async def load(self, key: Key, space: str = "") -> Any | None:
        tables = self._tables[key.kind]

        def act(connection: Connection, *, at_length: bool) -> Any | None:
            standing = self._standing(key, connection)
            if standing is None:
                return None
            if not at_length and are_more(LARGE, tables.purge(key), connection):
                return _IS_LARGE
            uid, revision, head, written, kept = standing
            check(key, "aggregates", kept, checksum(seed_of(key), (written,)))
            at = Head(uid=uid, revision=revision, change_id=ChangeId(head))
            record = decode(self._kinds[key.kind].record, written)
            return tables.state(connection, key, at, record, space)

        try:
            state = await self._database.read(partial(act, at_length=False), Length.LOAD)
            if state is _IS_LARGE:
                return await self._database.read(partial(act, at_length=True), Length.LONG_LOAD)
        except StoreUnavailable as failure:
            if failure.is_damage:
                raise MemoryDamaged(key.kind, key.name, failure.cause) from failure
            raise
        return state

    async def record(self, key: Key) -> Any | None:
        rows = await self._fetch("stands", owner_row(key))
        return decode(self._kinds[key.kind].record, rows[0][3]) if rows else None

    async def keys(self, after: Key | None, limit: int) -> Sequence[Key]:
        place = ("", "", "") if after is None else (after.tenant, after.kind, after.name)
        row: Row = {**dict(zip(("tenant", "kind", "name"), place, strict=True)), "limit": limit}
        return [self._key(*found) for found in await self._fetch("keys", row)]

    async def verify(self, key: Key) -> Any | None:
        state = await self.load(key)
        if state is not None:
            tables, own = self._tables[key.kind], owner_row(key)
            await self._database.read(partial(verify_rows, self._sql, tables, key, own), Length.LONG_LOAD)
        return state

    async def facts(self) -> StoreFacts:
        ((schema, size),) = await self._fetch("facts", {})
        return StoreFacts(kind=self.name, schema=schema, size=size)

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        wanted = dumps([[key.tenant, key.kind, key.name] for key in keys])
        rows = await self._fetch("heads", {"keys": wanted})
        return {
            keys[place]: Head(uid=uid, revision=revision, change_id=head)
            for place, uid, revision, head in rows
        }

    async def moved(self, known: Mapping[Key, Head]) -> Mapping[Key, Head | None]:
        keys = list(known)
        heads = dumps([[key.tenant, key.kind, key.name, head.change_id] for key, head in known.items()])
        rows = await self._fetch("moved", {"known": heads})
        return {
            keys[place]: None if uid is None else Head(uid=uid, revision=revision, change_id=head)
            for place, uid, revision, head in rows
        }

    async def changes(self, key: Key, uid: str, after: int, limit: int) -> Sequence[Change[Any]]:
        kind = self._kinds[key.kind]
        rows = await self._fetch("changes", {**owner_row(key), "after": after, "limit": limit})
        if not rows or rows[0][0] != uid:
            raise kind.missing(key)
        seed, oldest = seed_of(key), rows[0][1]
        for row in rows:
            if row[2] is not None:
                check_row(key, "changes", seed, row[2:])
        is_from_founding = not after and rows[0][4] is None  # the first of all that follow has no parent
        if after < oldest - 1 and not is_from_founding:
            raise RevisionTrimmed(after, oldest - 1)
        return [
            Change(
                change_id=ChangeId(change_id),
                parent=parent and ChangeId(parent),
                revision=revision,
                time=instant(time),
                steps=kind.steps.steps(steps),
            )
            for _, _, revision, change_id, parent, time, steps, _ in rows
            if revision is not None
        ]

    async def requests(
        self, key: Key, request_ids: Collection[RequestId]
    ) -> Mapping[RequestId, RequestRecord]:
        rows = await self._fetch("requests", {**owner_row(key), "request_ids": dumps(list(request_ids))})
        found = {record.request_id: record for record in map(self._requests.value, rows)}
        for row, record in zip(rows, found.values(), strict=True):
            check(key, "requests", row[-1], request_checksum(key, record))
        return found

    async def values(self, key: Key, uid: str, part: str, items: Sequence[str]) -> Mapping[str, Any]:
        tables = self._tables[key.kind]
        found = await self._database.fetch(*tables.value_query(key, uid, part, items))
        return dict(tables.value_of(key, row) for row in found)

    async def vectors(
        self, key: Key, uid: str, part: str, space: str, items: Sequence[Any]
    ) -> Mapping[Any, Vector]:
        tables = self._tables[key.kind]
        found = await self._database.fetch(*tables.vector_query(key, uid, part, space, items))
        for row in found:
            tables.check_vector(key, row)
        return {tables.item_of(row): vector_of(row[-1]) for row in found}

    async def listed(
        self, tenant: Tenant, kind: str, chosen: Listing, after: str, limit: int
    ) -> Sequence[tuple[Any, int]]:
        row = {**chosen_row(tenant, kind, chosen), "after": after, "limit": limit}
        type_, rows = self._kinds[kind].record, await self._fetch("listed", row)
        return [
            (decode(type_, record), revision) for _, record, revision in self._undamaged(tenant, kind, rows)
        ]

    async def newest(
        self, tenant: Tenant, kind: str, chosen: Listing, limit: int
    ) -> Sequence[NamedConversation]:
        row = {**chosen_row(tenant, kind, chosen), "limit": limit}
        found = self._undamaged(tenant, kind, await self._fetch("newest", row))
        return [NamedConversation(cast(ConversationKey, key), collection) for key, _, collection in found]

    def _undamaged(
        self, tenant: Tenant, kind: str, rows: Sequence[Sequence[Any]]
    ) -> Iterator[tuple[Key, str, Any]]:
        """Yields the key, the encoded record and the last column of each row."""
        for name, record, kept, last in rows:
            key = self._key(tenant, kind, name)
            if kept not in (None, checksum(seed_of(key), (record,))):
                log.error("damaged", kind=kind, key=name)  # the others are listed
                continue
            yield key, record, last

    async def count(self, tenant: Tenant, kind: str, user: str) -> int:
        ((count,),) = await self._fetch("count", {"tenant": tenant, "kind": kind, "user": user})
        return int(count)

    async def count_all(self, tenant: Tenant, kind: str, most: int) -> int:
        ((count,),) = await self._fetch("count_all", {"tenant": tenant, "kind": kind, "most": most})
        return int(count)

    async def oldest_due_time(self) -> datetime | None:
        ((oldest,),) = await self._fetch("oldest_due_time", {})
        return None if oldest is None else instant(oldest)

    async def keys_of_user(
        self, tenant: Tenant, user: str, *, include_banks: bool, limit: int
    ) -> Sequence[tuple[Key, str]]:
        row: Row = {"tenant": tenant, "user": user, "include_banks": include_banks, "limit": limit}
        return await self._owners("keys_of_user", row)

    async def due(self, now: datetime, limit: int) -> Sequence[tuple[Key, str]]:
        return await self._owners("due", {"now": micros(now), "limit": limit})

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[Key, str]]:
        default = round(default_ttl_seconds * 1_000_000)
        return await self._owners("expired", {"now": micros(now), "default_ttl": default, "limit": limit})

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        return [
            Leftover(
                key=BankKey(tenant=Tenant(tenant), bank_id=BankId(bank_id)),
                interaction_id=InteractionId(interaction_id),
                update_time=instant(update_time),
            )
            for tenant, bank_id, interaction_id, update_time in await self._fetch(
                "leftovers", {"limit": limit}
            )
        ]

    async def _fetch(self, name: str, row: Row) -> list[Any]:
        return await self._database.fetch(self._sql[name], row)

    async def _owners(self, name: str, row: Row) -> list[tuple[Key, str]]:
        return [(self._key(*place), uid) for *place, uid in await self._fetch(name, row)]

    def _key(self, tenant: str, kind: str, name: str) -> Key:
        return self._kinds[kind].key_of(Tenant(tenant), name)

    # ---- refusals ----

    async def _finishes_purge(self, key: Key) -> bool:
        """Removes an aggregate whose key is to be founded anew while its purge is under way, or was cut short. Returns
        whether there was one."""
        standing = await self._database.read(partial(self._purging.purgeable, key))
        if standing is None or standing.head:
            return False
        with suppress(AggregateNotFound):  # finished by another process meanwhile
            await self.delete(key, standing.uid)
        return True

    # ---- in a reader's thread ----

    def _standing(self, key: Key, connection: Connection) -> Standing | None:
        row: Standing | None = connection.execute(self._sql["stands"], owner_row(key)).fetchone()
        return row

    def _to_be_purged(self, key: Key, connection: Connection) -> tuple[Purgeable | None, PurgeCounts]:
        return self._purging.purgeable(key, connection), self._tables[key.kind].counted(connection, key)


_COUNTED = ("nodes", "edges", "interactions", "segments", "conflicts", "changes", "requests")
