"""RetractRecords: what a source taught a collection is taken back: out of every answer at once, and kept for a release.

What also rests on others stays with the others' evidence; what a retracted fact superseded, contested or stood for
stands again. It leaves no tombstone: the same statement from elsewhere is stored as a new one.

Law: one change. It counts as an erasure: the feed forgets what came before, so that no repeated call answers the words.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from core.errors import RecordNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.standing import Rewriting
from core.long_term.steps import (
    FeedbackDrop,
    FeedbackPut,
    HeldPut,
    ProposalDrop,
    ProposalPut,
    RecordDrop,
    ReflectionDrop,
    ReflectionPut,
    RetractionDrop,
    RetractionPut,
    Step,
)
from core.long_term.unlearning import Selection, unlearn
from core.model.record import Record
from core.model.retraction import HeldItem, Retraction, RetractionState
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.ports import RetractionPorts
from core.usecases.long_term.reading import looking
from core.usecases.long_term.verbs.delete_records import feedback_without
from core.usecases.long_term.writing import Edit, edit
from core.usecases.ports import HasSettings
from core.usecases.retractions import tell_retracted

MOST_CLOSED = 100
"""Closed retractions that a collection keeps, the newest."""
MOST_TOLD = 1_000
"""Ids that an answer tells of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractRecords:
    """`dry_run`: only tell what would go. `retraction_id`: of the retraction that it is a part of; empty: a new
    one."""

    key: CollectionKey
    chosen: Selection
    reason: str = ""
    retraction_id: str = ""
    dry_run: bool = False
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsRetracted:
    """Without words: a repetition is answered from here. `retraction`: None where nothing was chosen, or it was only
    tried. `record_ids` went; `changed_ids` lost evidence, or stand again. `anew`: steps of a conversation that taught
    what went, too, and are left."""

    retraction: Retraction | None
    record_ids: tuple[RecordId, ...]
    changed_ids: tuple[RecordId, ...]
    feedback: int
    reflections: int
    anew: tuple[int, ...] = ()


async def retract_records(ports: RetractionPorts, command: RetractRecords) -> CommitResult[RecordsRetracted]:
    """Takes records back, also where memory is off. Raises RecordNotFound, CollectionNotFound, RequestIdReused."""
    retraction_id, now = command.retraction_id or ports.ids.new("x"), ports.clock.now()

    def compose(collection: Collection, _revision: int) -> Edit[RecordsRetracted]:
        return _quarantine(ports, collection, command, retraction_id, now)

    if command.dry_run:
        async with looking(ports, command.key) as opened:
            composed = compose(opened.collection, 0)
            told = RecordsRetracted(
                retraction=None,
                record_ids=composed.result.record_ids,
                changed_ids=composed.result.changed_ids,
                feedback=composed.result.feedback,
                reflections=composed.result.reflections,
            )
            return CommitResult(result=told, revision=opened.collection.revision)
    done = await edit(ports, command.key, compose, command.request, RecordsRetracted, None)
    await tell_retracted(ports, ports.collections, command.key, done.result.retraction, command.chosen)
    return done


def _quarantine(
    ports: HasSettings, collection: Collection, command: RetractRecords, retraction_id: str, now: datetime
) -> Edit[RecordsRetracted]:
    chosen = command.chosen
    for record_id in chosen.record_ids:
        if collection.record_or_proposal(record_id) is None:
            raise RecordNotFound(record_id)
    rewriting = Rewriting(collection, ports.settings.long_term)
    done = unlearn(collection, chosen, rewriting)
    gone = {record.record_id for record in done.gone}
    feedback, reflections = feedback_without(collection, gone), waiting_anew(collection, gone, gone)
    changed = {step.record.record_id: step.record for step in rewriting.steps}
    gone_ids = gone | {step.record_id for step in done.proposals if isinstance(step, ProposalDrop)}
    changed_ids = changed.keys() | {
        step.proposal.record.record_id for step in done.proposals if isinstance(step, ProposalPut)
    }
    nothing = not (gone_ids or changed_ids)
    retraction = Retraction(
        retraction_id=retraction_id,
        state=RetractionState.QUARANTINED,
        create_time=now,
        records=len(gone_ids),
        changed=len(changed_ids),
        source=chosen.source,
        conversation_id=chosen.conversation_id,
        writer=chosen.writer,
        since=chosen.since,
        until=chosen.until,
        reason=command.reason,
    )
    result = RecordsRetracted(
        retraction=None if nothing else retraction,
        record_ids=tuple(sorted(gone_ids)[:MOST_TOLD]),
        changed_ids=tuple(sorted(changed_ids)[:MOST_TOLD]),
        feedback=len(feedback),
        reflections=len(reflections),
        anew=done.anew,
    )
    if nothing:
        return Edit(result=result)
    steps = (
        RetractionPut(retraction=retraction),
        *(
            HeldPut(held=held)
            for held in _held(
                collection, retraction_id, gone, changed, (*feedback, *reflections, *done.proposals)
            )
        ),
        *(RecordDrop(record_id=record_id) for record_id in sorted(gone)),
        *done.proposals,
        *feedback,
        *reflections,
        *rewriting.steps,
        *oldest_closed(collection),
    )
    return Edit(result=result, steps=steps, sees_all=True, erase=True)


def _held(
    collection: Collection,
    retraction_id: str,
    gone: Iterable[RecordId],
    changed: Mapping[RecordId, Record],
    others: Iterable[Step],
) -> Iterable[HeldItem]:
    """Yields everything that changes, as it is before."""
    for record_id in sorted(gone):
        uses = collection.uses.get(record_id)
        yield HeldItem(retraction_id=retraction_id, record=collection.records[record_id], uses=uses)
    for record_id, after in sorted(changed.items()):
        yield HeldItem(retraction_id=retraction_id, record=collection.records[record_id], after=after)
    for step in others:
        match step:
            case FeedbackDrop():
                yield HeldItem(retraction_id=retraction_id, feedback=collection.feedback[step.feedback_id])
            case FeedbackPut():
                feedback_id = step.feedback.feedback_id
                yield HeldItem(retraction_id=retraction_id, feedback=collection.feedback[feedback_id])
            case ReflectionDrop():
                yield HeldItem(
                    retraction_id=retraction_id, reflection=collection.reflections[step.reflection_id]
                )
            case ReflectionPut():
                reflection_id = step.reflection.reflection_id
                yield HeldItem(retraction_id=retraction_id, reflection=collection.reflections[reflection_id])
            case ProposalDrop():
                yield HeldItem(retraction_id=retraction_id, proposal=collection.proposals[step.record_id])
            case ProposalPut():
                after = step.proposal.record
                before = collection.proposals[after.record_id]
                yield HeldItem(retraction_id=retraction_id, proposal=before, after=after)


def oldest_closed(collection: Collection) -> Iterable[Step]:
    """Drops of the oldest closed retractions, so that there is room for one more."""
    closed = [r for r in collection.retractions.values() if r.state is not RetractionState.QUARANTINED]
    closed.sort(key=lambda r: (r.create_time, r.retraction_id))
    return [
        RetractionDrop(retraction_id=r.retraction_id) for r in closed[: max(0, len(closed) - MOST_CLOSED)]
    ]
