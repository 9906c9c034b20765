"""Five agents that say what a test told them to, and remember what they were asked.

Law: a role answers with its queued replies, in order; then with `otherwise`, if the test gave one;
else the test fails, saying what nobody had an answer for.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from core.agents.roles import (
    Agents,
    Cluster,
    ConflictOpinion,
    Consolidation,
    MergeOpinion,
    MergeSource,
    Neighbor,
    Piece,
    Plan,
    Progress,
    RelatedOpinion,
    Rewording,
    SplitPrompt,
    Topic,
)
from core.model.conflict import VerdictType
from core.model.insight import CompletedTask, Insight
from core.model.lineage import MergeReason

Reply = TypeVar("Reply")


@dataclass(slots=True)
class Script(Generic[Reply]):
    """One question's answers: values, exceptions to raise, or functions of what was asked."""

    name: str
    replies: deque[Any] = field(default_factory=deque)
    otherwise: Callable[..., Any] | None = None
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def then(self, *replies: Any) -> "Script[Reply]":
        self.replies.extend(replies)
        return self

    def answer(self, *question: Any) -> Reply:
        self.asked.append(question)
        if not self.replies and self.otherwise is None:
            raise AssertionError(f"{self.name} has nothing to say to {question}")
        reply = self.replies.popleft() if self.replies else self.otherwise
        if isinstance(reply, Exception):
            raise reply
        return cast(Reply, reply(*question) if callable(reply) else reply)


class ScriptedClusterer:
    def __init__(self, window: int = 4_000) -> None:
        self.window = window
        self.clusters = Script[Sequence[Cluster]]("the clusterer", otherwise=one_cluster)
        self.splits = Script[SplitPrompt]("the splitter of prompts")

    async def cluster(self, pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        return self.clusters.answer(pieces, task)

    async def split(self, prompt: str) -> SplitPrompt:
        return self.splits.answer(prompt)


class ScriptedStructurer:
    def __init__(self) -> None:
        self.summaries = Script[str]("the structurer", otherwise=lambda content, _context, _keywords: content)

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        return self.summaries.answer(content, context, keywords)


class ScriptedJudge:
    """Finds nothing unless told to."""

    def __init__(self) -> None:
        self.first = Script[Sequence[ConflictOpinion | MergeOpinion]](
            "the judge, of conflicts and merges", otherwise=lambda _new, _candidates: ()
        )
        self.second = Script[Sequence[RelatedOpinion]](
            "the judge, of relations", otherwise=lambda _new, _candidates: ()
        )

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        return self.first.answer(new, candidates)

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        return self.second.answer(new, candidates)


class ScriptedConsolidator:
    def __init__(self) -> None:
        self.consolidations = Script[Consolidation]("the consolidator")
        self.verdict_types = Script[VerdictType](
            "the consolidator, of verdicts", otherwise=lambda *_: VerdictType.MERGE
        )

    async def consolidate(
        self,
        nodes: Sequence[MergeSource],
        neighbors: Sequence[Neighbor],
        reason: MergeReason,
        verdict: str,
        strategy: str,
        evidence: str = "",
    ) -> Consolidation:
        return self.consolidations.answer(nodes, neighbors, reason, verdict, strategy, evidence)

    async def verdict_type(self, sides: Sequence[Topic], verdict: str, evidence: str) -> VerdictType:
        return self.verdict_types.answer(sides, verdict, evidence)


class ScriptedPlanner:
    def __init__(self) -> None:
        self.plans = Script[Plan]("the planner", otherwise=lambda _insight, _progress: Plan())
        self.digests = Script[str]("the planner's digest", otherwise=lambda _goal, _tasks, _before: "")

    async def plan(self, insight: Insight, progress: Progress) -> Plan:
        return self.plans.answer(insight, progress)

    async def condense(self, goal: str, tasks: Sequence[CompletedTask], before: str) -> str:
        return self.digests.answer(goal, tasks, before)


@dataclass(frozen=True, slots=True)
class ScriptedAgents:
    """One of each. `roles` is what a house works with."""

    clusterer: ScriptedClusterer = field(default_factory=ScriptedClusterer)
    structurer: ScriptedStructurer = field(default_factory=ScriptedStructurer)
    judge: ScriptedJudge = field(default_factory=ScriptedJudge)
    consolidator: ScriptedConsolidator = field(default_factory=ScriptedConsolidator)
    planner: ScriptedPlanner = field(default_factory=ScriptedPlanner)

    @property
    def roles(self) -> Agents:
        return Agents(
            clusterer=self.clusterer,
            structurer=self.structurer,
            judge=self.judge,
            consolidator=self.consolidator,
            planner=self.planner,
        )


def one_cluster(pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
    """All pieces are of one topic, named by the first."""
    numbers = tuple(piece.number for piece in pieces)
    return (Cluster(pieces=numbers, context=pieces[0].text, keywords=("topic",)),)


def joined(
    nodes: Sequence[MergeSource],
    neighbors: Sequence[Neighbor],
    reason: MergeReason,
    verdict: str = "",
    _strategy: str = "",
    _evidence: str = "",
) -> Consolidation:
    """A consolidation that keeps everything: the verdict, then the summaries; neighbours speak of it."""
    summaries = [absorbed.topic.summary for absorbed in nodes]
    return Consolidation(
        summary="\n".join([verdict, *summaries] if verdict else summaries),
        context=f"merged: {', '.join(absorbed.topic.node_id for absorbed in nodes)}",
        keywords=tuple(dict.fromkeys(word for absorbed in nodes for word in absorbed.topic.keywords)),
        neighbor_updates={
            n.node_id: Rewording(context=f"{n.context} (near a merged node)", keywords=("merged",))
            for n in neighbors
        },
        description=f"{reason}: {len(nodes)} nodes joined",
    )
