"""The revisions that a client has seen, so that it reads its own writes whichever replica answers."""

from collections import OrderedDict
from threading import Lock


class Revisions:
    """The highest revision seen of each bank or other memory, of the `most` seen last. Safe between threads."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._seen: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def of(self, subject: str) -> int | None:
        with self._lock:
            return self._seen.get(subject)

    def saw(self, subject: str, revision: int) -> None:
        with self._lock:
            self._seen[subject] = max(revision, self._seen.get(subject, 0))
            self._seen.move_to_end(subject)
            if len(self._seen) > self._most:
                self._seen.popitem(last=False)

    def forget(self, subject: str) -> None:
        with self._lock:
            self._seen.pop(subject, None)
