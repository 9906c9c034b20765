"""The revisions that a client has seen, so that it reads its own writes whichever replica answers.

Law: what one API key has seen is asked for by no other: the same name may be another tenant's memory.
"""

from collections import OrderedDict
from copy import copy
from threading import Lock
from typing import Self


class Revisions:
    """The highest revision seen of each bank or other memory, of the `most` seen last, by whatever key. Safe between
    threads."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._key = ""  # that of the calls; empty: none
        self._seen: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._lock = Lock()

    def by(self, key: str) -> Self:
        """Returns what calls with this API key have seen."""
        made = copy(self)
        made._key = key
        return made

    def of(self, subject: str) -> int | None:
        with self._lock:
            return self._seen.get((self._key, subject))

    def saw(self, subject: str, revision: int) -> None:
        with self._lock:
            held = self._key, subject
            self._seen[held] = max(revision, self._seen.get(held, 0))
            self._seen.move_to_end(held)
            if len(self._seen) > self._most:
                self._seen.popitem(last=False)

    def forget(self, subject: str) -> None:
        with self._lock:
            self._seen.pop((self._key, subject), None)
