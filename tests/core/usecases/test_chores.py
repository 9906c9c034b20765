"""Chores at work: one at a time, tried again after a pause that doubles, taken up from any process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from core.aggregate.kind import Chore
from core.errors import MemoryOff, StoreUnavailable, UserNotFound
from core.ids import Tenant, User
from core.keys import Key, UserKey
from core.model.user import UserRecord
from core.ports.aggregates import Draft
from core.ports.store import Store
from core.usecases.chores import LONGEST_PAUSE, Chores
from core.user.steps import UserPut
from core.user.user import USER
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.support.house import START, CountingIds, TickingClock
from tests.support.no_blobs import NoBlobs

ADA, BOB = (UserKey(tenant=Tenant("acme"), user=User(name)) for name in ("ada", "王明"))
SECOND = timedelta(seconds=1)
SWEEP, COUNT = "sweep", "count"


class StandingClock(TickingClock):
    """Goes on when it is told to."""

    def now(self) -> datetime:
        return self._now


@dataclass(slots=True, eq=False)
class Process:
    """One process's chores over users, of whom `due` says what they ask for."""

    store: Store
    due: set[str] = field(default_factory=lambda: {SWEEP})
    clock: StandingClock = field(default_factory=StandingClock)
    begun: list[tuple[str, Key]] = field(default_factory=list)
    told: list[tuple[Key, str, Exception]] = field(default_factory=list)
    entered: asyncio.Queue[Key] = field(default_factory=asyncio.Queue)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    fails_with: Exception | None = None
    stays_due: int = 0  # so many times
    aggregates: OpenAggregates = field(init=False)
    chores: Chores = field(init=False)

    def __post_init__(self) -> None:
        kinds = {USER.name: replace(USER, due=lambda _user, _now: [Chore(name=name) for name in self.due])}
        self.aggregates = OpenAggregates(kinds, self.store, NoBlobs(), self.clock, CountingIds(), Holding())
        self.chores = Chores(kinds, self.aggregates, self.store, self.clock, self.failed)
        self.chores.assign(USER.name, {SWEEP: partial(self.work, SWEEP)})
        self.go_on.set()

    def failed(self, key: Key, name: str, failure: Exception) -> None:
        self.told.append((key, name, failure))

    async def work(self, name: str, key: Key) -> None:
        self.begun.append((name, key))
        self.entered.put_nowait(key)
        await self.go_on.wait()
        if self.fails_with is not None:
            raise self.fails_with
        self.stays_due -= 1
        if self.stays_due < 0:
            self.due.discard(name)

    async def user(self, key: UserKey = ADA, due_after: timedelta | None = None) -> UserKey:
        due_time = None if due_after is None else START + due_after
        record = UserRecord(
            key=key, uid="u", user=key.user, create_time=START, update_time=START, due_time=due_time
        )
        await self.aggregates.found(key, Draft(result=None, steps=(UserPut(record=record),)))
        return key

    async def change(self, key: UserKey) -> None:
        await self.aggregates.commit(
            key, lambda user, _: Draft(result=None, steps=(UserPut(record=user.record),))
        )

    async def look(self, key: UserKey = ADA) -> None:
        """Look, and wait for what was begun."""
        async with self.aggregates.reading(key) as user:
            self.chores.look(user)
        await others_ended()


async def others_ended() -> None:
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


@asynccontextmanager
async def process(store: Store | None = None) -> AsyncIterator[Process]:
    made = Process(store or MemoryStore())
    yield made
    await made.chores.close()
    await made.aggregates.close()


async def begun(at_work: Process, times: int) -> None:
    for _ in range(times):
        await at_work.entered.get()


async def test_one_chore_of_a_name_is_at_work_for_an_aggregate_and_others_beside_it() -> None:
    async with process() as here:
        here.go_on.clear()
        for key in (await here.user(ADA), await here.user(BOB)):
            async with here.aggregates.reading(key) as user:
                for _ in range(3):
                    here.chores.look(user)
        await begun(here, 2)
        here.go_on.set()
        await others_ended()

    assert here.begun == [(SWEEP, ADA), (SWEEP, BOB)]


async def test_a_chore_that_fails_is_told_of_and_tried_again_after_pauses_that_double() -> None:
    async with process() as here:
        here.fails_with = MemoryOff("user")
        await here.user()
        await here.look()
        pauses: list[timedelta] = []
        for _ in range(14):
            tried, waited = len(here.begun), timedelta()
            while len(here.begun) == tried:
                here.clock.skip(SECOND)
                waited += SECOND
                await here.look()
            pauses.append(waited)

    assert pauses[:6] == [n * SECOND for n in (1, 2, 4, 8, 16, 32)]
    assert pauses[-1] == LONGEST_PAUSE
    assert here.told == [(ADA, SWEEP, here.fails_with)] * 15


@pytest.mark.parametrize("failure", [StoreUnavailable("the disk is full"), ValueError("a defect")])
async def test_after_a_success_the_next_failure_rests_as_briefly_as_the_first(failure: Exception) -> None:
    async with process() as here:
        await here.user()
        here.fails_with = failure
        for _ in range(4):
            await here.look()
            here.clock.skip(LONGEST_PAUSE)
        here.fails_with = None
        await here.look()
        here.due, here.fails_with = {SWEEP}, failure
        await here.look()
        here.clock.skip(SECOND)
        await here.look()

    assert len(here.begun) == 7


async def test_what_became_due_as_a_chore_was_at_work_is_begun_when_it_ends() -> None:
    async with process() as here:
        here.chores.assign(USER.name, {COUNT: partial(here.work, COUNT)})
        here.go_on.clear()
        await here.user()
        async with here.aggregates.reading(ADA) as user:
            here.chores.look(user)
        await begun(here, 1)
        here.due = {COUNT}
        here.go_on.set()
        await others_ended()

    assert here.begun == [(SWEEP, ADA), (COUNT, ADA)]


async def test_a_chore_that_the_aggregate_asks_for_again_is_begun_again() -> None:
    async with process() as here:
        here.go_on.clear()
        here.stays_due = 1
        await here.user()
        async with here.aggregates.reading(ADA) as user:
            here.chores.look(user)
        await begun(here, 1)
        await here.change(ADA)  # at its revision before, what stays due has been done in vain
        here.go_on.set()
        await others_ended()

    assert here.begun == [(SWEEP, ADA)] * 2


async def test_a_chore_that_changes_nothing_and_stays_due_rests() -> None:
    async with process() as here:
        here.stays_due = 100
        await here.user()
        await here.look()
        await here.look()
        here.clock.skip(SECOND)
        await here.look()

    assert here.begun == [(SWEEP, ADA)] * 2
    assert here.told == []


async def test_a_chore_of_what_is_gone_is_over_without_a_word() -> None:
    async with process() as here:
        here.fails_with = UserNotFound(ADA.user)
        await here.user()
        await here.look()
        await here.aggregates.delete(ADA)

        assert await here.chores.take_up() == 0

    assert (here.begun, here.told) == ([(SWEEP, ADA)], [])


async def test_chores_without_an_assignment_here_wait_for_another_process() -> None:
    async with process() as here:
        here.due = {COUNT}
        await here.user()
        await here.look()

    assert here.begun == []


async def test_any_process_takes_up_what_is_due_by_its_time() -> None:
    store = MemoryStore()
    async with process(store) as here, process(store) as there:
        await here.user(ADA, due_after=SECOND)
        await here.user(BOB, due_after=timedelta(days=1))
        early = await there.chores.take_up()
        there.clock.skip(SECOND)
        taken = await there.chores.take_up()
        await others_ended()

    assert (early, taken) == (0, 1)
    assert (here.begun, there.begun) == ([], [(SWEEP, ADA)])


async def test_who_waits_for_a_chore_goes_on_when_it_has_ended_and_at_once_where_none_is() -> None:
    async with process() as here:
        here.go_on.clear()
        await here.user()
        async with here.aggregates.reading(ADA) as user:
            here.chores.look(user)
        waiting = asyncio.create_task(here.chores.finished(ADA, SWEEP))
        await here.chores.finished(BOB, SWEEP)
        await begun(here, 1)
        is_waiting = not waiting.done()
        here.go_on.set()
        await waiting

    assert is_waiting
    assert here.due == set()


async def test_what_is_written_after_closing_begins_nothing() -> None:
    async with process() as here:
        await here.user()
        here.aggregates.listen(here.chores.look)
        await here.chores.close()
        await here.change(ADA)
        await others_ended()

    assert (here.begun, here.told) == ([], [])


async def test_closing_stops_a_chore_where_it_stands_and_the_next_process_does_it() -> None:
    store = MemoryStore()
    async with process(store) as here:
        here.go_on.clear()
        await here.user(due_after=-SECOND)
        await here.chores.take_up()
        await begun(here, 1)
    async with process(store) as later:
        await later.chores.take_up()
        await others_ended()

    assert here.told == []
    assert later.begun == [(SWEEP, ADA)]
