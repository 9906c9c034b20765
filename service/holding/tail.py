"""The last changes of an aggregate that is watched: every watcher reads them here, and waits here for the next.

Law: what is not here is in the store's feed. Without a watcher nothing is kept.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

from core.aggregate.change import Change

KEPT = 256  # changes
KEPT_TEXT = 1_000_000  # characters of new text in them; the newest change is kept in any case


class Tail:
    """The newest changes, gapless, and an event that the next one sets."""

    def __init__(self) -> None:
        self._changes: deque[tuple[Change[Any], int]] = deque()
        self._text = 0
        self._watchers = 0
        self._moved: asyncio.Event | None = None

    @property
    def moved(self) -> asyncio.Event:
        """Set by the next change, by a restart, and when the aggregate leaves memory."""
        if self._moved is None:
            self._moved = asyncio.Event()
        return self._moved

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Changes are kept while the context lasts."""
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers:
                self._clear()

    @property
    def watchers(self) -> int:
        return self._watchers

    def append(self, change: Change[Any], text_length: int) -> None:
        """Appends a change that has become visible."""
        self._changes.append((replace(change, requests=()), text_length))
        self._text += text_length
        while len(self._changes) > KEPT or (self._text > KEPT_TEXT and len(self._changes) > 1):
            self._text -= self._changes.popleft()[1]
        self._announce()

    def restart(self) -> None:
        """Forgets what is kept: the aggregate was loaded anew, and there may be changes between that and what comes."""
        self._clear()
        self._announce()

    def end(self) -> None:
        """Ends all streams: the aggregate leaves memory."""
        self._announce()

    def after(self, revision: int) -> Sequence[Change[Any]] | None:
        """Returns the changes after a revision, oldest first; None if they are not all here."""
        if not self._changes:
            return None
        first = self._changes[0][0].revision
        if revision < first - 1:
            return None
        return [change for change, _ in islice(self._changes, revision - first + 1, None)]

    def _clear(self) -> None:
        self._changes.clear()
        self._text = 0

    def _announce(self) -> None:
        if self._moved is not None:
            self._moved.set()
            self._moved = None
