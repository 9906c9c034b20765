"""The five roles of source document 000 §3.2 as Protocols, with their inputs and results.

Law: an agent sees texts and ids, and a vector only to spare the embedder; it changes nothing. What it answers is an
opinion: core checks every id against what was asked and carries it out. All raise AgentUnavailable and
AgentReplyInvalid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.ids import NodeId
from core.model.conflict import Conflict, VerdictType
from core.model.insight import CompletedTask, Insight
from core.model.interaction import TaskReport
from core.model.lineage import MergeReason, MergeRecord
from core.model.vector import Vector
from core.text.blocks import folded

# ---- Clusterer ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One segment as the Clusterer sees it. `number` counts within the chunk, from 0."""

    number: int
    text: str
    speaker: str = ""
    role: str = ""
    event_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One topic: the numbers of its pieces (each piece in exactly one cluster), one sentence, keywords."""

    pieces: tuple[int, ...]
    context: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPrompt:
    """A user's prompt taken apart: the question is the task's goal, the rest its context."""

    question: str
    context: str


class Clusterer(Protocol):
    @property
    def window(self) -> int:
        """How many tokens one call may hold; core cuts chunks of window × chunk_ratio."""
        ...

    async def cluster(self, pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        """Groups one chunk's pieces by topic; `task` (may be empty) says what they are for."""
        ...

    async def split(self, prompt: str) -> SplitPrompt:
        """Separates the question from the context in a user's prompt; both parts are verbatim."""
        ...


# ---- Structurer ----


class Structurer(Protocol):
    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        """Returns a detailed summary of one cluster's content: key facts, evidence, reasoning."""
        ...


# ---- Judge ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A piece of the record that a node rests on, verbatim.

    `headings`: the titles above it, outermost first; `before`: what stands just ahead of it. `refuted`: the places in
    `text` of words that a verdict has refuted. `speaker`: who says it.
    """

    text: str
    headings: tuple[str, ...] = ()
    before: str = ""
    refuted: tuple[tuple[int, int], ...] = ()
    speaker: str = ""


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)  # what is read of it lives as long
class Topic:
    """A node as the Judge sees it. `excerpts`: what it rests on, where it rests on a record.

    `unread`: pieces of that record behind the excerpts, too many to be given.
    `generated`: sentences that only an assistant said, each ending a line; they are no evidence for a conflict.
    `vector`: what the embedder makes of the summary; None: it is to be asked.
    """

    node_id: NodeId
    summary: str
    context: str
    keywords: tuple[str, ...]
    generated: str = ""
    excerpts: tuple[Excerpt, ...] = ()
    unread: int = 0
    vector: Vector | None = field(default=None, compare=False, repr=False)

    def is_generated(self, quote: str) -> bool:
        """Whether a sentence of the node was said by an assistant alone."""
        said = folded(quote)
        return bool(said) and f"{said}\n" in self.generated


class Grade(StrEnum):
    """How sure an opinion is."""

    SURE = "sure"
    LIKELY = "likely"


class OpinionSource(StrEnum):
    RULE = "rule"  # a deterministic program
    MODEL = "model"  # a language model


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictOpinion:
    """Both nodes cannot be true. The quotes are the words at issue, taken from either node's texts.

    `verbatim`: whether both quotes were given as the nodes have them; where they were not, a model's opinion is LIKELY.
    `further`: other sentences of the two that contradict each other, the surest first.
    """

    existing: NodeId
    confidence: float
    reasoning: str
    description: str
    new_quote: str = ""
    existing_quote: str = ""
    by: OpinionSource = OpinionSource.RULE
    verbatim: bool = True
    grade: Grade = Grade.SURE
    further: tuple["ConflictOpinion", ...] = ()

    @property
    def points(self) -> tuple["ConflictOpinion", ...]:
        """This contradiction and the further ones."""
        return (self, *self.further)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOpinion:
    """Both nodes say the same, or nearly."""

    existing: NodeId
    confidence: float
    reasoning: str
    strategy: str
    by: OpinionSource = OpinionSource.RULE


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedOpinion:
    """Both nodes concern each other; each gets words that say so."""

    existing: NodeId
    confidence: float
    reasoning: str
    context_new: str
    context_existing: str
    keywords_new: tuple[str, ...]
    keywords_existing: tuple[str, ...]


class Judge(Protocol):
    """Two separate judgements. What is not mentioned in the answer is none of the kinds asked for."""

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        """Judges in phase 1: at most one opinion per candidate."""
        ...

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        """Judges in phase 2, where phase 1 found nothing: at most one opinion per candidate."""
        ...


# ---- Consolidator ----


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeSource:
    """A node to be merged, with its time: newer information wins."""

    topic: Topic
    event_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbor:
    """An inherited neighbour, whose words must come to speak of the merged node."""

    node_id: NodeId
    context: str
    keywords: tuple[str, ...]
    neighbor_of: tuple[NodeId, ...]  # which of the absorbed it was linked to


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    context: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation:
    """The merged node's texts, the neighbours' new words (every neighbour given, no other), the tree's note.

    `refuted` are sentences of the absorbed nodes that the verdict speaks against, verbatim.
    """

    summary: str
    context: str
    keywords: tuple[str, ...]
    neighbor_updates: Mapping[NodeId, Rewording]
    description: str
    refuted: tuple[str, ...] = ()


class Consolidator(Protocol):
    async def consolidate(
        self,
        nodes: Sequence[MergeSource],
        neighbors: Sequence[Neighbor],
        reason: MergeReason,
        verdict: str,
        strategy: str,
        evidence: str = "",
    ) -> Consolidation:
        """Makes one node's content of two to n. `verdict` (empty unless CONFLICT) overrides what it contradicts;
        `evidence` is what it rests on, and says what it leaves unsaid."""
        ...

    async def verdict_type(self, sides: Sequence[Topic], verdict: str, evidence: str) -> VerdictType:
        """Whether a verdict on contradicting nodes makes one of them, or finds that they do not contradict."""
        ...


# ---- Planner ----


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTask:
    type: str
    description: str
    how: str = ""
    retry_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What happened since the plan was last made."""

    report: TaskReport | None = None  # the task just done, if one was
    context: str = ""  # the verbatim context it came with
    new_nodes: tuple[Topic, ...] = ()
    conflicts: tuple[Conflict, ...] = ()  # open ones; core plans their validation itself
    merges: tuple[MergeRecord, ...] = ()  # that the new nodes came of
    knows_of_goal: bool = True  # whether the bank holds anything on the goal
    attempts: int = 3  # after so many failures a task is not planned again as it was
    problem: str = ""  # why the plan just made, which was empty, cannot be the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`completed_context`: one or two sentences on what the reported task came to ("" for none).

    `pending`: the next step, or nothing when the goal is reached. CROSS_VALIDATION tasks are core's.
    """

    completed_context: str = ""
    pending: tuple[PlannedTask, ...] = field(default=())


class Planner(Protocol):
    async def plan(self, insight: Insight, progress: Progress) -> Plan:
        """Plans incrementally: given all that was done, what comes next."""
        ...

    async def condense(self, goal: str, tasks: Sequence[CompletedTask], before: str) -> str:
        """Returns a short text of what these older tasks, and those in `before`, came to, to stand in their place in
        prompts. Empty: a rule may condense them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """One of each, chosen in bootstrap."""

    clusterer: Clusterer
    structurer: Structurer
    judge: Judge
    consolidator: Consolidator
    planner: Planner
