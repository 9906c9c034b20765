"""The purge of one aggregate: in one transaction where it is small, a portion of rows at a time where it is large.

Law: a large one loses its head first, so nothing reads or writes half of it, and its own row last: a purge cut short
is known by that row, and the process that finds it finishes it. Each transaction holds that row: of two processes that
purge the same one waits for the other, and neither removes a row of what is founded under the name afterwards. Other
writes come between two portions, and have the disk for as long as a portion took.
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
FIRST = 5  # the part of `rows_at_once` that is tried before it is known how long rows take
LEAST = 20  # the part that is removed however long it took: on a busy machine that says nothing of the rows
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
        if standing.head and not await self._are_many(parts):
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
        removed, left = Counter[str](), list(parts)
        held = GuardedStatement(
            self._sql["hold_purge"], [{**owner_row(key), "uid": standing.uid}], must_touch=1
        )
        try:
            while await self._are_many(left):
                await self._remove(left.pop(0), held, removed)
            plan = [held, *(_gone(rows) for rows in left), *self._end(key, standing)]
            _, *touched = await self._database.write(plan)
        except WriteRefused:
            return removed  # another process has finished it
        removed.update({rows.table: gone for rows, gone in zip(left, touched, strict=False)})
        return removed

    async def _are_many(self, parts: Sequence[OwnedRows]) -> bool:
        return await self._database.read(partial(are_more, self._database.rows_at_once, parts))

    async def _remove(self, rows: OwnedRows, held: GuardedStatement, removed: Counter[str]) -> None:
        """Removes the rows of one table, and counts them. Raises WriteRefused: another process has finished it all."""
        least = self._database.rows_at_once // LEAST
        portion = size = gone = self._database.rows_at_once // FIRST
        while gone == portion:
            portion, began = size, time.monotonic()
            _, gone = await self._database.write([held, _portion(rows, portion)])
            removed[rows.table] += gone
            took = time.monotonic() - began
            size = max(least, _next_size(portion, took))
            await asyncio.sleep(took)

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
    return min(PORTION, 2 * portion, round(portion * AIM_SECONDS / max(seconds, 1e-4)))


def _portion(rows: OwnedRows, size: int) -> GuardedStatement:
    columns = ", ".join(f'"{column}"' for column in (*rows.owner, *rows.key))
    some = f"SELECT {columns} FROM {rows.table} WHERE {_conditions(rows)} LIMIT :limit"
    sql = f"DELETE FROM {rows.table} WHERE ({columns}) IN ({some})"
    return GuardedStatement(sql, [{**rows.owner, "limit": size}])


def _conditions(rows: OwnedRows) -> str:
    return " AND ".join(f"{column} = :{column}" for column in rows.owner)
