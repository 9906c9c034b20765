"""PutRecord and BatchPutRecords: memories under ids that their callers chose, new or in place of those that are there.

Law: one change, all or none. What is put is whole: only what is not a caller's to set stays of the record before. It is
never judged, joined to others or looked for among tombstones.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from core.errors import InvalidField, RecordNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.forgetting import tombstone
from core.long_term.reviewing import awaits, require_approval
from core.long_term.steps import ProposalDrop, ProposalPut, RecordDrop, RecordPut, Step
from core.long_term.texts import embedded
from core.model.record import Record, RecordKind
from core.model.review import Proposal
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.answers import RecordsKept, StoredRecords, read_back
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.new_records import require_harmless_large, require_past, stamped
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.reading import Lasts, lasting
from core.usecases.long_term.verbs.delete_records import feedback_without, oldest_tombstones
from core.usecases.long_term.writing import Edit, write
from core.usecases.revisions import require_unchanged
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A MEMORY with its id. `dated`: its `event_time` was given; else it is now. `rated`, `rewarded`: so were its
    confidence and its reward; else they stay. `place`: where it is in the request."""

    record: Record
    dated: bool = True
    rated: bool = False
    rewarded: bool = False
    if_revision: int | None = None
    place: str = "record."


@dataclass(frozen=True, slots=True, kw_only=True)
class PutRecords:
    """`deletes`: ids of memories that go in the same change.
    `approves`: its caller may approve what waits for a review."""

    key: CollectionKey
    puts: tuple[Put, ...]
    deletes: tuple[RecordId, ...] = ()
    allow_sensitive: bool = False
    approves: bool = True
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsPut:
    """Which were not there before, which wait for a review, and which went."""

    created: tuple[RecordId, ...]
    awaiting: tuple[RecordId, ...]
    deleted: tuple[RecordId, ...]


async def put_record(ports: WritingPorts, command: PutRecords) -> RecordsKept:
    """Puts one record; it is `known` where one was there. Raises what `put_records` raises."""
    committed = await put_records(ports, command)
    record_id = command.puts[0].record.record_id
    kept = StoredRecords(record_ids=(record_id,), known=not committed.result.created)
    own = CommitResult(
        result=kept, revision=committed.revision, replayed=committed.replayed, steps=committed.steps
    )
    return await read_back(ports, command.key, own)


async def put_records(ports: WritingPorts, command: PutRecords) -> CommitResult[RecordsPut]:
    """Raises InvalidField (event_time, record_id, delete_ids), SensitiveContent, StaleRevision, RecordNotFound,
    PermissionDenied, MemoryOff, LimitReached, RequestIdReused."""
    now = ports.clock.now()
    for put in command.puts:
        require_past(f"{put.place}event_time", put.record.event_time if put.dated else None, now)
        if not command.allow_sensitive:
            await require_harmless_large(put.record, put.place)
    permission = await permission_to_write(ports, command.key)

    def compose(collection: Collection, revision: int) -> Edit[RecordsPut]:
        lasts = lasting(collection, now, permission.retention)
        placing = _Placing(collection=collection, command=command, now=now, revision=revision, lasts=lasts)
        for put in command.puts:
            placing.put(put)
        placing.delete()
        return placing.edit(ports.settings.limits.tombstones_per_collection)

    return await write(ports, command.key, compose, command.request, RecordsPut, permission)


@dataclass(slots=True, kw_only=True)
class _Placing:
    """One change in the making."""

    collection: Collection
    command: PutRecords
    now: datetime
    revision: int
    lasts: Lasts
    steps: list[Step] = field(default_factory=list)
    created: list[RecordId] = field(default_factory=list)
    awaiting: list[RecordId] = field(default_factory=list)
    gone: dict[RecordId, Record] = field(default_factory=dict)  # deleted by this call
    expired: set[RecordId] = field(default_factory=set)
    reworded: set[RecordId] = field(default_factory=set)

    def put(self, put: Put) -> None:
        record_id = put.record.record_id
        before = self.collection.record_or_proposal(record_id)
        stands = before if before is not None and self.lasts(before) else None
        if stands is not None and stands.kind is not RecordKind.MEMORY:
            raise InvalidField(
                f"{put.place}record_id", f"is the id of a record of kind {stands.kind.upper()}"
            )
        if stands is None and put.if_revision:
            raise RecordNotFound(record_id)
        require_unchanged(put.if_revision, 0 if stands is None else stands.revision)
        if stands is None:
            self.created.append(record_id)
        record = self._placed(put, stands)
        waits = awaits(self.collection.record, record, approves=self.command.approves)
        if before is not None and before.awaits_review:
            self._settle(record, waits=waits)
        elif stands is not None:
            self._replace(record, stands, waits=waits)
        else:
            self._add(record, before, waits=waits)

    def delete(self) -> None:
        for place, record_id in enumerate(self.command.deletes):
            record = self.collection.record_or_proposal(record_id)
            if record is None:
                continue
            if record.kind is not RecordKind.MEMORY:
                if not self.lasts(record):
                    continue  # it is not there any more, and goes with the next sweep
                problem = f"is the id of a record of kind {record.kind.upper()}: DeleteRecords"
                raise InvalidField(f"delete_ids[{place}]", problem)
            self.gone[record_id] = record
            if record.awaits_review:
                self.steps.append(ProposalDrop(record_id=record_id))
            else:
                stone = tombstone(record, self.collection.record.salt, self.now)
                self.steps.append(RecordDrop(record_id=record_id, tombstone=stone))

    def edit(self, tombstones: int) -> Edit[RecordsPut]:
        """Returns the change, with what has to follow it: opinions and reflections lose what is gone."""
        lost = self.gone.keys() | self.expired
        if lost or self.reworded:
            feedback = feedback_without(self.collection, lost) if lost else ()
            self.steps += (*feedback, *waiting_anew(self.collection, lost | self.reworded, lost))
        self.steps += oldest_tombstones(self.collection, tombstones - len(self.gone)) if self.gone else ()
        ids = [*(put.record.record_id for put in self.command.puts), *self.command.deletes]
        return Edit(
            result=RecordsPut(
                created=tuple(self.created), awaiting=tuple(self.awaiting), deleted=tuple(self.gone)
            ),
            steps=tuple(self.steps),
            touches=frozenset(f"record:{record_id}" for record_id in ids),
            sees_all=bool(lost or self.reworded),
            erase=bool(lost or self.reworded),
        )

    def _placed(self, put: Put, before: Record | None) -> Record:
        """Returns the record as it is to be stored."""
        record = put.record if put.dated else replace(put.record, event_time=self.now)
        record = stamped(record, self.now, self.revision)
        if before is None:
            return record
        ttl = None if record.ttl is None else self.now - before.create_time + record.ttl
        return replace(
            record,
            create_time=before.create_time,
            reflection_id=before.reflection_id,
            confidence=record.confidence if put.rated else before.confidence,
            reward=record.reward if put.rewarded else before.reward,
            ttl=ttl,
        )

    def _add(self, record: Record, expired: Record | None, *, waits: bool) -> None:
        if expired is not None:
            self.expired.add(record.record_id)
            self.steps.append(RecordDrop(record_id=record.record_id))
        self._store(record, waits=waits)

    def _settle(self, record: Record, *, waits: bool) -> None:
        """Replaces what waits: it goes on waiting, or its caller may approve it."""
        self.reworded.add(record.record_id)
        if not waits:
            self.steps.append(ProposalDrop(record_id=record.record_id))
        self._store(record, waits=waits)

    def _replace(self, record: Record, before: Record, *, waits: bool) -> None:
        if waits:
            approves, does = self.command.approves, "the record's words are not the caller's to change"
            require_approval(self.collection.record, approves=approves, does=does)
        says_other = embedded(record) != embedded(before)
        is_other = record.metadata_json != before.metadata_json or before.metadata_bytes > 0
        if says_other or is_other or record.detail != before.detail:
            self.reworded.add(record.record_id)
        self.steps.append(RecordPut(record=record, reworded=says_other))

    def _store(self, record: Record, *, waits: bool) -> None:
        if waits:
            self.awaiting.append(record.record_id)
            waiting = replace(record, awaits_review=True, judged=False)
            self.steps.append(ProposalPut(proposal=Proposal(record=waiting)))
        else:
            self.steps.append(RecordPut(record=record))
