"""What language models cost each user: counted in memory, and written down now and then.

Law: no work waits for it. It is counted as models answer, whatever becomes of the answers, so a failure's cost is in
it; a crash loses the counts of some seconds, and counts of several processes add up.
"""

from collections import Counter
from collections.abc import Mapping

from core.keys import CollectionKey, ConversationKey, InvocationKey, Key, UserKey


class TokenCounts:
    """Tokens by user since they were last written."""

    def __init__(self) -> None:
        self._waiting: Counter[UserKey] = Counter()

    def add(self, user: UserKey, tokens: int) -> None:
        if tokens:
            self._waiting[user] += tokens

    def of(self, user: UserKey) -> int:
        """Returns what waits to be written."""
        return self._waiting[user]

    def take(self) -> Mapping[UserKey, int]:
        """Returns what waits, and lets go of it."""
        taken, self._waiting = self._waiting, Counter()
        return taken


def owner_of(key: Key) -> UserKey | None:
    """Returns whose tokens work on this is counted among; of a bank only its record tells."""
    if isinstance(key, ConversationKey | CollectionKey | InvocationKey):
        return UserKey(tenant=key.tenant, user=key.user)
    return None
