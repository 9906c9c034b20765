"""The embedded store: one SQLite file."""

from collections.abc import Sequence
from pathlib import Path

from core.aggregate.kind import Kinds
from core.index.giving_way import GiveWay, at_once
from core.kinds import KINDS
from service.adapters.store.database import Length
from service.adapters.store.named import migrations, queries
from service.adapters.store.sql_store import SqlStore, tables_of
from service.adapters.store.sqlite_file import SqliteFile


class SqliteStore(SqlStore):
    """A `SqlStore` over a `SqliteFile`."""

    name = "sqlite"
    file: SqliteFile

    @classmethod
    async def open(cls, path: Path, give_way: GiveWay = at_once, kinds: Kinds = KINDS) -> "SqliteStore":
        """Opens the file, or makes it. What reads all of an aggregate calls `give_way` now and then.

        Raises StoreUnavailable, also for a file that a newer version wrote.
        """
        sql = queries("sqlite")
        file = await SqliteFile.open(path, migrations("sqlite"))
        store = cls(file, sql, kinds, tables_of(kinds, sql, give_way))
        store.file = file
        return store

    async def check_database(self) -> Sequence[str]:
        rows = await self.file.read(
            lambda connection: connection.execute("PRAGMA integrity_check").fetchall(), Length.LONG_LOAD
        )
        return [problem for (report,) in rows if report != "ok" for problem in report.splitlines()]
