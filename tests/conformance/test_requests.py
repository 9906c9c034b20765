"""A request is carried out once, on every store: by two processes at once, and after an outcome that nobody learned.

A process is an `OpenAggregates` of its own; it looks a request up only where the store refused it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from core.aggregate.change import Change
from core.bank.bank import Bank
from core.bank.steps import BankPut, NodePut
from core.errors import RequestIdReused, StoreUnavailable
from core.ids import RequestId
from core.keys import Key
from core.kinds import KINDS
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.ports.store import Store
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.support.changes import KEY, node, record, vector
from tests.support.no_blobs import NoBlobs

RACES = 10


@dataclass(frozen=True)
class Added:
    node_id: str


def adding(node_id: str) -> Callable[[Bank, int], Draft[Added]]:
    def stage(bank: Bank, revision: int) -> Draft[Added]:
        put = NodePut(node=node(node_id, revision=revision), vector=vector(len(node_id)))
        return Draft(result=Added(node_id), steps=(put,), touches=frozenset((f"node:{node_id}",)))

    return stage


def founding(uid: str) -> Draft[Added]:
    return Draft(result=Added(uid), steps=(BankPut(record=record(KEY, uid)),))


def asked(name: str, digest: str = "d") -> RequestKey:
    return RequestKey(request_id=RequestId(name), verb="AddNode", digest=digest)


class Losing:
    """A store whose next append is stored, or comes to be stored `late`, and says that it is unavailable."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._under_way: tuple[Any, ...] | None = None
        self.loses = self.late = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **others: Any) -> None:
        if self._under_way is not None:
            before, self._under_way = self._under_way, None
            await self._store.append(*before)
        if not self.loses:
            await self._store.append(key, uid, changes, **others)
            return
        self.loses = False
        if self.late:
            self._under_way = (key, uid, changes)
        else:
            await self._store.append(key, uid, changes)
        raise StoreUnavailable("the connection was lost")


def process(store: Store) -> OpenAggregates:
    return OpenAggregates(KINDS, store, NoBlobs(), SystemClock(), UlidIds(), Holding())


@pytest.fixture
def losing(store: Store) -> Losing:
    return Losing(store)


@pytest.fixture
async def two(losing: Losing) -> AsyncIterator[tuple[OpenAggregates, OpenAggregates]]:
    """Both have a bank open."""
    one, other = process(losing), process(losing)
    await one.found(KEY, founding("u1"))
    async with other.reading(KEY):
        pass
    yield one, other
    for each in (one, other):
        await each.close()


async def names(banks: OpenAggregates, revision: int) -> list[str]:
    async with banks.reading(KEY, revision) as bank:
        return sorted(bank.nodes)


async def test_a_request_that_comes_to_two_processes_at_once_is_carried_out_once(
    two: tuple[OpenAggregates, OpenAggregates],
) -> None:
    done: list[CommitResult[Added]] = []
    for number in range(RACES):
        calls = [
            each.commit(KEY, adding(f"n{number}-{i}"), asked(f"r{number}"), Added)
            for i, each in enumerate(two)
        ]
        first, second = await asyncio.gather(*calls)

        assert (first.result, first.revision) == (second.result, second.revision)
        assert {first.replayed, second.replayed} == {False, True}
        done.append(first)

    assert [one.revision for one in done] == list(range(2, RACES + 2))
    for each in two:
        assert await names(each, RACES + 1) == sorted(one.result.node_id for one in done)


async def test_of_two_bodies_that_come_at_once_under_one_id_one_is_refused(
    two: tuple[OpenAggregates, OpenAggregates],
) -> None:
    for number in range(RACES):
        calls = [
            each.commit(KEY, adding(f"n{number}-{i}"), asked(f"r{number}", digest=f"d{i}"), Added)
            for i, each in enumerate(two)
        ]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)

        assert {type(outcome) for outcome in outcomes} == {CommitResult, RequestIdReused}

    assert len(await names(two[0], RACES + 1)) == RACES


async def test_a_bank_that_is_founded_twice_at_once_by_one_request_is_there_once(losing: Losing) -> None:
    one, other = process(losing), process(losing)

    first, second = await asyncio.gather(
        one.found(KEY, founding("u1"), asked("r")), other.found(KEY, founding("u2"), asked("r"))
    )

    assert (first.result, first.revision) == (second.result, second.revision)
    assert {first.replayed, second.replayed} == {False, True}
    with pytest.raises(RequestIdReused):
        await one.found(KEY, founding("u3"), asked("r", digest="e"))
    for each in (one, other):
        await each.close()


@pytest.mark.parametrize("late", [False, True], ids=["stored", "stored as it is repeated"])
@pytest.mark.parametrize("again", [0, 1], ids=["same process", "other process"])
async def test_a_request_whose_outcome_was_lost_is_repeated_and_carried_out_once(
    losing: Losing, two: tuple[OpenAggregates, OpenAggregates], again: int, late: bool
) -> None:
    losing.loses, losing.late = True, late
    with pytest.raises(StoreUnavailable):
        await two[0].commit(KEY, adding("first"), asked("r"), Added)

    repeated = await two[again].commit(KEY, adding("second"), asked("r"), Added)

    assert (repeated.result, repeated.revision, repeated.replayed) == (Added("first"), 2, True)
    for each in two:
        assert await names(each, 2) == ["first"]


async def test_a_repetition_that_no_longer_fits_gets_the_first_answer(
    two: tuple[OpenAggregates, OpenAggregates],
) -> None:
    first = await two[0].commit(KEY, adding("n1"), asked("r"), Added)

    def refusing(bank: Bank, revision: int) -> Draft[Added]:
        raise ValueError("n1 is there by now")

    again = await two[1].commit(KEY, refusing, asked("r"), Added)

    assert (again.result, again.revision, again.replayed) == (first.result, first.revision, True)
    with pytest.raises(ValueError, match="by now"):
        await two[1].commit(KEY, refusing, asked("new"), Added)


async def test_repetitions_among_new_requests_are_answered_and_the_others_stored(
    two: tuple[OpenAggregates, OpenAggregates],
) -> None:
    for number in range(3):
        await two[0].commit(KEY, adding(f"old{number}"), asked(f"old{number}"), Added)

    given = ["new0", "old1", "new1", "old0", "old2", "new2"]
    done = await asyncio.gather(*(two[1].commit(KEY, adding(name), asked(name), Added) for name in given))

    assert [one.result.node_id for one in done] == given
    assert [one.replayed for one in done] == [name.startswith("old") for name in given]
    assert sorted(one.revision for one in done) == [2, 3, 4, 5, 6, 7]
    assert await names(two[0], 7) == sorted(given)


async def test_what_a_request_stored_is_in_the_feed_until_content_is_erased(
    two: tuple[OpenAggregates, OpenAggregates],
) -> None:
    first = await two[0].commit(KEY, adding("n1"), asked("r"), Added)
    await two[0].commit(KEY, adding("n2"))

    told = [change async for change in two[1].feed(KEY, first.revision)]

    assert [change.revision for change in told] == [2, 3]
    assert [step.node.node_id for step in first.steps] == ["n1"]
    assert [step.node.node_id for change in told for step in change.steps] == ["n1", "n2"]

    def erasing(bank: Bank, revision: int) -> Draft[Added]:
        return replace(adding("n3")(bank, revision), erase=True)

    erased = await two[0].commit(KEY, erasing)
    assert [change async for change in two[1].feed(KEY, first.revision)] == []
    assert [change.revision async for change in two[1].feed(KEY, erased.revision)] == [4]
    assert [change async for change in two[1].feed(KEY, 5)] == []
    await two[0].delete(KEY)
    assert [change async for change in two[1].feed(KEY, 4)] == []
