"""ReportOutcome: whether reusing records helped."""

from dataclasses import dataclass

from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.steps import RecordPut
from core.long_term.worth import with_outcome
from core.ports.aggregates import RequestKey
from core.usecases.house import House
from core.usecases.long_term.answers import Kept, RecordsKept, kept_of, read_back
from core.usecases.long_term.writing import Edit, edit


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOutcome:
    key: CollectionKey
    record_ids: tuple[RecordId, ...]
    succeeded: bool
    request: RequestKey | None = None


async def report_outcome(house: House, command: ReportOutcome) -> RecordsKept:
    """Raises RecordNotFound, CollectionNotFound, MemoryOff, RequestIdReused."""

    def compose(collection: Collection, _revision: int) -> Edit[Kept]:
        records = [collection.stored(record_id) for record_id in command.record_ids]
        changed = [with_outcome(record, command.succeeded, house.long_term) for record in records]
        return Edit(
            result=kept_of(collection, command.record_ids),
            steps=tuple(RecordPut(record=record) for record in changed),
            touches=frozenset(f"record:{record_id}" for record_id in command.record_ids),
        )

    return await read_back(house, command.key, await edit(house, command.key, compose, command.request, Kept))
