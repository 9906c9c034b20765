"""Callers that leave before what they asked for has failed: asyncio has nothing to complain of, a defect is logged."""

import asyncio
import gc
from collections.abc import Awaitable
from typing import Any

import pytest
from structlog.testing import capture_logs

from core.errors import BankExists, BankNotFound, StoreUnavailable
from service.adapters.store.memory_store import MemoryStore
from tests.support.changes import KEY
from tests.support.open_banks import founding, opened


class Waiting(MemoryStore):
    """A store that fails, once it is let."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.reached = asyncio.Event()
        self.let = asyncio.Event()
        self.failure = failure

    async def _fail(self) -> Any:
        self.reached.set()
        await self.let.wait()
        raise self.failure

    async def load(self, *_: Any) -> Any:
        return await self._fail()

    async def append(self, *_: Any, **__: Any) -> None:
        await self._fail()


@pytest.fixture
async def complaints() -> list[str]:
    """What asyncio says of failures that nobody retrieved."""
    said: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context["message"]))
    return said


async def leave(store: Waiting, asking: Awaitable[object]) -> None:
    """Begins to ask, leaves, and lets the store fail."""
    call = asyncio.ensure_future(asking)
    await store.reached.wait()
    call.cancel()
    await asyncio.wait([call])
    del call
    store.let.set()
    for _ in range(5):
        await asyncio.sleep(0)
    gc.collect()


@pytest.mark.parametrize("failure", [BankNotFound("b"), StoreUnavailable("the disk is gone")])
async def test_a_reader_that_leaves_before_its_bank_was_not_found(
    failure: Exception, complaints: list[str]
) -> None:
    store = Waiting(failure)
    async with opened(store) as banks:

        async def read() -> None:
            async with banks.reading(KEY):
                pass

        with capture_logs() as logged:
            await leave(store, read())

    assert (complaints, logged) == ([], [])


async def test_a_founder_that_leaves_before_its_bank_was_there_already(complaints: list[str]) -> None:
    store = Waiting(BankExists("b"))
    async with opened(store) as banks:
        await leave(store, banks.found(KEY, founding()))

    assert complaints == []


async def test_a_defect_that_no_caller_is_left_to_be_told_is_logged(complaints: list[str]) -> None:
    store = Waiting(ZeroDivisionError())
    async with opened(store) as banks:
        with capture_logs() as logged:
            await leave(store, banks.found(KEY, founding()))

    assert [line["event"] for line in logged] == ["defect"]
    assert complaints == []
