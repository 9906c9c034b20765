"""The threads in which texts are embedded: fair turns, nothing done for callers that have gone."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import Overloaded
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.embedding_lane import Lane
from service.process.calling import Caller, works_for
from tests.support.hashing_embedder import HashingEmbedder

Rows = NDArray[np.float32]
HELD = "held"


class Steps:
    """Notes each step as it begins. A text has a step for every hundred characters; that of HELD waits for `go`."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.at_work = threading.Event()
        self.go = threading.Event()

    def __call__(self, text: str) -> Iterator[Rows | None]:
        for step in range(max(1, len(text) // 100)):
            if step:
                yield None
            self.begun.append(text.rstrip())
            if text == HELD:
                self.at_work.set()
                self.go.wait(60)
        yield np.full(2, len(text), dtype=np.float32)


class Room:
    """A lane of one thread, which is busy until `go` is called."""

    def __init__(self, lane: Lane) -> None:
        self.lane, self.steps = lane, Steps()
        self._tasks: list[asyncio.Task[Rows]] = []

    async def occupy(self) -> None:
        await self.ask("", HELD)
        await asyncio.to_thread(self.steps.at_work.wait, 60)

    async def ask(
        self, name: str, *texts: str, deadline: float | None = None, stores_last: bool = False
    ) -> "asyncio.Task[Rows]":
        """What the caller asks for; it waits in the lane when this returns."""

        async def rows() -> Rows:
            works_for(Caller(name=name, deadline=deadline, stores_last=stores_last))
            return await self.lane.rows(texts, self.steps, 2)

        task = asyncio.create_task(rows())
        self._tasks.append(task)
        for _ in range(3):
            await asyncio.sleep(0)
        return task

    async def go(self) -> list[str]:
        """The steps of texts in the order in which they were done."""
        self.steps.go.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return self.steps.begun[1:]


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    lane = Lane("questions", 1, refuses=True)
    made = Room(lane)
    await made.occupy()
    yield made
    await made.go()
    lane.close()


async def passed() -> None:
    """Until the loop has done what has been asked of it."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_one_caller_s_many_texts_do_not_stand_before_another_s(room: Room) -> None:
    for number in range(3):
        await room.ask("greedy", f"g{number}")
    await room.ask("modest", "m0")

    assert await room.go() == ["g0", "m0", "g1", "g2"]


async def test_a_short_text_waits_for_one_step_of_a_long_one(room: Room) -> None:
    await room.ask("one", "long".ljust(300))
    await room.ask("one", "short")

    assert await room.go() == ["short", "long", "long", "long"]


async def test_what_its_caller_no_longer_waits_for_does_not_begin(room: Room) -> None:
    gone = await room.ask("one", "gone")
    await room.ask("one", "stays")

    gone.cancel()
    await passed()

    assert await room.go() == ["stays"]


async def test_a_long_text_that_is_given_up_midway_ends_there(room: Room) -> None:
    gone = await room.ask("one", HELD.ljust(5), "gone".ljust(300))

    gone.cancel()
    await passed()

    assert await room.go() == []


async def test_a_text_that_would_come_too_late_is_refused_at_once(room: Room) -> None:
    await room.ask("one", *(f"text {number}" for number in range(9)))
    now = asyncio.get_running_loop().time()

    late = await room.ask("one", "late", deadline=now + 1e-6)
    in_time = await room.ask("one", "in time", deadline=now + 3_600)
    patient = await room.ask("one", "patient")

    assert late.done()
    with pytest.raises(Overloaded) as refused:
        await late
    assert refused.value.work == "questions"
    await room.go()
    assert (await in_time).shape == (await patient).shape == (1, 2)


async def test_texts_promised_count_though_they_do_not_wait_in_the_queue_yet(room: Room) -> None:
    await room.ask("one", *(f"text {number}" for number in range(99)))
    room.lane._pace = 0.01  # seconds for what weighs 1: a text takes a second, all of them 100
    now = asyncio.get_running_loop().time()

    late = await room.ask("two", *(f"late {number}" for number in range(50)), deadline=now + 60)
    short = await room.ask("two", "short", deadline=now + 60)

    with pytest.raises(Overloaded):
        await late
    assert not short.done()
    await room.go()


async def test_calls_alike_end_one_after_another_and_not_all_of_them_late(room: Room) -> None:
    for name in "abc":
        await room.ask(name, *(f"{name}{number}" for number in range(4)))

    assert await room.go() == [f"{name}{number}" for name in "abc" for number in range(4)]


async def test_where_questions_are_not_refused_only_what_has_stored_nothing_is() -> None:
    lane = Lane("passages", 1)
    made = Room(lane)
    await made.occupy()
    now = asyncio.get_running_loop().time()

    writing = await made.ask("one", "writing", deadline=now + 1e-6)
    batch = await made.ask("one", "batch", deadline=now + 1e-6, stores_last=True)

    assert not writing.done()
    with pytest.raises(Overloaded):
        await batch
    await made.go()
    lane.close()


async def test_rows_are_in_the_order_of_their_texts() -> None:
    lane = Lane("passages", 2)

    rows = await lane.rows(["x" * 250, "y", "z" * 120], Steps(), 2)

    assert rows[:, 0].tolist() == [250, 1, 120]
    lane.close()


async def test_a_failing_text_fails_its_caller_alone() -> None:
    def broken(text: str) -> Iterator[Rows | None]:
        yield None
        raise ValueError(text)

    lane = Lane("passages", 1)

    with pytest.raises(ValueError, match="x"):
        await lane.rows(["x"], broken, 2)
    assert (await lane.rows(["y"], Steps(), 2)).shape == (1, 2)
    lane.close()


class InLane(HashingEmbedder):
    """Embeds questions in a room's lane."""

    def __init__(self, room: Room) -> None:
        super().__init__()
        self._room = room

    async def embed_queries(self, texts: Sequence[str]) -> Rows:
        return await self._room.lane.rows(texts, self._room.steps, self.space.dimension)


async def test_what_all_its_callers_gave_up_leaves_the_lane_though_it_is_shared(room: Room) -> None:
    cached = CachedEmbedder(InLane(room))
    callers = [asyncio.create_task(cached.embed_queries(["gone"])) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)

    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await passed()

    assert await room.go() == []
