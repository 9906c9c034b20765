"""The key tier: what always stands before a model has a bound of its own.

Law: pure. Keys of the user come first: those of the system have only the room that these leave, and never more than
so many; the longest unhit makes way for a new one.
"""

from collections.abc import Iterable

from core.conversation.conversation import Conversation
from core.errors import LimitReached
from core.model.conversation import KeyMemory, KeyType
from core.text.tokens import estimate

ROOM = 280  # tokens that a key of the system may take: 200 wide characters


def require_room(conversation: Conversation, key: KeyMemory) -> None:
    """Raises LimitReached where the keys of the user, this one among them, are more than there may be."""
    others = [k for k in conversation.keys_in_order(KeyType.USER) if k.key_id != key.key_id]
    most = conversation.tiers.key_tokens
    if tokens([*others, key]) > most:
        raise LimitReached("key_tokens", most, "delete or shorten keys of this conversation")


def has_room(conversation: Conversation) -> bool:
    """Whether a key of the system has room beside those of the user."""
    taken = tokens(conversation.keys_in_order(KeyType.USER))
    return conversation.tiers.system_keys > 0 and taken + ROOM <= conversation.tiers.key_tokens


def displaced(conversation: Conversation, key: KeyMemory) -> list[KeyMemory]:
    """Returns the keys of the system that make way for a new one: those of the clusters longest without a hit."""
    others = [k for k in longest_unhit(conversation) if k.key_id != key.key_id]
    users = conversation.keys_in_order(KeyType.USER)
    gone: list[KeyMemory] = []
    while others and (
        len(others) >= conversation.tiers.system_keys
        or tokens([*users, *others, key]) > conversation.tiers.key_tokens
    ):
        gone.append(others.pop(0))
    return gone


def longest_unhit(conversation: Conversation) -> list[KeyMemory]:
    """Returns the keys of the system, those of the clusters longest without a hit first."""
    found = conversation.keys_in_order(KeyType.SYSTEM)
    return sorted(found, key=lambda k: (_last_hit(conversation, k), k.key_id))


def tokens(keys: Iterable[KeyMemory]) -> int:
    return sum(estimate(key.text) for key in keys)


def _last_hit(conversation: Conversation, key: KeyMemory) -> float:
    hits = conversation.hits.get(key.cluster_id)
    return (hits.last_hit_time if hits else key.create_time).timestamp()
