"""A PostgreSQL server as a `Database`: plans in one message each, and their outcomes settled.

Law: a plan is one transaction, and its COMMIT is on its way before anything has come back: guards are errors of the
server's. A plan whose outcome was lost is sent again: it waits for the locks of the old one, which may still be at
work, and is refused if that one was stored. To look for what it wrote would race it.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import psycopg
from psycopg.raw_cursor import RawCursor

from core.errors import InvalidField, StoreUnavailable
from service.adapters.store.database import Connections, GuardedStatement, Length, Plan, WriteRefused
from service.adapters.store.postgres_link import Again, ConnectionPool, Link, Lost, Server, one_line
from service.adapters.store.postgres_statements import guarded_statement, statement, without_nul
from service.adapters.store.rows import Row

T = TypeVar("T")

LOADS = 2  # at a time: after a start many are requested at once
READS = 4
PORTION = 100  # rows that come together when many are read
LOCK_SECONDS = 5.0  # that a statement waits for another transaction
TRIES = 5  # of a transaction that lost a race
SETTLING_SECONDS = 10.0  # in which an outcome that was lost is settled, or given up
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
LIMITS = (
    "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true), "
    "set_config('idle_in_transaction_session_timeout', '10s', true)"
)

logging.getLogger("psycopg").setLevel(
    logging.ERROR
)  # of a pipeline that stops at a guard it would warn each time


class PostgresDatabase:
    """Implements `Database`. Every method raises StoreUnavailable, also after `close`."""

    rows_at_once = 500  # other transactions go on meanwhile

    def __init__(self, server: Server) -> None:
        self._server = server
        loads = min(LOADS, server.connections // 3) or 1  # with one, loads of all lengths share it
        reads = min(READS, server.connections // 3) or 1
        long_loads = ConnectionPool("load", server, 1)
        self._reads = ConnectionPool("read", server, reads)
        self._pools = {
            Length.BRIEF: self._reads,
            Length.LOAD: ConnectionPool("load", server, loads - 1) if loads > 1 else long_loads,
            Length.LONG_LOAD: long_loads,
        }
        self._writes = ConnectionPool("write", server, max(1, server.connections - loads - reads))
        self._preparing = ThreadPoolExecutor(1, thread_name_prefix="postgres-preparer")
        self._closed = False
        self._unknown = 0  # commits whose answer was lost

    def connections(self) -> Connections:
        """Returns how many connections there are. Any thread may call it."""
        pools = {*self._pools.values(), self._writes}
        return Connections(
            open=sum(pool.count for pool in pools),
            busy=sum(pool.busy for pool in pools),
            unknown=self._unknown,
        )

    async def read(self, act: Callable[[Any], T], length: Length = Length.BRIEF) -> T:
        pool = self._pools[length]
        return await self._in_thread(
            pool.threads, partial(self._answered, pool, partial(_from_snapshot, act))
        )

    async def fetch(self, sql: str, row: Row) -> list[Any]:
        act = partial(_fetched, sql, row)
        return await self._in_thread(self._reads.threads, partial(self._answered, self._reads, act))

    async def once(self, act: Callable[[Link], T]) -> T:
        """Returns what `act` does with a connection that is in no transaction."""
        return await self._in_thread(self._writes.threads, partial(self._answered, self._writes, act))

    async def prepare(self, make: Callable[[], T]) -> T:
        return await self._in_thread(self._preparing, make)

    async def write(
        self, plan: Plan, landed: GuardedStatement | None = None, meanwhile: Callable[[], None] | None = None
    ) -> Sequence[int]:
        storing = self._in_thread(
            self._writes.threads, partial(self._stored, plan, has_landed_query=landed is not None)
        )
        if meanwhile is not None:
            meanwhile()
        return await storing

    async def scrub(self) -> None:
        """Does nothing: the server's own vacuum frees what was deleted, and cannot be hastened for one bank."""

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._disconnect)

    def _disconnect(self) -> None:
        self._preparing.shutdown()
        for pool in {*self._pools.values(), self._writes}:
            pool.close()

    def _in_thread(self, threads: ThreadPoolExecutor, act: Callable[[], T]) -> "asyncio.Future[T]":
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return asyncio.get_running_loop().run_in_executor(threads, act)

    # ---- in a thread ----

    def _answered(self, pool: ConnectionPool, act: Callable[[Link], T]) -> T:
        """Returns what `act` reads; over a new connection where the idle one was lost meanwhile."""
        try:
            try:
                return pool.use(act)
            except Lost:
                pool.forget()
            return pool.use(act)
        except (Lost, Again) as failure:
            raise StoreUnavailable(str(failure)) from failure
        except psycopg.InterfaceError as failure:
            raise StoreUnavailable(one_line(failure)) from failure

    def _stored(self, plan: Plan, *, has_landed_query: bool) -> Sequence[int]:
        """Returns what the plan touched, its outcome settled: stored, refused, or undone. `has_landed_query`: the
        caller finds out by a query whether a refused plan is stored already."""
        act = partial(_carried_out, plan, self._server)
        settle_by = 0.0
        tries = 0
        while True:
            try:
                return self._writes.use(act)
            except WriteRefused:
                if settle_by and not has_landed_query:
                    raise StoreUnavailable("whether it was stored the server never said") from None
                raise
            except Again as lost_race:
                tries += 1
                if tries >= TRIES:
                    raise StoreUnavailable(str(lost_race)) from lost_race
            except Lost as lost:
                self._unknown += 1
                self._writes.forget()
                settle_by = settle_by or time.monotonic() + SETTLING_SECONDS
                if time.monotonic() > settle_by:
                    raise StoreUnavailable(str(lost)) from lost
            except StoreUnavailable:
                if time.monotonic() > settle_by:
                    raise
            time.sleep(random.uniform(0.005, 0.05))


def _from_snapshot(act: Callable[[Any], T], link: Link) -> T:
    link.execute(BEGIN_READING, prepare=False)
    answer = act(_Snapshot(link))
    link.execute("COMMIT", prepare=False)
    return answer


def _fetched(sql: str, row: Row, link: Link) -> list[Any]:
    made, arranged = statement(sql)
    cursor = RawCursor(link)
    return cursor.execute(made, arranged(row), binary=True).fetchall()


def _carried_out(plan: Plan, server: Server, link: Link) -> Sequence[int]:
    """Carries out the plan as one transaction, in one message there and one back."""
    sent: list[tuple[GuardedStatement, RawCursor[Any]]] = []
    try:
        if server.pipeline:
            with link.pipeline():
                _send(plan, server, link, sent)
        else:
            _send(plan, server, link, sent)
    except psycopg.Error as error:
        raise _refusal(sent, error) or error from error
    return _touched(plan, sent)


def _send(
    plan: Plan, server: Server, link: Link, sent: list[tuple[GuardedStatement, RawCursor[Any]]]
) -> None:
    link.execute(BEGIN, prepare=False)
    limits = [server.timeout_seconds, min(LOCK_SECONDS, server.timeout_seconds)]
    RawCursor(link).execute(LIMITS, [f"{round(seconds * 1_000)}ms" for seconds in limits])
    for guarded in plan:
        made, arranged = guarded_statement(guarded)
        for row in guarded.rows:
            cursor = RawCursor(link)
            sent.append((guarded, cursor))
            cursor.execute(made, arranged(row))
    link.execute("COMMIT", prepare=False)


def _refusal(
    sent: Sequence[tuple[GuardedStatement, RawCursor[Any]]], error: psycopg.Error
) -> Exception | None:
    """Returns the refusal by the guard that stopped the plan: the first statement without an answer. None: none did."""
    state = error.sqlstate or ""
    refused = next((guarded for guarded, cursor in sent if cursor.pgresult is None), None)
    if refused is None:
        return None
    if state == "22P05" or (isinstance(error, psycopg.DataError) and not all(map(without_nul, refused.rows))):
        return InvalidField("text", "holds a NUL character, which the database cannot keep: leave it out")
    if state == "22012" or state.startswith("23"):
        return WriteRefused(refused, one_line(error))
    return None


def _touched(plan: Plan, sent: Sequence[tuple[GuardedStatement, RawCursor[Any]]]) -> list[int]:
    counts = iter(cursor.rowcount for _, cursor in sent)
    touched = [sum(islice(counts, len(guarded.rows))) for guarded in plan]
    return [0 if guarded.finds else count for guarded, count in zip(plan, touched, strict=True)]


class _Snapshot:
    """Implements `Connection` within a transaction: rows come in portions as they are fetched."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def execute(self, sql: str, row: Any = (), /) -> "_RowStream":
        made, arranged = statement(sql)
        cursor = RawCursor(self._link)
        return _RowStream(cursor.stream(made, arranged(row), binary=True, size=PORTION))


class _RowStream:
    """Rows as they arrive. All must be taken before the next statement."""

    def __init__(self, rows: Iterator[Any]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def fetchone(self) -> Any:
        """Returns the only row, or None."""
        return next(iter(list(self._rows)), None)

    def fetchmany(self, size: int) -> list[Any]:
        return list(islice(self._rows, size))

    def fetchall(self) -> list[Any]:
        return list(self._rows)
