"""Whether what was said in a conversation may be told from memory again: not what was deleted, replaced or retracted.

Law: pure. A turn stays where it was said; this says what other conversations hear of it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from core.long_term.collection import Collection
from core.long_term.forgetting import is_forgotten
from core.long_term.texts import normalised, quoted, statement, unnamed
from core.model.record import Record
from core.text import sentences


class Sentence(NamedTuple):
    """A sentence as it was said, and as it compares with others."""

    text: str
    plain: str


def sentences_of(texts: Iterable[str]) -> tuple[Sentence, ...]:
    """Returns the sentences of some texts, in order."""
    return tuple(Sentence(each, normalised(each)) for text in texts for each in sentences.split(text))


class Withdrawals:
    """What a collection is no longer to tell. To be used before its next change."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._stones = [stone for stone in collection.tombstones.values() if not stone.source_hash]
        held = (each for each in collection.held.values() if each.record and each.after is None)
        self._retracted = {_core(each.record) for each in held if each.record}

    @property
    def is_nothing(self) -> bool:
        """Whether it may tell all that it was ever told: no sentence has to be looked at."""
        return not (self._stones or self._retracted or self._collection.has_replaced)

    def has_any(self, said: Sequence[Sentence], time: datetime) -> bool:
        """Whether one of these sentences, said at a time, told any of it."""
        if any(each.plain in self._retracted or self._is_replaced(each, time) for each in said):
            return True
        stones = [stone for stone in self._stones if time <= stone.time]
        salt = self._collection.record.salt
        return bool(stones) and any(is_forgotten(_forms(each.text), time, stones, salt) for each in said)

    def _is_replaced(self, sentence: Sentence, time: datetime) -> bool:
        replaced = self._collection.replaced(sentence.plain)
        return any(time <= (record.valid_until or record.update_time) for record in replaced)


def _forms(sentence: str) -> tuple[str, ...]:
    """Returns a sentence as it was said, and as an earlier version's tombstone has it."""
    return sentence, quoted(sentence, unnamed(sentence), ())


def _core(record: Record) -> str:
    return normalised(statement(record))
