"""Connections to one SQLite file: opening one, what its failures mean, bringing its schema up to date."""

import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.errors import StoreUnavailable
from service.adapters.store.schema import Column, checksum_of, version_of

VERSIONS = """
CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT
"""
PATIENCE_SECONDS = 30.0  # how long to wait for another process before giving up
LOG_KEPT_BYTES = 64 * 2**20  # what the log may keep on disk once all of it is in the file

_OUTSIDE = (
    frozenset(  # what the disk, the machine or another process did; the rest are bugs and stay as they are
        {
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
            sqlite3.SQLITE_NOMEM,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_INTERRUPT,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_PROTOCOL,
            sqlite3.SQLITE_AUTH,
            sqlite3.SQLITE_PERM,
        }
    )
)


def connected(path: Path) -> sqlite3.Connection:
    """Opens a connection for any thread, one at a time, in no transaction."""
    connection = sqlite3.connect(
        path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")  # in WAL: the log is synced by every commit
    except UnicodeDecodeError:  # SQLite's message quotes the schema's text, which is none any more
        connection.close()
        raise sqlite3.DatabaseError("the schema is damaged") from None
    connection.execute(f"PRAGMA journal_size_limit = {LOG_KEPT_BYTES}")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    # Savepoints would leave texts in the system's temporary files.
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
NO_TEXT = "Could not decode to UTF-8"  # of a cell; the driver has no number for it


class OutsideErrors:
    """Turns failures of the disk, the machine or another process into StoreUnavailable.

    No generator: every write passes it.
    """

    __slots__ = ()

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, sqlite3.DatabaseError):
            code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            is_damage = code & 0xFF in _DAMAGE or str(error).startswith(NO_TEXT)
            if is_damage or code & 0xFF in _OUTSIDE:
                raise StoreUnavailable(str(error), is_damage) from error


def insist(connection: sqlite3.Connection, statement: str) -> list[Any]:
    """Runs what needs the file's write lock; waits PATIENCE_SECONDS at most for another process to release it.

    SQLite's own waiting sleeps ever longer, up to 100 ms, and so starves beside a busy process; and
    where two switch a new file to WAL at once, it does not wait at all. This retries every
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


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Runs the scripts that this file lacks, all in one transaction, and records them; `user_version` counts them.

    Raises StoreUnavailable for a foreign file, a newer version's, and one whose record does not fit.
    """
    insist(connection, "BEGIN IMMEDIATE")
    try:
        told = _user_version(connection, path, len(migrations))
        recorded = _recorded(connection, told)
        try:
            version = version_of(recorded, migrations, lambda: _columns(connection))
        except StoreUnavailable as misfit:
            raise StoreUnavailable(f"{path}: {misfit.cause}") from None
        for script in migrations[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        if None in recorded.values() or len(recorded) < len(migrations):
            _record(connection, migrations)
        if told < len(migrations):
            connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _user_version(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """Returns how many scripts the file says it has run."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if version < 0 or (version == 0 and tables):
        raise StoreUnavailable(
            f"{path} is no memory bank, or is damaged: it says schema {version} and has {tables} tables and indexes"
        )
    if version > known:
        raise StoreUnavailable(
            f"{path} has schema {version}, written by a newer version; this one knows {known}"
        )
    return int(version)


def _recorded(connection: sqlite3.Connection, told: int) -> dict[int, str | None]:
    """Returns the recorded checksums; None of scripts that ran before any were recorded."""
    recorded: dict[int, str | None] = dict.fromkeys(range(1, told + 1))
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'schema_versions'").fetchone():
        recorded.update(connection.execute("SELECT version, checksum FROM schema_versions").fetchall())
    return recorded


def _columns(connection: sqlite3.Connection) -> set[Column]:
    """Returns the columns of all tables, generated ones too."""
    rows = connection.execute(
        "SELECT made.name, own.name FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS own "
        "WHERE made.type = 'table'"
    )
    return set(rows.fetchall())


def _record(connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
    connection.execute(VERSIONS)
    rows = [(number, checksum_of(script)) for number, script in enumerate(migrations, start=1)]
    connection.executemany("INSERT OR REPLACE INTO schema_versions (version, checksum) VALUES (?, ?)", rows)


def _statements(script: str) -> Iterator[str]:
    """Yields the statements of a script one by one: `executescript` would commit what went before."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
