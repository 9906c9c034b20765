"""AddRecord, and what StoreFact and StoreEpisode have of it: a record becomes durable, and is found at once.

Law: what has expired is not there, whether or not it has been swept away: its id is free, and its words are new.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from core.errors import InvalidField, RecordExists
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.forgetting import is_forgotten, is_rejected
from core.long_term.reviewing import awaits, proposal
from core.long_term.settings import LongTermSettings
from core.long_term.standing import Rewriting
from core.long_term.steps import ProposalPut, RecordDrop, RecordPut, Step
from core.long_term.texts import normalised, statement, told
from core.model.record import Origin, Record, RecordKind, RecordState, SupersededReason
from core.model.review import Proposal
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.answers import RecordsKept, StoredRecords, kept_of, read_back
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.new_records import require_harmless_large, require_past, stamped
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.reading import Lasts, lasting
from core.usecases.long_term.verbs.delete_records import feedback_without
from core.usecases.long_term.writing import Edit, write
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRecord:
    """The record as it came: without an id one is made; its times but `event_time` are the service's to set.
    `dated`: whether its `event_time` was given; else it is now. `place`: where its fields are in the request.
    `supersedes`: facts whose place it takes. `approves`: its caller may approve what waits for a review."""

    key: CollectionKey
    record: Record
    dated: bool = True
    allow_sensitive: bool = False
    place: str = "record."
    supersedes: tuple[RecordId, ...] = ()
    approves: bool = True
    request: RequestKey | None = None


async def add_record(ports: WritingPorts, command: AddRecord) -> RecordsKept:
    """Raises RecordExists, RecordNotFound, SensitiveContent, InvalidField (event_time, supersedes), MemoryOff,
    LimitReached, RequestIdReused."""
    return await read_back(ports, command.key, await store(ports, command))


async def store(ports: WritingPorts, command: AddRecord) -> CommitResult[StoredRecords]:
    """Stores it, unless the collection knows the fact, or forgot it on purpose."""
    now, given = ports.clock.now(), command.record
    if not command.dated:
        given = replace(given, event_time=now)
    require_past(f"{command.place}event_time", given.event_time, now)
    if not command.allow_sensitive:
        await require_harmless_large(given, command.place)
    given = replace(given, record_id=given.record_id or RecordId(ports.ids.new("r")))
    permission = await permission_to_write(ports, command.key)

    def compose(collection: Collection, revision: int) -> Edit[StoredRecords]:
        lasts = lasting(collection, now, permission.retention)
        adding = _Adding(collection, given, command, lasts, now, ports.settings.long_term)
        return adding.edit(revision)

    return await write(ports, command.key, compose, command.request, StoredRecords, permission)


class _Adding(NamedTuple):
    """One record that comes to a collection, which may know it already."""

    collection: Collection
    given: Record
    command: AddRecord
    lasts: Lasts
    now: datetime
    settings: LongTermSettings

    def edit(self, revision: int) -> Edit[StoredRecords]:
        """Raises RecordExists, RecordNotFound, InvalidField (supersedes)."""
        collection, given, command = self.collection, self.given, self.command
        before = collection.records.get(given.record_id)
        if (before is not None and self.lasts(before)) or given.record_id in collection.proposals:
            raise RecordExists(given.record_id)
        if was_forgotten(collection, given, approves=command.approves):
            return Edit(result=StoredRecords(record_ids=(), forgotten=True))
        waits = awaits(collection.record, given, approves=command.approves)
        known = collection.same_text(given) if given.kind is RecordKind.FACT else None
        if known is not None and self.lasts(known) and not (waits and command.supersedes):
            return self._joined(known, waits=waits)
        record = stamped(given, self.now, revision)
        return self._proposed(record) if waits else self._put(record, before)

    @property
    def _touches(self) -> frozenset[str]:
        return frozenset({f"record:{self.given.record_id}", f"text:{normalised(self.given.content)}"})

    def _joined(self, known: Record, *, waits: bool) -> Edit[StoredRecords]:
        """Reinforces the fact that is known."""
        rewriting = Rewriting(self.collection, self.settings)
        joined = rewriting.known(known, self.given, is_approved=not waits)
        if not waits:
            joined = replace(joined, update_time=self.now)
            rewriting.put(joined)
        _take_place(rewriting, joined, self.command.supersedes)
        return Edit(
            result=kept_of(self.collection, [known.record_id], known=True),
            steps=tuple(rewriting.steps),
            touches=self._touches | {f"record:{known.record_id}"},
            sees_all=bool(self.command.supersedes),
        )

    def _proposed(self, record: Record) -> Edit[StoredRecords]:
        """Lets the record wait for a review."""
        collection, supersedes = self.collection, self.command.supersedes
        _require_facts(collection, supersedes)
        waiting = proposal(collection, record, self.lasts, self.settings, supersedes)
        return Edit(
            result=_kept_waiting(waiting, record.record_id),
            steps=(ProposalPut(proposal=waiting),),
            touches=self._touches | {f"record:{waiting.record.record_id}"},
            sees_all=bool(supersedes),
        )

    def _put(self, record: Record, expired: Record | None) -> Edit[StoredRecords]:
        """Stores a new record; of what has expired under its id nothing stays."""
        record_id = record.record_id
        steps: tuple[Step, ...] = (RecordPut(record=record), *self._superseding(record))
        if expired is not None:
            steps = (*_dropped(self.collection, record_id), *steps)
        return Edit(
            result=StoredRecords(record_ids=(record_id,), uses=(None,)),
            steps=steps,
            touches=self._touches,
            sees_all=expired is not None or bool(self.command.supersedes),
            erase=expired is not None,
        )

    def _superseding(self, record: Record) -> Iterable[Step]:
        """Returns the steps by which a new record takes the place of those that it was said to."""
        if not self.command.supersedes:
            return ()
        rewriting = Rewriting(self.collection, self.settings)
        _take_place(rewriting, record, self.command.supersedes)
        return rewriting.steps


def _dropped(collection: Collection, record_id: RecordId) -> tuple[Step, ...]:
    """Returns the steps by which a record goes that stands no more, with what hangs on it."""
    return (
        *feedback_without(collection, {record_id}),
        *waiting_anew(collection, {record_id}, {record_id}),
        RecordDrop(record_id=record_id),
    )


def _kept_waiting(waiting: Proposal, record_id: RecordId) -> StoredRecords:
    own = waiting.record.record_id
    return StoredRecords(record_ids=(own,), known=own != record_id, uses=(None,), awaits_review=True)


def _take_place(rewriting: Rewriting, record: Record, supersedes: Sequence[RecordId]) -> None:
    """Raises RecordNotFound, InvalidField."""
    if record.record_id in supersedes:
        place = supersedes.index(record.record_id)
        raise InvalidField(f"supersedes[{place}]", "must name another fact: this one says the same")
    _require_facts(rewriting.collection, supersedes)
    take_place(rewriting, record, supersedes)


def _require_facts(collection: Collection, supersedes: Sequence[RecordId]) -> None:
    """Raises RecordNotFound, InvalidField."""
    for place, key in enumerate(supersedes):
        if collection.stored(key).kind is not RecordKind.FACT:
            raise InvalidField(f"supersedes[{place}]", "must name a FACT")


def take_place(rewriting: Rewriting, record: Record, supersedes: Sequence[RecordId]) -> None:
    """Lets a record take the place of others, as far as they are facts that stand."""
    for key in supersedes:
        other = rewriting.get(key)
        if other is None or key == record.record_id or other.kind is not RecordKind.FACT:
            continue
        if other.state is not RecordState.SUPERSEDED:
            moment = max(record.event_time, other.valid_from)
            rewriting.supersede(other, record, moment, SupersededReason.CALLER)


def was_forgotten(collection: Collection, given: Record, *, approves: bool = False) -> bool:
    """Whether it was deleted since, or rejected, unless it comes from a caller that may approve. What a call stores is
    newer than any deletion; what others said may be older."""
    stones, salt = collection.tombstones.values(), collection.record.salt
    if not stones:
        return False
    if not approves and is_rejected(given, stones, salt):
        return True
    if given.origin is Origin.STORED:
        return False
    return is_forgotten((statement(given), told(given)), given.event_time, stones, salt)
