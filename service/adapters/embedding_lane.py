"""Threads in which a local model works, so that the event loop never does.

Law: one text is one job; a call has at most as many jobs waiting as there are threads, so calls
take turns and none waits for a whole other call.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

OneText = Callable[[str], NDArray[np.float32]]


class Lane:
    """`threads` workers for one kind of call; each takes one core while busy."""

    def __init__(self, name: str, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def rows(self, texts: Sequence[str], one: OneText, dimension: int) -> NDArray[np.float32]:
        """`one` of each text, in order: shape (len(texts), dimension). Cancelled, it starts no more jobs."""
        rows = np.empty((len(texts), dimension), dtype=np.float32)
        waiting = iter(enumerate(texts))
        loop = asyncio.get_running_loop()

        async def take_up() -> None:
            for row, text in waiting:
                rows[row] = await loop.run_in_executor(self._pool, one, text)

        async with asyncio.TaskGroup() as workers:
            for _ in range(min(self._threads, len(texts))):
                workers.create_task(take_up())
        return rows

    def close(self) -> None:
        """Let running jobs finish and the threads go."""
        self._pool.shutdown()
