"""A server killed the moment that its database shows something: what a power cut between two steps leaves."""

import contextlib
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from service.assembly.stores import DATABASE


@contextlib.contextmanager
def killed_when(pid: int, folder: Path, shows: str, given: Sequence[str]) -> Iterator[threading.Event]:
    """Kills the process, from a thread that does nothing else, when the query finds a row; says when."""
    killed, over = threading.Event(), threading.Event()

    def watch() -> None:
        with contextlib.closing(read_only(folder)) as database:
            while not over.wait(0.0005):
                if database.execute(shows, given).fetchone():
                    os.kill(pid, signal.SIGKILL)
                    killed.set()
                    break

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield killed
    finally:
        over.set()
        watching.join()


def read_only(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{folder / DATABASE}?mode=ro", uri=True)
