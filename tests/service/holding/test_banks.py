"""Banks in memory: staged, stored, then seen; what fails harms its caller alone."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.aggregate.change import Change
from core.bank.bank import Bank
from core.bank.steps import BankChange, NodePut
from core.errors import BankExists, NodeExists, RequestIdReused, StoreUnavailable
from core.ids import RequestId
from core.keys import Key
from core.ports.aggregates import Draft, RequestKey
from service.adapters.store.memory_store import MemoryStore
from service.holding import held as held_bank
from service.holding.open import OpenAggregates
from service.holding.writer import GROUP, TURN
from tests.support.changes import KEY, node, same, vector
from tests.support.open_banks import Added, adding, founding, opened


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

        assert [type(outcome).__name__ for outcome in both] == ["CommitResult", "NodeExists"]


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


@pytest.mark.slow
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


async def test_founding_twice_is_refused() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store) as two:
        await one.found(KEY, founding(uid="u1"))

        for banks in (one, two):
            with pytest.raises(BankExists):
                await banks.found(KEY, founding(uid="u2"))
