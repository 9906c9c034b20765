"""Work that gives way to calls: what takes long goes on a little at a time.

Law: no call waits for any of it but those that requested it.
"""

import asyncio
import os
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from core.aggregate.aggregate import Aggregate
from core.index.giving_way import GiveWay, at_once

FEW = 100  # nodes or interactions that are let go of in one go, which takes 0.1 ms
QUIET = 0.0001  # seconds: between two steps of a call the loop rests for less
NOTHING = 5_000  # nanoseconds of processor time: a loop that took no more was at rest
PATIENCE = 3.0  # seconds that threads wait at the most for each that they work
LONGEST = 0.01  # seconds that one waits at the most in one go
AT_ONCE = 0.0005  # seconds that they keep a processor for which others may wait


class LoopFirst:
    """Called by threads that work beside the loop it is made on, between portions: they go on once the loop rests.

    Python's lock is taken by turns: beside a busy thread a loop has but half of it, and waits for its turn at
    each step of a call. At 500 searches a second, which take half of it, calls queue. So a thread which finds that
    the loop has worked since it was last seen at rest sleeps until it rests again. To find that out takes a
    microsecond, and costs the loop nothing.

    A loop that waits for the very processor on which such a thread runs does not show as working, and Linux may let
    it wait for 4 ms. So each half millisecond the thread lets go first any other that waits for its processor, without
    Python's lock in its hands.

    Any number of threads may share it. Whatever the loop does, they have a quarter of the time. On the loop's own
    thread it never waits.
    """

    def __init__(
        self,
        taken: Callable[[], int],
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        step_behind: Callable[[], None] = at_once,
    ) -> None:
        """`taken`: the processor time that the loop has taken, in nanoseconds. `step_behind`: let go first any
        thread that waits for the caller's processor."""
        self._taken, self._now, self._sleep, self._step_behind = taken, now, sleep, step_behind
        self._thread = threading.get_ident()
        self._rested = 0  # what was taken when the loop was last seen at rest
        self._since = now()  # when a thread last went on
        self._stepped = now()  # when one last stepped behind others
        self._patience = 0.0  # seconds that may be waited for what was worked by now

    def __call__(self) -> None:
        if threading.get_ident() == self._thread:
            return
        if self._now() - self._stepped >= AT_ONCE:
            self._step_behind()
            self._stepped = self._now()
        taken = self._taken()
        if taken - self._rested < NOTHING:
            return
        start = self._now()
        patience = min(LONGEST, self._patience + PATIENCE * (start - self._since))
        before, waited = 0, 0.0
        while taken - before >= NOTHING and waited < patience:
            self._sleep(QUIET)
            before, taken, waited = taken, self._taken(), self._now() - start
        self._rested, self._since, self._patience = taken, start + waited, max(0.0, patience - waited)


def loop_first() -> GiveWay:
    """Makes the `LoopFirst` of the running loop; to be called on it. Where a thread's processor time cannot be read
    (elsewhere than on Linux) threads do not wait."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return at_once
    taken = partial(time.clock_gettime_ns, clock_of(threading.get_ident()))
    return LoopFirst(taken, step_behind=os.sched_yield)


def free_in_background(aggregate: Aggregate[Any]) -> None:
    """Releases what the aggregate holds in turns with other work of this loop, once nothing refers to it.

    All at once it would hold up the loop for 10 ms at 10,000 nodes.
    """
    loop, large = asyncio.get_running_loop(), aggregate.large_members
    weakref.finalize(aggregate, _begin, loop, list(large.many), list(large.parts)).atexit = False


def _begin(loop: asyncio.AbstractEventLoop, many: list[dict[Any, Any]], parts: list[Any]) -> None:
    """Begins the release, on whichever thread dropped the last reference."""
    if not loop.is_closed():  # else the process ends
        loop.call_soon_threadsafe(_go_on, loop, many, parts)


def _go_on(loop: asyncio.AbstractEventLoop, many: list[dict[Any, Any]], parts: list[Any]) -> None:
    if many:
        each = many[-1]
        for _ in range(min(FEW, len(each))):
            each.popitem()
        if not each:
            many.pop()
    elif parts:
        parts.pop()
    else:
        return
    loop.call_soon(_go_on, loop, many, parts)
