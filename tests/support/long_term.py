"""Scenes of long-term memory: records made short."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from core.ids import Collection, RecordId, Tenant, User
from core.keys import CollectionKey
from core.model.record import NO_RECORD, Origin, Record, RecordKind
from core.usecases.house import House
from core.usecases.long_term.answers import RecordsKept
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.verbs.add_record import AddRecord, add_record
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts, retrieve_facts
from tests.support.house import START

TOLD = START - timedelta(days=10)
"""When records were told, unless they say otherwise."""

ADA = CollectionKey(tenant=Tenant("acme"), user=User("ada"), collection=Collection("work"))


def new(content: str, kind: RecordKind = RecordKind.FACT, **fields: Any) -> Record:
    """A record as it comes, told at TOLD unless it says otherwise."""
    time: datetime = fields.pop("event_time", TOLD)
    made = Record(
        record_id=fields.pop("record_id", NO_RECORD),
        kind=kind,
        category=fields.pop("category", "life"),
        content=content,
        confidence=fields.pop("confidence", 0.8),
        event_time=time,
        create_time=time,
        update_time=time,
        valid_from=time,
    )
    return replace(made, **fields)


async def tell(house: House, content: str, key: CollectionKey = ADA, **fields: Any) -> RecordsKept:
    """Add a record; `kind` FACT unless it says otherwise."""
    return await add_record(house, AddRecord(key=key, record=new(content, **fields)))


async def told(house: House, content: str, key: CollectionKey = ADA, **fields: Any) -> RecordId:
    """Add a fact and have it judged."""
    kept = await tell(house, content, key, **fields)
    await judge_facts(house, key)
    return kept.kept.record_ids[0]


async def stored(house: House, record_id: RecordId, key: CollectionKey = ADA) -> Record:
    async with house.collections.reading(key) as collection:
        return collection.stored(record_id)


async def facts(house: House, query: str, key: CollectionKey = ADA, **fields: Any) -> list[str]:
    found = await retrieve_facts(house, RetrieveFacts(key=key, query=query, **fields))
    return [one.record.content for one, _ in found.found]


OBSERVED, STATED, DISTILLED = Origin.OBSERVED, Origin.STATED, Origin.DISTILLED
