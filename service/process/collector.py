"""Python's cycle collector, kept from traversing banks.

Law: nothing of a bank is in a cycle: a bank that leaves memory goes, collector or not (a test proves it). So what stays
of a bank is frozen, and no collection traverses more than came since the last.
"""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MANY = 20_000  # objects: traversing so many holds up every other thread for a millisecond or more
OLDEST = 2  # the generation of what outlives collections
LEFT = 5_000  # objects that a full collection leaves, at the least, if they are to be frozen
BRIEF = (700, 5, 0)  # thresholds by which a full collection comes after some 8,000 new objects that stay
OBJECTS = 3  # that the collector tracks, at the least, for each node or segment
LONGEST = 1.0  # seconds that loads which overlap may hold it off
AT_LATEST = 6 * 3_600.0  # seconds after which all is traversed however busy the process is


@contextmanager
def brief_collections() -> Iterator[None]:
    """Makes full collections frequent and short: a millisecond or two each.

    Python's own are rare, and traverse everything: beside a bank that was being filled they took 65 ms at 40,000
    nodes, for which every call had to wait. Where many objects outlive a collection they are banks, and are frozen. A
    frozen cycle that is lost later is collected when the process is idle (`look_again`). Where nothing grows, nothing
    is frozen.
    """

    def noticed(phase: str, found: dict[str, int]) -> None:
        if phase == "stop" and found["generation"] == OLDEST and _left() > LEFT:
            _freeze()

    before = gc.get_threshold()
    gc.collect()
    gc.freeze()  # what is loaded by now stays; all was traversed just now, which calls for no other look
    gc.set_threshold(*BRIEF)
    gc.callbacks.append(noticed)
    try:
        yield
    finally:
        gc.callbacks.remove(noticed)
        gc.set_threshold(*before)


def _left() -> int:
    """Returns how many objects a full collection has just left.

    Counted in one step of the interpreter. A list of them that outlived the step would be one more reference to each
    while other threads go on: a tuple that one of them is making, of a generator, is then refused (SystemError).
    """
    return next(map(len, map(gc.get_objects, (OLDEST,))))


@dataclass(slots=True)
class _Freezes:
    """How often the process has frozen its objects."""

    times: int = 0


_freezes = _Freezes()


def _freeze() -> None:
    """Freezes all objects.

    Counted here: the number of frozen objects tells nothing, as what a freeze finds in passing is soon gone.
    """
    gc.freeze()
    _freezes.times += 1


@dataclass(slots=True)
class LoadSize:
    """How much a load has made: `items` are nodes and segments."""

    items: int = 0


class Collector:
    """The process's own. To be used on one thread, by any number of loads at once."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._loads = 0
        self._items = 0  # made by loads since the last freeze
        self._was_on = True
        self._off_since = 0.0
        self._freezes = _freezes.times  # of the process by the time all objects were last traversed
        self._looked = now()

    def look_again(self, *, is_idle: bool) -> bool:
        """Collects among frozen objects, too, if more were frozen since the last time. Returns whether it did.

        It takes 0.2 µs an object, for which the whole process stands still: so only when idle, or after AT_LATEST.
        """
        if self._loads or not (is_idle or self._now() - self._looked > AT_LATEST):
            return False
        if self._freezes == _freezes.times:
            return False
        gc.unfreeze()
        gc.collect()
        _freeze()
        self._freezes, self._looked = _freezes.times, self._now()
        return True

    @contextmanager
    def held_off(self) -> Iterator[LoadSize]:
        """Switches collections off while a load makes a great many objects that stay.

        Repeated collections take a third of a load's time, and hold up every other thread, for 60 ms at 10,000 nodes.
        A large load ends by freezing all objects: a cycle among them waits for `look_again`. (A search leaves five
        small objects in cycles, a refused call fifty: so much for each call that a large load overlaps.)
        The loader reports how much it loads: Python's own count also includes what other banks release meanwhile.
        """
        if self._loads == 0:
            self._was_on, self._off_since = gc.isenabled(), self._now()
            gc.disable()
        self._loads += 1
        load = LoadSize()
        try:
            yield load
        finally:
            self._loads -= 1
            self._items += load.items
            self._catch_up()

    def _catch_up(self) -> None:
        if self._loads and self._now() - self._off_since > LONGEST:
            gc.collect()  # one load after another: it would never have its turn
            _freeze()
            self._items = 0
            self._off_since = self._now()
        if self._loads == 0:
            if OBJECTS * self._items > MANY or gc.get_count()[0] > MANY:
                _freeze()
            self._items = 0
            if self._was_on:
                gc.enable()
