"""The shared store: a PostgreSQL database for any number of processes."""

from collections.abc import Sequence

from core.aggregate.kind import Kinds
from core.errors import StoreUnavailable
from core.index.giving_way import GiveWay, at_once
from core.kinds import KINDS
from service.adapters.store.database import Connections
from service.adapters.store.named import migrations, queries
from service.adapters.store.postgres_blobs import PostgresBlobs
from service.adapters.store.postgres_database import PostgresDatabase
from service.adapters.store.postgres_link import Server
from service.adapters.store.postgres_schema import check_server, prepare_schema
from service.adapters.store.sql_store import SqlStore, tables_of


class PostgresStore(SqlStore):
    """A `SqlStore` over a `PostgresDatabase`, which keeps the files too."""

    name = "postgres"
    blobs: PostgresBlobs
    _postgres: PostgresDatabase

    @classmethod
    async def open(
        cls, server: Server, give_way: GiveWay = at_once, kinds: Kinds = KINDS, *, migrate: bool = False
    ) -> "PostgresStore":
        """Opens the database, with `migrate` after bringing its schema up to date.

        Raises StoreUnavailable: it cannot be reached, its schema is another version's, or it would lose what it
        acknowledged.
        """
        sql = queries("postgres")
        database = PostgresDatabase(server)
        try:
            await _reach(database)
            await database.once(lambda link: prepare_schema(link, migrations("postgres"), migrate=migrate))
        except Exception:
            await database.close()
            raise
        store = cls(database, sql, kinds, tables_of(kinds, sql, give_way))
        store.blobs = PostgresBlobs(database, sql)
        store._postgres = database
        return store

    def connections(self) -> Connections:
        """Returns how the server is reached now. Any thread may call it."""
        return self._postgres.connections()

    async def check_database(self) -> Sequence[str]:
        """Returns nothing: the server checks its own pages where its cluster was made with checksums."""
        return ()


async def migrated(server: Server) -> tuple[int, int]:
    """Brings the schema up to date. Returns the version before and now. Raises StoreUnavailable."""
    database = PostgresDatabase(server)
    try:
        await _reach(database)
        return await database.once(lambda link: prepare_schema(link, migrations("postgres"), migrate=True))
    finally:
        await database.close()


async def _reach(database: PostgresDatabase) -> None:
    """Raises StoreUnavailable, with the way out: the database cannot be reached, or would lose what it acknowledged."""
    try:
        await database.once(lambda link: None)
    except StoreUnavailable as failure:
        raise StoreUnavailable(
            f"{failure.cause}: see that it runs, and what store.url and store.password say"
        ) from None
    await database.once(check_server)
