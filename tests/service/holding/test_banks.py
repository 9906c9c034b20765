"""Banks in memory: staged, stored, then seen; followed, fenced, evicted."""

import asyncio
import gc
import itertools
import random
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change, Head
from core.bank.bank import Bank
from core.bank.steps import BankChange, BankPut, NodeDrop, NodePut
from core.errors import (
    BankExists,
    BankNotFound,
    NodeExists,
    RequestIdReused,
    RevisionNotReached,
    StepUnknown,
    StoreUnavailable,
)
from core.ids import NodeId, RequestId
from core.index.compiled_vectors import VectorSettings
from core.keys import BankKey, Key
from core.kinds import KINDS
from core.ports.aggregates import Draft, RequestKey
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from service.adapters.memory_index_cache import MemoryIndexCache
from service.adapters.store.memory_store import MemoryStore
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding import held as held_bank
from service.holding.eviction import FEW, EvictionOrder
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from service.holding.writer import GROUP, TURN
from tests.support.changes import KEY, key, node, record, same, vector
from tests.support.no_blobs import NoBlobs


@dataclass(frozen=True)
class Added:
    node_id: str


def adding(node_id: str) -> Callable[[Bank, int], Draft[Added]]:
    """A command that adds a node, once."""

    def stage(bank: Bank, revision: int) -> Draft[Added]:
        if node_id in bank.nodes:
            raise NodeExists(node_id)
        put = NodePut(node=node(node_id, revision=revision), vector=vector(len(node_id)))
        return Draft(result=Added(node_id), steps=(put,), touches=frozenset((f"node:{node_id}",)))

    return stage


def founding(of: BankKey = KEY, uid: str = "u1") -> Draft[None]:
    return Draft(result=None, steps=(BankPut(record=record(of, uid)),))


def founding_with(count: int, of: BankKey = KEY) -> Draft[None]:
    nodes = [NodePut(node=node(f"n{number}"), vector=vector(number)) for number in range(count)]
    return Draft(result=None, steps=(BankPut(record=record(of, "u1")), *nodes))


class SlowLoads(MemoryStore):
    """Says when a load has read, and answers it when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.has_read, self.may = asyncio.Event(), asyncio.Event()

    async def load(self, key: Key, space: str = "") -> Any | None:
        state = await super().load(key, space)
        self.has_read.set()
        await self.may.wait()
        return state


@asynccontextmanager
async def opened(
    store: Store, holding: Holding | None = None, cache: IndexCache | None = None
) -> AsyncIterator[OpenAggregates]:
    banks = OpenAggregates(KINDS, store, NoBlobs(), SystemClock(), UlidIds(), holding or Holding(), cache)
    yield banks
    await banks.close()


class Watched(MemoryStore):
    """A memory store that says which appends it was asked for, and can be made to wait or fail."""

    def __init__(self) -> None:
        super().__init__()
        self.appended: list[int] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken = False

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **others: Any) -> None:
        await self.gate.wait()
        if self.broken:
            raise StoreUnavailable("the disk is gone")
        await super().append(key, uid, changes, **others)
        self.appended.append(len(changes))


class Pausing(MemoryStore):
    """Lets another writer in between staging and appending, once."""

    between: Callable[[], object] | None = None

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **others: Any) -> None:
        between, self.between = self.between, None
        if between is not None:
            await between()  # type: ignore[misc]
        await super().append(key, uid, changes, **others)


async def test_what_was_committed_is_read_at_once_and_stands_in_the_store() -> None:
    store = MemoryStore()
    async with opened(store) as banks:
        await banks.found(KEY, founding())

        committed = await banks.commit(KEY, adding("n1"))

        assert (committed.result, committed.revision) == (Added("n1"), 2)
        async with banks.reading(KEY) as bank:
            assert (bank.revision, list(bank.nodes)) == (2, ["n1"])
            assert same(bank.state(), await store.load(KEY))


async def test_commands_that_gather_while_one_is_stored_share_the_next_append() -> None:
    store = Watched()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        store.gate.clear()
        first = asyncio.create_task(banks.commit(KEY, adding("n0")))
        await asyncio.sleep(0)
        rest = [asyncio.create_task(banks.commit(KEY, adding(f"n{n}"))) for n in range(1, 20)]
        await asyncio.sleep(0)

        store.gate.set()
        revisions = [(await task).revision for task in (first, *rest)]

        assert revisions == list(range(2, 22))
        assert store.appended[0] == 1
        assert sum(store.appended[1:]) == 20
        assert len(store.appended) <= 4


async def test_commands_that_touch_the_same_thing_are_staged_one_on_the_other() -> None:
    store = MemoryStore()
    async with opened(store) as banks:
        await banks.found(KEY, founding())

        both = await asyncio.gather(
            banks.commit(KEY, adding("n1")), banks.commit(KEY, adding("n1")), return_exceptions=True
        )

        assert [type(outcome).__name__ for outcome in both] == ["Committed", "NodeExists"]


async def test_batches_that_touch_the_same_thing_are_not_all_staged_anew_for_each_group() -> None:
    staged: list[int] = []

    def touching(number: int) -> Callable[[Bank, int], Draft[Added]]:
        def stage(bank: Bank, revision: int) -> Draft[Added]:
            staged.append(number)
            puts = [NodePut(node=node(f"n{number}-{n}"), vector=vector(n)) for n in range(TURN + 1)]
            return Draft(result=Added(str(number)), steps=tuple(puts), touches=frozenset(["node:same"]))

        return stage

    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())

        done = await asyncio.gather(*(banks.commit(KEY, touching(number)) for number in range(8)))

        assert [each.revision for each in done] == list(range(2, 10))
        assert len(staged) < 2 * 8


async def test_reads_come_between_two_large_changes_that_were_stored_together() -> None:
    seen: list[tuple[int, int]] = []

    def many(number: int) -> Callable[[Bank, int], Draft[Added]]:
        def stage(bank: Bank, revision: int) -> Draft[Added]:
            puts = [NodePut(node=node(f"n{number}-{n}"), vector=vector(n)) for n in range(TURN + 1)]
            return Draft(result=Added(str(number)), steps=tuple(puts))

        return stage

    async def look(banks: OpenAggregates) -> None:
        while True:
            async with banks.reading(KEY) as bank:
                seen.append((bank.revision, len(bank.nodes)))
            await asyncio.sleep(0)

    store = Watched()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        looking = asyncio.create_task(look(banks))

        await asyncio.gather(*(banks.commit(KEY, many(number)) for number in range(3)))
        looking.cancel()

    assert store.appended == [1, 3]
    whole = [(1 + changes, changes * (TURN + 1)) for changes in range(4)]
    assert set(whole[:3]) <= set(seen) <= set(whole)


async def test_a_command_that_sees_all_is_staged_on_a_bank_that_nothing_else_changes() -> None:
    seen: list[int] = []

    def judging(bank: Bank, revision: int) -> Draft[Added]:
        seen.append(len(bank.nodes))
        put = NodePut(node=node("judged", revision=revision), vector=vector(9))
        return Draft(result=Added("judged"), steps=(put,), sees_all=True)

    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())

        await asyncio.gather(banks.commit(KEY, adding("n1")), banks.commit(KEY, judging))

        assert seen[-1] == 1


async def test_what_a_stage_raises_goes_to_its_caller_alone() -> None:
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())
        await banks.commit(KEY, adding("n1"))

        failed, fine = await asyncio.gather(
            banks.commit(KEY, adding("n1")), banks.commit(KEY, adding("n2")), return_exceptions=True
        )

        assert isinstance(failed, NodeExists)
        assert not isinstance(fine, BaseException)


async def test_a_defect_in_a_stage_harms_its_caller_alone() -> None:
    def broken(bank: Bank, revision: int) -> Draft[Added]:
        raise ZeroDivisionError

    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())

        failed, *others = await asyncio.gather(
            banks.commit(KEY, broken),
            *(banks.commit(KEY, adding(f"n{number}")) for number in range(GROUP + 1)),
            return_exceptions=True,
        )

        assert isinstance(failed, ZeroDivisionError)
        assert not [other for other in others if isinstance(other, BaseException)]


def halfway(bank: Bank, change: BankChange, prepared: object = None) -> None:
    """In the place of `Bank.apply`."""
    bank.nodes.clear()
    raise ZeroDivisionError


async def test_a_bank_that_a_defect_left_between_two_changes_is_loaded_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())
        await banks.commit(KEY, adding("n1"))

        with monkeypatch.context() as patch:
            patch.setattr(Bank, "apply", halfway)
            with pytest.raises(ZeroDivisionError):
                await banks.commit(KEY, adding("n2"))
        after = await banks.commit(KEY, adding("n3"))

        assert after.revision == 4
        async with banks.reading(KEY) as bank:
            assert sorted(bank.nodes) == ["n1", "n2", "n3"]


async def test_no_call_is_left_waiting_by_a_bank_that_cannot_be_loaded_again_for_a_defect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(*_: object) -> None:
        raise ValueError

    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())

        with monkeypatch.context() as patch:
            patch.setattr(Bank, "apply", halfway)
            patch.setattr(held_bank, "load", broken)
            first = [asyncio.create_task(banks.commit(KEY, adding(f"n{number}"))) for number in range(GROUP)]
            later = [asyncio.create_task(banks.commit(KEY, adding(f"later{number}"))) for number in range(3)]
            outcomes = await asyncio.gather(*first, return_exceptions=True)

        assert {type(outcome) for outcome in outcomes} == {ZeroDivisionError}
        assert [(await one).revision for one in later] == [GROUP + 2, GROUP + 3, GROUP + 4]


async def test_a_bank_that_cannot_follow_for_a_defect_is_loaded_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding())
        await two.commit(KEY, adding("n1"))
        await one.commit(KEY, adding("n2"))  # which follows, and stages again

        with monkeypatch.context() as patch:
            patch.setattr(Bank, "apply", halfway)
            async with two.reading(KEY, min_revision=3) as bank:
                assert sorted(bank.nodes) == ["n1", "n2"]

        assert (await two.commit(KEY, adding("n3"))).revision == 4


async def test_a_store_that_fails_leaves_nothing_visible_and_the_bank_usable() -> None:
    store = Watched()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        store.broken = True

        with pytest.raises(StoreUnavailable):
            await banks.commit(KEY, adding("n1"))

        store.broken = False
        async with banks.reading(KEY) as bank:
            assert bank.nodes == {}
        assert (await banks.commit(KEY, adding("n1"))).revision == 2


class FailingOnce(Watched):
    """Its disk is there again after the first append that fails."""

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **others: Any) -> None:
        try:
            await super().append(key, uid, changes, **others)
        finally:
            self.broken = False


async def test_a_command_that_waits_for_the_next_group_does_not_fail_with_the_one_before() -> None:
    store = FailingOnce()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        store.broken = True

        failed, fine = await asyncio.gather(
            banks.commit(KEY, adding("n1")), banks.commit(KEY, adding("n1")), return_exceptions=True
        )

        assert isinstance(failed, StoreUnavailable)
        assert not isinstance(fine, BaseException)
        assert fine.revision == 2


async def test_a_caller_that_leaves_stops_waiting_only() -> None:
    store = Watched()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        store.gate.clear()
        leaving = asyncio.create_task(banks.commit(KEY, adding("n1")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        leaving.cancel()
        store.gate.set()
        await banks.commit(KEY, adding("n2"))

        async with banks.reading(KEY) as bank:
            assert sorted(bank.nodes) == ["n1", "n2"]


async def test_a_repeated_request_gets_the_first_answer_and_changes_nothing() -> None:
    request = RequestKey(request_id=RequestId("r1"), verb="AddNode", digest="d")
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())

        first = await banks.commit(KEY, adding("n1"), request, Added)
        await banks.commit(KEY, adding("n2"))
        again = await banks.commit(KEY, adding("n1"), request, Added)

        assert (again.result, again.revision, again.replayed) == (first.result, first.revision, True)
        with pytest.raises(RequestIdReused):
            await banks.commit(
                KEY, adding("n3"), RequestKey(request_id=RequestId("r1"), verb="AddNode", digest="e"), Added
            )


async def test_two_processes_on_one_store_never_both_win_and_lose_nothing() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding())

        writes = [
            banks.commit(KEY, adding(f"{name}-{n}"))
            for n in range(40)
            for name, banks in (("a", one), ("b", two))
        ]
        revisions = sorted((await asyncio.gather(*writes)), key=lambda c: c.revision)

        assert [c.revision for c in revisions] == list(range(2, 82))
        for banks in (one, two):
            async with banks.reading(KEY, 81) as bank:
                assert len(bank.nodes) == 80
                assert same(bank.state(), await store.load(KEY))


async def test_a_read_at_a_revision_reads_through_and_refuses_one_beyond_the_store() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding())
        async with two.reading(KEY) as bank:
            assert bank.revision == 1
        await one.commit(KEY, adding("n1"))

        async with two.reading(KEY, 2) as bank:
            assert list(bank.nodes) == ["n1"]
        with pytest.raises(RevisionNotReached):
            async with two.reading(KEY, 3):
                pass


async def test_a_bank_deleted_and_created_again_elsewhere_is_seen_as_the_new_one() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store, Holding(max_staleness=0.0)) as two:
        await one.found(KEY, founding(uid="u1"))
        await two.commit(KEY, adding("old"))
        await one.delete(KEY)
        with pytest.raises(BankNotFound):
            async with two.reading(KEY):
                pass

        await one.found(KEY, founding(uid="u2"))
        new = await one.commit(KEY, adding("new"))

        async with two.reading(KEY, new.revision) as bank:
            assert (bank.uid, list(bank.nodes)) == ("u2", ["new"])
        newer = await two.commit(KEY, adding("newer"))
        async with one.reading(KEY, newer.revision) as bank:
            assert sorted(bank.nodes) == ["new", "newer"]


async def test_a_load_that_began_before_a_bank_was_made_anew_does_not_take_its_place() -> None:
    store = SlowLoads()
    async with opened(store) as banks, opened(store) as elsewhere:
        await elsewhere.found(KEY, founding(uid="u1"))

        async def uid() -> str:
            async with banks.reading(KEY) as bank:
                return str(bank.uid)

        early = asyncio.create_task(uid())
        await store.has_read.wait()
        await banks.delete(KEY)
        await banks.found(KEY, founding(uid="u2"))
        store.may.set()

        assert (await early, await uid()) == ("u2", "u2")


async def test_a_load_that_found_no_bank_does_not_hide_one_made_meanwhile() -> None:
    store = SlowLoads()
    async with opened(store) as banks:

        async def uid() -> str:
            async with banks.reading(KEY) as bank:
                return str(bank.uid)

        early = asyncio.create_task(uid())
        await store.has_read.wait()
        await banks.found(KEY, founding(uid="u1"))
        store.may.set()

        assert (await early, await uid()) == ("u1", "u1")


async def test_a_revision_is_asked_of_the_bank_that_bears_the_id_now() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store, Holding(max_staleness=3_600)) as two:
        await one.found(KEY, founding(uid="u1"))
        for n in range(5):
            await two.commit(KEY, adding(f"old-{n}"))
        await one.delete(KEY)
        await one.found(KEY, founding(uid="u2"))
        written = await one.commit(KEY, adding("new"))

        async with two.reading(KEY, written.revision) as bank:
            assert (bank.uid, list(bank.nodes)) == ("u2", ["new"])
        _, purged = await one.delete(KEY)
        with pytest.raises(BankNotFound):
            async with two.reading(KEY, purged):
                pass


class PartlyForeign(MemoryStore):
    """A store in which a newer program has written to one bank what this one cannot read."""

    async def changes(self, key: Key, uid: str, after: int, limit: int) -> Sequence[Change[Any]]:
        if key == KEY:
            raise StepUnknown("Dream")
        return await super().changes(key, uid, after, limit)


async def test_a_bank_that_cannot_be_followed_keeps_no_other_from_being_confirmed() -> None:
    store, other = PartlyForeign(), key("other")
    async with opened(store) as one, opened(store, Holding(max_staleness=3_600)) as two:
        for of, uid in ((KEY, "u1"), (other, "u2")):
            await one.found(of, founding(of, uid))
            async with two.reading(of):
                pass
            await one.commit(of, adding("n1"))

        await two.confirm_recent()

        async with two.reading(other) as bank:
            assert list(bank.nodes) == ["n1"]


async def test_a_writer_on_a_bank_that_was_replaced_writes_to_the_bank_that_is_there() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding(uid="u1"))
        await two.commit(KEY, adding("old"))
        await one.delete(KEY)
        await one.found(KEY, founding(uid="u2"))

        written = await two.commit(KEY, adding("n1"))

        async with one.reading(KEY, written.revision) as bank:
            assert (bank.uid, list(bank.nodes)) == ("u2", ["n1"])


async def test_founding_twice_is_refused() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding(uid="u1"))

        for banks in (one, two):
            with pytest.raises(BankExists):
                await banks.found(KEY, founding(uid="u2"))


async def test_idle_banks_leave_memory_when_the_budget_is_full_and_come_back_on_demand() -> None:
    store = MemoryStore()
    async with opened(store, Holding(memory_budget=1)) as banks:
        keys = [key(f"bank-{n}") for n in range(3)]
        for n, one in enumerate(keys):
            await banks.found(one, founding(one, f"u{n}"))
            await banks.commit(one, adding(f"n{n}"))

        assert len(banks.held()) == 1
        for n, one in enumerate(keys):
            async with banks.reading(one) as bank:
                assert list(bank.nodes) == [f"n{n}"]


async def test_the_bank_that_was_not_read_for_longest_leaves_first() -> None:
    keys = [key(f"bank-{n}") for n in range(3)]
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())
        async with banks.reading(KEY) as bank:
            size = bank.size
    async with opened(MemoryStore(), Holding(memory_budget=5 * size // 2)) as banks:
        for n, one in enumerate(keys[:2]):
            await banks.found(one, founding(one, f"u{n}"))
        async with banks.reading(keys[0]):
            pass

        await banks.found(keys[2], founding(keys[2], "u2"))

        assert banks.held() == [keys[0], keys[2]]


async def test_what_leaves_is_the_longest_unread_whatever_was_read_purged_and_founded_before() -> None:
    chance, clock = random.Random(3), itertools.count()
    held = {
        f"bank-{n}": SimpleNamespace(aggregate=SimpleNamespace(key=key(f"bank-{n}")), used=0.0)
        for n in range(40)
    }
    open_: dict[Any, Any] = {}
    order = EvictionOrder(open_)
    for _ in range(3_000):
        each = chance.choice(list(held.values()))
        at = each.aggregate.key
        match chance.randrange(8):
            case 0 if open_:
                longest = min(open_, key=lambda one: open_[one].used)
                assert order.pop() is open_[longest]
                del open_[longest]
            case 1:
                open_.pop(at, None)  # purged
            case _ if at in open_:
                each.used = float(next(clock))
            case _:
                open_[at], each.used = each, float(next(clock))
                order.add(each)  # type: ignore[arg-type]

    assert len(order._heap) <= 2 * len(held) + FEW + 1


async def test_short_tails_are_compiled_once_a_bank_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_bank, "REST_SECONDS", 0.05)
    tuning = Tuning(vectors=VectorSettings(exact_up_to=40))
    async with opened(MemoryStore(), Holding(tuning=tuning)) as banks:
        await banks.found(KEY, founding_with(50))
        async with banks.reading(KEY) as bank, asyncio.timeout(30):
            await compiled(bank, 50)

            for number in range(12):  # more than a quarter of 40, less than 40
                await banks.commit(KEY, adding(f"later-{number}"))
            await compiled(bank, 62)

            assert len(bank.node_vectors) == 62


async def compiled(bank: Bank, nodes: int) -> None:
    """Wait until so many are no tail any more."""
    while len(bank.node_vectors.snapshot().keys) < nodes:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)


async def test_a_bank_in_use_stays_in_memory_whatever_the_budget() -> None:
    store = MemoryStore()
    async with opened(store, Holding(memory_budget=1)) as banks:
        await banks.found(KEY, founding())
        async with banks.reading(KEY) as bank:
            other = key("other")
            await banks.found(other, founding(other, "u2"))

            assert set(banks.held()) == {KEY, other}
            await banks.commit(KEY, adding("n1"))
            assert NodeId("n1") in bank.nodes


async def test_a_watcher_gets_every_change_once_and_learns_of_the_end() -> None:
    store = MemoryStore()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        seen: list[int] = []
        all_seen = asyncio.Event()

        async def watch() -> None:
            async for change in banks.watch(KEY, 0):
                seen.append(change.revision)
                if len(seen) == 6:
                    all_seen.set()

        watcher = asyncio.create_task(watch())
        for n in range(5):
            await banks.commit(KEY, adding(f"n{n}"))
        await all_seen.wait()
        await banks.delete(KEY)

        with pytest.raises(BankNotFound):
            await watcher
        assert seen == [1, 2, 3, 4, 5, 6]


async def test_a_paused_writer_is_fenced_and_stages_again() -> None:
    store = Pausing()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding())
        staged_on: list[int] = []

        def stage(bank: Bank, revision: int) -> Draft[Added]:
            staged_on.append(bank.revision)
            return adding("mine")(bank, revision)

        store.between = lambda: two.commit(KEY, adding("theirs"))
        committed = await one.commit(KEY, stage)

        assert (staged_on, committed.revision) == ([1, 2], 3)


async def test_what_a_caller_left_behind_is_staged_again_too() -> None:
    store = Pausing()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding())

        async def leave() -> None:
            leaving.cancel()
            await two.commit(KEY, adding("theirs"))

        store.between = leave
        leaving = asyncio.create_task(one.commit(KEY, adding("mine")))
        with pytest.raises(asyncio.CancelledError):
            await leaving
        await one.commit(KEY, adding("next"))

        async with one.reading(KEY) as bank:
            assert sorted(bank.nodes) == ["mine", "next", "theirs"]


# ---- snapshots of indexes ----


MANY = 1_200  # nodes: so many that their words are worth taking down


def founding_many(of: BankKey = KEY) -> Draft[None]:
    return founding_with(MANY, of)


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


async def test_a_bank_that_leaves_memory_goes_at_once_collector_or_not() -> None:
    store, gone = MemoryStore(), []
    async with opened(store, Holding(memory_budget=1)) as banks:
        await banks.found(KEY, founding_many())
        gc.disable()
        try:
            async with banks.reading(KEY) as bank:
                gone.append(weakref.ref(bank))
            await banks.commit(KEY, adding("later"))
            del bank
            await banks.found(key("other"), founding(key("other"), "u2"))
            await banks.delete(key("other"))

            assert banks.held() == []
            assert gone[0]() is None
        finally:
            gc.enable()


async def test_the_collector_is_on_again_after_loads() -> None:
    store = MemoryStore()
    async with opened(store) as banks:
        for name in ("one", "two"):
            await banks.found(key(name), founding_many(key(name)))

        async with banks.reading(key("one")), banks.reading(key("two")):
            assert gc.isenabled()
        with pytest.raises(BankNotFound):
            async with banks.reading(key("none")):
                pass

    assert gc.isenabled()


async def test_a_warm_read_of_what_was_seen_asks_the_store_nothing() -> None:
    store = MemoryStore()
    async with opened(store) as banks:
        await banks.found(KEY, founding(uid="u1"))
        written = await banks.commit(KEY, adding("n1"))
        await store.close()  # whoever asks it now is refused

        async with banks.reading(KEY, written.revision) as bank:
            assert list(bank.nodes) == ["n1"]


class Away(MemoryStore):
    """A store that does not answer while it `is_away`."""

    is_away = False

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        if self.is_away:
            raise StoreUnavailable("away")
        return await super().heads(keys)


async def test_while_the_store_is_away_reads_are_refused_or_old_as_the_owner_chose() -> None:
    store, new = Away(), Holding(max_staleness=0.0)
    old = replace(new, stale_when_unavailable=3_600)
    async with opened(store, new) as strict, opened(store, old) as lenient:
        await strict.found(KEY, founding())
        async with lenient.reading(KEY):
            pass
        store.is_away = True

        with pytest.raises(StoreUnavailable):
            async with strict.reading(KEY):
                pass
        async with lenient.reading(KEY, 1) as bank:
            assert bank.revision == 1
        with pytest.raises(StoreUnavailable):  # a revision that it has never seen
            async with lenient.reading(KEY, 2):
                pass

        store.is_away = False
        await strict.commit(KEY, adding("n1"))
        async with lenient.reading(KEY) as bank:
            assert list(bank.nodes) == ["n1"]


async def test_what_is_old_is_answered_no_longer_than_allowed() -> None:
    store = Away()
    async with opened(store, Holding(max_staleness=0.0, stale_when_unavailable=1e-9)) as banks:
        await banks.found(KEY, founding())
        store.is_away = True

        with pytest.raises(StoreUnavailable):
            async with banks.reading(KEY):
                pass


async def test_a_request_that_another_process_served_since_is_answered_though_it_was_unknown() -> None:
    store, asked = MemoryStore(), RequestKey(request_id=RequestId("r1"), verb="Add", digest="d")

    def refusing(bank: Bank, revision: int) -> Draft[Added]:
        raise NodeExists("n1")

    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding())
        with pytest.raises(NodeExists):
            await two.commit(KEY, refusing, asked, Added)
        first = await one.commit(KEY, adding("n1"), asked, Added)

        again = await two.commit(KEY, adding("n1"), asked, Added)

        assert (again.replayed, again.revision) == (True, first.revision)
