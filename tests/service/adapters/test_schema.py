"""Databases of every state of the schema: opened, migrated, or refused in words with nothing changed."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.errors import StoreUnavailable
from core.ports.store import Store
from service.adapters.store import sqlite_connection
from service.adapters.store.named import migrations
from service.adapters.store.postgres_link import Server
from service.adapters.store.postgres_store import PostgresStore
from service.adapters.store.schema import checksum_of, columns_of
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a
from tests.support.postgres import cluster

NEWEST = len(migrations("sqlite"))
RELEASED = {
    "sqlite": [
        "ab140fd0",
        "af57159e",
        "75d27b71",
        "3bf148b5",
        "74c4e4ae",
        "a2804be2",
        "4c8e7ace",
    ],
    "postgres": [
        "707d6505",
        "2d517202",
        "764b0119",
        "477aec90",
        "a0a0ab39",
        "298325c7",
        "bc5ba55b",
    ],
}
"""How the checksums of scripts begin that have run somewhere: none is ever edited, another one is added."""
NAMES = count()


@dataclass(frozen=True)
class Database:
    """A database beside its store: what is done to it, and how it is opened."""

    dialect: str
    execute: Callable[[str], Sequence[Any]]
    open: Callable[[], Any]

    def has_run(self, scripts: int) -> None:
        """Has it be as a program left it that knew so many scripts, and recorded no checksums."""
        for script in migrations(self.dialect)[:scripts]:
            self.execute(script)
        self.tell(scripts)

    def tell(self, version: int) -> None:
        """Has it say that it has this schema, as such a program would."""
        if self.dialect == "sqlite":
            self.execute(f"PRAGMA user_version = {version}")
            return
        self.execute(
            "CREATE TABLE IF NOT EXISTS schema_versions (version bigint PRIMARY KEY, time timestamptz)"
        )
        self.execute("DELETE FROM schema_versions")
        self.execute(f"INSERT INTO schema_versions (version) SELECT * FROM generate_series(0, {version})")

    def recorded(self) -> list[tuple[int, str]]:
        rows = self.execute(
            "SELECT version, checksum FROM schema_versions WHERE version > 0 ORDER BY version"
        )
        return [(row[0], row[1]) for row in rows]

    def columns(self) -> set[tuple[str, str]]:
        if self.dialect == "sqlite":
            rows = self.execute(
                "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table'"
            )
        else:
            rows = self.execute(
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
            )
        return {(row[0], row[1]) for row in rows if not row[0].startswith(("sqlite_", "schema_versions"))}

    @property
    def whole(self) -> list[tuple[int, str]]:
        return [(number, checksum_of(script)) for number, script in enumerate(migrations(self.dialect), 1)]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    if request.param == "sqlite":
        path = tmp_path / "bank.db"

        def execute(script: str) -> Sequence[Any]:
            with closing(sqlite3.connect(path, isolation_level=None)) as link:
                if script.count(";") > 1:
                    link.executescript(script)
                    return []
                return link.execute(script).fetchall()

        yield Database("sqlite", execute, lambda: SqliteStore.open(path))
        return
    with made_on_postgres() as (made, server):
        yield replace(made, open=lambda: PostgresStore.open(server, migrate=True))


@contextmanager
def made_on_postgres() -> Iterator[tuple[Database, Server]]:
    """An empty database, which a start does not migrate."""
    server = cluster().database(f"schema_{next(NAMES)}")
    with psycopg.connect(server.url, autocommit=True) as link:

        def execute(script: str) -> Sequence[Any]:
            done = link.execute(script.encode())
            return done.fetchall() if done.description else []

        yield Database("postgres", execute, lambda: PostgresStore.open(server)), server


async def works(store: Store) -> bool:
    """Whether what is written is read back."""
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(a.Story())])
    return await store.load(a.KEY) is not None


@pytest.mark.parametrize("dialect", RELEASED)
def test_scripts_that_have_run_are_not_edited(dialect: str) -> None:
    assert [checksum_of(script)[:8] for script in migrations(dialect)] == RELEASED[dialect]


async def test_comments_and_blanks_are_no_part_of_a_script() -> None:
    script = "CREATE TABLE t (\n    a text,  -- why\n    b bigint\n);\n"

    assert checksum_of(script) == checksum_of("-- what\nCREATE TABLE t (\n  a text,\n  b bigint\n);")
    assert checksum_of(script) != checksum_of(script.replace("bigint", "text"))
    assert columns_of(script) == {("t", "a"), ("t", "b")}


@pytest.mark.parametrize("version", range(NEWEST + 1))
async def test_a_database_without_checksums_is_brought_up_to_date_and_has_them(
    database: Database, version: int
) -> None:
    if version:
        database.has_run(version)

    for _ in range(2):
        store = await database.open()
        await store.close()

    assert database.recorded() == database.whole
    assert database.columns() == frozenset().union(*map(columns_of, migrations(database.dialect)))
    store = await database.open()
    assert await works(store)
    await store.close()


async def test_a_database_without_checksums_is_served_though_nothing_may_be_migrated() -> None:
    with made_on_postgres() as (database, _):
        database.has_run(NEWEST)

        store = await database.open()

        assert await works(store)
        await store.close()


@pytest.mark.parametrize(
    ("told", "has"), [(told, has) for has in range(2, NEWEST + 1) for told in range(1, has)]
)
async def test_a_database_that_has_more_than_it_says_is_what_it_has(
    database: Database, told: int, has: int
) -> None:
    database.has_run(has)
    database.tell(told)

    store = await database.open()

    assert database.recorded() == database.whole
    assert await works(store)
    await store.close()


@pytest.mark.parametrize(
    ("told", "has"), [(told, has) for told in range(2, NEWEST + 1) for has in range(1, told)]
)
async def test_a_database_that_has_less_than_it_says_is_refused(
    database: Database, told: int, has: int
) -> None:
    database.has_run(has)
    database.tell(told)
    before = database.columns()

    with pytest.raises(StoreUnavailable, match=f"says schema {told}, but lacks [a-z_]+\\.[a-z]+.*backup"):
        await database.open()

    assert database.columns() == before


async def test_a_migration_that_was_cut_short_is_refused_by_the_column(database: Database) -> None:
    database.has_run(2)
    database.execute("ALTER TABLE nodes ADD COLUMN checksum integer")
    before = database.columns()

    with pytest.raises(StoreUnavailable, match=r"says schema 2, but has nodes\.checksum already.*backup"):
        await database.open()

    assert database.columns() == before


async def test_an_edited_migration_is_refused_by_its_number(database: Database) -> None:
    await (await database.open()).close()
    database.execute("UPDATE schema_versions SET checksum = 'other' WHERE version = 2")

    with pytest.raises(StoreUnavailable, match="schema 2 was made by another script"):
        await database.open()


async def test_a_migration_that_is_not_recorded_is_named(database: Database) -> None:
    await (await database.open()).close()
    database.execute("DELETE FROM schema_versions WHERE version = 2")

    if database.dialect == "postgres":
        with pytest.raises(StoreUnavailable, match=f"records schema {NEWEST}, but not schema 2"):
            await database.open()
    else:  # a file counts its migrations, too, and is told by its columns
        await (await database.open()).close()
        assert database.recorded() == database.whole


async def test_a_much_newer_schema_is_refused(database: Database) -> None:
    await (await database.open()).close()
    one, two = NEWEST + 1, NEWEST + 2
    database.execute(f"INSERT INTO schema_versions (version, checksum) VALUES ({one}, 'x'), ({two}, 'y')")
    if database.dialect == "sqlite":
        database.execute(f"PRAGMA user_version = {two}")

    with pytest.raises(StoreUnavailable, match=f"schema {two}, written by a newer version"):
        await database.open()


async def test_a_record_that_is_lost_is_made_anew(database: Database) -> None:
    await (await database.open()).close()
    lost = {"sqlite": "DROP TABLE schema_versions", "postgres": "UPDATE schema_versions SET checksum = NULL"}
    database.execute(lost[database.dialect])

    await (await database.open()).close()

    assert database.recorded() == database.whole


async def test_a_script_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bank.db"
    await (await SqliteStore.open(path)).close()
    with closing(sqlite3.connect(path)) as link:
        fourth = "CREATE TABLE more (a TEXT);\nALTER TABLE nowhere ADD COLUMN b TEXT;\n"

        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            sqlite_connection.migrate(link, path, (*migrations("sqlite"), fourth))

        assert link.execute("SELECT max(version) FROM schema_versions").fetchone() == (NEWEST,)
        assert not link.execute("SELECT 1 FROM sqlite_schema WHERE name = 'more'").fetchone()
