"""A pytest plugin: LangGraph's own tests of its stores run on ours. Each store they open is another user's.

Runs in an environment that has LangGraph; `make suites` starts it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from uuid import uuid4

import langgraph.store.memory
from langgraph.store.base import ensure_embeddings

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.langgraph_store import AsyncMemoryBankStore, MemoryBankStore
from tools.suites.address import ADDRESS
from tools.suites.opened import note

try:
    import langgraph.store.sqlite as sqlite
    import langgraph.store.sqlite.aio as sqlite_aio
except ImportError:
    sqlite = None
try:
    import langgraph.store.postgres as postgres
    import langgraph.store.postgres.aio as postgres_aio
    import psycopg
except ImportError:
    postgres = None

CLIENT = SyncMemoryBankClient(ADDRESS)


class Store(MemoryBankStore):
    """Ours, opened as theirs are."""

    MIGRATIONS: tuple[Any, ...] = ()  # theirs has some, which its tests change

    def __init__(self, *_: Any, index: Any = None, ttl: Any = None, **__: Any) -> None:
        note(self)
        index = dict(index or {})
        if "text_fields" in index:  # as older configurations have it
            index["fields"] = index["text_fields"]
        super().__init__(CLIENT, user=f"suite-{uuid4()}", ttl=ttl, index=index or None)
        self.embeddings = ensure_embeddings(index["embed"]) if index else None

    @classmethod
    @contextmanager
    def from_conn_string(cls, *args: Any, **options: Any) -> Iterator["Store"]:
        yield cls(*args, **options)

    def setup(self) -> None: ...

    def _cursor(self) -> "NoDatabase":
        return NoDatabase()

    def start_ttl_sweeper(self, *_: Any) -> None: ...

    def stop_ttl_sweeper(self, *_: Any) -> bool:
        return True

    def sweep_ttl(self) -> int:
        return 0  # the service sweeps by itself


class AsyncStore(AsyncMemoryBankStore):
    """Ours for one event loop, opened as theirs is."""

    MIGRATIONS: tuple[Any, ...] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(Store(*args, **options))

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, *args: Any, **options: Any) -> AsyncIterator["AsyncStore"]:
        yield cls(*args, **options)

    def _cursor(self) -> "NoDatabase":
        return NoDatabase()

    async def setup(self) -> None: ...

    async def start_ttl_sweeper(self, *_: Any) -> None: ...

    async def stop_ttl_sweeper(self, *_: Any) -> bool:
        return True

    async def sweep_ttl(self) -> int:
        return 0


langgraph.store.memory.InMemoryStore = Store  # type: ignore[misc,assignment]
if sqlite is not None:
    sqlite.SqliteStore, sqlite.AsyncSqliteStore = Store, AsyncStore
    sqlite_aio.AsyncSqliteStore = AsyncStore


class NoDatabase:
    """Stands for the database that the tests of the PostgreSQL store make and drop beside it."""

    def __enter__(self) -> "NoDatabase":
        return self

    def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> "NoDatabase":
        return self

    async def __aexit__(self, *_: object) -> None: ...

    def execute(self, *_: Any) -> Any:
        return asyncio.sleep(0)

    @classmethod
    def connect(cls, *_: Any, **__: Any) -> "NoDatabase":
        return cls()

    @classmethod
    async def connect_async(cls, *_: Any, **__: Any) -> "NoDatabase":
        return cls()


if postgres is not None:
    postgres.PostgresStore, postgres.AsyncPostgresStore = Store, AsyncStore
    postgres_aio.AsyncPostgresStore = AsyncStore
    psycopg.Connection.connect = NoDatabase.connect  # type: ignore[method-assign,assignment]
    psycopg.AsyncConnection.connect = NoDatabase.connect_async  # type: ignore[method-assign,assignment]
