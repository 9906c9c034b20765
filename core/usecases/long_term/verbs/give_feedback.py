"""GiveFeedback: a user's opinion on records moves their reward and confidence, and is kept for preference pairs."""

from dataclasses import dataclass, replace

from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.credit import credited, shares
from core.long_term.steps import FeedbackDrop, FeedbackPut, RecordPut, Step
from core.long_term.worth import with_feedback
from core.model.collection import Feedback
from core.ports.aggregates import RequestKey
from core.usecases.long_term.answers import RecordsKept, StoredRecords, kept_of, read_back
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.writing import Edit, edit
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveFeedback:
    """`value`: the opinion, from −1 to 1. `by_citation`: the records that the response cites share it."""

    key: CollectionKey
    record_ids: tuple[RecordId, ...]
    value: float
    reason: str = ""
    query: str = ""
    response: str = ""
    by_citation: bool = False
    request: RequestKey | None = None


async def give_feedback(ports: CollectionPorts, command: GiveFeedback) -> RecordsKept:
    """Raises RecordNotFound, InvalidField, CollectionNotFound, MemoryOff, RequestIdReused."""
    feedback = Feedback(
        feedback_id=ports.ids.new("f"),
        record_ids=command.record_ids,
        value=command.value,
        time=ports.clock.now(),
        reason=command.reason,
        query=command.query,
        response=command.response,
    )

    def compose(collection: Collection, _revision: int) -> Edit[StoredRecords]:
        records = collection.named(command.record_ids, "record_ids")
        record_ids = tuple(record.record_id for record in records)
        parts = shares(record_ids, command.response) if command.by_citation else [1.0] * len(records)
        steps: list[Step] = [
            RecordPut(
                record=credited(record, with_feedback(record, command.value, ports.settings.long_term), share)
            )
            for record, share in zip(records, parts, strict=True)
        ]
        steps.append(FeedbackPut(feedback=replace(feedback, record_ids=record_ids)))
        dropped = _oldest(collection, ports.settings.limits.feedback_per_collection - 1)
        return Edit(
            result=replace(kept_of(collection, record_ids), shares=tuple(parts)),
            steps=(*steps, *dropped),
            touches=frozenset({"feedback", *(f"record:{record_id}" for record_id in record_ids)}),
            erase=bool(dropped),
        )

    permission = await permission_to_write(ports, command.key)
    committed = await edit(ports, command.key, compose, command.request, StoredRecords, permission)
    return await read_back(ports, command.key, committed)


def _oldest(collection: Collection, room: int) -> list[FeedbackDrop]:
    """Drops of the oldest, so that so many are left at most. Ids sort by time of making."""
    over = len(collection.feedback) - room
    return [FeedbackDrop(feedback_id=i) for i in sorted(collection.feedback)[: max(0, over)]]
