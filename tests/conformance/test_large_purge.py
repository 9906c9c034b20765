"""What every store keeps to when an aggregate is purged that is too large for one transaction."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import AggregateNotFound, BankNotFound, StoreUnavailable
from core.ids import RequestId
from core.internal_errors import HeadMoved, RequirementFailed
from core.keys import Key
from core.ports.store import Listing, Require, Store
from service.adapters.store import purging
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sql_store import SqlStore
from tests.support import changes as a

NODES = 1_200  # in portions of 500
TOOK = 0.002  # seconds, each portion
LARGE, SMALL = a.key("large"), a.key("small")


async def large(store: Store, key: Any = LARGE, uid: str = "u1") -> a.Story:
    """A bank of a user's, of many nodes."""
    story = a.Story(key, uid)
    nodes = [a.node_put(f"n{number:05}", number % 7) for number in range(NODES)]
    await store.append(
        key,
        uid,
        [
            story.founding(*nodes, user="ada"),
            story.change(a.edge("n00000", "n00001"), requests=[a.request("r1")]),
        ],
    )
    return story


@dataclass
class Killed:
    """A database whose process dies after so many writes."""

    of: Any
    writes: int

    async def write(self, *given: Any) -> Any:
        if not self.writes:
            raise StoreUnavailable("killed")
        self.writes -= 1
        return await self.of.write(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)


async def cut_short(store: Store, key: Key, writes: int) -> None:
    """Purge it in a process that dies after so many transactions."""
    assert isinstance(store, SqlStore)
    purging, whole = store._purging, store._database
    purging._database = Killed(whole, writes)
    with suppress(StoreUnavailable):
        await store.delete(key)
    purging._database = whole


async def is_gone(store: Store, key: Any = LARGE) -> None:
    """For whoever reads, writes, lists, counts, follows or requires it."""
    assert await store.load(key) is None
    assert await store.heads([key]) == {}
    assert await a.kept(store, key, RequestId("r1")) is None
    assert await store.count(key.tenant, "bank", "ada") == 0
    assert await store.listed(key.tenant, "bank", Listing(user="ada"), "", 10) == []
    with pytest.raises(BankNotFound):
        await store.changes(key, "u1", 0, 10)
    with pytest.raises(BankNotFound):
        await store.put_vectors(key, "u1", "segments", "", {a.ref("i1", 0): a.vector(1)})
    other = a.Story(SMALL)
    with pytest.raises(RequirementFailed):
        await store.append(SMALL, "u1", [other.founding()], requires=[Require(key=key)])


async def test_a_large_aggregate_is_purged_whole_and_counted(store: Store) -> None:
    await large(store)

    counts = await store.delete(LARGE)

    assert (counts.nodes, counts.edges, counts.changes, counts.requests) == (NODES, 1, 2, 1)
    await is_gone(store)
    assert await store.keys_of_user(LARGE.tenant, "ada", include_banks=True, limit=10) == []


async def test_one_that_has_moved_on_is_left_alone(store: Store) -> None:
    await large(store)

    with pytest.raises(HeadMoved):
        await store.delete(LARGE, "u1", 1)

    assert (await store.heads([LARGE]))[LARGE].revision == 2


@pytest.mark.parametrize("writes", [1, 2, 3, 6])
async def test_one_cut_short_is_gone_for_all_and_found_by_the_process_that_goes_on(
    store: Store, writes: int
) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    story = await large(store)

    await cut_short(store, LARGE, writes)

    await is_gone(store)
    with pytest.raises(BankNotFound):
        await store.append(LARGE, "u1", [story.change(a.node_put("late"))])
    assert await store.keys_of_user(LARGE.tenant, "ada", include_banks=True, limit=10) == [(LARGE, "u1")]
    assert await store.expired(a.at(0), 0, 10) == [(LARGE, "u1")]
    await store.delete(LARGE, "u1")
    assert await store.expired(a.at(0), 0, 10) == []
    with pytest.raises(AggregateNotFound):
        await store.delete(LARGE, "u1")


async def test_another_founded_under_its_name_has_nothing_of_it(store: Store) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    await large(store)
    await cut_short(store, LARGE, 2)
    next_one = a.Story(LARGE, "u2", first=100)

    await store.append(LARGE, "u2", [next_one.founding(a.node_put("n1"))])

    assert (await store.heads([LARGE]))[LARGE].uid == "u2"
    state: Any = await store.load(LARGE)
    assert [put.node.node_id for put in state.nodes] == ["n1"]
    assert len(await store.changes(LARGE, "u2", 99, 10)) == 1


async def test_others_write_between_two_portions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    await large(store)
    await store.append(SMALL, "u1", [(other := a.Story(SMALL)).founding()])
    assert isinstance(store, SqlStore)
    begun = store._database.write

    async def one_between(*given: Any) -> Any:
        touched = await begun(*given)
        if (await store.heads([SMALL]))[SMALL].revision < 4:
            await store.append(SMALL, "u1", [other.change(a.node_put(f"n{other.head}"))])
        return touched

    between = Killed(store._database, 0)
    between.write = one_between  # type: ignore[method-assign]
    monkeypatch.setattr(store._purging, "_database", between)
    counts = await store.delete(LARGE)

    assert counts.nodes == NODES
    small: Any = await store.load(SMALL)
    assert len(small.nodes) == 3


async def test_a_purge_removes_nothing_of_what_is_founded_once_another_has_finished_it(
    store: Store,
) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    await large(store)
    assert isinstance(store, SqlStore)
    purging, whole, writes = store._purging, store._database, count(1)
    overtaken = Killed(whole, 0)
    names = [f"m{number:02}" for number in range(30)]

    async def overtaken_amid(*given: Any) -> Any:
        touched = await whole.write(*given)
        if next(writes) == 9:  # amid the nodes
            purging._database = whole
            await store.delete(LARGE, "u1")
            anew = a.Story(LARGE, "u2", first=100)
            await store.append(LARGE, "u2", [anew.founding(*(a.node_put(name) for name in names))])
        return touched

    overtaken.write = overtaken_amid  # type: ignore[method-assign]
    purging._database = overtaken
    await store.delete(LARGE, "u1")

    assert next(writes) > 9
    state: Any = await store.load(LARGE)
    assert [put.node.node_id for put in state.nodes] == names


async def test_a_bank_of_a_few_hundred_rows_goes_in_a_few_transactions(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    story = a.Story(LARGE)
    changes = [
        story.change(a.node_put(f"n{n}"), requests=[a.request(f"r{n}")]) if n else story.founding()
        for n in range(100)
    ]
    await store.append(LARGE, "u1", changes)
    written = await transactions_of_a_purge(store, monkeypatch, took=TOOK)

    assert written <= 10


async def test_portions_do_not_dwindle_where_each_waits_long_for_its_turn(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    await large(store)
    assert isinstance(store, SqlStore)
    rows = store._database.rows_at_once / purging.LEAST
    written = await transactions_of_a_purge(store, monkeypatch, took=0.5)

    assert written <= NODES / rows + 10


async def transactions_of_a_purge(store: Store, monkeypatch: pytest.MonkeyPatch, took: float) -> int:
    """How many there are if each takes so many seconds."""
    assert isinstance(store, SqlStore)
    now, whole, writes = count(step=took), store._database, count()

    async def counted(*given: Any) -> Any:
        next(writes)
        return await whole.write(*given)

    async def at_once(_seconds: float) -> None: ...

    counting = Killed(whole, 0)
    counting.write = counted  # type: ignore[method-assign]
    monkeypatch.setattr(purging, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setattr(purging, "asyncio", SimpleNamespace(sleep=at_once))
    monkeypatch.setattr(store._purging, "_database", counting)
    await store.delete(LARGE)
    return next(writes)


async def test_others_have_the_disk_for_as_long_as_a_portion_took(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a purge in memory is one step")
    await large(store)
    now, pauses = count(step=TOOK), list[float]()

    async def paused(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(purging, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setattr(purging, "asyncio", SimpleNamespace(sleep=paused))

    await store.delete(LARGE)

    assert len(pauses) > NODES / purging.PORTION
    assert pauses == pytest.approx([TOOK] * len(pauses))
