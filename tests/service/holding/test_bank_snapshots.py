"""Snapshots of a bank's indexes, and purges, which take them along."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from core.bank.bank import Bank
from core.bank.steps import NodeDrop, NodePut
from core.errors import StoreUnavailable
from core.ids import NodeId
from core.keys import Key
from core.kinds import KINDS
from core.ports.aggregates import Draft
from service.adapters.memory_index_cache import MemoryIndexCache
from service.adapters.store.memory_store import MemoryStore
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.support.changes import KEY, key, node, vector
from tests.support.no_blobs import NoBlobs
from tests.support.open_banks import MANY, adding, founding, founding_many, opened


class NotingCache(MemoryIndexCache):
    """Says when it has kept a blob."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = asyncio.Event()

    async def put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        await super().put(key, uid, part, pieces)
        self.kept.set()


class SlowCache(MemoryIndexCache):
    """Says when a blob comes, and keeps it when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.coming, self.may = asyncio.Event(), asyncio.Event()

    async def put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        self.coming.set()
        await self.may.wait()
        await super().put(key, uid, part, pieces)


class BrokenCache(MemoryIndexCache):
    """A disk that fails."""

    async def put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        raise StoreUnavailable("no space left")

    async def get(self, key: Key, uid: str) -> Mapping[str, bytes]:
        raise StoreUnavailable("input/output error")

    async def delete(self, key: Key, uid: str) -> None:
        raise StoreUnavailable("read-only file system")


async def test_what_was_taken_down_is_taken_up_by_the_next_process() -> None:
    store, cache = MemoryStore(), MemoryIndexCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        async with banks.reading(KEY) as bank:
            expected = bank.node_words.search(["n7"], 3)
    assert list(await cache.get(KEY, "u1")) == ["node_words"]

    async with opened(store, cache=cache) as banks, banks.reading(KEY) as bank:
        assert bank.node_words.search(["n7"], 3) == expected
        assert not bank.indexes.has_unsaved  # it came from the snapshot


async def test_a_busy_bank_is_taken_down_once_in_a_while_and_when_the_process_ends() -> None:
    store, cache = MemoryStore(), NotingCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        async with banks.reading(KEY):
            pass
        first = await taken_down(cache)
        for number in range(1_500):
            await banks.commit(KEY, adding(f"later-{number}"))

        assert await taken_down(cache) == first  # a moment ago

    assert len(await taken_down(cache)) > len(first)


async def taken_down(cache: NotingCache) -> bytes:
    """The words' snapshot, once it is there."""
    await cache.kept.wait()
    return (await cache.get(KEY, "u1"))["node_words"]


def dropping(node_id: str) -> Callable[[Bank, int], Draft[None]]:
    return lambda bank, revision: Draft(result=None, steps=(NodeDrop(node_id=NodeId(node_id)),))


async def test_the_words_of_a_node_that_was_deleted_do_not_stay_in_the_snapshot() -> None:
    store, cache = MemoryStore(), NotingCache()
    async with opened(store, cache=cache) as banks:
        secret = NodePut(node=node("n0", summary="the safe opens with swordfish"), vector=vector(0))
        await banks.found(KEY, replace(founding_many(), steps=(*founding_many().steps, secret)))
        assert b"swordfish" in await taken_down(cache)

    async with opened(store, cache=cache) as banks:
        cache.kept.clear()
        await banks.commit(KEY, dropping("n0"))
        assert b"swordfish" not in await taken_down(cache)  # the first one at once

        before = await taken_down(cache)
        await banks.commit(KEY, dropping("n1"))
        assert await taken_down(cache) == before  # then once in a while

    assert b"\nn1\n" not in await taken_down(cache)  # and when the process ends


async def test_the_words_of_a_node_deleted_while_a_snapshot_is_written_go_too() -> None:
    store, cache = MemoryStore(), SlowCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        await cache.coming.wait()
        await banks.commit(KEY, dropping("n1"))
        cache.may.set()
        for _ in range(5):
            async with banks.reading(KEY):
                await asyncio.sleep(0)

    assert b"\nn1\n" not in (await cache.get(KEY, "u1"))["node_words"]


async def test_a_bank_loaded_from_a_snapshot_with_words_that_went_replaces_it() -> None:
    store, cache = MemoryStore(), NotingCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        await taken_down(cache)
    async with opened(store) as banks:
        await banks.commit(KEY, dropping("n1"))  # by a process that keeps no snapshots

    cache.kept.clear()
    async with opened(store, cache=cache) as banks, banks.reading(KEY):
        assert b"\nn1\n" not in await taken_down(cache)


async def test_a_purge_takes_the_snapshots_along() -> None:
    store, cache = MemoryStore(), NotingCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        async with banks.reading(KEY):
            pass
        await taken_down(cache)

        await banks.delete(KEY)

        assert await cache.owners() == []


async def test_a_snapshot_that_comes_after_the_purge_does_not_stay() -> None:
    store, cache = MemoryStore(), SlowCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        async with banks.reading(KEY):
            pass
        await cache.coming.wait()

        deleting = asyncio.create_task(banks.delete(KEY))
        await asyncio.sleep(0)
        cache.may.set()
        await deleting

        assert await cache.owners() == []


async def test_a_snapshot_of_a_bank_purged_by_another_process_does_not_stay() -> None:
    store, cache = MemoryStore(), SlowCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding_many())
        async with banks.reading(KEY):
            pass
        await cache.coming.wait()

        await store.delete(KEY)
        cache.may.set()

    assert await cache.owners() == []


async def test_snapshots_of_banks_that_are_no_more_are_swept() -> None:
    store, cache = MemoryStore(), MemoryIndexCache()
    async with opened(store, cache=cache) as banks:
        await banks.found(KEY, founding())
        for of, uid in ((KEY, "u1"), (KEY, "u0"), (key("gone"), "u1")):
            await cache.put(of, uid, "node_words", [b"x"])

        await banks.sweep()

        assert await cache.owners() == [(KEY, "u1")]


async def test_a_cache_that_fails_only_takes_time() -> None:
    store = MemoryStore()
    async with opened(store, cache=BrokenCache()) as banks:
        await banks.found(KEY, founding_many())

        async with banks.reading(KEY) as bank:
            assert len(bank.nodes) == MANY
        await banks.commit(KEY, adding("later"))
        counts, _ = await banks.delete(KEY)

    assert counts.nodes == MANY + 1


class BreakingBlobs(NoBlobs):
    """A folder of which files can be removed so many times, then no more."""

    def __init__(self, times: int) -> None:
        self.left = times

    async def delete_all(self, key: Key, uid: str) -> int:
        self.left -= 1
        if self.left < 0:
            raise StoreUnavailable("input/output error")
        return 0


async def test_a_purge_whose_files_cannot_be_removed_leaves_the_bank_to_be_purged_again() -> None:
    blobs, store = BreakingBlobs(times=0), MemoryStore()
    banks = OpenAggregates(KINDS, store, blobs, SystemClock(), UlidIds(), Holding())
    await banks.found(KEY, founding())

    with pytest.raises(StoreUnavailable):
        await banks.delete(KEY)
    blobs.left = 2
    await banks.delete(KEY)

    assert await store.heads([KEY]) == {}
    await banks.close()


async def test_a_purge_that_fails_halfway_leaves_nothing_in_memory() -> None:
    forgotten: list[bool] = []
    banks = OpenAggregates(
        KINDS,
        MemoryStore(),
        BreakingBlobs(times=1),
        SystemClock(),
        UlidIds(),
        Holding(),
        None,
        lambda: forgotten.append(True),
    )
    await banks.found(KEY, founding())

    with pytest.raises(StoreUnavailable):
        await banks.delete(KEY)

    assert banks.held() == []
    assert forgotten == [True]
    await banks.close()


async def test_a_bank_out_of_memory_is_not_taken_down_any_more() -> None:
    store, cache = MemoryStore(), NotingCache()
    async with opened(store, Holding(memory_budget=1), cache) as banks:
        await banks.found(KEY, founding_many())
        async with banks.reading(KEY):
            pass
        first = await taken_down(cache)
        await banks.found(key("other"), founding(key("other"), "u2"))

    assert await taken_down(cache) == first
