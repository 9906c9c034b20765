"""What was found by itself comes into a collection: all of one finding in one change, under one request.

Law: the same door as StoreFact's. A fact or strategy that is known is reinforced, once per source; what was deleted
since stays deleted, and what has expired is not known; new facts wait for their judgement. Where a collection is full
the weakest of what no user said gives way, else they, which the collection counts; nothing gives way to what waits for
a review.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.errors import LimitReached
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.reviewing import awaits, proposal
from core.long_term.standing import Rewriting
from core.long_term.steps import CollectionPut, ProposalPut, RecordDrop, RecordPut, Step
from core.long_term.texts import normalised
from core.long_term.worth import decay, half_life, weight
from core.model.record import NO_RECORD, Origin, Record, RecordKind
from core.model.review import Proposal
from core.ports.aggregates import CommitResult, RequestKey
from core.ports.store import Require
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.new_records import stamped
from core.usecases.long_term.ports import WritingPorts
from core.usecases.long_term.reading import Lasts, lasting
from core.usecases.long_term.verbs.add_record import was_forgotten
from core.usecases.long_term.verbs.delete_records import feedback_without
from core.usecases.long_term.writing import Edit, characters, write
from core.usecases.ports import CommonPorts, HasSettings
from core.usecases.user.permission import Permission

WEAK = frozenset({Origin.OBSERVED, Origin.DISTILLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepFound:
    """`permission`: of the user. `requires`: what must hold as they are stored, of the user and of where they come
    from. `withheld` is kept with the answer."""

    key: CollectionKey
    records: tuple[Record, ...]
    permission: Permission
    requires: tuple[Require, ...]
    request: RequestKey
    withheld: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKept:
    """The records that say what was found, new or known, without those that wait for a review, and how many were
    withheld as sensitive."""

    fact_ids: tuple[RecordId, ...] = ()
    episode_id: RecordId = NO_RECORD
    strategy_ids: tuple[RecordId, ...] = ()
    withheld: int = 0


async def keep_found(ports: WritingPorts, command: KeepFound) -> CommitResult[FoundKept]:
    """Raises MemoryOff, RequirementFailed, LimitReached (of collections)."""
    now = ports.clock.now()
    new_ids = [RecordId(ports.ids.new("r")) for _ in command.records]

    def compose(collection: Collection, revision: int) -> Edit[FoundKept]:
        rewriting = Rewriting(collection, ports.settings.long_term)
        new: dict[int, Record] = {}
        waiting: list[Proposal] = []
        ids = [NO_RECORD] * len(command.records)
        lasts = lasting(collection, now, command.permission.retention)
        for place, found in enumerate(command.records):
            if was_forgotten(collection, found):
                continue
            if (same := same_as(collection, found, lasts)) is not None:
                _reinforce(rewriting, same, found)
                ids[place] = same
                continue
            record = replace(stamped(found, now, revision), record_id=new_ids[place])
            if awaits(collection.record, found, approves=False):
                waiting.append(proposal(collection, record, lasts, ports.settings.long_term))
            else:
                new[place] = record
        kept, gone = _with_room(ports, collection, list(new.values()))
        stored = {record.record_id for record in kept}
        for place, record in new.items():
            ids[place] = record.record_id if record.record_id in stored else NO_RECORD
        proposed = _proposals_with_room(ports, collection, kept, waiting)
        found_room = len(kept) + len(proposed)
        counted = _counted(collection, found_room, len(new) + len(waiting) - found_room)
        puts = (RecordPut(record=record) for record in kept)
        return Edit(
            result=_told(command, ids),
            steps=(*counted, *gone, *rewriting.steps, *puts, *proposed),
            touches=frozenset({"collection"} if counted else ()),
            sees_all=True,
            erase=bool(gone),
        )

    return await write(
        ports, command.key, compose, command.request, FoundKept, command.permission, command.requires
    )


def _told(command: KeepFound, ids: Sequence[RecordId]) -> FoundKept:
    def of(kind: RecordKind) -> tuple[RecordId, ...]:
        pairs = zip(command.records, ids, strict=True)
        return tuple(dict.fromkeys(key for record, key in pairs if key and record.kind is kind))

    return FoundKept(
        fact_ids=of(RecordKind.FACT),
        episode_id=next(iter(of(RecordKind.EPISODE)), NO_RECORD),
        strategy_ids=of(RecordKind.MEMORY),
        withheld=command.withheld,
    )


def same_as(collection: Collection, found: Record, lasts: Lasts) -> RecordId | None:
    """Returns the record with the very same words: of facts, and of what was distilled."""
    if found.kind is RecordKind.FACT:
        known = collection.same_text(found)
        return known.record_id if known and lasts(known) else None
    if found.kind is RecordKind.EPISODE:
        return None
    text = normalised(found.content)
    strategies = (collection.records[key] for key in collection.strategies)
    same = (r for r in strategies if r.recovery is None and r.kind is found.kind and lasts(r))
    return next((r.record_id for r in same if normalised(r.content) == text), None)


def _reinforce(rewriting: Rewriting, record_id: RecordId, again: Record) -> None:
    """Strengthens a record once per source: a source that is gone through again makes nothing surer."""
    known = rewriting.get(record_id)
    if known is not None and again.provenance not in (known.provenance, *known.also_from):
        waits = awaits(rewriting.collection.record, again, approves=False)
        rewriting.known(known, again, is_approved=not waits)


def _with_room(
    ports: CommonPorts, collection: Collection, new: Sequence[Record]
) -> tuple[list[Record], list[Step]]:
    """Returns those of the new records that find room, and what goes for it."""
    gone: list[Record] = []
    kept: list[Record] = []
    weakest = _weakest_first(ports, collection) if new else iter(())
    for record in new:
        while not _fits(ports, collection, [*kept, record], gone):
            if (one := next(weakest, None)) is None:
                break
            gone.append(one)
        if _fits(ports, collection, [*kept, record], gone):
            kept.append(record)
    ids = {record.record_id for record in gone}
    drops: list[Step] = [RecordDrop(record_id=key) for key in sorted(ids)]
    if ids:
        drops += [*feedback_without(collection, ids), *waiting_anew(collection, ids, ids)]
    return kept, drops


def _fits(ports: HasSettings, collection: Collection, new: Sequence[Record], gone: Sequence[Record]) -> bool:
    more = sum(map(characters, new)) - sum(map(characters, gone))
    try:
        ports.settings.limits.check_records(
            collection.filled + len(new) - len(gone), collection.characters + more
        )
    except LimitReached:
        return False
    return True


def _proposals_with_room(
    ports: HasSettings, collection: Collection, kept: Sequence[Record], waiting: Sequence[Proposal]
) -> list[ProposalPut]:
    """Returns the proposals that find room beside what is kept."""
    new = list(kept)
    puts: list[ProposalPut] = []
    for one in waiting:
        if one.record.record_id not in collection.proposals:
            if not _fits(ports, collection, [*new, one.record], ()):
                continue
            new.append(one.record)
        puts.append(ProposalPut(proposal=one))
    return puts


def _counted(collection: Collection, found_room: int, without: int) -> list[CollectionPut]:
    """Returns the step that counts what found no room; where all found some it starts anew."""
    record = collection.record
    count = record.without_room + without if without or not found_room else 0
    return [CollectionPut(record=replace(record, without_room=count))] if count != record.without_room else []


def _weakest_first(ports: CommonPorts, collection: Collection) -> Iterator[Record]:
    """Yields what no user stated, by weight × decay; never what others rest on."""
    now, settings = ports.clock.now(), ports.settings.long_term
    rested_on = {record.superseded_by for record in collection.records.values()}

    def worth(record: Record) -> float:
        days = half_life(record, collection.record, settings)
        return weight(record) * decay(record, now, days)

    found: Iterable[Record] = (
        r
        for r in collection.records.values()
        if r.origin in WEAK and r.record_id not in rested_on and not r.contested_with
    )
    yield from sorted(found, key=lambda r: (worth(r), r.record_id))
