"""A SQLite store seen from outside: its file by plain SQL, its writer by what it runs."""

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from service.adapters.store.database import GuardedStatement
from service.adapters.store.named import migrations
from service.adapters.store.sqlite_file import SqliteFile
from service.adapters.store.sqlite_store import SqliteStore

CHECKOUT = Path(__file__).parents[2]


def with_schema(path: Path) -> Path:
    """The path, with an empty file of today's schema there: to migrate a new one takes longer than most tests."""
    path.write_bytes(_migrated())
    return path


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        file = SqliteFile(path)
        file._connect(migrations("sqlite"))  # `open` awaits, and a test's loop may run
        file._disconnect()
        return path.read_bytes()


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """A statement on the file, in a process of its own would do: nothing of ours is needed to read it."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def statements_of(store: SqliteStore) -> list[str]:
    """The statements that the store's writer runs from now on."""
    seen: list[str] = []
    store.file._writer.set_trace_callback(seen.append)
    return seen


async def queued(store: SqliteStore, count: int) -> None:
    """Until so many writes wait for their group."""
    while len(store.file._waiting) < count:  # noqa: ASYNC110 - the store has no event for this
        await asyncio.sleep(0)


async def busy_until(store: SqliteStore, release: threading.Event) -> "asyncio.Task[Sequence[int]]":
    """A write that is at work, alone, until it is released."""
    begun = threading.Event()

    def released() -> bool:
        begun.set()
        return release.wait(180)

    store.file._writer.create_function("released", 0, released)
    busy = asyncio.create_task(store.file.write([GuardedStatement("SELECT released()", [()], finds=True)]))
    await asyncio.to_thread(begun.wait)
    return busy
