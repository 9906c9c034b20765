"""Metadata of records that stands apart: read from the store, a few at a time."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.steps import METADATA
from core.model.record import Record
from core.usecases.ports import HasCollections

AT_ONCE = 8  # records, each of which may have a megabyte


async def metadata_apart(
    ports: HasCollections, key: CollectionKey, uid: str, records: Sequence[Record]
) -> AsyncIterator[tuple[RecordId, str]]:
    """Yields the metadata of those records whose own is a head; nothing of one that is gone by then."""
    names = [record.record_id for record in records if record.metadata_bytes]
    for start in range(0, len(names), AT_ONCE):
        values = await ports.collections.values(key, uid, METADATA.name, names[start : start + AT_ONCE])
        for name, value in values.items():
            yield RecordId(name), value.metadata_json


async def whole(
    ports: HasCollections, key: CollectionKey, uid: str, records: Sequence[Record]
) -> list[Record]:
    """Returns the records with their metadata, as they were written."""
    found = {record_id: text async for record_id, text in metadata_apart(ports, key, uid, records)}
    return [
        replace(each, metadata_json=found[each.record_id], metadata_bytes=0)
        if each.record_id in found
        else each
        for each in records
    ]
