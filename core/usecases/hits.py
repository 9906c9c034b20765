"""Hits of clusters that are counted and not written yet.

Law: counting is nothing that a reader waits for. A crash loses what one interval counted; replicas' counts add up.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from core.keys import ConversationKey

Place = tuple[ConversationKey, str]
"""A conversation, and which one of that name."""


@dataclass(slots=True)
class Waiting:
    """The hits of one conversation."""

    last: datetime
    counts: Counter[str] = field(default_factory=Counter)


class HitCounts:
    """Hits by conversation, until they are taken to be written."""

    def __init__(self) -> None:
        self._waiting: dict[Place, Waiting] = {}

    def add(self, key: ConversationKey, uid: str, clusters: Iterable[str], now: datetime) -> None:
        """Counts one hit each."""
        waiting = self._waiting.setdefault((key, uid), Waiting(last=now))
        waiting.counts.update(clusters)
        waiting.last = now

    def take(self) -> Mapping[Place, Waiting]:
        """Returns what waits, and lets go of it."""
        taken, self._waiting = self._waiting, {}
        return taken
