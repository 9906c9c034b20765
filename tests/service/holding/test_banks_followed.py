"""Banks in memory that other processes write, too: followed, fenced, watched, read while the store is away."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.aggregate.change import Change, Head
from core.bank.bank import Bank
from core.errors import BankNotFound, NodeExists, RevisionNotReached, StepUnknown, StoreUnavailable
from core.ids import RequestId
from core.keys import Key
from core.ports.aggregates import Draft, RequestKey
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from tests.support.changes import KEY, key, same
from tests.support.open_banks import Added, adding, founding, opened


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


class Pausing(MemoryStore):
    """Lets another writer in between staging and appending, once."""

    between: Callable[[], object] | None = None

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **others: Any) -> None:
        between, self.between = self.between, None
        if between is not None:
            await between()  # type: ignore[misc]
        await super().append(key, uid, changes, **others)


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
