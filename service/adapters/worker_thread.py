"""A thread that works for the loop: one hop there for a job, and one back for all that came of it.

Law: jobs are done one after another, in the order they came. Outcomes are futures of the loop, and only
the loop touches them; a caller that awaits one may leave, and none waits for ever.
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Done(Generic[T]):
    """The outcome that a caller waits for, settled."""

    outcome: "asyncio.Future[T]"
    value: T | None = None
    refusal: BaseException | None = None

    def tell(self) -> None:
        """Tells the waiting caller, on the loop."""
        if self.outcome.done():  # its caller left
            return
        if self.refusal is not None:
            self.outcome.set_exception(self.refusal)
        else:
            self.outcome.set_result(self.value)  # type: ignore[arg-type]


Job = Callable[[], Sequence[Done[Any]]]
"""Done in the thread: it raises nothing, and answers what is to be told."""


class WorkerThread:
    """Made on the loop it works for. A pool of one would do about as much for each job as a small job takes."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        # A daemon, so that a process can end whose store was never closed: it ends as by a power cut.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queues a job, to be done when all before it is."""
        self._jobs.put(job)

    async def call(self, act: Callable[[], T]) -> T:
        """Runs `act` in the thread, when all before it is done, and returns its result; it is seen through, though
        its caller stops waiting."""
        outcome: asyncio.Future[T] = self._loop.create_future()
        self.submit(partial(tried, [outcome], lambda: [Done(outcome, act())]))
        return await outcome

    def on_loop(self, act: Callable[[], None]) -> None:
        """Has the loop do this, from within a job, ahead of telling what came of the job."""
        self._loop.call_soon_threadsafe(act)

    def shutdown(self) -> None:
        """Waits until all is done, and lets the thread go."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if done := job():
                self._loop.call_soon_threadsafe(_tell, done)


def tried(
    outcomes: Sequence["asyncio.Future[Any]"], act: Callable[[], Sequence[Done[Any]]]
) -> Sequence[Done[Any]]:
    """Returns the result of `act`; what it raises goes to all that wait for it as it is."""
    try:
        return act()
    except BaseException as raised:  # noqa: BLE001 - as concurrent.futures does it: the thread goes on
        return [Done(outcome, refusal=raised) for outcome in outcomes]


def _tell(done: Sequence[Done[Any]]) -> None:
    for one in done:
        one.tell()
