"""ImportCollection: records and reflections out of files. What is there already stays as it is."""

import asyncio
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime

from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.reviewing import awaits
from core.long_term.steps import ProposalPut, RecordPut, ReflectionPut, Step, UsesPut
from core.model.record import NO_RECORD, NO_REFLECTION, Origin, Record, RecordState
from core.model.review import Proposal, Review
from core.ports.aggregates import CommitResult, RequestKey
from core.usecases.long_term.exchange.files import Contents
from core.usecases.long_term.exchange.parsing import contents_of
from core.usecases.long_term.new_records import is_harmless
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.writing import Edit, write
from core.usecases.user.permission import permission_to_write


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCollection:
    """`files`: texts by path. `stated`: what they say of the user's own statements is believed. `approves`: its caller
    may approve what waits for a review. `writer`: the subject of its API key."""

    key: CollectionKey
    files: Mapping[str, str]
    allow_sensitive: bool = False
    stated: bool = True
    approves: bool = True
    writer: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionImported:
    records: int
    reflections: int
    known_ids: tuple[RecordId, ...]
    refused_ids: tuple[RecordId, ...]


async def import_collection(
    ports: WritingPorts, command: ImportCollection
) -> CommitResult[CollectionImported]:
    """Imports all in one change. Raises ImportInvalid, MemoryOff, LimitReached, RequestIdReused."""
    contents, refused = await asyncio.to_thread(_read, command, ports.clock.now())  # it may be megabytes

    def compose(collection: Collection, revision: int) -> Edit[CollectionImported]:
        left = {r.record_id for r in contents.all_records} - refused - known_ids(collection)
        ports.settings.limits.check_records(collection.filled + len(left), 0)  # before so many steps are made
        made = _edit(collection, contents, refused, revision, approves=command.approves)
        if made.result.reflections:
            ports.settings.limits.check_reflections(len(collection.reflections) + made.result.reflections)
        return made

    permission = await permission_to_write(ports, command.key)
    return await write(ports, command.key, compose, command.request, CollectionImported, permission)


def _as_brought(record: Record, command: ImportCollection) -> Record:
    """Returns a record as one that the caller wrote: what a file says of writers is believed where no key is asked
    for."""
    if record.origin is Origin.STATED and not command.stated:
        record = replace(record, origin=Origin.STORED)
    return replace(record, writer=command.writer) if command.writer else record


def _read(command: ImportCollection, now: datetime) -> tuple[Contents, frozenset[RecordId]]:
    """Returns what the files hold, and the records whose words must not be kept. Raises ImportInvalid."""
    contents = contents_of(command.files, now)
    contents = replace(
        contents,
        records=tuple(_as_brought(record, command) for record in contents.records),
        proposals=tuple(replace(one, record=_as_brought(one.record, command)) for one in contents.proposals),
    )
    if command.allow_sensitive:
        return contents, frozenset()
    refused = frozenset(record.record_id for record in contents.all_records if not is_harmless(record))
    return contents, refused


def known_ids(collection: Collection) -> set[RecordId]:
    return collection.records.keys() | collection.proposals.keys()


def _edit(
    collection: Collection,
    contents: Contents,
    refused: frozenset[RecordId],
    revision: int,
    *,
    approves: bool,
) -> Edit[CollectionImported]:
    out = refused | known_ids(collection)
    given = [record for record in contents.records if record.record_id not in out]
    is_waiting = [awaits(collection.record, record, approves=approves) for record in given]
    new = [record for record, waits in zip(given, is_waiting, strict=True) if not waits]
    there = {record.record_id for record in new} | collection.records.keys()
    steps: list[Step] = [RecordPut(record=standing(record, there, revision)) for record in new]
    waiting = [Proposal(record=record) for record, waits in zip(given, is_waiting, strict=True) if waits]
    waiting += [one for one in contents.proposals if one.record.record_id not in out]
    steps += [ProposalPut(proposal=_waiting(one, revision)) for one in waiting]
    for record in new:
        if record.record_id in contents.uses:
            steps.append(UsesPut(record_id=record.record_id, uses=contents.uses[record.record_id]))
    takes_reflections = not any(is_waiting) and (approves or collection.record.review is Review.NONE)
    reflections = [
        replace(r, record_ids=tuple(i for i in r.record_ids if i in there), revision=revision)
        for r in contents.reflections
        if r.reflection_id not in collection.reflections and not there.isdisjoint(r.record_ids)
        if takes_reflections
    ]
    steps += [ReflectionPut(reflection=reflection) for reflection in reflections]
    known = [r.record_id for r in contents.all_records if r.record_id in known_ids(collection)]
    result = CollectionImported(
        records=len(new) + len(waiting),
        reflections=len(reflections),
        known_ids=tuple(sorted(known)),
        refused_ids=tuple(sorted(refused - set(known))),
    )
    return Edit(result=result, steps=tuple(steps), sees_all=True)


def _waiting(one: Proposal, revision: int) -> Proposal:
    """Returns what waits without what refers to other records: it is judged when it is approved."""
    record = replace(
        one.record,
        state=RecordState.ACTIVE,
        contested_with=(),
        superseded_by=NO_RECORD,
        reason=None,
        valid_until=None,
        reflection_id=NO_REFLECTION,
        judged=False,
        revision=revision,
        awaits_review=True,
    )
    return replace(one, record=record)


def standing(record: Record, there: Set[RecordId], revision: int) -> Record:
    """Returns the record without what refers to others that are not there: such a fact is judged anew."""
    partners = tuple(other for other in record.contested_with if other in there)
    whole = partners == record.contested_with and (not record.superseded_by or record.superseded_by in there)
    if whole:
        return replace(record, revision=revision)
    return replace(
        record,
        state=RecordState.CONTESTED if partners else RecordState.ACTIVE,
        contested_with=partners,
        superseded_by=NO_RECORD,
        reason=None,
        valid_until=None,
        judged=False,
        revision=revision,
    )
