"""GetRecord: one record, while it lasts."""

from dataclasses import dataclass

from core.errors import RecordNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.usecases.long_term.answers import RecordWithUses
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking
from core.usecases.long_term.record_metadata import whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRecord:
    key: CollectionKey
    record_id: RecordId
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSeen:
    seen: RecordWithUses
    revision: int


async def get_record(ports: CollectionPorts, command: GetRecord) -> RecordSeen:
    """Raises RecordNotFound, InvalidField, CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        (record,) = opened.collection.named((command.record_id,), "record_id")
        if not opened.lasts(record):
            raise RecordNotFound(command.record_id)
        uses = opened.collection.uses.get(record.record_id)
        uid, revision = opened.collection.uid, opened.collection.revision
    (record,) = await whole(ports, command.key, uid, [record])
    return RecordSeen(
        seen=RecordWithUses(record_id=record.record_id, record=record, uses=uses), revision=revision
    )
