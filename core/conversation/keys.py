"""The key tier: what always stands before a model has a bound of its own.

Law: pure. Keys of the user come first: those of the system have only the room that these leave, and never more than
so many; the longest unhit makes way for a new one.
"""

from collections.abc import Iterable

from core.conversation.conversation import Conversation
from core.conversation.mid import overtaken, ripe
from core.errors import LimitReached
from core.model.conversation import KeyMemory, KeyType, TurnCluster
from core.text.analysis import terms
from core.text.tokens import estimate

ALIKE = 0.8  # of the shorter one's terms that two keys share which say the same
AT_ONCE = 32  # turns that keys are compared with at once
LATER = 200  # turns outside a cluster that may have changed what its key says
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


def to_distil(conversation: Conversation) -> TurnCluster | None:
    """Returns the next cluster whose key is to be made: one that a newer turn joined, or, where there is room, one that
    was recalled often."""
    found = overtaken(conversation)
    if found is None and has_room(conversation):
        found = ripe(conversation)
    return found


def uncompared(conversation: Conversation) -> list[int]:
    """Returns the newest turns that the keys of the system were not compared with, in step order; none where there is
    no such key."""
    if all(key.type is KeyType.USER for key in conversation.keys.values()):
        return []
    newest = conversation.steps[-AT_ONCE:]
    return [step for step in newest if step > conversation.record.compared_to]


def later_elsewhere(conversation: Conversation, cluster: TurnCluster) -> list[int]:
    """Returns the newest turns outside a cluster that came after its first one, in step order."""
    own = frozenset(cluster.steps)
    newest = conversation.steps[-LATER:]
    return [step for step in newest if step > cluster.steps[0] and step not in own]


def says_the_same(one: str, other: str) -> bool:
    """Whether one of two keys says hardly anything that the other does not."""
    mine, others = frozenset(terms(one)), frozenset(terms(other))
    shared = len(mine & others)
    return shared >= ALIKE * max(1, min(len(mine), len(others)))


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
