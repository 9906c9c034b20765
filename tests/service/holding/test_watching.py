"""Watchers of banks in memory: they wait for the event, and ask the store for what memory does not reach back to."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.errors import BankNotFound, StoreUnavailable
from core.keys import BankKey
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from service.holding.tail import KEPT
from tests.support.changes import KEY, key
from tests.support.open_banks import adding, founding, opened

WATCHERS, BANKS = 10_000, 100


class Counted:
    """A store that counts the queries of each sort; one that is `away` answers none."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.queries: Counter[str] = Counter()
        self.away = False

    def __getattr__(self, name: str) -> Any:
        if self.away:
            raise StoreUnavailable("away")
        self.queries[name] += 1
        return getattr(self._inner, name)


class Watcher:
    """Reads a bank's changes from a revision on."""

    def __init__(self, banks: OpenAggregates, of: BankKey, after: int) -> None:
        self.seen: list[int] = []
        self.is_held_up = False
        self._freed = asyncio.Event()
        self._task = asyncio.create_task(self._watch(banks, of, after))

    async def _watch(self, banks: OpenAggregates, of: BankKey, after: int) -> None:
        async for change in banks.watch(of, after):
            self.seen.append(change.revision)
            if self.is_held_up:
                await self._freed.wait()

    async def saw(self, revision: int) -> None:
        while not self.seen or self.seen[-1] < revision:
            await asyncio.sleep(0)
            if self._task.done():
                await self._task

    def free(self) -> None:
        self.is_held_up = False
        self._freed.set()

    async def leave(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@asynccontextmanager
async def watching(banks: OpenAggregates, of: BankKey, after: int) -> AsyncIterator[Watcher]:
    watcher = Watcher(banks, of, after)
    await asyncio.sleep(0)  # lets it begin
    yield watcher
    await watcher.leave()


async def test_ten_thousand_idle_watchers_cost_one_query_a_round(tmp_path: Path) -> None:
    counted = Counted(await SqliteStore.open(tmp_path / "memory.sqlite"))
    async with opened(counted, Holding(max_staleness=600.0)) as banks:  # however long founding them takes
        keys = [key(f"b{number}") for number in range(BANKS)]
        for number, of in enumerate(keys):
            await banks.found(of, founding(of, f"u{number}"))
        watchers = [Watcher(banks, keys[number % BANKS], 1) for number in range(WATCHERS)]
        await asyncio.sleep(0)
        counted.queries.clear()

        for _ in range(4):  # two seconds of them, as the service makes them
            await banks.confirm_recent()
            await asyncio.sleep(0)

        assert counted.queries == {"moved": 4}
        await banks.commit(keys[0], adding("n1"))
        for watcher in watchers[::BANKS]:
            await watcher.saw(2)
        await asyncio.gather(*(watcher.leave() for watcher in watchers))
    await counted.close()


async def test_a_change_costs_its_watchers_no_query() -> None:
    counted = Counted(MemoryStore())
    async with opened(counted) as banks:
        await banks.found(KEY, founding())
        watchers = [Watcher(banks, KEY, 1) for _ in range(100)]
        await asyncio.sleep(0)
        counted.queries.clear()

        for number in range(5):
            await banks.commit(KEY, adding(f"n{number}"))
        for watcher in watchers:
            await watcher.saw(6)

        assert counted.queries == {"append": 5}
        assert all(watcher.seen == [2, 3, 4, 5, 6] for watcher in watchers)
        await asyncio.gather(*(watcher.leave() for watcher in watchers))


async def test_what_another_process_changes_is_followed_once_for_all_watchers() -> None:
    counted = Counted(MemoryStore())
    async with opened(counted) as banks, opened(counted) as elsewhere:
        await banks.found(KEY, founding())
        watchers = [Watcher(banks, KEY, 1) for _ in range(100)]
        await asyncio.sleep(0)
        await elsewhere.commit(KEY, adding("theirs"))
        counted.queries.clear()

        await banks.confirm_recent()
        for watcher in watchers:
            await watcher.saw(2)

        assert counted.queries.total() <= 4
        assert all(watcher.seen == [2] for watcher in watchers)
        await asyncio.gather(*(watcher.leave() for watcher in watchers))


async def test_a_watcher_that_fell_behind_what_is_kept_misses_nothing() -> None:
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())
        async with watching(banks, KEY, 0) as quick, watching(banks, KEY, 0) as slow:
            slow.is_held_up = True
            await slow.saw(1)

            for number in range(KEPT + 10):
                await banks.commit(KEY, adding(f"n{number}"))
            await quick.saw(KEPT + 11)
            slow.free()
            await slow.saw(KEPT + 11)

            assert slow.seen == quick.seen == list(range(1, KEPT + 12))


async def test_a_bank_founded_again_after_a_purge_is_watched_from_its_beginning() -> None:
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())
        _, purged_at = await banks.delete(KEY)
        again = await banks.found(KEY, founding(uid="u2"))

        async with watching(banks, KEY, 0) as watcher:
            await watcher.saw(again.revision)

    assert again.revision > purged_at
    assert watcher.seen == [again.revision]


async def test_a_watcher_learns_that_its_bank_was_purged_elsewhere_and_founded_again_here() -> None:
    inner = MemoryStore()
    async with opened(inner, Holding(max_staleness=600.0)) as banks, opened(inner) as elsewhere:
        await banks.found(KEY, founding())
        async with watching(banks, KEY, 0) as watcher:
            await watcher.saw(1)
            await elsewhere.delete(KEY)
            await banks.found(KEY, founding(uid="u2"))  # before this process has looked at the store again

            with pytest.raises(BankNotFound):
                async with asyncio.timeout(180):
                    await watcher.saw(2)


async def test_watchers_outlast_a_store_that_is_away_and_see_what_came_meanwhile() -> None:
    inner = MemoryStore()
    counted = Counted(inner)
    async with opened(counted) as banks, opened(inner) as elsewhere:
        await banks.found(KEY, founding())
        async with watching(banks, KEY, 1) as watcher:
            counted.away = True
            await elsewhere.commit(KEY, adding("theirs"))
            with pytest.raises(StoreUnavailable):
                await banks.confirm_recent()

            counted.away = False
            await banks.confirm_recent()
            await watcher.saw(2)

            assert all(later == earlier + 1 for earlier, later in pairwise(watcher.seen))
