"""A collection in memory: the aggregate of one user's long-term memory under one name.

Law: as every aggregate, it changes by `apply` alone. What is derived (words, vectors, which records say the same, which
still want a vector or a judgement) follows from the records.
"""

from collections.abc import Collection as Some
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from core.aggregate.aggregate import LargeMembers, Tuning
from core.aggregate.change import Head
from core.aggregate.handles import Handles
from core.aggregate.indexes import Indexes
from core.aggregate.parts import PartsAggregate
from core.errors import InvalidField, RecordNotFound, ReflectionNotFound, RetractionNotFound
from core.ids import RecordId, ReflectionId
from core.index.keyword_index import KeywordIndex
from core.index.vector_index import VectorIndex
from core.long_term.conditions import parsed
from core.long_term.steps import (
    FEEDBACK,
    HELD,
    PROPOSALS,
    RECORDS,
    REFLECTIONS,
    RETRACTIONS,
    TOMBSTONES,
    USES,
    CollectionChange,
    CollectionPut,
    ProposalDrop,
    ProposalPut,
    RecordDrop,
    RecordPut,
    ReflectionDrop,
    ReflectionPut,
    Step,
)
from core.long_term.texts import (
    FIELD_WEIGHTS,
    embedded,
    fields,
    identity,
    normalised,
    quotation,
    statement,
    told,
)
from core.model.collection import CollectionRecord, Feedback, Tombstone
from core.model.record import (
    LIMIT,
    PREFERENCE,
    STRATEGY,
    Record,
    RecordKind,
    RecordState,
    Reflection,
    SupersededReason,
    Uses,
)
from core.model.retraction import HeldItem, Retraction
from core.model.review import Proposal
from core.model.vector import Vector
from core.text.standing_orders import is_standing_order

NEVER_USED = Uses(count=0, last_time=datetime.min.replace(tzinfo=UTC))


class Collection(PartsAggregate[CollectionRecord, Step]):
    """One collection: read it freely between awaits; change it by `apply`."""

    def __init__(self, record: CollectionRecord, head: Head, tuning: Tuning) -> None:
        super().__init__(record, head, tuning)
        self.records: dict[RecordId, Record] = self._of(RECORDS.name)
        self.uses: dict[RecordId, Uses] = self._of(USES.name)
        self.feedback: dict[str, Feedback] = self._of(FEEDBACK.name)
        self.reflections: dict[ReflectionId, Reflection] = self._of(REFLECTIONS.name)
        self.tombstones: dict[RecordId, Tombstone] = self._of(TOMBSTONES.name)
        self.retractions: dict[str, Retraction] = self._of(RETRACTIONS.name)
        self.held: dict[str, HeldItem] = self._of(HELD.name)
        self.proposals: dict[RecordId, Proposal] = self._of(PROPOSALS.name)
        self.handles = Handles()  # of records
        self.words: KeywordIndex[RecordId] = KeywordIndex(FIELD_WEIGHTS)
        self.vectors: VectorIndex[RecordId] = VectorIndex(tuning.dimension, tuning.vectors)
        self.wanting: dict[RecordId, None] = {}
        self.unjudged: dict[RecordId, None] = {}
        self.recoveries: dict[RecordId, None] = {}
        self.strategies: dict[RecordId, None] = {}
        self.preferences: dict[RecordId, None] = {}
        self.orders: dict[RecordId, None] = {}  # preferences that say how to answer, whatever is asked
        self.episodes: dict[RecordId, None] = {}
        self.standing: dict[RecordId, None] = {}  # facts that are not superseded
        self.plain_facts: dict[RecordId, None] = {}  # of them neither preferences nor strategies
        self.limits: dict[RecordId, None] = {}  # of these such as name what somebody cannot have or do
        self.corrected: dict[RecordId, None] = {}  # facts that a user took back by another
        self.mortal: dict[RecordId, None] = {}  # records with a time to live
        self._saying: dict[str, dict[RecordId, None]] = {}  # facts that stand, by identity
        self._replaced: dict[
            str, dict[RecordId, None]
        ] = {}  # facts another took the place of, by what was said
        self._proposing: dict[str, dict[RecordId, None]] = {}  # proposals, by identity
        self._metadata: dict[RecordId, Mapping[str, Any]] = {}  # parsed, of records that were asked for
        self._characters = 0
        self._apart = 0  # bytes of metadata that is not held in memory
        # When a call last changed anything. Not stored: of a collection just loaded, no later than its own revision.
        self.edited = head.revision

    def _of(self, part: str) -> Any:
        return self.parts[part]

    # ---- reads ----

    @property
    def size(self) -> int:
        """About how many bytes it holds in memory."""
        vectors = 4 * self.tuning.dimension * len(self.vectors)
        return 16_000 + vectors * 5 // 4 + 8 * self._characters + 1_500 * self.items

    @property
    def characters(self) -> int:
        """Of all records' texts, those that wait for a review included; of metadata that stands apart the bytes."""
        return self._characters + self._apart

    @property
    def filled(self) -> int:
        """How many records take up room: those that wait for a review are among them."""
        return len(self.records) + len(self.proposals)

    @property
    def indexes(self) -> Indexes:
        return Indexes(words={"record_words": self.words}, vectors={"record_vectors": self.vectors})

    @property
    def large_members(self) -> LargeMembers:
        return LargeMembers(many=super().large_members.many, parts=(self.words, self.vectors))

    @property
    def wanting_vectors(self) -> Mapping[str, Some[RecordId]]:
        return {RECORDS.name: self.wanting} if self.wanting else {}

    def stored(self, record_id: RecordId) -> Record:
        """Raises RecordNotFound."""
        try:
            return self.records[record_id]
        except KeyError:
            raise RecordNotFound(record_id) from None

    def named(self, names: Iterable[RecordId], field: str) -> list[Record]:
        """Returns the records with these ids or handles. Raises RecordNotFound; InvalidField naming the `field`, where
        a handle is the end of several ids, or two names are of one record."""
        found: dict[RecordId, Record] = {}
        for name in names:
            by_handle = name not in self.records
            named = self.handles.id_of(name, field, self.records.__contains__) if by_handle else ""
            record = self.stored(RecordId(named or name))
            if record.record_id in found:
                raise InvalidField(field, f"names {record.record_id} twice")
            found[record.record_id] = record
        return list(found.values())

    def proposal(self, record_id: RecordId) -> Proposal:
        """Returns what waits under this id. Raises RecordNotFound."""
        try:
            return self.proposals[record_id]
        except KeyError:
            raise RecordNotFound(record_id) from None

    def record_or_proposal(self, record_id: RecordId) -> Record | None:
        """Returns a record, whether or not it waits for a review; None: there is neither."""
        if (record := self.records.get(record_id)) is not None:
            return record
        waiting = self.proposals.get(record_id)
        return waiting.record if waiting is not None else None

    def metadata_of(self, record: Record) -> Mapping[str, Any]:
        """Returns the metadata of a record or of what waits, parsed once."""
        found = self._metadata.get(record.record_id)
        if found is None:
            found = self._metadata[record.record_id] = parsed(record.metadata_json)
        return found

    def reflection(self, reflection_id: ReflectionId) -> Reflection:
        """Returns a reflection that has its text. Raises ReflectionNotFound."""
        reflection = self.reflections.get(reflection_id)
        if reflection is None or not reflection.text:
            raise ReflectionNotFound(reflection_id)
        return reflection

    def retraction(self, retraction_id: str) -> Retraction:
        """Raises RetractionNotFound."""
        try:
            return self.retractions[retraction_id]
        except KeyError:
            raise RetractionNotFound(retraction_id) from None

    def held_by(self, retraction_id: str) -> list[HeldItem]:
        """Returns what a retraction took away and still keeps."""
        return [held for held in self.held.values() if held.retraction_id == retraction_id]

    def uses_of(self, record: Record) -> Uses:
        return self.uses.get(record.record_id, NEVER_USED)

    def same_text(self, given: Record) -> Record | None:
        """Returns the active fact that says the same in these very words; the oldest of several."""
        saying = [self.records[key] for key in self._saying.get(identity(given), ())]
        return min(saying, key=lambda record: (record.create_time, record.record_id), default=None)

    @property
    def has_replaced(self) -> bool:
        """Whether there are facts of which others took the place that say something else."""
        return bool(self._replaced)

    def replaced(self, plain: str) -> Iterable[Record]:
        """Returns the facts that said this, as it compares with others, and of which another took the place that says
        something else."""
        return [self.records[key] for key in self._replaced.get(plain, ())]

    def proposals_saying(self, given: Record) -> list[Proposal]:
        """Returns the proposals that say the same in these very words, the oldest first."""
        found = [self.proposals[key] for key in self._proposing.get(identity(given), ())]
        return sorted(found, key=lambda one: (one.record.create_time, one.record.record_id))

    def facts(self) -> Iterable[Record]:
        return (record for record in self.records.values() if record.kind is RecordKind.FACT)

    # ---- changing ----

    def apply(self, change: CollectionChange, prepared: Any = None) -> None:
        """Carries out a stored change, and stands at its revision."""
        super().apply(change, prepared)
        if any(_is_edit(step, change.revision) for step in change.steps):
            self.edited = change.revision

    def put_vectors(self, part: str, vectors: Mapping[RecordId, Vector]) -> None:  # noqa: ARG002  of records alone
        """Indexes vectors of records that are there; others are passed over. Derived: no revision."""
        known = {key: vector for key, vector in vectors.items() if key in self.records}
        self.vectors.put_many(list(known), list(known.values()))
        for key in known:
            self.wanting.pop(key, None)

    def entered(self, part: str, item: str, value: Any, before: Any | None) -> None:  # noqa: ARG002  a record's id
        if part == PROPOSALS.name:
            if before is not None:
                self._withdraw(before)
            self._propose(value)
        if part != RECORDS.name:
            return
        self.handles.add(value.record_id)
        stays = before is not None and fields(before) == fields(value)
        if before is not None:
            self._leave(before, stays=stays)
        self._enter(value, stayed=stays)
        if before is None or embedded(before) != embedded(value):
            self.vectors.drop(value.record_id)
            self.wanting[value.record_id] = None

    def left(self, part: str, item: str, before: Any) -> None:  # noqa: ARG002  a record's id
        if part == PROPOSALS.name:
            self._withdraw(before)
        if part == RECORDS.name:
            self._leave(before, stays=False)
            for derived, _ in self._sorts(before):
                derived.pop(before.record_id, None)
            self.vectors.drop(before.record_id)
            self.wanting.pop(before.record_id, None)

    def _propose(self, proposal: Proposal) -> None:
        record = proposal.record
        self._metadata.pop(record.record_id, None)
        self._characters += _length(record)
        self._proposing.setdefault(identity(record), {})[record.record_id] = None

    def _withdraw(self, proposal: Proposal) -> None:
        record = proposal.record
        self._metadata.pop(record.record_id, None)
        self._characters -= _length(record)
        _take(self._proposing, identity(record), record.record_id)

    def _enter(self, record: Record, *, stayed: bool) -> None:
        key = record.record_id
        if not stayed:
            self.words.put_one(key, fields(record))
        self._characters += _length(record)
        self._apart += record.metadata_bytes
        if _stands(record):
            self._saying.setdefault(identity(record), {})[key] = None
        elif _is_replaced(record):
            self._replaced.setdefault(normalised(statement(record)), {})[key] = None
        for derived, belongs in self._sorts(record):
            if belongs:
                derived.setdefault(key)  # where it was before it keeps its place
            else:
                derived.pop(key, None)

    def _sorts(self, record: Record) -> Iterable[tuple[dict[RecordId, None], bool]]:
        """Returns what is kept of records of one sort each, and whether this one is of it."""
        stands = _stands(record)
        is_plain = stands and record.category not in (PREFERENCE, STRATEGY)
        return (
            (self.standing, stands),
            (self.plain_facts, is_plain),
            (self.limits, is_plain and record.subcategory == LIMIT),
            (self.unjudged, stands and not record.judged),
            (self.recoveries, record.recovery is not None),
            (self.strategies, record.category == STRATEGY),
            (self.preferences, record.category == PREFERENCE),
            (self.orders, stands and record.category == PREFERENCE and _orders(record)),
            (self.episodes, record.kind is RecordKind.EPISODE),
            (self.corrected, record.superseded_reason is SupersededReason.CORRECTION),
            (self.mortal, record.ttl is not None),
        )

    def _leave(self, record: Record, *, stays: bool) -> None:
        key = record.record_id
        if not stays:
            self.words.drop(key, fields(record))
        self._metadata.pop(key, None)
        self._characters -= _length(record)
        self._apart -= record.metadata_bytes
        _take(self._saying, identity(record), key)
        if _is_replaced(record):
            _take(self._replaced, normalised(statement(record)), key)


def _take(by_text: dict[str, dict[RecordId, None]], text: str, record_id: RecordId) -> None:
    """Takes a record out of those with a text."""
    saying = by_text.get(text, {})
    saying.pop(record_id, None)
    if not saying:
        by_text.pop(text, None)


def _stands(record: Record) -> bool:
    return record.kind is RecordKind.FACT and record.state is not RecordState.SUPERSEDED


def _orders(record: Record) -> bool:
    said = quotation(record)
    return not said.speaker and is_standing_order(said.statement)


def _is_replaced(record: Record) -> bool:
    return record.superseded_reason not in (None, SupersededReason.SAME) and record.kind is RecordKind.FACT


def _is_edit(step: Step, revision: int) -> bool:
    """Whether a call asked for it: chores, opinions and uses are no edits."""
    match step:
        case CollectionPut():
            return step.record.settings_revision == revision
        case RecordPut():
            return step.record.revision == revision
        case RecordDrop() | ProposalDrop():
            return step.tombstone is not None
        case ProposalPut():
            return step.proposal.record.revision == revision
        case ReflectionPut():
            return step.reflection.revision == revision
        case ReflectionDrop():
            return True
    return False


def _length(record: Record) -> int:
    return (
        len(told(record))
        + len(record.detail)
        + len(record.metadata_json)
        + sum(map(len, fields(record).values()))
    )
