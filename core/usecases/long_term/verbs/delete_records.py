"""DeleteRecords: records are erased, with their feedback; reflections over them are made anew.

Each leaves a tombstone, so that it does not come back out of older text. What a deleted fact superseded or contested
alone is ACTIVE again; what said the same, and it stood for, goes with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.forgetting import tombstone
from core.long_term.standing import Rewriting
from core.long_term.steps import FeedbackDrop, FeedbackPut, HeldDrop, RecordDrop, Step, TombstoneDrop
from core.long_term.unlearning import Turns, UnlearnResult, unlearn
from core.model.record import Record
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.deletions import tell_deleted
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.ports import DeletionPorts
from core.usecases.long_term.verbs.list_records import ALL, RecordFilter
from core.usecases.long_term.writing import Edit, edit
from core.usecases.ports import HasSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteRecords:
    """Those named, or all that the filter admits."""

    key: CollectionKey
    record_ids: tuple[RecordId, ...] = ()
    filter: RecordFilter = ALL
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsDeleted:
    records: int
    feedback: int
    reflections: int
    revived_ids: tuple[RecordId, ...]


async def delete_records(ports: DeletionPorts, command: DeleteRecords) -> CommitResult[RecordsDeleted]:
    """Deletes records, also where memory is off. Raises RecordNotFound, CollectionNotFound, RequestIdReused."""
    now = ports.clock.now()

    def compose(collection: Collection, _revision: int) -> Edit[RecordsDeleted]:
        if command.record_ids:
            chosen = [collection.stored(record_id) for record_id in command.record_ids]
        else:
            chosen = [r for r in collection.records.values() if command.filter.admits(collection, r)]
        return erasing(ports, collection, chosen, now)

    done = await edit(ports, command.key, compose, command.request, RecordsDeleted, None)
    return await tell_deleted(ports, ports.collections, command.key, done)


def erasing(
    ports: HasSettings, collection: Collection, chosen: Sequence[Record], now: datetime
) -> Edit[RecordsDeleted]:
    """Returns the change that erases records."""
    rewriting = Rewriting(collection, ports.settings.long_term)
    going = {r.record_id: r for one in chosen for r in (one, *rewriting.duplicates(one))}
    rewriting.dropped.update(going)
    revived = [record_id for record in going.values() for record_id in rewriting.withdraw(record)]
    salt = collection.record.salt
    drops = [RecordDrop(record_id=key, tombstone=tombstone(r, salt, now)) for key, r in going.items()]
    feedback = feedback_without(collection, set(going))
    remade = waiting_anew(collection, going.keys(), going.keys())
    room = ports.settings.limits.tombstones_per_collection - len(drops)
    steps = (*drops, *oldest_tombstones(collection, room), *feedback, *remade, *rewriting.steps)
    result = RecordsDeleted(
        records=len(drops),
        feedback=sum(isinstance(step, FeedbackDrop) for step in feedback),
        reflections=len(remade),
        revived_ids=tuple(sorted(key for key in revived if key not in going)),
    )
    return Edit(result=result, steps=steps, sees_all=True, erase=bool(drops))


def drops(
    ports: HasSettings, collection: Collection, turns: Turns, now: datetime, *, marks: bool = True
) -> tuple[tuple[Step, ...], UnlearnResult]:
    """Steps that take out of a collection what turns that are gone taught it, and what that comes to. `marks`: it
    leaves tombstones, so that it does not come back."""
    rewriting = Rewriting(collection, ports.settings.long_term)
    done = unlearn(collection, turns, rewriting)
    salt = collection.record.salt
    going = {record.record_id for record in done.gone}
    dropped = [
        RecordDrop(
            record_id=r.record_id,
            tombstone=tombstone(r, salt, now) if marks and r.record_id in done.marked else None,
        )
        for r in done.gone
    ]
    room = ports.settings.limits.tombstones_per_collection - len(done.marked)
    steps = (
        *dropped,
        *done.proposals,
        *oldest_tombstones(collection, room),
        *feedback_without(collection, going),
        *waiting_anew(collection, going, going),
        *_held_of(collection, turns),
        *rewriting.steps,
    )
    return steps, done


def _held_of(collection: Collection, turns: Turns) -> Iterable[Step]:
    """Drops of what a retraction holds and these turns taught: no release brings it back."""
    for held in collection.held.values():
        records = [record for record in (held.any_record, held.after) if record is not None]
        sources = [source for record in records for source in (record.provenance, *record.also_from)]
        if any(map(turns.taught, sources)):
            yield HeldDrop(name=held.name)


def feedback_without(collection: Collection, gone: set[RecordId]) -> list[Step]:
    """Steps that take records out of opinions, and drop opinions on nothing else."""
    steps: list[Step] = []
    for feedback in collection.feedback.values():
        left = tuple(record_id for record_id in feedback.record_ids if record_id not in gone)
        if not left:
            steps.append(FeedbackDrop(feedback_id=feedback.feedback_id))
        elif len(left) < len(feedback.record_ids):
            steps.append(FeedbackPut(feedback=replace(feedback, record_ids=left)))
    return steps


def oldest_tombstones(collection: Collection, room: int) -> Iterable[Step]:
    """Drops of the oldest, so that so many are left at most."""
    oldest = sorted(collection.tombstones.values(), key=lambda stone: stone.time)
    return [TombstoneDrop(record_id=s.record_id) for s in oldest[: max(0, len(oldest) - max(room, 0))]]
