"""Threads in which a local model works, so that the event loop never does.

Law: a text is embedded step by step, and a step is short: a call waits for one of them. Turns are fair between
callers, and a caller's short texts go first; of calls alike one ends after another, not all of them late. What its
caller no longer waits for does not begin. What cannot be embedded before its caller's deadline, behind all that was
promised to others, is refused at once: questions always, other texts where nothing was stored yet.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.errors import Overloaded
from service.adapters.embedding_text import CHARACTERS
from service.process.calling import Caller, caller
from service.process.fair_queue import FairQueue, Job

Vector = NDArray[np.float32]
Steps = Callable[[str], Iterator[Vector | None]]
"""Embeds a text: yields None after each step but the last, and then its vector."""

PLAIN = 100.0  # characters that take as long as what a step of any length takes
LONGEST_STEP = 1_000.0  # characters to a step, about: what a long text is weighed by
FIRST_PACE = 50e-6  # seconds for a character, until it is measured
SMOOTHING = 0.1  # weight of the newest measurement
AHEAD = (
    3  # texts of a call in line beside those at work: until the loop brings more, its turn is not another's
)
IN_TIME = (
    0.5  # share of the time left that waiting and embedding may take, as reckoned: there is more to a search
)


@dataclass(slots=True, eq=False)
class _Step:
    """`outcome` is what comes of `work`'s next step; `job`: all texts of the call."""

    work: Iterator[Vector | None]
    weight: float
    job: Job
    outcome: "Future[Vector | None]" = field(default_factory=Future)


class Lane:
    """`threads` workers for one kind of text; each takes one core while busy. May serve several loops.

    `refuses`: raise Overloaded for texts that cannot be embedded in time, whatever their call has stored.
    """

    def __init__(
        self, name: str, threads: int, *, refuses: bool = False, characters: int = CHARACTERS
    ) -> None:
        """`characters`: how much of a text is read."""
        self._name = name
        self._characters = characters
        self._threads = threads
        self._refuses = refuses
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = Lock()
        self._queue: FairQueue[_Step] = FairQueue()
        self._promised: dict[str, list[Job]] = defaultdict(list)
        self._pace = FIRST_PACE

    async def rows(self, texts: Sequence[str], steps: Steps, dimension: int) -> Vector:
        """Vectors of the texts, in order: shape (len(texts), dimension). Cancelled, it starts no more steps.

        Raises Overloaded."""
        who = caller()
        with self._promise(who, texts) as job:
            if len(texts) == 1:
                return (await self._vector(who, texts[0], steps, job))[None]
            rows = np.empty((len(texts), dimension), dtype=np.float32)
            waiting = iter(enumerate(texts))

            async def take_up() -> None:
                for row, text in waiting:
                    rows[row] = await self._vector(who, text, steps, job)

            async with asyncio.TaskGroup() as workers:
                for _ in range(min(self._threads + AHEAD, len(texts))):
                    workers.create_task(take_up())
            return rows

    def close(self) -> None:
        """Lets running steps finish and the threads go."""
        self._pool.shutdown()

    @contextmanager
    def _promise(self, who: Caller, texts: Sequence[str]) -> Iterator[Job]:
        """Yields the job that some texts are, until they are embedded. Raises Overloaded when they would come too
        late. Where nothing is promised, everything is tried."""
        weight = sum(map(self._whole, texts))
        with self._lock:
            if self._promised and who.deadline is not None and (self._refuses or who.stores_last):
                wait = self._ahead(who.name, weight) * self._pace / self._threads
                left = (who.deadline - asyncio.get_running_loop().time()) * IN_TIME
                if wait + weight * self._pace / min(self._threads, len(texts)) > left:
                    raise Overloaded(self._name, wait)
            job = Job(weight)
            self._promised[who.name].append(job)
        try:
            yield job
        finally:
            with self._lock:
                self._promised[who.name].remove(job)
                if not self._promised[who.name]:
                    del self._promised[who.name]

    def _ahead(self, name: str, weight: float) -> float:
        """Returns what would be embedded before texts of such a weight, at most: as much of each other caller's as of
        its own."""
        own = sum(job.left for job in self._promised.get(name, ()) if job.weight <= weight)
        others = (sum(job.left for job in jobs) for each, jobs in self._promised.items() if each != name)
        return own + sum(min(other, own + weight) for other in others)

    def _whole(self, text: str) -> float:
        """Weighs all steps of a text."""
        return _weight(text) * max(1.0, min(len(text), self._characters) / LONGEST_STEP)

    async def _vector(self, who: Caller, text: str, steps: Steps, job: Job) -> Vector:
        work, weight = steps(text), _weight(text)
        while (vector := await self._turn(who, _Step(work, weight, job))) is None:
            pass
        return vector

    async def _turn(self, who: Caller, step: _Step) -> Vector | None:
        with self._lock:
            self._queue.push(who.name, step.weight, step, step.job)
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
    """Weighs a step of a text."""
    return PLAIN + min(len(text), LONGEST_STEP)
