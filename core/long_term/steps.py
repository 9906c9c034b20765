"""The steps of a collection: what one change may do to it."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.aggregate import step
from core.aggregate.change import Change
from core.aggregate.codec import StepCodec
from core.aggregate.parts import Effect, ItemDrop, ItemPut, Part
from core.ids import RecordId, ReflectionId
from core.model.collection import CollectionRecord, Feedback, Tombstone
from core.model.record import Record, RecordMetadata, Reflection, Uses
from core.model.retraction import HeldItem, Retraction
from core.model.review import Proposal

RECORDS = Part(name="records", of=Record)
USES = Part(name="uses", of=Uses)
FEEDBACK = Part(name="feedback", of=Feedback)
REFLECTIONS = Part(name="reflections", of=Reflection)
TOMBSTONES = Part(name="tombstones", of=Tombstone)
RETRACTIONS = Part(name="retractions", of=Retraction)
HELD = Part(name="held", of=HeldItem)
PROPOSALS = Part(name="proposals", of=Proposal)
METADATA = Part(name="metadata", of=RecordMetadata, loaded=False)
PARTS = (RECORDS, USES, FEEDBACK, REFLECTIONS, TOMBSTONES, RETRACTIONS, HELD, PROPOSALS, METADATA)


class Step(step.Step):
    """What may happen to a collection."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPut(Step):
    """The collection's own record: the first step of its first change, and again when it changes."""

    record: CollectionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPut(Step):
    """A record, new or changed. `reworded`: the vector of its text before, if it has one, is not its own any more."""

    record: Record
    reworded: bool = False

    def effects(self) -> Iterable[Effect]:
        if self.reworded:
            yield ItemDrop(part=RECORDS, item=self.record.record_id)
        yield ItemPut(part=RECORDS, item=self.record.record_id, value=self.record)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDrop(Step):
    """A record goes; a deletion leaves its tombstone, expiry and pruning leave none."""

    record_id: RecordId
    tombstone: Tombstone | None = None

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=RECORDS, item=self.record_id)
        yield ItemDrop(part=USES, item=self.record_id)
        yield ItemDrop(part=METADATA, item=self.record_id)
        if self.tombstone is not None:
            yield ItemPut(part=TOMBSTONES, item=self.record_id, value=self.tombstone)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMetadataPut(Step):
    """Metadata that is too large for its record."""

    record_id: RecordId
    metadata: RecordMetadata

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=METADATA, item=self.record_id, value=self.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMetadataDrop(Step):
    record_id: RecordId

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=METADATA, item=self.record_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsesPut(Step):
    record_id: RecordId
    uses: Uses

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=USES, item=self.record_id, value=self.uses)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackPut(Step):
    """An opinion, new, or without the records of it that are gone."""

    feedback: Feedback

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=FEEDBACK, item=self.feedback.feedback_id, value=self.feedback)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackDrop(Step):
    feedback_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=FEEDBACK, item=self.feedback_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionPut(Step):
    reflection: Reflection

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=REFLECTIONS, item=self.reflection.reflection_id, value=self.reflection)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionDrop(Step):
    reflection_id: ReflectionId

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=REFLECTIONS, item=self.reflection_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneDrop(Step):
    record_id: RecordId

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=TOMBSTONES, item=self.record_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionPut(Step):
    """A retraction, new or closed."""

    retraction: Retraction

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=RETRACTIONS, item=self.retraction.retraction_id, value=self.retraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionDrop(Step):
    retraction_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=RETRACTIONS, item=self.retraction_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPut(Step):
    """What a retraction took away, kept for its release."""

    held: HeldItem

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=HELD, item=self.held.name, value=self.held)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDrop(Step):
    name: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=HELD, item=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPut(Step):
    """A record that waits for a review, new or with more evidence."""

    proposal: Proposal

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=PROPOSALS, item=self.proposal.record.record_id, value=self.proposal)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalDrop(Step):
    """What waited is settled, or goes; a rejection leaves its tombstone."""

    record_id: RecordId
    tombstone: Tombstone | None = None

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=PROPOSALS, item=self.record_id)
        if self.tombstone is not None:
            yield ItemPut(part=TOMBSTONES, item=self.record_id, value=self.tombstone)


CollectionChange = Change[Step]
STEPS: StepCodec[Step] = StepCodec(Step)
