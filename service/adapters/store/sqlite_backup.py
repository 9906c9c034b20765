"""Copies one SQLite file while others read and write it, and says what the copy refers to.

Law: a copy is one snapshot. Every table is named here, as copied or as left out: a table that is in neither list fails
a test. What is left out is emptied in the copy, with no trace of it.
"""

import os
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.aggregate.codec import dumps
from core.errors import StoreUnavailable
from service.adapters.store.named import migrations
from service.adapters.store.sqlite_connection import OutsideErrors, connected

COPIED = frozenset(
    {
        "aggregates",
        "tenants",
        "changes",
        "requests",
        "items",
        "vectors",
        "insights",
        "completed_tasks",
        "interactions",
        "segments",
        "refutations",
        "interaction_attachments",
        "attachments",
        "structurings",
        "clusters",
        "nodes",
        "edges",
        "merges",
        "conflicts",
        "settled_pairs",
        "copies",
        "retractions",
        "times",
        "asking",  # a restored store asks for API keys if it did before
        "unscrubbed",
        "schema_versions",
    }
)
LEFT_OUT = frozenset(
    {
        "claims",  # of processes that run now, on work that a restored store begins anew
        "api_keys",  # one that was revoked after the backup would be good again
    }
)

_FILES = """
SELECT DISTINCT aggregates.uid, named.uri
FROM (
  SELECT tenant, bank_id, uri FROM attachments WHERE stored
  UNION ALL SELECT tenant, bank_id, uri FROM interaction_attachments WHERE stored
) AS named
JOIN aggregates ON aggregates.tenant = named.tenant AND aggregates.kind = 'bank' AND aggregates.name = named.bank_id
WHERE aggregates.head <> ''
"""
_MEMORIES = "SELECT kind, count(*) FROM aggregates WHERE head <> '' GROUP BY kind"
_LIVING = "SELECT uid FROM aggregates WHERE uid IN (SELECT value FROM json_each(?)) AND head <> ''"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFile:
    """A file that a bank of the database names; `uid` is the bank's."""

    uid: str
    uri: str


def copy_database(source: Path, target: Path) -> None:
    """Writes a copy of the file as it stands at one moment, synced to the disk. Others read and write meanwhile; a
    purge waits for it.

    Raises StoreUnavailable, also for a file that is no database of this version or an older one.
    """
    with _opened(source) as database, closing(sqlite3.connect(target, isolation_level=None)) as copy:
        _refuse_foreign(database, source)
        database.backup(copy)  # in one step: in several it would begin anew with each write of others
        copy.execute("PRAGMA secure_delete = ON")
        for (table,) in copy.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            if table in LEFT_OUT:
                copy.execute(f"DELETE FROM {table}")
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    target.chmod(0o600)
    with target.open("rb+") as written:
        os.fsync(written.fileno())


def schema_of(path: Path) -> int:
    """Returns the number of the schema that the file has. Raises StoreUnavailable."""
    with _opened(path) as database:
        return _refuse_foreign(database, path)


def memories_of(path: Path) -> Mapping[str, int]:
    """Counts the memories of a database, by kind. Raises StoreUnavailable."""
    with _opened(path) as database:
        return Counter(dict(database.execute(_MEMORIES).fetchall()))


def files_of(path: Path) -> Sequence[NamedFile]:
    """Returns the files that the banks of a database name. Raises StoreUnavailable."""
    with _opened(path) as database:
        return [NamedFile(uid=uid, uri=uri) for uid, uri in database.execute(_FILES).fetchall()]


def living(path: Path, uids: Collection[str]) -> set[str]:
    """Returns which of the uids are of memories that are there. Raises StoreUnavailable."""
    with _opened(path) as database:
        return {uid for (uid,) in database.execute(_LIVING, (dumps(sorted(uids)),)).fetchall()}


def _refuse_foreign(database: sqlite3.Connection, path: Path) -> int:
    known = len(migrations("sqlite"))
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if not 1 <= version <= known:
        raise StoreUnavailable(
            f"{path} is no memory bank of this version: it has schema {version}, this one knows 1 to {known}"
        )
    return int(version)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a file that is there, to read."""
    if not path.is_file():
        raise StoreUnavailable(f"there is no database {path}")
    try:
        with OutsideErrors(), closing(connected(path)) as database:
            database.execute("PRAGMA query_only = ON")
            yield database
    except sqlite3.DatabaseError as problem:  # a file that is no database, say
        raise StoreUnavailable(f"{path}: {problem}") from problem
