"""The purge of one aggregate: in one transaction where it is small, a portion of rows at a time where it is large.

Law: a large one loses its head first, so nothing reads or writes half of it, and its own row last: a purge cut short
is known by that row, and the process that finds it finishes it. Other writes come between two portions, and have the
disk for as long as a portion took.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from core.keys import Key
from service.adapters.store.database import Connection, Database, GuardedStatement, Plan, WriteRefused
from service.adapters.store.owned import OwnedRows, OwnedTables, owner_row
from service.adapters.store.rows import Row

PORTION = 500  # rows to one transaction, at most: small ones take some ten milliseconds
AT_ONCE = 100  # rows of an aggregate that goes in one transaction
FIRST = 20  # of a portion, before it is known how long they take: one row may be of half a megabyte
AIM_SECONDS = 0.005  # that a portion is to take, so that others need not wait for much longer
OF_ALL = {"requests": ("request_id",), "changes": ("revision",)}  # and their keys

Removed = Mapping[str, int]


class Purgeable(NamedTuple):
    """Where an aggregate stands that is to be purged; `head` is empty once that has begun."""

    uid: str
    revision: int
    head: str


class Purging:
    """Removes the rows of aggregates from the `tables` of their kinds."""

    def __init__(
        self, database: Database, queries: Mapping[str, str], tables: Mapping[str, OwnedTables]
    ) -> None:
        self._database, self._sql, self._tables = database, queries, tables

    def purgeable(self, key: Key, connection: Connection) -> Purgeable | None:
        row = connection.execute(self._sql["purgeable"], owner_row(key)).fetchone()
        return None if row is None else Purgeable(*row)

    async def purge(self, key: Key, standing: Purgeable) -> Removed:
        """Removes an aggregate. Returns how many rows went, by table. Raises WriteRefused if it is not there."""
        parts = [
            *(OwnedRows(table, owner_row(key), columns) for table, columns in OF_ALL.items()),
            *self._tables[key.kind].purge(key),
        ]
        if standing.head and not await self._database.read(partial(are_more, AT_ONCE, parts)):
            return await self._at_once(key, standing, parts)
        return await self._in_portions(key, standing, parts)

    async def _at_once(self, key: Key, standing: Purgeable, parts: Sequence[OwnedRows]) -> Removed:
        touched = await self._database.write(
            [*self._begin(key, standing), *(_gone(rows) for rows in parts), *self._end(key, standing)]
        )
        return {rows.table: gone for rows, gone in zip(parts, touched[2:], strict=False)}

    async def _in_portions(self, key: Key, standing: Purgeable, parts: Sequence[OwnedRows]) -> Removed:
        if standing.head:
            await self._database.write(self._begin(key, standing))
        removed = Counter[str]()
        for rows in parts:
            size, gone = FIRST, FIRST
            portion = FIRST
            while gone == portion:
                portion, began = size, time.monotonic()
                (gone,) = await self._database.write([_portion(rows, portion)])
                removed[rows.table] += gone
                took = time.monotonic() - began
                size = _next_size(portion, took)
                await asyncio.sleep(took)
        try:
            await self._database.write(self._end(key, standing))
        except WriteRefused:
            return removed  # another process has finished it
        return removed

    def _begin(self, key: Key, standing: Purgeable) -> tuple[GuardedStatement, GuardedStatement]:
        """Returns what begins a purge. It takes a revision, and later aggregates of the tenant begin above that."""
        at = {**owner_row(key), "uid": standing.uid, "revision": standing.revision}
        floor: Row = {"tenant": key.tenant, "floor": standing.revision + 1}
        return (
            GuardedStatement(self._sql["begin_purge"], [at], must_touch=1),
            GuardedStatement(self._sql["raise_floor"], [floor]),
        )

    def _end(self, key: Key, standing: Purgeable) -> Plan:
        end = GuardedStatement(
            self._sql["end_purge"], [{**owner_row(key), "uid": standing.uid}], must_touch=1
        )
        return [end, *owed_scrub(self._sql)]


def owed_scrub(queries: Mapping[str, str]) -> Plan:
    """Returns what records that traces are left on disk; empty for a database that clears them by itself."""
    owe = queries.get("owe_a_scrub")
    return [] if owe is None else [GuardedStatement(owe, [()])]


def are_more(than: int, parts: Sequence[OwnedRows], connection: Connection) -> bool:
    """Whether there are more than `than` rows. Counts no further."""
    left = than
    for rows in parts:
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {rows.table} WHERE {_conditions(rows)} LIMIT :limit) AS first_ones"
        (count,) = connection.execute(sql, {**rows.owner, "limit": left + 1}).fetchone()
        left -= count
        if left < 0:
            return True
    return False


def _gone(rows: OwnedRows) -> GuardedStatement:
    return GuardedStatement(f"DELETE FROM {rows.table} WHERE {_conditions(rows)}", [rows.owner])


def _next_size(portion: int, seconds: float) -> int:
    """Returns the size of the next portion, given the size and seconds of the last one."""
    return max(1, min(PORTION, 2 * portion, round(portion * AIM_SECONDS / max(seconds, 1e-4))))


def _portion(rows: OwnedRows, size: int) -> GuardedStatement:
    columns = ", ".join(f'"{column}"' for column in (*rows.owner, *rows.key))
    some = f"SELECT {columns} FROM {rows.table} WHERE {_conditions(rows)} LIMIT :limit"
    sql = f"DELETE FROM {rows.table} WHERE ({columns}) IN ({some})"
    return GuardedStatement(sql, [{**rows.owner, "limit": size}])


def _conditions(rows: OwnedRows) -> str:
    return " AND ".join(f"{column} = :{column}" for column in rows.owner)
