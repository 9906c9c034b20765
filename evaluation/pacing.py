"""How long things take, and word of long work now and then.

Law: says that something began always, how far it is at most every few seconds.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

SECONDS = 5.0

Say = Callable[[str], None]


def silent(_: str) -> None:
    """Says nothing."""


class Progress:
    """Tells one listener. `now`: seconds of a clock that never goes back."""

    def __init__(self, say: Say = silent, *, now: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._now = now
        self._last = now()

    def began(self, what: str) -> None:
        """Reports at once that a stretch of work begins."""
        self._last = self._now()
        self._say(what)

    def so_far(self, what: str, done: int, of: int) -> None:
        """Reports how far it is, if nothing was reported for SECONDS."""
        if self._now() - self._last >= SECONDS:
            self._last = self._now()
            self._say(f"{what}: {done} of {of}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """Seconds by the clock, and of the process's processor time: on a busy machine the clock tells of the others."""

    seconds: float
    processor: float

    def __add__(self, other: "Took") -> "Took":
        return Took(seconds=self.seconds + other.seconds, processor=self.processor + other.processor)


class Stopwatch:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._seconds, self._processor = time.perf_counter(), time.process_time()

    def took(self) -> Took:
        return Took(
            seconds=time.perf_counter() - self._seconds, processor=time.process_time() - self._processor
        )
