"""Opens the store that the settings name, with its files and its snapshots of indexes; migrates and verifies it."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.index.giving_way import GiveWay, at_once
from core.ports.blobs import Blobs
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from core.usecases.verify import Damage, VerifyProgress, verify
from service.adapters.local_blobs import LocalBlobs
from service.adapters.local_index_cache import LocalIndexCache
from service.adapters.store.database import Connections
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from service.config import ConfigurationError, Settings
from service.settings.store import StoreSection

if TYPE_CHECKING:
    from service.adapters.store.postgres_link import Server

DATABASE = "memorybank.sqlite"
FILES = "files"
INDEXES = "indexes"
RESTORING = "restoring"  # a file in a data folder into which a backup has not been restored as a whole
MISSING_DRIVER = (
    "store.url is a PostgreSQL database, and its driver is not installed: "
    "pip install 'agentic-memory-bank[postgres]'"
)


async def open_store(settings: Settings, give_way: GiveWay) -> Store:
    """Opens the configured store. Raises ConfigurationError, StoreUnavailable."""
    if (settings.data_dir / RESTORING).exists():
        raise ConfigurationError(
            f"a backup was not restored as a whole into {settings.data_dir}: empty the folder, and restore it again"
        )
    if settings.store.kind == "memory":
        return MemoryStore()
    if settings.store.kind == "postgres":
        return await _open_postgres(settings.store, give_way)
    return await SqliteStore.open(database_of(settings), give_way)


def database_of(settings: Settings) -> Path:
    """Returns where the SQLite file is."""
    return Path(settings.store.url or settings.data_dir / DATABASE)


async def _open_postgres(chosen: StoreSection, give_way: GiveWay) -> Store:
    try:
        from service.adapters.store.postgres_store import PostgresStore
    except ImportError:
        raise ConfigurationError(MISSING_DRIVER) from None
    return await PostgresStore.open(_server(chosen), give_way, migrate=chosen.migrate)


def _server(chosen: StoreSection) -> "Server":
    """Returns the PostgreSQL server of the settings. Raises ConfigurationError."""
    from service.adapters.store.postgres_link import Server

    try:
        password = chosen.secret()
    except (OSError, UnicodeDecodeError) as unreadable:
        raise ConfigurationError(f"cannot read store.password_file: {unreadable}") from None
    return Server(
        url=chosen.url,
        password=password,
        connections=chosen.connections,
        timeout_seconds=chosen.timeout_seconds,
        pipeline=chosen.pipeline,
        prepared=chosen.prepared,
    )


def blobs_of(settings: Settings, store: Store) -> Blobs:
    """Returns where the store's files are: in the store itself if it keeps them, else in the data folder."""
    return getattr(store, "blobs", None) or LocalBlobs(settings.data_dir / FILES)


def connections_of(store: Store) -> Connections:
    """Returns how a store reaches its database now; of one without a server, nothing."""
    counted: Callable[[], Connections] = getattr(store, "connections", Connections)
    return counted()


def index_cache_of(settings: Settings) -> IndexCache | None:
    """Returns where snapshots of indexes are kept; None if they are not."""
    if settings.store.kind == "memory":
        return None  # its banks live no longer than their indexes
    return LocalIndexCache(settings.data_dir / INDEXES, settings.banks.memory_budget_bytes)


async def migrate_database(chosen: StoreSection) -> tuple[int, int]:
    """Brings the schema up to date; returns the version it had, and the one it has.

    Raises ConfigurationError, StoreUnavailable.
    """
    if chosen.kind != "postgres":
        raise ConfigurationError("store.url is no PostgreSQL database: there is nothing to migrate ahead")
    try:
        from service.adapters.store.postgres_store import migrated
    except ImportError:
        raise ConfigurationError(MISSING_DRIVER) from None
    return await migrated(_server(chosen))


async def verified(settings: Settings, read: VerifyProgress) -> AsyncIterator[Damage]:
    """Yields what is damaged of all that is kept. Raises ConfigurationError, StoreUnavailable."""
    store = await open_store(settings, at_once)
    try:
        async for damage in verify(store, blobs_of(settings, store), read):
            yield damage
    finally:
        await store.close()
