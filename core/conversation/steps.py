"""The steps of a conversation: what one change may do to it."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.aggregate import step
from core.aggregate.change import Change
from core.aggregate.codec import StepCodec
from core.aggregate.parts import Effect, ItemDrop, ItemPut, Part, numbered
from core.model.conversation import (
    ClusterHits,
    ConversationRecord,
    KeyMemory,
    Summary,
    Turn,
    TurnCluster,
    TurnMetadata,
    TurnWorths,
)
from core.model.invocation import InvocationSummary
from core.model.turn_retraction import HeldTurn, TurnRetraction

TURNS = Part(name="turns", of=Turn)
CLUSTERS = Part(name="clusters", of=TurnCluster)
HITS = Part(name="hits", of=ClusterHits)
SUMMARIES = Part(name="summaries", of=Summary)
KEYS = Part(name="keys", of=KeyMemory)
INVOCATIONS = Part(name="invocations", of=InvocationSummary)
METADATA = Part(name="metadata", of=TurnMetadata, loaded=False)
WORTHS = Part(name="worths", of=TurnWorths)
RETRACTIONS = Part(name="retractions", of=TurnRetraction)
HELD = Part(name="held", of=HeldTurn)
PARTS = (TURNS, CLUSTERS, HITS, SUMMARIES, KEYS, INVOCATIONS, METADATA, WORTHS, RETRACTIONS, HELD)


class Step(step.Step):
    """What may happen to a conversation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPut(Step):
    """The record: the first step of the first change, and again whenever it changes."""

    record: ConversationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAdd(Step):
    turn: Turn

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=TURNS, item=numbered(self.turn.step), value=self.turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDrop(Step):
    step: int

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=TURNS, item=numbered(self.step))
        yield ItemDrop(part=METADATA, item=numbered(self.step))


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMetadataPut(Step):
    """What a caller keeps with a turn."""

    step: int
    metadata: TurnMetadata

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=METADATA, item=numbered(self.step), value=self.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class MidPut(Step):
    """A cluster founded, or with other turns than before."""

    cluster: TurnCluster

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=CLUSTERS, item=self.cluster.cluster_id, value=self.cluster)


@dataclass(frozen=True, slots=True, kw_only=True)
class MidDrop(Step):
    """A cluster goes, and the count of its hits with it."""

    cluster_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=CLUSTERS, item=self.cluster_id)
        yield ItemDrop(part=HITS, item=self.cluster_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitsPut(Step):
    hits: ClusterHits

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=HITS, item=self.hits.cluster_id, value=self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPut(Step):
    summary: Summary

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=SUMMARIES, item=self.summary.summary_id, value=self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDrop(Step):
    summary_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=SUMMARIES, item=self.summary_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPut(Step):
    key: KeyMemory

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=KEYS, item=self.key.key_id, value=self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDrop(Step):
    key_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=KEYS, item=self.key_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationPut(Step):
    """What an invocation leaves behind."""

    summary: InvocationSummary

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=INVOCATIONS, item=self.summary.invocation_id, value=self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationDrop(Step):
    invocation_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=INVOCATIONS, item=self.invocation_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthsPut(Step):
    """What some turns are worth: derived from their words."""

    worths: TurnWorths

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=WORTHS, item=self.worths.name, value=self.worths)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthsDrop(Step):
    name: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=WORTHS, item=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRetractionPut(Step):
    """A retraction made, or closed."""

    retraction: TurnRetraction

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=RETRACTIONS, item=self.retraction.retraction_id, value=self.retraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRetractionDrop(Step):
    retraction_id: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=RETRACTIONS, item=self.retraction_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTurnPut(Step):
    """What a retraction keeps for a release."""

    held: HeldTurn

    def effects(self) -> Iterable[Effect]:
        yield ItemPut(part=HELD, item=self.held.name, value=self.held)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTurnDrop(Step):
    name: str

    def effects(self) -> Iterable[Effect]:
        yield ItemDrop(part=HELD, item=self.name)


ConversationChange = Change[Step]
STEPS: StepCodec[Step] = StepCodec(Step)


def text_length(steps: Iterable[Step]) -> int:
    """Characters of new turns, whose words are to be found."""
    return sum(step.turn.characters for step in steps if isinstance(step, TurnAdd))
