"""The chore that makes vectors of records' texts."""

from collections.abc import Iterable

from core.errors import CollectionNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.steps import RECORDS
from core.long_term.texts import embedded
from core.usecases.long_term.ports import RecordPorts

BATCH = 32  # records to a store write


async def embed_records(
    ports: RecordPorts, key: CollectionKey, only: Iterable[RecordId] | None = None
) -> None:
    """Embeds what has no vector, or of these `only`. Raises EmbedderUnavailable, StoreUnavailable.

    A record whose words changed as they were embedded is embedded again: it is dropped from the index, and wanting.
    """
    while True:
        try:
            async with ports.collections.reading(key) as collection:
                uid = collection.uid
                wanting = collection.wanting
                batch = [each for each in (wanting if only is None else only) if each in wanting][:BATCH]
                texts = [embedded(collection.records[record_id]) for record_id in batch]
        except CollectionNotFound:
            return
        if not batch:
            return
        rows = await ports.embedder.embed_passages(texts)
        made = dict(zip(batch, rows, strict=True))
        async with ports.collections.reading(key) as collection:
            records = collection.records
            standing = {
                record_id: vector
                for (record_id, vector), text in zip(made.items(), texts, strict=True)
                if record_id in records and embedded(records[record_id]) == text
            }
        await ports.collections.keep_vectors(key, uid, RECORDS.name, standing)
