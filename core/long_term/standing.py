"""Where facts stand towards one another: known, merged, superseded, contested, revived.

Law: pure. Nothing is superseded without a reason that is known (`SupersededReason`); facts that only a Judge holds for
contradictory are CONTESTED, until a caller decides. No weaker origin supersedes a stronger one, unless a caller says
so. What is decided is a set of changed records; the caller stores them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from core.ids import ConversationId, RecordId
from core.long_term.collection import Collection
from core.long_term.settings import LongTermSettings
from core.long_term.steps import RecordPut
from core.long_term.worth import reinforced
from core.model.record import (
    NO_CONVERSATION,
    NO_RECORD,
    Origin,
    Provenance,
    Record,
    RecordKind,
    RecordState,
    Rival,
    SupersededReason,
)

CALLER = SupersededReason.CALLER
MOST_ORIGINS = 100
"""Of one record: further ones are not kept."""
MOST_OPPONENTS = 20
"""Of one contested record: a contradiction with further ones is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A fact that the judged one contradicts. `reason`: why the newer one supersedes the older; None: it is not known
    which of them holds."""

    with_id: RecordId
    reason: SupersededReason | None = None


class Rewriting:
    """Records as a decision leaves them, over a collection that stays as it is."""

    def __init__(self, collection: Collection, settings: LongTermSettings) -> None:
        self.collection = collection
        self._settings = settings
        self.changed: dict[RecordId, Record] = {}
        self.dropped: set[RecordId] = set()

    def get(self, record_id: RecordId) -> Record | None:
        if record_id in self.dropped:
            return None
        return self.changed.get(record_id) or self.collection.records.get(record_id)

    def put(self, record: Record) -> None:
        self.changed[record.record_id] = record

    @property
    def steps(self) -> list[RecordPut]:
        """What changed; a record whose words changed says so."""
        before = self.collection.records
        return [
            RecordPut(record=record, reworded=key in before and before[key].content != record.content)
            for key, record in self.changed.items()
            if before.get(key) != record and key not in self.dropped
        ]

    # ---- judging ----

    def judge(
        self,
        record_id: RecordId,
        found: Sequence[Contradiction],
        merges: Sequence[RecordId],
        rivals: Sequence[Rival] = (),
    ) -> None:
        """Carries out a judgement of a fact: which it contradicts, else which say the same, the surest first; and which
        it may contradict."""
        for contradiction in found:
            self._conflict(record_id, contradiction)
        for other in () if found else merges[:1]:
            self._merge(record_id, other)
        judged = self.get(record_id)
        if judged is not None:
            self.put(replace(judged, judged=True, rivals=tuple(rivals)))

    def _conflict(self, one: RecordId, found: Contradiction) -> None:
        a, b = self.get(one), self.get(found.with_id)
        if a is None or b is None or RecordState.SUPERSEDED in (a.state, b.state):
            return
        older, newer = sorted((a, b), key=lambda r: (r.event_time, r.create_time, r.record_id))
        if found.reason is not None and newer.origin.strength >= older.origin.strength:
            self.supersede(older, newer, newer.event_time, found.reason)
        else:
            self.contest(a, b)

    def contest(self, a: Record, b: Record) -> None:
        """Makes two facts contest each other; not one that contests as many as it may."""
        if max(len(a.contested_with), len(b.contested_with)) < MOST_OPPONENTS:
            self.put(_contested(a, b.record_id))
            self.put(_contested(b, a.record_id))

    def revive(self, record: Record) -> None:
        """Brings back what was superseded: contested with the one that took its place, ACTIVE where that is gone."""
        revived = replace(
            record, state=RecordState.ACTIVE, superseded_by=RecordId(""), reason=None, valid_until=None
        )
        self.put(revived)
        other = self.get(record.superseded_by)
        if other is not None and other.state is not RecordState.SUPERSEDED:
            self.contest(revived, other)

    def _merge(self, one: RecordId, other: RecordId) -> None:
        a, b = self.get(one), self.get(other)
        if a is None or b is None or {a.state, b.state} != {RecordState.ACTIVE}:
            return  # only a decision ends a contest
        stays, goes = by_rank(a, b)
        self.put(_with_sources(stays, goes, self._settings))
        self.put(
            replace(
                goes,
                state=RecordState.SUPERSEDED,
                superseded_by=stays.record_id,
                reason=SupersededReason.SAME,
                judged=True,
            )
        )

    def known(self, record: Record, again: Record, *, is_approved: bool = True) -> Record:
        """Returns the record that stands for one with the same words, which is not kept. Not `is_approved`: it would
        wait for a review, so it is evidence and moves nothing."""
        both = joined(record, again, self._settings) if is_approved else _with_evidence(record, again)
        self.put(both)
        return both

    # ---- deciding ----

    def decide(self, record: Record, stands: bool) -> Record:
        """Applies a caller's decision on a contested fact: it stands and the others give way, or it gives way to
        them."""
        self.put(_at_peace(record))
        for key in record.contested_with:
            other = self.get(key)  # as it is by now: others may have been contested among themselves
            if other is None:
                continue
            if not stands:
                self.supersede(record, other, max(other.event_time, record.valid_from), CALLER)
                break
            self.supersede(other, _at_peace(record), max(record.event_time, other.valid_from), CALLER)
        return self.changed[record.record_id]

    def supersede(self, older: Record, newer: Record, moment: datetime, reason: SupersededReason) -> None:
        """Lets one fact take another's place, which held until that moment."""
        self._release(older)
        self.put(
            replace(
                older,
                state=RecordState.SUPERSEDED,
                superseded_by=newer.record_id,
                reason=reason,
                valid_until=max(moment, older.valid_from),
                contested_with=(),
                judged=True,
            )
        )

    def _release(self, record: Record) -> None:
        """Makes those that are contested with it so no more; one without another opponent is ACTIVE."""
        for key in record.contested_with:
            other = self.get(key)
            if other is not None:
                left = tuple(k for k in other.contested_with if k != record.record_id)
                state = other.state if left else RecordState.ACTIVE
                self.put(replace(other, contested_with=left, state=state))

    # ---- going ----

    def withdraw(self, record: Record) -> list[RecordId]:
        """Withdraws a record's statement: it was deleted, or gets other words.

        Facts that it superseded or contested alone are ACTIVE again, and to be judged anew: their ids are returned.
        Those that it superseded are in doubt.
        """
        revived = [key for key in record.contested_with if self._contested_alone(key)]
        self._release(record)
        for key in revived:
            self._unjudge(key)
        for other in self._superseded_by(record):
            if other.valid_until is None:
                continue  # it says the same: `duplicates`
            self.put(standing_again(other))
            revived.append(other.record_id)
        return revived

    def duplicates(self, record: Record) -> list[Record]:
        """Returns records with the same content, for which this one stands: they go where it goes."""
        found = [other for other in self._superseded_by(record) if other.valid_until is None]
        return found + [more for other in found for more in self.duplicates(other)]

    def _superseded_by(self, record: Record) -> Iterable[Record]:
        standing = [self.get(key) for key in self._losers.get(record.record_id, ())]
        return [r for r in standing if r is not None and r.superseded_by == record.record_id]

    @cached_property
    def _losers(self) -> Mapping[RecordId, list[RecordId]]:
        """By the record that took their place, as the collection has it."""
        losers: dict[RecordId, list[RecordId]] = {}
        for key, record in self.collection.records.items():
            if record.superseded_by:
                losers.setdefault(record.superseded_by, []).append(key)
        return losers

    def _contested_alone(self, key: RecordId) -> bool:
        other = self.get(key)
        return other is not None and len(other.contested_with) == 1

    def _unjudge(self, key: RecordId) -> None:
        record = self.get(key)
        if record is not None:
            self.put(replace(record, judged=False))


def standing_again(record: Record) -> Record:
    """Returns a superseded record as it comes back, ACTIVE and to be judged anew, as what took its place is gone. If
    that said otherwise it is in doubt: what was once replaced need not hold again."""
    return replace(
        record,
        state=RecordState.ACTIVE,
        superseded_by=NO_RECORD,
        reason=None,
        valid_until=None,
        judged=False,
        needs_revision=record.needs_revision or record.valid_until is not None,
    )


def joined(record: Record, again: Record, settings: LongTermSettings) -> Record:
    """Returns a record with what says the same beside it; its origin is the stronger of the two."""
    both = _with_sources(record, again, settings)
    if again.origin.strength <= record.origin.strength:
        return both
    return replace(
        both,
        origin=again.origin,
        source=again.source or record.source,
        conversation_id=again.conversation_id,
        steps=again.steps,
        invocation_id=again.invocation_id,
        writer=again.writer,
        confidence=max(both.confidence, again.confidence),
    )


def _with_sources(stays: Record, goes: Record, settings: LongTermSettings) -> Record:
    """Returns the one that stays, with all sources; surer and in no doubt, unless the other's origin is weaker."""
    as_strong = goes.origin.strength >= stays.origin.strength
    surer = reinforced(stays, settings) if as_strong else stays
    sources = dict.fromkeys(
        (*stays.also_from, *goes.also_from, goes.provenance, *_own_if_replaced(stays, goes))
    )
    return replace(
        surer,
        event_time=max(stays.event_time, goes.event_time) if as_strong else stays.event_time,
        needs_revision=stays.needs_revision and not as_strong,
        valid_from=min(stays.valid_from, goes.valid_from),
        also_from=tuple(sources)[:MOST_ORIGINS],
    )


def _with_evidence(record: Record, again: Record) -> Record:
    sources = dict.fromkeys((*record.also_from, again.provenance))
    return replace(record, also_from=tuple(sources)[:MOST_ORIGINS])


def _contested(record: Record, other: RecordId) -> Record:
    partners = tuple(dict.fromkeys((*record.contested_with, other)))
    return replace(record, state=RecordState.CONTESTED, contested_with=partners)


def _at_peace(record: Record) -> Record:
    return replace(record, state=RecordState.ACTIVE, contested_with=(), judged=True)


def same_episode(records: Iterable[Record], episode: Record) -> Record | None:
    """Returns the episode of the same whole conversation, where `episode` is of one; None: it is not, or there is
    none."""
    return next((record for record in records if _is_of_whole(record, episode.conversation_id)), None)


def _is_of_whole(record: Record, conversation_id: ConversationId) -> bool:
    return (
        record.kind is RecordKind.EPISODE
        and record.conversation_id == conversation_id != NO_CONVERSATION
        and not record.invocation_id
        and record.origin is Origin.DISTILLED
    )


def by_rank(one: Record, other: Record) -> list[Record]:
    """Returns which of two with the same content stays, and which goes."""
    return sorted((one, other), key=_rank, reverse=True)


def _rank(record: Record) -> tuple[int, int, datetime, RecordId]:
    """Returns the rank by which one of two records with the same content stays: the stronger origin, then the
    fuller, then the newer."""
    return record.origin.strength, len(record.content), record.event_time, record.record_id


def _own_if_replaced(stays: Record, goes: Record) -> tuple[Provenance, ...]:
    """Returns the record's own origin, to be kept beside, where a stronger one takes its place."""
    return (stays.provenance,) if goes.origin.strength > stays.origin.strength else ()
