"""What was read of texts, by a digest and no text."""

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.adapters.cached_embedder import Key

States = NDArray[np.floating[Any]]
"""What is kept of a text: of the comparer, shape (tokens, width)."""


class StateCache:
    """What was read of the sentences used last, up to a number of bytes. Any thread may add."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Key, States] = OrderedDict()
        self.size = 0
        self.edition = 0  # how often it was cleared

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> States | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def add(self, key: Key, states: States, edition: int) -> None:
        """Keeps what was read, unless the cache was cleared since `edition`."""
        with self._lock:
            if edition != self.edition or key in self._kept:
                return
            self._kept[key] = states
            self.size += states.nbytes
            while self.size > self._most:
                self.size -= self._kept.popitem(last=False)[1].nbytes

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.size = 0
            self.edition += 1
