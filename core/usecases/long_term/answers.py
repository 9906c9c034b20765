"""What writing calls answer: ids and counts are kept for repetitions, contents are read back by them.

Law: no words of a record stand in a request's kept answer, so that deleting it deletes them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import CollectionNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.model.record import Record, Uses
from core.ports.aggregates import Committed
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A record, and how often it was used. One that is gone has no record."""

    record_id: RecordId
    record: Record | None
    uses: Uses | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Which records a call stored or changed. `known`: the first was there. `forgotten`: none was stored on purpose."""

    record_ids: tuple[RecordId, ...]
    known: bool = False
    forgotten: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsKept:
    records: tuple[Seen, ...]
    kept: Kept
    revision: int
    replayed: bool


async def read_back(house: House, key: CollectionKey, committed: Committed[Kept]) -> RecordsKept:
    """Returns the records as they stand now."""
    seen = await seen_of(house, key, committed.result.record_ids)
    return RecordsKept(
        records=seen, kept=committed.result, revision=committed.revision, replayed=committed.replayed
    )


async def seen_of(house: House, key: CollectionKey, ids: Sequence[RecordId]) -> tuple[Seen, ...]:
    """Returns the records of these ids, in their order."""
    try:
        async with house.collections.reading(key) as collection:
            return tuple(
                Seen(record_id=i, record=collection.records.get(i), uses=collection.uses.get(i)) for i in ids
            )
    except CollectionNotFound:  # purged meanwhile
        return tuple(Seen(record_id=i, record=None) for i in ids)
