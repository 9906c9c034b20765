"""ReleaseRetraction and EraseRetraction: what was taken back stands again, or goes for good.

A release brings back every record as it was, and what it superseded or contested with it, as far as nothing was decided
about these meanwhile. What was told meanwhile is judged against what comes back.

Law: one change each. What is erased leaves the counts of its retraction, and no word.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.errors import RetractionClosed
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.standing import standing_again
from core.long_term.steps import (
    FeedbackPut,
    HeldDrop,
    ProposalPut,
    RecordPut,
    ReflectionPut,
    RetractionPut,
    Step,
    UsesPut,
)
from core.model.record import Record, RecordState
from core.model.retraction import HeldItem, Retraction, RetractionState
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.answers import records_of
from core.usecases.long_term.ports import RetractionPorts
from core.usecases.long_term.writing import Edit, edit
from core.usecases.retractions import tell_retracted
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRetraction:
    """`erases`: else it is released. `even_off`: also where memory is off."""

    key: CollectionKey
    retraction_id: str
    erases: bool
    even_off: bool = False
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionEnded:
    """`records` came back, or went for good."""

    retraction: Retraction
    records: int


async def close_retraction(ports: RetractionPorts, command: CloseRetraction) -> CommitResult[RetractionEnded]:
    """Raises RetractionNotFound, RetractionClosed, CollectionNotFound, RequestIdReused; to release MemoryOff,
    LimitReached."""
    now = ports.clock.now()

    def compose(collection: Collection, _revision: int) -> Edit[RetractionEnded]:
        retraction = collection.retraction(command.retraction_id)
        if retraction.state is not RetractionState.QUARANTINED:
            raise RetractionClosed(command.retraction_id, retraction.state)
        held = collection.held_by(command.retraction_id)
        ending = _erased(held) if command.erases else _released(collection, held)
        state = RetractionState.ERASED if command.erases else RetractionState.RELEASED
        closed = replace(retraction, state=state, close_time=now)
        back = records_of(ending)
        count = sum(each.is_gone and (command.erases or each.item_id in back) for each in held)
        return Edit(
            result=RetractionEnded(retraction=closed, records=count),
            steps=(RetractionPut(retraction=closed), *ending),
            sees_all=True,
            erase=command.erases,
        )

    only_deletes = command.erases or command.even_off
    permission = None if only_deletes else await permission_to_write(ports, command.key)
    done = await edit(ports, command.key, compose, command.request, RetractionEnded, permission)
    await tell_retracted(ports, ports.collections, command.key, done.result.retraction)
    return done


def _erased(held: Iterable[HeldItem]) -> list[Step]:
    return [HeldDrop(name=each.name) for each in held]


def _released(collection: Collection, held: Iterable[HeldItem]) -> list[Step]:
    held = list(held)
    back = _records_back(collection, held)
    known = collection.records.keys() | back.keys()
    steps: list[Step] = [RecordPut(record=record) for record in back.values()]
    steps += _proposals_back(collection, held)
    for each in held:
        steps.append(HeldDrop(name=each.name))
        if each.record is not None and each.uses is not None and each.record.record_id in back:
            steps.append(UsesPut(record_id=each.record.record_id, uses=each.uses))
        if each.feedback is not None:
            left = tuple(record_id for record_id in each.feedback.record_ids if record_id in known)
            steps += [FeedbackPut(feedback=replace(each.feedback, record_ids=left))] if left else []
        if (reflection := each.reflection) is not None:
            of = tuple(record_id for record_id in reflection.record_ids if record_id in known)
            text = reflection.text if of == reflection.record_ids else ""  # empty: it is made anew
            steps += [ReflectionPut(reflection=replace(reflection, text=text, record_ids=of))] if of else []
    return steps


def _records_back(collection: Collection, held: Iterable[HeldItem]) -> dict[RecordId, Record]:
    """Returns the records that went, and those that changed and are still as they were left; none that refers to what
    does not stand."""
    back: dict[RecordId, Record] = {}
    for each in held:
        record = each.record
        if record is None:
            continue
        now = collection.records.get(record.record_id)
        if (
            each.is_gone
            and now is None
            or each.after is not None
            and now is not None
            and _is_as_left(now, each.after)
        ):
            back[record.record_id] = record
    return {key: _consistent(record, collection.records, back) for key, record in back.items()}


def _proposals_back(collection: Collection, held: Iterable[HeldItem]) -> Iterable[ProposalPut]:
    """Yields the proposals that went, and those that changed and are still as they were left."""
    for each in held:
        if each.proposal is None:
            continue
        now = collection.record_or_proposal(each.proposal.record.record_id)
        if now == each.after:  # gone, and still not there, or as it was left
            yield ProposalPut(proposal=each.proposal)


def _is_as_left(now: Record, after: Record) -> bool:
    """Whether a record is as the retraction left it: judging it anew may have found nothing."""
    return replace(now, judged=after.judged, reflection_id=after.reflection_id) == after


def _consistent(record: Record, before: Mapping[RecordId, Record], back: Mapping[RecordId, Record]) -> Record:
    """Returns a record without what it says of others that say otherwise; it is judged anew then."""

    def stands(record_id: RecordId) -> Record | None:
        return back.get(record_id) or before.get(record_id)

    if record.superseded_by and stands(record.superseded_by) is None:
        return standing_again(record)
    partners = tuple(
        key
        for key in record.contested_with
        if (other := stands(key)) is not None and record.record_id in other.contested_with
    )
    if partners == record.contested_with:
        return record
    state = record.state if partners else RecordState.ACTIVE
    return replace(record, contested_with=partners, state=state, judged=False)
