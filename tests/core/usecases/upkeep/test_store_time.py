"""The time by which things are forgotten: a clock far ahead is not believed beside others."""

from datetime import UTC, datetime, timedelta

import pytest

from core.usecases.upkeep.store_time import FAR, OFTEN, PATIENCE, StoreTime
from service.adapters.store.memory_store import MemoryStore

START = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)


class Set:
    """A clock that is set `ahead`, while real time goes on by `pass_by`."""

    def __init__(self, store: MemoryStore, ahead: timedelta = timedelta()) -> None:
        self.ahead = ahead
        self.passed = timedelta()
        self.told: list[timedelta] = []
        self.time = StoreTime(self, store, self.told.append, self._seconds)

    def now(self) -> datetime:
        return START + self.passed + self.ahead

    def _seconds(self) -> float:
        return self.passed.total_seconds()

    def pass_by(self, time: timedelta) -> None:
        self.passed += time


async def test_a_clock_that_goes_as_the_others_is_believed() -> None:
    store = MemoryStore()
    one, two = Set(store), Set(store, ahead=FAR / 2)
    for _ in range(5):
        for process in (one, two):
            await process.time.look()
            process.pass_by(OFTEN)

    assert [process.time.now() == process.now() for process in (one, two)] == [True, True]
    assert (one.told, two.told) == ([], [])


@pytest.mark.parametrize("ahead", [timedelta(hours=25), timedelta(days=10)])
async def test_beside_another_process_a_clock_far_ahead_is_distrusted_for_good(ahead: timedelta) -> None:
    store = MemoryStore()
    right, wrong = Set(store), Set(store, ahead)
    for _ in range(60):
        for process in (right, wrong):
            await process.time.look()
            process.pass_by(OFTEN)
            assert process.time.now() <= right.now()

    assert right.time.now() == right.now()
    assert wrong.told == [ahead]
    assert await store.latest_time() == right.now() - OFTEN


async def test_where_all_were_away_time_is_believed_to_have_passed_after_a_while() -> None:
    store = MemoryStore()
    await Set(store).time.look()
    after_a_pause = Set(store, ahead=timedelta(days=3))

    await after_a_pause.time.look()
    at_first = after_a_pause.time.now()
    after_a_pause.pass_by(PATIENCE)
    await after_a_pause.time.look()

    assert at_first == START
    assert after_a_pause.time.now() == after_a_pause.now()
    assert await store.latest_time() == after_a_pause.now()


async def test_a_clock_that_is_set_right_is_believed_at_once() -> None:
    store = MemoryStore()
    await Set(store).time.look()
    process = Set(store, ahead=timedelta(days=3))
    await process.time.look()

    process.ahead = timedelta()
    await process.time.look()

    assert process.time.now() == process.now()
