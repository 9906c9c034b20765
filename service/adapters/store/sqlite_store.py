"""The embedded store: one SQLite file."""

from pathlib import Path

from core.aggregate.kind import Kinds
from core.index.giving_way import GiveWay, at_once
from core.keys import BankKey
from core.kinds import KINDS
from service.adapters.store.bank_tables import BankTables
from service.adapters.store.item_tables import ItemTables
from service.adapters.store.named import migrations, queries
from service.adapters.store.owned import OwnedTables
from service.adapters.store.sql_store import SqlStore
from service.adapters.store.sqlite_file import SqliteFile


class SqliteStore(SqlStore):
    """A `SqlStore` over a `SqliteFile`."""

    file: SqliteFile

    @classmethod
    async def open(cls, path: Path, give_way: GiveWay = at_once, kinds: Kinds = KINDS) -> "SqliteStore":
        """Open the file, or make it. What reads all of an aggregate calls `give_way` now and then.

        Raises StoreUnavailable, also for a file that a newer version wrote.
        """
        sql = queries("sqlite")
        tables: dict[str, OwnedTables] = {
            name: ItemTables(kind, sql, give_way) for name, kind in kinds.items()
        }
        tables[BankKey.kind] = BankTables(sql, give_way)
        file = await SqliteFile.open(path, migrations("sqlite"))
        store = cls(file, sql, kinds, tables)
        store.file = file
        return store
