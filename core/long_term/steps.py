"""The steps of a collection: what one change may do to it.

Law: steps are plain frozen values, versioned by name and additive.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from core.aggregate.change import Change
from core.aggregate.codec import StepCodec
from core.aggregate.parts import Effect, ItemDrop, ItemPut, Part
from core.ids import RecordId, ReflectionId
from core.model.collection import CollectionRecord, Feedback, Tombstone
from core.model.record import Record, Reflection, Uses

RECORDS = Part(name="records", of=Record)
USES = Part(name="uses", of=Uses)
FEEDBACK = Part(name="feedback", of=Feedback)
REFLECTIONS = Part(name="reflections", of=Reflection)
TOMBSTONES = Part(name="tombstones", of=Tombstone)
PARTS = (RECORDS, USES, FEEDBACK, REFLECTIONS, TOMBSTONES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPut:
    """The collection's own record: the first step of its first change, and again when it changes."""

    record: CollectionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPut:
    """A record, new or changed. `reworded`: the vector of its text before, if it has one, is not its own any more."""

    record: Record
    reworded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDrop:
    """A record goes; a deletion leaves its tombstone, expiry and pruning leave none."""

    record_id: RecordId
    tombstone: Tombstone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsesPut:
    record_id: RecordId
    uses: Uses


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackPut:
    """An opinion, new, or without the records of it that are gone."""

    feedback: Feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackDrop:
    feedback_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionPut:
    reflection: Reflection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionDrop:
    reflection_id: ReflectionId


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneDrop:
    record_id: RecordId


Step = (
    CollectionPut
    | RecordPut
    | RecordDrop
    | UsesPut
    | FeedbackPut
    | FeedbackDrop
    | ReflectionPut
    | ReflectionDrop
    | TombstoneDrop
)

CollectionChange = Change[Step]
STEPS: StepCodec[Step] = StepCodec(Step)


def effects(step: Step) -> Iterable[Effect]:
    """What a step does to the collection's parts."""
    match step:
        case RecordPut():
            if step.reworded:
                yield ItemDrop(part=RECORDS, item=step.record.record_id)
            yield ItemPut(part=RECORDS, item=step.record.record_id, value=step.record)
        case RecordDrop():
            yield ItemDrop(part=RECORDS, item=step.record_id)
            yield ItemDrop(part=USES, item=step.record_id)
            if step.tombstone is not None:
                yield ItemPut(part=TOMBSTONES, item=step.record_id, value=step.tombstone)
        case UsesPut():
            yield ItemPut(part=USES, item=step.record_id, value=step.uses)
        case FeedbackPut():
            yield ItemPut(part=FEEDBACK, item=step.feedback.feedback_id, value=step.feedback)
        case FeedbackDrop():
            yield ItemDrop(part=FEEDBACK, item=step.feedback_id)
        case ReflectionPut():
            yield ItemPut(part=REFLECTIONS, item=step.reflection.reflection_id, value=step.reflection)
        case ReflectionDrop():
            yield ItemDrop(part=REFLECTIONS, item=step.reflection_id)
        case TombstoneDrop():
            yield ItemDrop(part=TOMBSTONES, item=step.record_id)
        case CollectionPut():
            pass
