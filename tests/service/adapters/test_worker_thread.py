"""A thread for the loop: jobs in their order, outcomes told on the loop, nobody left waiting."""

import asyncio
import threading
from collections.abc import AsyncIterator
from functools import partial

import pytest

from service.adapters.worker_thread import WorkerThread


@pytest.fixture
async def thread() -> AsyncIterator[WorkerThread]:
    made = WorkerThread("worker-of-the-test")
    yield made
    await asyncio.to_thread(made.shutdown)


async def test_jobs_are_done_in_the_thread_one_after_another(thread: WorkerThread) -> None:
    seen: list[tuple[int, str]] = []

    def job(number: int) -> int:
        seen.append((number, threading.current_thread().name))
        return number

    answers = await asyncio.gather(*(thread.call(partial(job, number)) for number in range(20)))

    assert answers == list(range(20))
    assert seen == [(number, "worker-of-the-test") for number in range(20)]


async def test_what_a_job_raises_goes_to_its_caller_and_the_next_one_is_done(thread: WorkerThread) -> None:
    with pytest.raises(ZeroDivisionError):
        await thread.call(lambda: 1 // 0)

    assert await thread.call(lambda: "still there") == "still there"


async def test_who_stops_waiting_leaves_the_job_to_be_done(thread: WorkerThread) -> None:
    begun, release, done = threading.Event(), threading.Event(), threading.Event()

    def job() -> None:
        begun.set()
        release.wait(180)
        done.set()

    waiting = asyncio.create_task(thread.call(job))
    await asyncio.to_thread(begun.wait)
    waiting.cancel()
    release.set()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await thread.call(done.is_set)


async def test_what_waits_is_done_before_the_thread_goes() -> None:
    thread = WorkerThread("worker-of-the-test")
    waiting = [asyncio.create_task(thread.call(partial(int, number))) for number in range(5)]
    await asyncio.sleep(0)

    await asyncio.to_thread(thread.shutdown)

    assert await asyncio.gather(*waiting) == [0, 1, 2, 3, 4]
