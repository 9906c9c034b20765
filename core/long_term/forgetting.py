"""Tombstones: what keeps a deleted record from coming back out of older text.

Law: pure. A tombstone holds salted hashes, never words: of what was said, without who said it and the dates behind;
those that earlier versions left have these in them. It speaks against what came to be known no later than the
deletion; a later statement is new. That of a rejected proposal speaks against its source alone, and against these very
words whenever they come.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from core.long_term.texts import normalised, statement, told
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
        text_hash=_hash(normalised(statement(record)), salt),
        term_hashes=tuple(sorted(_hashes(statement(record), salt))),
        time=time,
    )


def rejection(record: Record, salt: str, time: datetime) -> Tombstone:
    """Returns what is left of a proposal that is rejected at `time`."""
    return replace(tombstone(record, salt, time), source_hash=_hash(_source(record), salt))


def is_rejected(record: Record, tombstones: Iterable[Tombstone], salt: str) -> bool:
    """Whether a record was proposed before by the same source, and rejected."""
    said = {_hash(normalised(text), salt) for text in (statement(record), told(record))}
    source = _hash(_source(record), salt)
    return any(stone.source_hash == source and stone.text_hash in said for stone in tombstones)


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


def is_forgotten(
    forms: Iterable[str], event_time: datetime, tombstones: Iterable[Tombstone], salt: str
) -> bool:
    """Whether what was said at that time, in any of its forms, is what was deleted since."""
    speaking = [stone for stone in tombstones if event_time <= stone.time and not stone.source_hash]
    if not speaking:
        return False
    texts = list(dict.fromkeys(forms))
    own = {_hash(normalised(text), salt) for text in texts}
    words = [_hashes(text, salt) for text in texts]
    return any(
        stone.text_hash in own or any(_alike(each, stone.term_hashes) for each in words) for stone in speaking
    )


def _alike(words: frozenset[str], others: tuple[str, ...]) -> bool:
    return len(others) >= FEWEST_TERMS and len(words.intersection(others)) >= LIKE * len(others)


def _hashes(text: str, salt: str) -> frozenset[str]:
    return frozenset(_hash(term, salt) for term in terms(text))


def _hash(text: str, salt: str) -> str:
    return blake2b(text.encode(), key=salt.encode()[:64], digest_size=SIZE).hexdigest()
