"""ReviewRecords: what waits becomes a record, with its own words or others, or is erased.

What is approved is stored as if it came now, with its own `event_time`: it joins an active record that says the same,
else a fact is judged.

Law: one change. What is rejected leaves a tombstone against its source alone, and no word.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import RecordNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.forgetting import rejection
from core.long_term.standing import Rewriting, same_episode
from core.long_term.steps import ProposalDrop, Step
from core.model.record import Record, RecordKind
from core.model.review import Proposal, ReviewDecision
from core.ports.aggregates import RequestKey
from core.usecases.long_term.answers import RecordsKept, StoredRecords, read_back
from core.usecases.long_term.judging.keep_found import same_as
from core.usecases.long_term.new_records import require_harmless
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import Lasts, lasting
from core.usecases.long_term.verbs.add_record import take_place
from core.usecases.long_term.verbs.delete_records import oldest_tombstones
from core.usecases.long_term.verbs.record_recovery import known_mending, mended_again
from core.usecases.long_term.verbs.update_record import reworded
from core.usecases.long_term.writing import Edit, edit
from core.usecases.ports import HasSettings
from core.usecases.user.permission import permission_of, permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRecords:
    """`content`: the words of a correction, of one record. `stated`: they are the user's own where those before
    were. `writer`: the subject of the API key that corrects."""

    key: CollectionKey
    record_ids: tuple[RecordId, ...]
    decision: ReviewDecision
    content: str = ""
    allow_sensitive: bool = False
    stated: bool = True
    writer: str = ""
    request: RequestKey | None = None


async def review_records(ports: CollectionPorts, command: ReviewRecords) -> RecordsKept:
    """Rejects also where memory is off. Raises RecordNotFound, SensitiveContent, CollectionNotFound, MemoryOff,
    RequestIdReused."""
    now = ports.clock.now()
    rejects = command.decision is ReviewDecision.REJECT
    permission = await (permission_of if rejects else permission_to_write)(ports, command.key)

    def compose(collection: Collection, revision: int) -> Edit[StoredRecords]:
        lasts = lasting(collection, now, permission.retention)
        chosen = [collection.proposal(record_id) for record_id in command.record_ids]
        for proposal in chosen:
            if not lasts(proposal.record):
                raise RecordNotFound(proposal.record.record_id)
        if rejects:
            return _rejected(ports, collection, chosen, now)
        return _approved(ports, collection, command, chosen, lasts, (now, revision))

    asked = None if rejects else permission
    committed = await edit(ports, command.key, compose, command.request, StoredRecords, asked)
    return await read_back(ports, command.key, committed)


def _rejected(
    ports: HasSettings, collection: Collection, chosen: Sequence[Proposal], now: datetime
) -> Edit[StoredRecords]:
    salt = collection.record.salt
    room = ports.settings.limits.tombstones_per_collection - len(chosen)
    drops = [
        ProposalDrop(record_id=one.record.record_id, tombstone=rejection(one.record, salt, now))
        for one in chosen
    ]
    steps = (*drops, *oldest_tombstones(collection, room))
    return Edit(result=StoredRecords(record_ids=()), steps=steps, sees_all=True, erase=True)


def _approved(
    ports: HasSettings,
    collection: Collection,
    command: ReviewRecords,
    chosen: Sequence[Proposal],
    lasts: Lasts,
    at: tuple[datetime, int],
) -> Edit[StoredRecords]:
    rewriting = Rewriting(collection, ports.settings.long_term)
    ids, drops = list[RecordId](), list[Step]()
    for one in chosen:
        record = _as_told_now(one.record, command, *at)
        stands = _joined(rewriting, record, lasts)
        take_place(rewriting, stands, one.supersedes)
        ids.append(stands.record_id)
        drops.append(ProposalDrop(record_id=one.record.record_id))
    kept = StoredRecords(
        record_ids=tuple(ids), uses=tuple(collection.uses.get(record_id) for record_id in ids)
    )
    is_corrected = command.decision is ReviewDecision.CORRECT
    return Edit(result=kept, steps=(*drops, *rewriting.steps), sees_all=True, erase=is_corrected)


def _as_told_now(record: Record, command: ReviewRecords, now: datetime, revision: int) -> Record:
    """Returns what waited as a new record; it came to be known when it was proposed."""
    told = replace(
        record,
        awaits_review=False,
        judged=record.kind is not RecordKind.FACT,
        update_time=now,
        revision=revision,
    )
    if command.decision is not ReviewDecision.CORRECT:
        return told
    told = reworded(replace(told, content=command.content, writer=command.writer), stated=command.stated)
    if told.episode is not None:
        told = replace(told, episode=replace(told.episode, goal=command.content))
    if not command.allow_sensitive:
        require_harmless(told, "")
    return told


def _joined(rewriting: Rewriting, record: Record, lasts: Lasts) -> Record:
    """Puts a record in, or its evidence to the one that says the same; returns what stands."""
    collection = rewriting.collection
    if record.recovery is not None:
        mended = known_mending(collection, record.recovery, lasts)
        known = rewriting.get(mended.record_id) if mended is not None else None
        stands = mended_again(known, record) if known is not None else record
    elif record.kind is RecordKind.EPISODE:
        before = same_episode(collection.records.values(), record)
        stands = replace(record, record_id=before.record_id) if before is not None else record
    else:
        same = same_as(collection, record, lasts)
        known = rewriting.get(same) if same is not None else None
        if known is not None:
            return rewriting.known(known, record)
        stands = record
    rewriting.put(stands)
    return stands
