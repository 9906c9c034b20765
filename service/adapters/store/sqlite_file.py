"""One SQLite file: its connections, its migrations, and its one writer, whatever its tables.

Law: acts on the file run in threads, never on the loop. Writes have one connection and one
thread; those that have gathered while the last group was synced share the next transaction,
each in a savepoint, so that one that is refused spoils no other. A write is durable when its
call returns: one hop to the thread, and one back for the whole group. Reads have connections of
their own, and each read sees one snapshot.

Several processes may open one file (on a local disk): a transaction that writes begins
IMMEDIATE, for one that begins by reading fails with BUSY_SNAPSHOT whatever the timeout.
"""

import asyncio
import os
import queue
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from core.errors import StoreUnavailable
from service.adapters.store.database import GuardedStatement, Length, Plan, WriteRefused
from service.adapters.store.rows import Row
from service.adapters.store.sqlite_connection import OutsideErrors, connected, insist, migrate
from service.adapters.store.sqlite_scrub import scrub
from service.adapters.store.sqlite_traces import DESCRIPTORS
from service.adapters.worker_thread import Done, WorkerThread, tried

T = TypeVar("T")

OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
LOG_PAGES = 16_000  # in the log, 64 MB: then a write brings into the file what the checkpointer has not
CHECKPOINT_ROWS = 300  # changed: then the checkpointer begins, beside the writes,
CHECKPOINT_SECONDS = 0.01  # or once statements have taken so long: one row may be of a megabyte
GROUP_LIMIT = 256  # writes in one transaction
READERS = {Length.BRIEF: 3, Length.LOAD: 2, Length.LONG_LOAD: 1}  # connections, with a thread each


@dataclass(slots=True, kw_only=True)
class _Write:
    """A write that waits for its group. `landed` finds out whether it is stored when COMMIT's outcome is unknown.
    `meanwhile` is called on the loop as the group is being committed."""

    plan: Plan
    landed: GuardedStatement | None
    meanwhile: Callable[[], None] | None
    outcome: "asyncio.Future[Sequence[int]]"


class _ReaderPool:
    """Reading connections with a thread each: slow reads have a pool of their own, so that no others wait for them."""

    def __init__(self, connections: Sequence[sqlite3.Connection]) -> None:
        self.threads = ThreadPoolExecutor(len(connections), thread_name_prefix="sqlite-reader")
        self._resting: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        for connection in connections:
            self._resting.put(connection)

    def read(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """Returns what `act` reads from one snapshot. To be called in one of the pool's threads."""
        connection = self._resting.get()
        try:
            with OutsideErrors():
                connection.execute("BEGIN")
                return act(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._resting.put(connection)


class SqliteFile:
    """Implements `Database`. Made by `open`; every method raises StoreUnavailable, also after `close`."""

    rows_at_once = 100  # one transaction writes at a time

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: deque[_Write] = deque()
        self._writing = WorkerThread("sqlite-writer")
        self._preparing = WorkerThread("sqlite-preparer")
        self._clearing = WorkerThread("sqlite-scrubber")
        self._checkpointing = ThreadPoolExecutor(1, thread_name_prefix="sqlite-checkpointer")
        self._checkpoint: Future[object] | None = None
        self._checkpointed = 0  # rows that the writer had changed then
        self._worked = 0.0  # seconds that the writer's statements have taken since
        self._threads: list[WorkerThread | ThreadPoolExecutor] = [
            self._preparing,
            self._clearing,
            self._writing,
            self._checkpointing,
        ]
        self._pools: dict[Length, _ReaderPool] = {}
        self._connections: list[sqlite3.Connection] = []
        self._descriptor: int | None = None
        self._closed = False
        self._scrubbing = asyncio.Lock()
        self._scrubs_requested = 0
        self._scrubbed = 0  # how many of the requested scrubs are done

    @classmethod
    async def open(cls, path: Path, migrations: Sequence[str]) -> "SqliteFile":
        """Opens or makes the file, and brings its schema up to date."""
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise StoreUnavailable(f"SQLite {sqlite3.sqlite_version} is too old: 3.37 or newer is needed")
        file = cls(path)
        try:
            await asyncio.to_thread(file._connect, migrations)
        except (sqlite3.Error, OSError) as failure:
            await file.close()
            raise StoreUnavailable(f"{path}: {failure}") from failure
        except StoreUnavailable:
            await file.close()
            raise
        return file

    async def read(self, act: Callable[[sqlite3.Connection], T], length: Length = Length.BRIEF) -> T:
        """Returns what `act` reads, all of it from one snapshot. It waits for others of its length."""
        self._refuse_if_closed()
        pool = self._pools[length]
        return await asyncio.get_running_loop().run_in_executor(pool.threads, pool.read, act)

    async def fetch(self, sql: str, row: Row) -> list[Any]:
        """Returns the rows of one query."""
        return await self.read(lambda connection: connection.execute(sql, row).fetchall())

    async def prepare(self, make: Callable[[], T]) -> T:
        """Returns what `make` makes ahead of a write, without the file: in a thread for that alone."""
        self._refuse_if_closed()
        return await self._preparing.call(make)

    async def write(
        self, plan: Plan, landed: GuardedStatement | None = None, meanwhile: Callable[[], None] | None = None
    ) -> Sequence[int]:
        """Returns how many rows each statement touched, once all is durable. A refused plan undoes its own writes only.

        A caller that is cancelled before its group begins has written nothing; later, it only stops waiting.
        """
        self._refuse_if_closed()
        outcome: asyncio.Future[Sequence[int]] = asyncio.get_running_loop().create_future()
        write = _Write(plan=plan, landed=landed, meanwhile=meanwhile, outcome=outcome)
        self._waiting.append(write)
        self._writing.submit(self._write_group)
        return await outcome

    async def scrub(self) -> None:
        """Clears every byte on disk of what was deleted before this call, while others read and write.

        Calls that gather meanwhile share the next one. A deletion leaves a row in the table `unscrubbed`, so
        that a scrub cut short is made up for by the next `open`.
        """
        self._scrubs_requested += 1
        mine = self._scrubs_requested
        async with self._scrubbing:
            if self._scrubbed < mine:
                served = self._scrubs_requested
                self._refuse_if_closed()
                await self._clearing.call(self._scrub)
                self._scrubbed = served

    async def close(self) -> None:
        """Finishes what waits, then closes. Closing twice is closing once."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._disconnect)

    # ---- opening and closing, in a thread ----

    def _connect(self, migrations: Sequence[str]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._writer = self._connection()
        ((mode,),) = insist(self._writer, "PRAGMA journal_mode = WAL")
        if mode != "wal":
            raise StoreUnavailable(f"{self._path} cannot have a write-ahead log: is it on a local disk?")
        migrate(self._writer, self._path, migrations)
        self._writer.execute("PRAGMA busy_timeout = 0")  # `insist` waits in its own way
        self._writer.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        self._log = self._connection()
        self._log.execute("PRAGMA busy_timeout = 0")
        self._descriptor = DESCRIPTORS.taken(self._path)
        if self._writer.execute("SELECT 1 FROM unscrubbed").fetchone():
            self._scrub()
        for length, size in READERS.items():
            self._pools[length] = _ReaderPool([self._reading_connection() for _ in range(size)])
            self._threads.append(self._pools[length].threads)

    def _connection(self) -> sqlite3.Connection:
        connection = connected(self._path)
        self._connections.append(connection)
        return connection

    def _reading_connection(self) -> sqlite3.Connection:
        connection = self._connection()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _scrub(self) -> None:
        assert self._descriptor is not None, "an open file has one"
        scrub(self._path, self._descriptor)

    def _disconnect(self) -> None:
        for threads in self._threads:
            threads.shutdown()
        for connection in self._connections:
            connection.close()
        if self._descriptor is not None:
            DESCRIPTORS.given_back(self._descriptor)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    # ---- writing, in the writer's thread ----

    def _write_group(self) -> Sequence[Done[Any]]:
        group = [write for write in self._gathered() if not write.outcome.cancelled()]
        return tried([write.outcome for write in group], partial(self._written, group)) if group else ()

    def _gathered(self) -> list[_Write]:
        return [self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP_LIMIT))]

    def _written(self, group: Sequence[_Write]) -> list[Done[Any]]:
        try:
            return self._transact(group)
        except StoreUnavailable as failure:
            return [self._settle(write, failure) for write in group]

    def _attempt(self, write: _Write) -> Done[Sequence[int]]:
        self._writer.execute("SAVEPOINT one")
        try:
            done = Done(write.outcome, value=self._carried_out(write.plan))
        except WriteRefused as refusal:
            self._writer.execute("ROLLBACK TO one")
            done = Done(write.outcome, refusal=refusal)
        self._writer.execute("RELEASE one")
        return done

    def _transact(self, group: Sequence[_Write]) -> list[Done[Any]]:
        try:
            with OutsideErrors():
                insist(self._writer, "BEGIN IMMEDIATE")
                if len(group) == 1:
                    return [self._alone(group[0])]
                done = [self._attempt(write) for write in group]
                self._commit(*(write for write, one in zip(group, done, strict=True) if one.refusal is None))
                return done
        finally:
            self._roll_back()

    def _alone(self, write: _Write) -> Done[Sequence[int]]:
        """Carries out a write that is alone in its transaction. It needs no savepoint: a refusal rolls all back."""
        try:
            value = self._carried_out(write.plan)
        except WriteRefused as refusal:
            return Done(write.outcome, refusal=refusal)
        self._commit(write)
        return Done(write.outcome, value=value)

    def _carried_out(self, plan: Plan) -> Sequence[int]:
        began = time.monotonic()
        touched = _carried_out(self._writer, plan)
        self._worked += time.monotonic() - began
        return touched

    def _commit(self, *group: _Write) -> None:
        for write in group:
            if write.meanwhile is not None:
                self._writing.on_loop(write.meanwhile)
        self._writer.execute("COMMIT")  # waits for the disk, and holds up no call
        self._bring_into_file()

    def _bring_into_file(self) -> None:
        """Starts a checkpoint once much was written, while others go on writing."""
        changed = self._writer.total_changes
        is_much = changed - self._checkpointed >= CHECKPOINT_ROWS or self._worked >= CHECKPOINT_SECONDS
        if not is_much or (self._checkpoint and not self._checkpoint.done()):
            return
        self._checkpointed, self._worked = changed, 0.0
        self._checkpoint = self._checkpointing.submit(self._check_point)

    def _check_point(self) -> None:
        """Brings what the log holds into the file, and syncs that.

        SQLite itself syncs the file only where it has brought in all of the log. Beside writes that go on it never has,
        and one commit in the end would wait for all of it: 60 to 120 ms for 64 MB were measured.
        """
        self._log.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        assert self._descriptor is not None, "an open file has one"
        os.fsync(self._descriptor)

    def _roll_back(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")

    def _settle(self, write: _Write, failure: StoreUnavailable) -> Done[Sequence[int]]:
        """Settles a write whose group failed as a whole. If COMMIT's outcome is unknown, `landed` finds it out."""
        if write.landed is None:
            return Done(write.outcome, refusal=failure)
        try:
            with OutsideErrors():
                landed = _finds(self._writer, write.landed)
        except StoreUnavailable:
            landed = False
        return Done(write.outcome) if landed else Done(write.outcome, refusal=failure)


def _carried_out(connection: sqlite3.Connection, plan: Plan) -> Sequence[int]:
    """Returns how many rows each statement touched. Raises WriteRefused at the first guard that does not hold."""
    touched: list[int] = []
    cursor = connection.cursor()
    for guarded in plan:
        if guarded.finds:
            if not _finds(connection, guarded):
                raise WriteRefused(guarded)
            touched.append(0)
            continue
        try:
            if len(guarded.rows) == 1:
                cursor.execute(guarded.sql, guarded.rows[0])
            else:
                cursor.executemany(guarded.sql, guarded.rows)
        except sqlite3.IntegrityError as error:
            raise WriteRefused(guarded, str(error)) from error
        if guarded.must_touch not in (None, cursor.rowcount):
            raise WriteRefused(guarded)
        touched.append(cursor.rowcount)
    return touched


def _finds(connection: sqlite3.Connection, query: GuardedStatement) -> bool:
    return all(connection.execute(query.sql, row).fetchone() is not None for row in query.rows)
