"""`python tests/bench/counting_server.py serve …`: the server of the checkout it runs in, its encoder's runs counted.

The counts lie in the file named by `RUNS`, as doubles: runs, seconds of processor time, tokens. Only what has long been
there is counted, so that it counts in an earlier checkout, too.
"""

import mmap
import os
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from service.adapters.local_embedder.encoder import Encoder
from service.cli import main

COUNTS = 3
RUNS = ("pooled", "states", "pooled_and_states")


def count_runs(path: str) -> None:
    """Counts every run of an encoder in this file from now on."""
    with open(path, "r+b") as file:
        counts = np.frombuffer(mmap.mmap(file.fileno(), 8 * COUNTS), dtype=np.float64)
    lock = Lock()

    def counted(run: Callable[[Encoder, list[int]], Any]) -> Callable[[Encoder, list[int]], Any]:
        def counting(self: Encoder, ids: list[int]) -> Any:
            start = time.thread_time()
            try:
                return run(self, ids)
            finally:
                with lock:
                    np.add(counts, (1.0, time.thread_time() - start, len(ids)), out=counts)

        return counting

    for name in RUNS:
        setattr(Encoder, name, counted(getattr(Encoder, name)))


if __name__ == "__main__":
    count_runs(os.environ["RUNS"])
    main(prog_name="memorybank")
