"""The end of standard input as the end of the program that holds its other end, however that ended.

Law: reads, and keeps nothing of what comes in.
"""

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress

STDIN = 0


def at_end_of_input(act: Callable[[], object], source: int = STDIN) -> None:
    """Acts, in a thread of its own, when nothing can come in any more."""

    def wait() -> None:
        with suppress(OSError):  # one that cannot be read has ended
            while _goes_on(source):
                pass
        with suppress(RuntimeError):  # the loop closed before: the process ends anyway
            act()

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def _goes_on(source: int) -> bool:
    """Whether more may come in, found by reading what there is. Raises OSError."""
    try:
        return bool(os.read(source, 65_536))
    except BlockingIOError:  # nothing yet, of one that does not wait
        select.select([source], [], [])
        return True
