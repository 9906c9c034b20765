"""StoreFact: a fact is durable and found at once, then judged against the nearest facts."""

from dataclasses import dataclass

from core.ids import RecordId
from core.model.record import RecordState
from core.usecases.house import House
from core.usecases.long_term.add_record import AddRecord, store
from core.usecases.long_term.answers import RecordsKept, read_back
from core.usecases.long_term.judge_facts import judge_facts


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFact:
    """`wait`: the answer comes when the fact has been judged."""

    adding: AddRecord
    wait: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStored:
    """`superseded_ids` are those that the call named; of one that waited also what judging came to, as
    `contested_ids`."""

    kept: RecordsKept
    superseded_ids: tuple[RecordId, ...] = ()
    contested_ids: tuple[RecordId, ...] = ()


async def store_fact(house: House, command: StoreFact) -> FactStored:
    """Raises what AddRecord raises, and, where it waits, AgentUnavailable, AgentReplyInvalid, EmbedderUnavailable: the
    fact is stored then all the same."""
    key = command.adding.key
    committed = await store(house, command.adding)
    if not command.wait:
        return FactStored(
            kept=await read_back(house, key, committed), superseded_ids=command.adding.supersedes
        )
    await judge_facts(house, key)
    (record_id,) = committed.result.record_ids
    async with house.collections.reading(key) as collection:
        superseded = [r.record_id for r in collection.records.values() if r.superseded_by == record_id]
        record = collection.records.get(record_id)
    contested = record.contested_with if record and record.state is RecordState.CONTESTED else ()
    return FactStored(
        kept=await read_back(house, key, committed),
        superseded_ids=tuple(sorted(superseded)),
        contested_ids=contested,
    )
