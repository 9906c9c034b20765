"""Banks in one SQLite file: the embedded store.

Law: a change's rows and its feed entry are written in one transaction, and only where the head
is the change's parent. Everything of a bank is keyed by (tenant, bank_id) and goes with it.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from core.aggregate.change import Change, Head, Vector
from core.aggregate.codec import (
    decode,
    dumps,
    encode_text,
    instant,
    micros,
    vector_bytes,
    vector_of,
)
from core.aggregate.giving_way import GiveWay, at_once
from core.bank.state import BankState
from core.bank.steps import STEPS, BankChange, EdgeDrop, EdgePut, NodeDrop, NodePut
from core.errors import BankExists, BankNotFound, HeadMoved, RequestIdReused, RevisionTrimmed
from core.ids import (
    BankId,
    BankKey,
    ChangeId,
    InteractionId,
    RequestId,
    SegmentRef,
    Tenant,
)
from core.model.bank import BankRecord
from core.model.insight import Insight
from core.model.request import RequestRecord
from core.ports.store import BankFilter, Leftover, PurgeCounts
from service.adapters.fence import ChangeInvalid, check_chain
from service.adapters.sql.named import migrations, queries
from service.adapters.sql.rows import Row
from service.adapters.sql.tables import PURGES, Statement, Tables, bank_row
from service.adapters.sqlite_file import SqliteFile
from service.adapters.sqlite_state import StateReading

FEW = 8  # steps; a few brief ones become statements sooner than another thread would begin
BRIEF = (NodePut, NodeDrop, EdgePut, EdgeDrop)


class SqliteStore:
    """Implements `core.ports.Store`."""

    def __init__(self, file: SqliteFile, give_way: GiveWay) -> None:
        self._file = file
        self._give_way = give_way
        self._sql = queries("sqlite")
        self._tables = Tables(self._sql)

    @classmethod
    async def open(cls, path: Path, give_way: GiveWay = at_once) -> "SqliteStore":
        """Open the file, or make it. What reads all of a bank calls `give_way` now and then.

        Raises StoreUnavailable, also for a file that a newer version wrote.
        """
        file = await SqliteFile.open(path, migrations("sqlite"), refusals=(ChangeInvalid,))
        return cls(file, give_way)

    async def close(self) -> None:
        await self._file.close()

    # ---- writing ----

    async def append(
        self,
        key: BankKey,
        uid: str,
        changes: Sequence[BankChange],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        founding = check_chain(key, uid, changes)
        make = partial(self._statements, key, founding, changes)
        statements = make() if _are_brief(changes) else await self._file.prepare(make)
        await self._file.write(
            partial(self._append, key, uid, founding, changes, statements),
            landed=partial(self._stored, key, uid, changes[-1]),
            meanwhile=meanwhile,
        )

    async def put_segment_vectors(self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]) -> None:
        rows = [
            {**bank_row(key), **ref._asdict(), "embedding": vector_bytes(vector)}
            for ref, vector in vectors.items()
        ]

        def act(connection: sqlite3.Connection) -> None:
            self._require_bank(connection, key, uid)
            connection.executemany(self._sql["put_segment_vector"], rows)

        await self._file.write(act)

    async def delete(self, key: BankKey, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        counts = await self._file.write(partial(self._delete, key, uid, revision))
        await self._file.scrub()
        return counts

    async def trim(self, before: datetime) -> int:
        limit = {"before": micros(before)}

        def act(connection: sqlite3.Connection) -> int:
            forgotten = connection.execute(self._sql["trim_requests"], limit).rowcount
            return forgotten + connection.execute(self._sql["trim_changes"], limit).rowcount

        return await self._file.write(act)

    # ---- reading ----

    async def load(self, key: BankKey) -> BankState | None:
        def act(connection: sqlite3.Connection) -> BankState | None:
            return StateReading(connection, key, self._tables, self._sql, self._give_way).state()

        return await self._file.read(act, at_length=True)

    async def heads(self, keys: Sequence[BankKey]) -> Mapping[BankKey, Head]:
        wanted = dumps([[key.tenant, key.bank_id] for key in keys])
        rows = await self._fetch("heads", {"keys": wanted})
        return {
            _key(tenant, bank_id): Head(uid=uid, revision=revision, change_id=ChangeId(head))
            for tenant, bank_id, uid, revision, head in rows
        }

    async def changes(self, key: BankKey, uid: str, after: int, limit: int) -> Sequence[BankChange]:
        return await self._file.read(partial(self._changes, key, uid, after, limit))

    async def request(self, key: BankKey, request_id: RequestId) -> RequestRecord | None:
        rows = await self._fetch("request", {**bank_row(key), "request_id": request_id})
        return self._tables.requests.value(rows[0]) if rows else None

    async def segment_vectors(
        self, key: BankKey, uid: str, refs: Sequence[SegmentRef]
    ) -> Mapping[SegmentRef, Vector]:
        bank = {**bank_row(key), "uid": uid}

        def act(connection: sqlite3.Connection) -> Mapping[SegmentRef, Vector]:
            found = (
                (ref, self._one(connection, "segment_vector", {**bank, **ref._asdict()})) for ref in refs
            )
            return {ref: vector_of(row[0]) for ref, row in found if row is not None}

        return await self._file.read(act)

    async def list_banks(
        self, tenant: Tenant, chosen: BankFilter, after: str, limit: int
    ) -> Sequence[tuple[BankRecord, int]]:
        asked: Row = {
            "tenant": tenant,
            "user": chosen.user,
            "collection": chosen.collection,
            "labels": dumps(dict(chosen.labels)),
            "after": after,
            "limit": limit,
        }
        return [
            (decode(BankRecord, record), revision)
            for record, revision in await self._fetch("list_banks", asked)
        ]

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        return [
            Leftover(
                key=_key(tenant, bank_id),
                interaction_id=InteractionId(interaction_id),
                update_time=instant(update_time),
            )
            for tenant, bank_id, interaction_id, update_time in await self._fetch(
                "leftovers", {"limit": limit}
            )
        ]

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[BankKey, str]]:
        asked: Row = {
            "now": micros(now),
            "default_ttl": round(default_ttl_seconds * 1_000_000),
            "limit": limit,
        }
        return [(_key(tenant, bank_id), uid) for tenant, bank_id, uid in await self._fetch("expired", asked)]

    async def _fetch(self, name: str, asked: Row) -> list[Any]:
        return await self._file.read(lambda connection: connection.execute(self._sql[name], asked).fetchall())

    # ---- in a writer's or reader's thread ----

    def _one(self, connection: sqlite3.Connection, name: str, asked: Row) -> Any:
        return connection.execute(self._sql[name], asked).fetchone()

    def _require_bank(self, connection: sqlite3.Connection, key: BankKey, uid: str) -> None:
        if self._one(connection, "bank_of_uid", {**bank_row(key), "uid": uid}) is None:
            raise BankNotFound(key.bank_id)

    def _statements(
        self, key: BankKey, founding: BankRecord | None, changes: Sequence[BankChange]
    ) -> list[Statement]:
        """All that the changes write beside the bank's own row and the requests."""
        made: list[Statement] = []
        if founding is not None:
            insights = self._tables.insights
            row = insights.row(key, Insight(goal=founding.goal))
            made.append(Statement(insights.put, [row]))
        for change in changes:
            made += self._tables.statements(key, change.steps)
            entry = (
                key.tenant,
                key.bank_id,
                change.revision,
                change.change_id,
                change.parent,
                micros(change.time),
                STEPS.text(change.steps),
            )
            made.append(Statement(self._sql["add_change"], [entry]))
        return made

    def _append(
        self,
        key: BankKey,
        uid: str,
        founding: BankRecord | None,
        changes: Sequence[BankChange],
        statements: Sequence[Statement],
        connection: sqlite3.Connection,
    ) -> None:
        if not self._take_head(key, uid, founding, changes, connection):
            if self._stored(key, uid, changes[-1], connection):
                return  # an append whose outcome was lost, sent again
            self._refuse(key, uid, changes[0], connection)
        try:
            cursor = connection.cursor()
            for sql, rows, names_rows in statements:
                touched = cursor.executemany(sql, rows).rowcount
                if names_rows and touched != len(rows):
                    raise ChangeInvalid(f"a row is not there for: {sql}")
        except sqlite3.IntegrityError as error:
            raise ChangeInvalid(str(error)) from error
        for change in changes:
            for request in change.requests:
                row = {**bank_row(key), **self._tables.requests.columns(request)}
                if connection.execute(self._sql["put_request"], row).rowcount == 0:
                    raise RequestIdReused(request.request_id)

    def _take_head(
        self,
        key: BankKey,
        uid: str,
        founding: BankRecord | None,
        changes: Sequence[BankChange],
        connection: sqlite3.Connection,
    ) -> bool:
        """Move the head from the first change's parent to the last change: the fence."""
        first, last = changes[0], changes[-1]
        if founding is None:
            before = first.parent, last.revision, last.change_id, first.revision - 1
            step = (key.tenant, key.bank_id, uid, *before)
            return connection.execute(self._sql["advance_bank"], step).rowcount == 1
        row: Row = {
            **bank_row(key),
            "uid": uid,
            "revision": last.revision,
            "head": last.change_id,
            "record": encode_text(founding),
        }
        return connection.execute(self._sql["create_bank"], row).rowcount == 1

    def _stored(self, key: BankKey, uid: str, change: BankChange, connection: sqlite3.Connection) -> bool:
        asked: Row = {**bank_row(key), "uid": uid, "revision": change.revision, "change_id": change.change_id}
        return self._one(connection, "change_stored", asked) is not None

    def _refuse(self, key: BankKey, uid: str, first: BankChange, connection: sqlite3.Connection) -> None:
        if first.parent is None:
            raise BankExists(key.bank_id)
        self._require_bank(connection, key, uid)
        if self._one(connection, "bank", bank_row(key))[2] == first.parent:
            raise ChangeInvalid(f"{first.change_id} skips revisions")
        raise HeadMoved

    def _delete(
        self, key: BankKey, uid: str | None, revision: int | None, connection: sqlite3.Connection
    ) -> PurgeCounts:
        bank = self._one(connection, "bank", bank_row(key))
        if bank is None or uid not in (None, bank[0]):
            raise BankNotFound(key.bank_id)
        if revision not in (None, bank[1]):
            raise HeadMoved
        (files_left,) = self._one(connection, "files_left", bank_row(key))
        gone = {table: connection.execute(purge, bank_row(key)).rowcount for table, purge in PURGES.items()}
        connection.execute(self._sql["owe_a_scrub"])
        counted = ("nodes", "edges", "interactions", "segments", "conflicts", "changes", "requests")
        return PurgeCounts(files_left=files_left, **{table: gone[table] for table in counted})

    def _changes(
        self, key: BankKey, uid: str, after: int, limit: int, connection: sqlite3.Connection
    ) -> Sequence[BankChange]:
        self._require_bank(connection, key, uid)
        (oldest,) = self._one(connection, "oldest_change", bank_row(key))
        if after < oldest - 1:
            raise RevisionTrimmed(after, oldest - 1)
        asked = {**bank_row(key), "after": after, "limit": limit}
        return [
            Change(
                change_id=ChangeId(change_id),
                parent=parent and ChangeId(parent),
                revision=revision,
                time=instant(time),
                steps=STEPS.steps(steps),
            )
            for revision, change_id, parent, time, steps in connection.execute(self._sql["changes"], asked)
        ]


def _are_brief(changes: Sequence[BankChange]) -> bool:
    left = FEW
    for change in changes:
        left -= len(change.steps)
        if left < 0 or not all(isinstance(step, BRIEF) for step in change.steps):
            return False
    return True


def _key(tenant: str, bank_id: str) -> BankKey:
    return BankKey(tenant=Tenant(tenant), bank_id=BankId(bank_id))
