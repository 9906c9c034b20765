"""What the model tests share: a machine that works on a house, and its test cases on each store."""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from unittest import TestCase

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine

from core.ports.store import Store
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.scale import scaled

Made = TypeVar("Made")


class ModelMachine(RuleBasedStateMachine):
    """Has a house over a store, both open until `close`. `on_each_store` gives the machine its store."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.closing = AsyncExitStack()
        self.house: House = self.run(self._opened())

    async def store(self, folder: Path) -> Store:
        """Opens the store under test; a file of its own goes into the folder."""
        raise NotImplementedError

    async def opened(self, store: Store) -> House:
        """Opens the house under test. What is to be closed goes onto `closing`."""
        raise NotImplementedError

    async def _opened(self) -> House:
        store = await self.store(Path(self.closing.enter_context(TemporaryDirectory())))
        self.closing.push_async_callback(store.close)
        return await self.opened(store)

    def run(self, work: Coroutine[Any, Any, Made]) -> Made:
        return self.runner.run(work)

    def close(self) -> None:
        self.run(self.closing.aclose())
        self.runner.close()


async def in_memory(_machine: ModelMachine, _folder: Path) -> Store:
    return MemoryStore()


async def on_sqlite(_machine: ModelMachine, folder: Path) -> Store:
    return await SqliteStore.open(folder / "memory.sqlite")


def on_each_store(
    machine: type[ModelMachine], *, steps: int, memory_examples: int, sqlite_examples: int
) -> tuple[type[TestCase], type[TestCase]]:
    """Returns the machine's test cases, in memory and on SQLite: half as many examples, in soak ten times as many."""

    def case(name: str, store: Any, examples: int) -> type[TestCase]:
        made: Any = type(name, (machine,), {"store": store})
        made.TestCase.settings = settings(
            made.TestCase.settings,
            max_examples=scaled(examples) if scaled(1) > 1 else examples // 2,
            stateful_step_count=steps,
        )
        tests: type[TestCase] = made.TestCase
        return tests

    return case("InMemory", in_memory, memory_examples), case("OnSqlite", on_sqlite, sqlite_examples)
