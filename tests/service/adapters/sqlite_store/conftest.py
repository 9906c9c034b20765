"""A store on a file of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.adapters.store.sqlite_store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "bank.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(path)
    yield opened
    await opened.close()
