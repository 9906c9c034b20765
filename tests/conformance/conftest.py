"""Every implementation of a port, one after another, for the suites in this folder."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.ports.store import Store
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.postgres_store import PostgresStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.kinds import CASES, Case
from tests.support.postgres import empty_database
from tests.support.sqlite_store import with_schema


@pytest.fixture(params=["memory", "sqlite", "postgres", "postgres-unpipelined"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened = await _opened(request.param, tmp_path)
    yield opened
    await opened.close()


async def _opened(which: str, folder: Path) -> Store:
    match which:
        case "memory":
            return MemoryStore()
        case "sqlite":
            return await SqliteStore.open(with_schema(folder / "bank.db"))
        case _:
            server = replace(empty_database(), pipeline=which == "postgres", prepared=which == "postgres")
            return await PostgresStore.open(server)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]
