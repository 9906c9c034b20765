"""Every implementation of a port, one after another, for the suites in this folder."""

import os
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

UNPIPELINED = "postgres-unpipelined"
ON_POSTGRES = [pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", UNPIPELINED)]
KIND = "conversation"
"""The statements of every kind go the same way: without a pipeline this one's do, and in soak all."""
LARGE = "test_large_purge"
"""More of the same statements: without a pipeline in soak."""


@pytest.fixture(params=["memory", "sqlite", *ON_POSTGRES])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    kind = request.node.callspec.params.get("case", KIND)
    is_one_of_many = kind != KIND or request.path.stem == LARGE
    if request.param == UNPIPELINED and is_one_of_many and "MEMORYBANK_TEST_POSTGRES" not in os.environ:
        pytest.skip("without a pipeline one kind is sent, and in soak all")
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
