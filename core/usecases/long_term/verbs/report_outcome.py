"""ReportOutcome: whether reusing records helped."""

from dataclasses import dataclass, replace

from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.credit import credited, shares
from core.long_term.steps import RecordPut
from core.long_term.worth import with_outcome
from core.ports.aggregates import RequestKey
from core.usecases.long_term.answers import RecordsKept, StoredRecords, kept_of, read_back
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.writing import Edit, edit
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOutcome:
    """`by_citation`: the records that the `response` cites share the outcome."""

    key: CollectionKey
    record_ids: tuple[RecordId, ...]
    succeeded: bool
    response: str = ""
    by_citation: bool = False
    request: RequestKey | None = None


async def report_outcome(ports: CollectionPorts, command: ReportOutcome) -> RecordsKept:
    """Raises RecordNotFound, InvalidField, CollectionNotFound, MemoryOff, RequestIdReused."""

    def compose(collection: Collection, _revision: int) -> Edit[StoredRecords]:
        records = collection.named(command.record_ids, "record_ids")
        record_ids = tuple(record.record_id for record in records)
        parts = shares(record_ids, command.response) if command.by_citation else [1.0] * len(records)
        changed = [
            credited(record, with_outcome(record, command.succeeded, ports.settings.long_term), share)
            for record, share in zip(records, parts, strict=True)
        ]
        return Edit(
            result=replace(kept_of(collection, record_ids), shares=tuple(parts)),
            steps=tuple(RecordPut(record=record) for record in changed),
            touches=frozenset(f"record:{record_id}" for record_id in record_ids),
        )

    permission = await permission_to_write(ports, command.key)
    committed = await edit(ports, command.key, compose, command.request, StoredRecords, permission)
    return await read_back(ports, command.key, committed)
