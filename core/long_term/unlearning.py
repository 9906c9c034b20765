"""What becomes of records when what taught them goes: what only that taught goes, others lose the evidence.

Law: pure. Of a deleted turn no words stay: a record whose own text came from one goes, unless the very same words were
said elsewhere. It leaves a tombstone, except where it rests on turns that are left as well: these are looked through
again. What it stood for, superseded or contested stands again.
"""

from collections.abc import Collection as Some
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from core.ids import ConversationId, RecordId
from core.long_term.collection import Collection
from core.long_term.standing import Rewriting, standing_again
from core.long_term.steps import ProposalDrop, ProposalPut
from core.model.record import NO_CONVERSATION, Provenance, Record, RecordKind, RecordState


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlearnResult:
    """`gone`: the records that go; `marked` of them leave a tombstone. `anew`: steps to be looked through again.
    `proposals`: what becomes of those that wait for a review."""

    gone: tuple[Record, ...]
    marked: frozenset[RecordId]
    anew: tuple[int, ...]
    proposals: tuple[ProposalPut | ProposalDrop, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Turns of a conversation that are gone. `everything`: all of them, and whatever else names it as its source."""

    conversation_id: ConversationId
    steps: frozenset[int]
    everything: bool = False

    def admits(self, record: Record) -> bool:  # noqa: ARG002  a record of any time
        return True

    def takes(self, record: Record) -> bool:
        return self.taught(record.provenance)

    def taught(self, source: Provenance) -> bool:
        is_its_own = source.conversation_id == self.conversation_id
        return is_its_own and (self.everything or not self.steps.isdisjoint(source.steps))

    def left_of(self, source: Provenance) -> tuple[int, ...]:
        if self.everything:
            return ()
        return tuple(step for step in source.steps if step not in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Records by their ids, as a whole; else what comes from a source, a conversation (of it some `steps`, if any are
    named), a writer or all of these, of records that were written from `since` until before `until`."""

    record_ids: frozenset[RecordId] = frozenset()
    source: str = ""
    conversation_id: ConversationId = NO_CONVERSATION
    steps: frozenset[int] = frozenset()
    writer: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def admits(self, record: Record) -> bool:
        if self.since is not None and record.create_time < self.since:
            return False
        return self.until is None or record.create_time < self.until

    def takes(self, record: Record) -> bool:
        if self.record_ids:
            return record.record_id in self.record_ids
        return self.admits(record) and (self._is_by_time_alone or self.taught(record.provenance))

    def taught(self, source: Provenance) -> bool:
        """Whether it comes from there: evidence alone has no time of writing."""
        if self.record_ids or self._is_by_time_alone:
            return False
        if self.source and source.source != self.source:
            return False
        if self.writer and source.writer != self.writer:
            return False
        if self.steps and self.steps.isdisjoint(source.steps):
            return False
        return not self.conversation_id or source.conversation_id == self.conversation_id

    def left_of(self, source: Provenance) -> tuple[int, ...]:
        return tuple(step for step in source.steps if step not in self.steps) if self.steps else ()

    @property
    def filters(self) -> bool:
        """Whether anything but ids says what goes."""
        return bool(self.source or self.conversation_id or self.writer or self.since or self.until)

    @property
    def _is_by_time_alone(self) -> bool:
        return not (self.source or self.conversation_id or self.writer)


class Origins(Protocol):
    """What goes: of the records that it `admits` those that it taught first (`takes`); which evidence is its own
    (`taught`), and what steps are left of that."""

    def admits(self, record: Record) -> bool: ...
    def takes(self, record: Record) -> bool: ...
    def taught(self, source: Provenance) -> bool: ...
    def left_of(self, source: Provenance) -> tuple[int, ...]: ...


def unlearn(collection: Collection, turns: Origins, rewriting: Rewriting) -> UnlearnResult:
    """Puts what stays and changes into `rewriting`; what goes is the caller's to drop."""
    gone: dict[RecordId, Record] = {}
    marked: set[RecordId] = set()
    anew: set[int] = set()
    same = _by_survivor(collection)
    for record in list(collection.records.values()):
        if turns.takes(record):
            others = _elsewhere(record, turns, same.get(record.record_id, ()))
            if others:
                rewriting.put(_resting_on(record, others[0], turns))
                continue
            left = _left(record, turns)
            revived = [r for r in same.get(record.record_id, ()) if not turns.takes(r)]
            gone[record.record_id] = record
            anew |= left if record.kind is RecordKind.FACT else set()
            if not left and not revived:
                marked.add(record.record_id)
        elif turns.admits(record) and any(map(turns.taught, record.also_from)):
            rewriting.put(replace(record, also_from=tuple(_without(record.also_from, turns))))
    rewriting.dropped.update(gone)
    for record in gone.values():
        rewriting.withdraw(record)
        for other in same.get(record.record_id, ()):
            if other.record_id not in gone:
                rewriting.put(standing_again(rewriting.get(other.record_id) or other))
    proposals = tuple(_proposals(collection, turns, anew))
    return UnlearnResult(
        gone=tuple(gone.values()), marked=frozenset(marked), anew=tuple(sorted(anew)), proposals=proposals
    )


def _proposals(
    collection: Collection, turns: Origins, anew: set[int]
) -> Iterator[ProposalPut | ProposalDrop]:
    """Yields what becomes of proposals: as of records, but nothing rests on them. Adds to `anew`."""
    for proposal in collection.proposals.values():
        record = proposal.record
        if turns.takes(record):
            if others := _elsewhere(record, turns, ()):
                yield ProposalPut(proposal=replace(proposal, record=_resting_on(record, others[0], turns)))
                continue
            anew |= _left(record, turns) if record.kind is RecordKind.FACT else set()
            yield ProposalDrop(record_id=record.record_id)
        elif turns.admits(record) and any(map(turns.taught, record.also_from)):
            left = replace(record, also_from=tuple(_without(record.also_from, turns)))
            yield ProposalPut(proposal=replace(proposal, record=left))


def _by_survivor(collection: Collection) -> dict[RecordId, list[Record]]:
    """Returns the records with the same content as another that stands for them."""
    found: dict[RecordId, list[Record]] = {}
    for record in collection.records.values():
        if record.state is RecordState.SUPERSEDED and record.valid_until is None:
            found.setdefault(record.superseded_by, []).append(record)
    return found


def _elsewhere(record: Record, turns: Origins, same: Some[Record]) -> list[Provenance]:
    """Returns where else these very words were stated: not where records say the same in other words. A record that is
    taken for itself has no such place."""
    if not turns.taught(record.provenance):
        return []
    theirs = {source for other in same for source in (other.provenance, *other.also_from)}
    found = [s for s in record.also_from if not turns.taught(s) and s not in theirs]
    return sorted(found, key=lambda source: -source.origin.strength)


def _resting_on(record: Record, source: Provenance, turns: Origins) -> Record:
    return replace(
        record,
        origin=source.origin,
        source=source.source,
        conversation_id=source.conversation_id,
        steps=source.steps,
        invocation_id=source.invocation_id,
        writer=source.writer,
        also_from=tuple(other for other in _without(record.also_from, turns) if other != source),
    )


def _without(sources: Sequence[Provenance], turns: Origins) -> Iterator[Provenance]:
    for source in sources:
        if not turns.taught(source):
            yield source
        elif left := turns.left_of(source):
            yield replace(source, steps=left)


def _left(record: Record, turns: Origins) -> set[int]:
    """Returns the steps of the conversation that taught it too, and are left."""
    taught = [s for s in (record.provenance, *record.also_from) if turns.taught(s)]
    return {step for source in taught for step in turns.left_of(source)}
