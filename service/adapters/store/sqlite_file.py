"""One SQLite file: its connections, its migrations, and its one writer. Knows nothing of what it keeps.

Law: acts on the file run in threads, never on the loop. Writes have one connection and one
thread; those that have gathered while the last group was synced share the next transaction,
each in a savepoint, so that one that is refused spoils no other. A write is durable when its
call returns: one hop to the thread, and one back for the whole group. Reads have connections of
their own, and each read sees one snapshot.

Several processes may open one file (on a local disk): a transaction that writes begins
IMMEDIATE, for one that begins by reading fails with BUSY_SNAPSHOT whatever the timeout.
"""

import asyncio
import queue
import random
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from core.errors import StoreUnavailable
from service.adapters.store.database import Guarded, Plan, Refused
from service.adapters.store.rows import Row
from service.adapters.worker_thread import Done, WorkerThread, tried

T = TypeVar("T")

OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
PATIENCE_SECONDS = 30.0  # how long to wait for another process before giving up
LOG_KEPT_BYTES = 64 * 2**20  # what the log may keep on disk once all of it is in the file
GROUP_LIMIT = 256  # writes in one transaction
READERS = 3

_OUTSIDE = (
    frozenset(  # what the disk, the machine or another process did; the rest are bugs and stay as they are
        {
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
            sqlite3.SQLITE_NOMEM,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_INTERRUPT,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_CORRUPT,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_PROTOCOL,
            sqlite3.SQLITE_NOTADB,
            sqlite3.SQLITE_AUTH,
            sqlite3.SQLITE_PERM,
        }
    )
)


@dataclass(slots=True, kw_only=True)
class _Write:
    """A write that waits for its group. `landed` finds out whether it is stored when COMMIT did not say.
    `meanwhile` is called on the loop as the group is being committed."""

    plan: Plan
    landed: Guarded | None
    meanwhile: Callable[[], None] | None
    outcome: "asyncio.Future[Sequence[int]]"


class _Lane:
    """Reading connections with a thread each: what is slow has a lane of its own, so that it holds nobody up."""

    def __init__(self, connections: Sequence[sqlite3.Connection]) -> None:
        self.threads = ThreadPoolExecutor(len(connections), thread_name_prefix="sqlite-reader")
        self._resting: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        for connection in connections:
            self._resting.put(connection)

    def read(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """In one of the lane's threads: what `act` reads from one snapshot."""
        connection = self._resting.get()
        try:
            with _OutsideErrors():
                connection.execute("BEGIN")
                return act(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._resting.put(connection)


class SqliteFile:
    """Implements `Database`. Made by `open`; every method raises StoreUnavailable, also after `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: deque[_Write] = deque()
        self._writing = WorkerThread("sqlite-writer")
        self._preparing = WorkerThread("sqlite-preparer")
        self._threads: list[WorkerThread | ThreadPoolExecutor] = [self._preparing, self._writing]
        self._connections: list[sqlite3.Connection] = []
        self._closed = False
        self._scrubbing = asyncio.Lock()
        self._scrubs_asked = 0
        self._scrubbed = 0  # how many of the asked are served

    @classmethod
    async def open(cls, path: Path, migrations: Sequence[str]) -> "SqliteFile":
        """Open or make the file, and bring its schema up to date."""
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise StoreUnavailable(f"SQLite {sqlite3.sqlite_version} is too old: 3.37 or newer is needed")
        file = cls(path)
        try:
            await asyncio.to_thread(file._connect, migrations)
        except (StoreUnavailable, sqlite3.Error, OSError):
            await file.close()
            raise
        return file

    async def read(self, act: Callable[[sqlite3.Connection], T], *, at_length: bool = False) -> T:
        """What `act` reads, all of it from one snapshot. One that reads `at_length` waits for others such."""
        self._refuse_if_closed()
        lane = self._long_reads if at_length else self._reads
        return await asyncio.get_running_loop().run_in_executor(lane.threads, lane.read, act)

    async def fetch(self, sql: str, row: Row) -> list[Any]:
        """The rows of one query."""
        return await self.read(lambda connection: connection.execute(sql, row).fetchall())

    async def prepare(self, make: Callable[[], T]) -> T:
        """What `make` makes, without the file, ahead of a write: in a thread that has nothing else to do."""
        self._refuse_if_closed()
        return await self._preparing.call(make)

    async def write(
        self, plan: Plan, landed: Guarded | None = None, meanwhile: Callable[[], None] | None = None
    ) -> Sequence[int]:
        """Rows that each statement touched, when all is durable. A plan that is refused undoes its own writes only.

        A caller that is cancelled before its group begins has written nothing; later, it only stops waiting.
        """
        self._refuse_if_closed()
        outcome: asyncio.Future[Sequence[int]] = asyncio.get_running_loop().create_future()
        write = _Write(plan=plan, landed=landed, meanwhile=meanwhile, outcome=outcome)
        self._waiting.append(write)
        self._writing.submit(self._write_group)
        return await outcome

    async def scrub(self) -> None:
        """Leave no byte on disk of what was deleted before this call.

        `secure_delete` is not enough: when SQLite moves rows between pages it leaves stale copies
        in the unused parts (measured), and the log keeps what pages were. So the whole file is
        rewritten and the log emptied, which takes some 10 ms per MB and makes writes wait, not
        reads; calls that gather meanwhile share the next one. Whoever deletes leaves a row in
        the table `unscrubbed`, so that a scrub cut short is made up for by the next `open`.
        """
        self._scrubs_asked += 1
        mine = self._scrubs_asked
        async with self._scrubbing:
            if self._scrubbed < mine:
                served = self._scrubs_asked
                self._refuse_if_closed()
                await self._writing.call(self._scrub)
                self._scrubbed = served

    async def close(self) -> None:
        """Finish what waits, then close. Closing twice is closing once."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._disconnect)

    # ---- opening and closing, in a thread ----

    def _connect(self, migrations: Sequence[str]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _OutsideErrors():
            self._writer = self._connection()
            ((mode,),) = _insist(self._writer, "PRAGMA journal_mode = WAL")
            if mode != "wal":
                raise StoreUnavailable(f"{self._path} cannot have a write-ahead log: is it on a local disk?")
            _migrate(self._writer, self._path, migrations)
            self._writer.execute("PRAGMA busy_timeout = 0")  # `_insist` waits in its own way
            if self._writer.execute("SELECT 1 FROM unscrubbed").fetchone():
                self._scrub()
            self._reads = _Lane([self._reading_connection() for _ in range(READERS)])
            self._long_reads = _Lane([self._reading_connection()])
            self._threads += [self._reads.threads, self._long_reads.threads]

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connections.append(connection)
        connection.execute("PRAGMA synchronous = FULL")  # in WAL: the log is synced by every commit
        connection.execute(f"PRAGMA journal_size_limit = {LOG_KEPT_BYTES}")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        # Savepoints would leave texts in the system's temporary files.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def _reading_connection(self) -> sqlite3.Connection:
        connection = self._connection()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _disconnect(self) -> None:
        for threads in self._threads:
            threads.shutdown()
        for connection in self._connections:
            connection.close()

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
            done = Done(write.outcome, value=_carried_out(self._writer, write.plan))
        except Refused as refusal:
            self._writer.execute("ROLLBACK TO one")
            done = Done(write.outcome, refusal=refusal)
        self._writer.execute("RELEASE one")
        return done

    def _transact(self, group: Sequence[_Write]) -> list[Done[Any]]:
        try:
            with _OutsideErrors():
                _insist(self._writer, "BEGIN IMMEDIATE")
                if len(group) == 1:
                    return [self._alone(group[0])]
                done = [self._attempt(write) for write in group]
                self._commit(*(write for write, one in zip(group, done, strict=True) if one.refusal is None))
                return done
        finally:
            self._roll_back()

    def _alone(self, write: _Write) -> Done[Sequence[int]]:
        """A write that shares its transaction with none needs no savepoint: what it refuses is rolled back."""
        try:
            value = _carried_out(self._writer, write.plan)
        except Refused as refusal:
            return Done(write.outcome, refusal=refusal)
        self._commit(write)
        return Done(write.outcome, value=value)

    def _commit(self, *group: _Write) -> None:
        for write in group:
            if write.meanwhile is not None:
                self._writing.on_loop(write.meanwhile)
        self._writer.execute("COMMIT")  # waits for the disk, and holds up nobody

    def _roll_back(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")

    def _settle(self, write: _Write, failure: StoreUnavailable) -> Done[Sequence[int]]:
        """The group failed as a whole. If COMMIT did and nobody knows, the file itself does."""
        if write.landed is None:
            return Done(write.outcome, refusal=failure)
        try:
            with _OutsideErrors():
                landed = _finds(self._writer, write.landed)
        except StoreUnavailable:
            landed = False
        return Done(write.outcome) if landed else Done(write.outcome, refusal=failure)

    def _scrub(self) -> None:
        with _OutsideErrors():
            ((newest,),) = self._writer.execute("SELECT max(id) FROM unscrubbed").fetchall()
            self._rewrite()
            deadline = time.monotonic() + PATIENCE_SECONDS
            while _insist(self._writer, "PRAGMA wal_checkpoint(TRUNCATE)")[0][
                0
            ]:  # somebody still reads from the log
                if time.monotonic() > deadline:
                    raise StoreUnavailable("deleted, but others keep reading: the log still holds it")
                time.sleep(0.002)
            _insist(self._writer, "BEGIN IMMEDIATE")
            self._writer.execute("DELETE FROM unscrubbed WHERE id <= ?", (newest,))
            self._commit()

    def _rewrite(self) -> None:
        """The file anew; the copy of all that stays, which may not fit in memory, goes through a temporary file."""
        self._writer.execute("PRAGMA temp_store = FILE")
        try:
            _insist(self._writer, "VACUUM")
        finally:
            self._writer.execute("PRAGMA temp_store = MEMORY")


def _carried_out(connection: sqlite3.Connection, plan: Plan) -> Sequence[int]:
    """Rows that each statement touched. Raises Refused at the first guard that does not hold."""
    touched: list[int] = []
    cursor = connection.cursor()
    for guarded in plan:
        if guarded.finds:
            if not _finds(connection, guarded):
                raise Refused(guarded)
            touched.append(0)
            continue
        try:
            if len(guarded.rows) == 1:
                cursor.execute(guarded.sql, guarded.rows[0])
            else:
                cursor.executemany(guarded.sql, guarded.rows)
        except sqlite3.IntegrityError as error:
            raise Refused(guarded, str(error)) from error
        if guarded.must_touch not in (None, cursor.rowcount):
            raise Refused(guarded)
        touched.append(cursor.rowcount)
    return touched


def _finds(connection: sqlite3.Connection, query: Guarded) -> bool:
    return all(connection.execute(query.sql, row).fetchone() is not None for row in query.rows)


def _insist(connection: sqlite3.Connection, statement: str) -> list[Any]:
    """Run what needs the file's write lock, however long another process holds it.

    SQLite's own waiting sleeps ever longer, up to 100 ms, and so starves beside a busy process; and
    where two switch a new file to WAL at once, it does not wait at all. This asks again every
    millisecond or so.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return connection.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.0005, 0.002))


class _OutsideErrors:
    """Within it, what the disk, the machine or another process did is StoreUnavailable.

    No generator: every write passes it.
    """

    __slots__ = ()

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, sqlite3.DatabaseError):
            code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            if code & 0xFF in _OUTSIDE:
                raise StoreUnavailable(str(error)) from error


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Run the scripts this file has not seen, all in one transaction; `user_version` counts them."""
    _insist(connection, "BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(migrations):
            raise StoreUnavailable(
                f"{path} has schema {version}, written by a newer version; this one knows {len(migrations)}"
            )
        for script in migrations[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: `executescript` would commit what went before."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
