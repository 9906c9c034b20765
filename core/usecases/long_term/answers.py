"""What writing calls answer: ids and counts are kept for repetitions, records are read back from the change feed.

Law: no words of a record stand in a request's kept answer, so that deleting it deletes them all. The feed has the
records as the call left them, until content is erased from the collection; then they are read as they stand.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import CollectionNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.steps import ProposalPut, RecordPut
from core.model.record import Record, Uses
from core.ports.aggregates import CommitResult
from core.usecases.ports import HasCollections
from core.usecases.replays import stored_steps


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordWithUses:
    """A record, and how often it was used. One that is gone has no record. `supersedes`: of what waits for a review."""

    record_id: RecordId
    record: Record | None
    uses: Uses | None = None
    supersedes: tuple[RecordId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecords:
    """Which records a call stored or changed. `known`: the first was there. `forgotten`: none was stored on purpose.
    `uses`: how often each was used by then, and `superseded_ids`: whose place the first had taken; both are missing in
    answers that were kept before they were told. `shares`: of an opinion or an outcome, what each had of it.
    `awaits_review`: the first waits, and is no record yet."""

    record_ids: tuple[RecordId, ...]
    known: bool = False
    forgotten: bool = False
    uses: tuple[Uses | None, ...] = ()
    superseded_ids: tuple[RecordId, ...] = ()
    shares: tuple[float, ...] = ()
    awaits_review: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsKept:
    records: tuple[RecordWithUses, ...]
    kept: StoredRecords
    revision: int
    replayed: bool


def kept_of(collection: Collection, record_ids: Sequence[RecordId], *, known: bool = False) -> StoredRecords:
    """Returns what is kept of an answer about records that are there."""
    return StoredRecords(
        record_ids=tuple(record_ids),
        known=known,
        uses=tuple(collection.uses.get(record_id) for record_id in record_ids),
        superseded_ids=superseded_by(record_ids[0], collection.records.values()) if known else (),
    )


def superseded_by(record_id: RecordId, records: Iterable[Record]) -> tuple[RecordId, ...]:
    return tuple(sorted(each.record_id for each in records if each.superseded_by == record_id))


def records_of(steps: Iterable[Any]) -> Mapping[RecordId, Record]:
    """Returns the records that a change put, or proposed."""
    put = [step.record for step in steps if isinstance(step, RecordPut)]
    put += [step.proposal.record for step in steps if isinstance(step, ProposalPut)]
    return {record.record_id: record for record in put}


async def read_back(
    ports: HasCollections, key: CollectionKey, committed: CommitResult[StoredRecords]
) -> RecordsKept:
    """Returns the records as the call left them."""
    put = records_of(await stored_steps(ports.collections, key, committed))
    return await told(ports, key, committed, put)


async def told(
    ports: HasCollections,
    key: CollectionKey,
    committed: CommitResult[StoredRecords],
    known: Mapping[RecordId, Record],
) -> RecordsKept:
    """Returns the answer with the records that are `known`, and others as they stand."""
    kept = committed.result
    seen = await seen_of(ports, key, kept.record_ids)
    seen = tuple(replace(each, record=known.get(each.record_id, each.record)) for each in seen)
    if kept.uses:
        seen = tuple(replace(each, uses=uses) for each, uses in zip(seen, kept.uses, strict=True))
    return RecordsKept(records=seen, kept=kept, revision=committed.revision, replayed=committed.replayed)


async def seen_of(
    ports: HasCollections, key: CollectionKey, ids: Sequence[RecordId]
) -> tuple[RecordWithUses, ...]:
    """Returns the records of these ids, in their order."""
    try:
        async with ports.collections.reading(key) as collection:
            return tuple(
                RecordWithUses(
                    record_id=i, record=collection.record_or_proposal(i), uses=collection.uses.get(i)
                )
                for i in ids
            )
    except CollectionNotFound:  # purged meanwhile
        return tuple(RecordWithUses(record_id=i, record=None) for i in ids)
