"""Whether what was said in a conversation may be told from memory again: not what was deleted, replaced or retracted.

Law: pure. A turn stays where it was said; this says what other conversations hear of it.
"""

from collections.abc import Sequence
from datetime import datetime

from core.long_term.collection import Collection
from core.long_term.forgetting import is_forgotten
from core.long_term.texts import normalised, quoted, statement, unnamed
from core.model.record import Record


def is_withdrawn(collection: Collection, said: Sequence[str], time: datetime) -> bool:
    """Whether one of these sentences, said at a time, told what the collection is no longer to tell."""
    stones, salt = collection.tombstones.values(), collection.record.salt
    return any(
        any(time <= (record.valid_until or record.update_time) for record in collection.replaced(sentence))
        or is_forgotten(_forms(sentence), time, stones, salt)
        for sentence in said
    ) or _is_retracted(collection, said)


def _is_retracted(collection: Collection, said: Sequence[str]) -> bool:
    if not collection.held:
        return False
    gone = {_core(held.record) for held in collection.held.values() if held.record and held.after is None}
    return not gone.isdisjoint(map(normalised, said))


def _forms(sentence: str) -> tuple[str, ...]:
    """Returns a sentence as it was said, and as an earlier version's tombstone has it."""
    return sentence, quoted(sentence, unnamed(sentence), ())


def _core(record: Record) -> str:
    return normalised(statement(record))
