"""Tombstones: what keeps a deleted record from coming back out of older text.

Law: pure. A tombstone holds salted hashes, never words. It speaks against what came to be known no later than the
deletion; a later statement is new. That of a rejected proposal speaks against its source alone, and against these very
words whenever they come.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from core.long_term.texts import normalised
from core.model.collection import Tombstone
from core.model.record import Record, RecordKind
from core.text.analysis import terms

LIKE = 0.8  # of a tombstone's term hashes, found among a candidate's
FEWEST_TERMS = 3  # of a tombstone that speaks against more than its very text
SIZE = 8  # bytes of a hash


def tombstone(record: Record, salt: str, time: datetime) -> Tombstone:
    """Returns what is left of a record that is deleted at `time`."""
    return Tombstone(
        record_id=record.record_id,
        text_hash=_hash(normalised(record.content), salt),
        term_hashes=tuple(sorted(_hashes(record.content, salt))),
        time=time,
    )


def rejection(record: Record, salt: str, time: datetime) -> Tombstone:
    """Returns what is left of a proposal that is rejected at `time`."""
    return replace(tombstone(record, salt, time), source_hash=_hash(_source(record), salt))


def is_rejected(record: Record, tombstones: Iterable[Tombstone], salt: str) -> bool:
    """Whether a record was proposed before by the same source, and rejected."""
    text, source = _hash(normalised(record.content), salt), _hash(_source(record), salt)
    return any(stone.source_hash == source and stone.text_hash == text for stone in tombstones)


def _source(record: Record) -> str:
    """Returns what names the source of a record: its conversation, else what its caller said. An episode is of its
    run."""
    run = record.invocation_id if record.kind is RecordKind.EPISODE else ""
    named = (
        (record.conversation_id,)
        if record.conversation_id
        else ("", record.source, record.agent, record.writer)
    )
    return "\0".join((*named, run))


def is_forgotten(text: str, event_time: datetime, tombstones: Iterable[Tombstone], salt: str) -> bool:
    """Whether a text from that time says what was deleted since."""
    own = _hash(normalised(text), salt)
    words = _hashes(text, salt)
    return any(
        event_time <= stone.time and (stone.text_hash == own or _alike(words, stone.term_hashes))
        for stone in tombstones
        if not stone.source_hash
    )


def _alike(words: frozenset[str], others: tuple[str, ...]) -> bool:
    return len(others) >= FEWEST_TERMS and len(words.intersection(others)) >= LIKE * len(others)


def _hashes(text: str, salt: str) -> frozenset[str]:
    return frozenset(_hash(term, salt) for term in terms(text))


def _hash(text: str, salt: str) -> str:
    return blake2b(text.encode(), key=salt.encode()[:64], digest_size=SIZE).hexdigest()
