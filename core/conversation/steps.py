"""The steps of a conversation: what one change may do to it.

Law: plain frozen values, versioned by name and additive. What a step does to the parts follows from the step alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from core.aggregate.change import Change
from core.aggregate.codec import StepCodec
from core.aggregate.parts import Effect, ItemDrop, ItemPut, Part, numbered
from core.model.conversation import ClusterHits, ConversationRecord, KeyMemory, Summary, Turn, TurnCluster
from core.model.invocation import InvocationSummary

TURNS = Part(name="turns", of=Turn)
CLUSTERS = Part(name="clusters", of=TurnCluster)
HITS = Part(name="hits", of=ClusterHits)
SUMMARIES = Part(name="summaries", of=Summary)
KEYS = Part(name="keys", of=KeyMemory)
INVOCATIONS = Part(name="invocations", of=InvocationSummary)
PARTS = (TURNS, CLUSTERS, HITS, SUMMARIES, KEYS, INVOCATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPut:
    """The record: the first step of the first change, and again whenever it changes."""

    record: ConversationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAdd:
    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDrop:
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MidPut:
    """A cluster founded, or with other turns than before."""

    cluster: TurnCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class MidDrop:
    """A cluster goes, and the count of its hits with it."""

    cluster_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HitsPut:
    hits: ClusterHits


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPut:
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDrop:
    summary_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPut:
    key: KeyMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDrop:
    key_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationPut:
    """What an invocation leaves behind."""

    summary: InvocationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationDrop:
    invocation_id: str


Step = (
    ConversationPut
    | TurnAdd
    | TurnDrop
    | MidPut
    | MidDrop
    | HitsPut
    | SummaryPut
    | SummaryDrop
    | KeyPut
    | KeyDrop
    | InvocationPut
    | InvocationDrop
)

ConversationChange = Change[Step]
STEPS: StepCodec[Step] = StepCodec(Step)


def effects(step: Step) -> Iterable[Effect]:
    """What a step does to the parts; nothing, if it puts the record."""
    match step:
        case TurnAdd():
            return (ItemPut(part=TURNS, item=numbered(step.turn.step), value=step.turn),)
        case TurnDrop():
            return (ItemDrop(part=TURNS, item=numbered(step.step)),)
        case MidPut():
            return (ItemPut(part=CLUSTERS, item=step.cluster.cluster_id, value=step.cluster),)
        case MidDrop():
            dropped = step.cluster_id
            return (ItemDrop(part=CLUSTERS, item=dropped), ItemDrop(part=HITS, item=dropped))
        case HitsPut():
            return (ItemPut(part=HITS, item=step.hits.cluster_id, value=step.hits),)
        case SummaryPut():
            return (ItemPut(part=SUMMARIES, item=step.summary.summary_id, value=step.summary),)
        case SummaryDrop():
            return (ItemDrop(part=SUMMARIES, item=step.summary_id),)
        case KeyPut():
            return (ItemPut(part=KEYS, item=step.key.key_id, value=step.key),)
        case KeyDrop():
            return (ItemDrop(part=KEYS, item=step.key_id),)
        case InvocationPut():
            return (ItemPut(part=INVOCATIONS, item=step.summary.invocation_id, value=step.summary),)
        case InvocationDrop():
            return (ItemDrop(part=INVOCATIONS, item=step.invocation_id),)
        case ConversationPut():
            return ()


def record_of(step: Step) -> ConversationRecord | None:
    return step.record if isinstance(step, ConversationPut) else None


def text_length(steps: Iterable[Step]) -> int:
    """Characters of new turns, whose words are to be found."""
    return sum(step.turn.characters for step in steps if isinstance(step, TurnAdd))
