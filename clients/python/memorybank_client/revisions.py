"""The revisions that a client has seen, so that it reads its own writes whichever replica answers."""

from collections import OrderedDict
from threading import Lock


class Revisions:
    """The highest revision seen of each bank, of the `most` banks seen last. Safe between threads."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._seen: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def of(self, bank_id: str) -> int | None:
        with self._lock:
            return self._seen.get(bank_id)

    def saw(self, bank_id: str, revision: int) -> None:
        with self._lock:
            self._seen[bank_id] = max(revision, self._seen.get(bank_id, 0))
            self._seen.move_to_end(bank_id)
            if len(self._seen) > self._most:
                self._seen.popitem(last=False)

    def forget(self, bank_id: str) -> None:
        with self._lock:
            self._seen.pop(bank_id, None)
