"""Word of long work, now and then.

Law: says that something began always, how far it is at most every few seconds.
"""

import time
from collections.abc import Callable

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
        """A stretch of work begins: said at once."""
        self._last = self._now()
        self._say(what)

    def so_far(self, what: str, done: int, of: int) -> None:
        """How far it is: said if nothing was for SECONDS."""
        if self._now() - self._last >= SECONDS:
            self._last = self._now()
            self._say(f"{what}: {done} of {of}")
