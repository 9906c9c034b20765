"""Threads in which a local model works, so that the event loop never does.

Law: a text is embedded step by step, and a step is short: a call waits for one of them. Turns are fair between
callers, and a caller's short texts go first. What its caller no longer waits for does not begin. A question that cannot
be embedded before its caller's deadline is refused at once.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.errors import Overloaded
from service.process.calling import Caller, caller
from service.process.fair_queue import FairQueue

Vector = NDArray[np.float32]
Steps = Callable[[str], Iterator[Vector | None]]
"""Embeds a text: yields None after each step but the last, and then its vector."""

PLAIN = 100.0  # characters that take as long as what a step of any length takes
LONGEST_STEP = 1_000.0  # characters to a step, about: what a long text is weighed by
FIRST_PACE = 50e-6  # seconds for a character, until it is measured
SMOOTHING = 0.1  # weight of the newest measurement
IN_TIME = (
    0.5  # share of the time left that waiting and embedding may take, as reckoned: there is more to a search
)


@dataclass(slots=True, eq=False)
class _Step:
    """`outcome` is what comes of `work`'s next step."""

    work: Iterator[Vector | None]
    weight: float
    outcome: "Future[Vector | None]" = field(default_factory=Future)


class Lane:
    """`threads` workers for one kind of text; each takes one core while busy. May serve several loops.

    `refuses`: raise Overloaded for texts that cannot be embedded in time.
    """

    def __init__(self, name: str, threads: int, *, refuses: bool = False) -> None:
        self._name = name
        self._threads = threads
        self._refuses = refuses
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = Lock()
        self._queue: FairQueue[_Step] = FairQueue()
        self._pace = FIRST_PACE

    async def rows(self, texts: Sequence[str], steps: Steps, dimension: int) -> Vector:
        """Vectors of the texts, in order: shape (len(texts), dimension). Cancelled, it starts no more steps.

        Raises Overloaded."""
        who = caller()
        self._admit(who, sum(map(_weight, texts)))
        if len(texts) == 1:
            return (await self._vector(who, texts[0], steps))[None]
        rows = np.empty((len(texts), dimension), dtype=np.float32)
        waiting = iter(enumerate(texts))

        async def take_up() -> None:
            for row, text in waiting:
                rows[row] = await self._vector(who, text, steps)

        async with asyncio.TaskGroup() as workers:
            for _ in range(min(self._threads, len(texts))):
                workers.create_task(take_up())
        return rows

    def close(self) -> None:
        """Lets running steps finish and the threads go."""
        self._pool.shutdown()

    def _admit(self, who: Caller, weight: float) -> None:
        """Raises Overloaded when the texts would come too late. Where nothing waits, everything is tried."""
        if not self._refuses or who.deadline is None:
            return
        with self._lock:
            if not self._queue:
                return
            ahead = self._queue.ahead(who.name, weight)
        wait = ahead * self._pace / self._threads
        left = (who.deadline - asyncio.get_running_loop().time()) * IN_TIME
        if wait + weight * self._pace > left:
            raise Overloaded(self._name, wait)

    async def _vector(self, who: Caller, text: str, steps: Steps) -> Vector:
        work, weight = steps(text), _weight(text)
        while (vector := await self._turn(who, _Step(work, weight))) is None:
            pass
        return vector

    async def _turn(self, who: Caller, step: _Step) -> Vector | None:
        with self._lock:
            self._queue.push(who.name, step.weight, step)
        step.outcome.add_done_callback(partial(self._left, who, step))
        self._pool.submit(self._serve)
        return await asyncio.wrap_future(step.outcome)

    def _left(self, who: Caller, step: _Step, outcome: "Future[Vector | None]") -> None:
        if outcome.cancelled():
            with self._lock:
                self._queue.remove(who.name, step)

    def _serve(self) -> None:
        """Does, in a thread, the step whose turn it is."""
        with self._lock:
            if not self._queue:
                return  # its caller left
            _, step = self._queue.pop()
        if not step.outcome.set_running_or_notify_cancel():
            return
        start = time.perf_counter()
        try:
            vector = next(step.work)
        except BaseException as raised:  # noqa: BLE001 - as concurrent.futures does it: the thread goes on
            step.outcome.set_exception(raised)
            return
        self._pace += SMOOTHING * ((time.perf_counter() - start) / step.weight - self._pace)
        step.outcome.set_result(vector)


def _weight(text: str) -> float:
    return PLAIN + min(len(text), LONGEST_STEP)
