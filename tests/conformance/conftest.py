"""Every implementation of a port, one after another, for the suites in this folder."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.ports.store import Store
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.kinds import CASES, Case


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened: Store = (
        MemoryStore() if request.param == "memory" else await SqliteStore.open(tmp_path / "bank.db")
    )
    yield opened
    await opened.close()


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]
