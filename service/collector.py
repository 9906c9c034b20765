"""Python's collector of cycles, kept from looking through banks that are being loaded.

Law: nothing of a bank is in a cycle: a bank that leaves memory goes at once, collector or not (a test tells).
"""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MANY = 20_000  # objects: looking through so many holds up every other thread for a millisecond or more
LONGEST = 10.0  # seconds that loads which overlap may hold it off


class Collector:
    """The process's own. To be used on one thread, by any number of loads at once."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._loads = 0
        self._was_on = True
        self._off_since = 0.0

    @contextmanager
    def held_off(self) -> Iterator[None]:
        """Make a great many objects that stay, without its looking through them again and again.

        That takes a third of a load's time, and holds up every other thread, for 60 ms at 10,000 nodes. A large load
        ends by taking all there is out of its sight: a cycle that happens to be among it is never collected. (A search
        leaves five small objects in cycles, a refused call fifty: so much for each call that a large load overlaps.)
        """
        if self._loads == 0:
            self._was_on, self._off_since = gc.isenabled(), self._now()
            gc.disable()
        self._loads += 1
        try:
            yield
        finally:
            self._loads -= 1
            self._catch_up()

    def _catch_up(self) -> None:
        if self._loads and self._now() - self._off_since > LONGEST:
            gc.collect()  # one load after another: it would never have its turn
            gc.freeze()
            self._off_since = self._now()
        if self._loads == 0:
            if gc.get_count()[0] > MANY:
                gc.freeze()
            if self._was_on:
                gc.enable()
