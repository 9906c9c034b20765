"""Hits of clusters that are counted and not written yet, and the keys that prompts showed.

Law: counting is nothing that a reader waits for. A crash loses what one interval counted; replicas' counts add up. The
same question counts once while it is among the latest of its conversation: an agent that asks again learns nothing.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

from core.keys import ConversationKey

LATEST = 64  # questions of a conversation that are known again
CONVERSATIONS = 1_000  # whose questions are known; of more the one asked longest ago goes

Place = tuple[ConversationKey, str]
"""A conversation, and which one of that name."""


@dataclass(slots=True)
class Waiting:
    """How many questions used which clusters of one conversation, the steps that answered them best, and the keys that
    were shown."""

    last: datetime
    counts: Counter[frozenset[str]] = field(default_factory=Counter)
    answers: list[int] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)


class HitCounts:
    """Hits by conversation, until they are taken to be written."""

    def __init__(self) -> None:
        self._waiting: dict[Place, Waiting] = {}
        self._asked: OrderedDict[Place, deque[bytes]] = OrderedDict()

    def is_new(self, key: ConversationKey, uid: str, question: str) -> bool:
        """Notes a question, whatever its case and spaces; returns whether it is none of the latest."""
        digest = blake2b(" ".join(question.casefold().split()).encode(), digest_size=8).digest()
        asked = self._asked.setdefault((key, uid), deque(maxlen=LATEST))
        self._asked.move_to_end((key, uid))
        if len(self._asked) > CONVERSATIONS:
            self._asked.popitem(last=False)
        if digest in asked:
            return False
        asked.append(digest)
        return True

    def add(
        self, key: ConversationKey, uid: str, clusters: Iterable[str], answer: int, now: datetime
    ) -> None:
        """Counts a question that used clusters. `answer`: the step of the turn that answers it best."""
        waiting = self._of(key, uid, now)
        waiting.counts[frozenset(clusters)] += 1
        waiting.answers.append(answer)

    def show(self, key: ConversationKey, uid: str, keys: Iterable[str], now: datetime) -> None:
        """Notes that a prompt showed these keys."""
        self._of(key, uid, now).keys.update(keys)

    def take(self) -> Mapping[Place, Waiting]:
        """Returns what waits, and lets go of it."""
        taken, self._waiting = self._waiting, {}
        return taken

    def _of(self, key: ConversationKey, uid: str, now: datetime) -> Waiting:
        waiting = self._waiting.setdefault((key, uid), Waiting(last=now))
        waiting.last = now
        return waiting
