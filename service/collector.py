"""Python's collector of cycles, kept from looking through banks that are being loaded.

Law: nothing of a bank is in a cycle: a bank that leaves memory goes at once, collector or not (a test tells).
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 20_000  # objects: looking through so many holds up every other thread for a millisecond or more


class Collector:
    """The process's own. To be used on one thread, by any number of loads at once."""

    def __init__(self) -> None:
        self._loads = 0
        self._was_on = True

    @contextmanager
    def held_off(self) -> Iterator[None]:
        """Make a great many objects that stay, without its looking through them again and again.

        That takes a third of a load's time, and holds up every other thread, for 60 ms at 10,000 nodes. A large load
        ends by taking all there is out of its sight: a cycle that happens to be among it is never collected.
        """
        if self._loads == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._loads += 1
        try:
            yield
        finally:
            self._loads -= 1
            if self._loads == 0:
                if gc.get_count()[0] > MANY:
                    gc.freeze()
                if self._was_on:
                    gc.enable()
