"""StoreFact: a fact is durable and found at once, then judged against the nearest facts."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from core.ids import RecordId
from core.keys import CollectionKey
from core.model.record import Record, RecordState
from core.ports.aggregates import CommitResult
from core.usecases.long_term.answers import (
    RecordsKept,
    StoredRecords,
    read_back,
    records_of,
    superseded_by,
    told,
)
from core.usecases.long_term.judging.judge_facts import judge_fact
from core.usecases.long_term.ports import FactPorts
from core.usecases.long_term.verbs.add_record import AddRecord, store
from core.usecases.ports import HasCollections


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFact:
    """`wait`: the answer comes when the fact has been judged, or at `until`, by the loop's clock: the fact is stored
    then, and judged later."""

    adding: AddRecord
    wait: bool = False
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStored:
    """`superseded_ids` are those that the call named; of one that waited also what judging came to, as
    `contested_ids`."""

    kept: RecordsKept
    superseded_ids: tuple[RecordId, ...] = ()
    contested_ids: tuple[RecordId, ...] = ()


async def store_fact(ports: FactPorts, command: StoreFact) -> FactStored:
    """Raises what AddRecord raises, and, where it waits, AgentUnavailable, AgentReplyInvalid, EmbedderUnavailable: the
    fact is stored then all the same."""
    key = command.adding.key
    committed = await store(ports, command.adding)
    if not command.wait or committed.result.awaits_review or committed.result.forgotten:
        return FactStored(
            kept=await read_back(ports, key, committed),
            superseded_ids=_superseded_at_once(command, committed),
        )
    (record_id,) = committed.result.record_ids
    judged = await _judgement(ports, key, record_id, committed) if committed.replayed else None
    if judged is None:
        await _judge_in_time(ports, key, record_id, command.until)
        judged = await _judgement(ports, key, record_id, committed) or {}
    record = judged.get(record_id)
    contested = record.contested_with if record and record.state is RecordState.CONTESTED else ()
    superseded = {
        *command.adding.supersedes,
        *committed.result.superseded_ids,
        *superseded_by(record_id, judged.values()),
    }
    return FactStored(
        kept=await told(ports, key, committed, {record_id: record} if record else {}),
        superseded_ids=tuple(sorted(superseded)),
        contested_ids=contested,
    )


async def _judge_in_time(
    ports: FactPorts, key: CollectionKey, record_id: RecordId, until: float | None
) -> None:
    try:
        async with asyncio.timeout_at(until) as limit:
            await judge_fact(ports, key, record_id)
    except TimeoutError:
        if not limit.expired():
            raise


def _superseded_at_once(command: StoreFact, committed: CommitResult[StoredRecords]) -> tuple[RecordId, ...]:
    """Returns those whose place it took as it was stored: what waits takes none."""
    kept = committed.result
    return () if kept.awaits_review or kept.forgotten else command.adding.supersedes


async def _judgement(
    ports: HasCollections, key: CollectionKey, record_id: RecordId, committed: CommitResult[StoredRecords]
) -> Mapping[RecordId, Record] | None:
    """Returns the records that the fact's judgement put; all as they stand, where the feed does not tell any more.
    None: it has not been judged."""
    async for change in ports.collections.feed(key, committed.revision):
        put = records_of(change.steps)
        if record_id in put and put[record_id].judged:
            return put
    async with ports.collections.reading(key) as collection:
        standing = collection.records.get(record_id)
        return dict(collection.records) if standing is None or standing.judged else None
