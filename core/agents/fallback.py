"""Agents that answer in place of others which cannot be reached.

Law: only AgentUnavailable makes the second answer; a reply that cannot be used, or a spent budget, stays
what it is. Whenever it answers, the usage of the question says so.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from core.agents.memory_roles import (
    Candidate,
    Distillation,
    Distiller,
    Execution,
    Extractor,
    KeyOpinion,
    MemoryAgents,
    Passage,
    Purpose,
    Summariser,
    Unit,
)
from core.agents.recall_roles import (
    RecallAgents,
    ReflectedRecord,
    ReflectionOpinion,
    Reflector,
    RouteOpinion,
    Router,
)
from core.agents.roles import (
    Agents,
    Cluster,
    Clusterer,
    ConflictOpinion,
    Consolidation,
    Consolidator,
    Judge,
    MergeOpinion,
    MergeSource,
    Neighbor,
    Piece,
    Plan,
    Planner,
    Progress,
    RelatedOpinion,
    SplitPrompt,
    Structurer,
    Topic,
)
from core.agents.usage import note_fallback
from core.errors import AgentUnavailable
from core.model.conflict import VerdictType
from core.model.insight import CompletedTask, Insight
from core.model.lineage import MergeReason

Answer = TypeVar("Answer")


def with_fallback(first: Agents, second: Agents) -> Agents:
    """Returns each role of `first`, with the same role of `second` behind it."""
    return Agents(
        clusterer=ClustererOr(first.clusterer, second.clusterer),
        structurer=StructurerOr(first.structurer, second.structurer),
        judge=JudgeOr(first.judge, second.judge),
        consolidator=ConsolidatorOr(first.consolidator, second.consolidator),
        planner=PlannerOr(first.planner, second.planner),
    )


def memory_with_fallback(first: MemoryAgents, second: MemoryAgents) -> MemoryAgents:
    """Returns each role of `first`, with the same role of `second` behind it; behind the compressor stand reads."""
    return MemoryAgents(
        summariser=SummariserOr(first.summariser, second.summariser),
        distiller=DistillerOr(first.distiller, second.distiller),
        extractor=ExtractorOr(first.extractor, second.extractor),
        compressor=first.compressor,
    )


class ClustererOr:
    """Chunks are cut for the first."""

    def __init__(self, first: Clusterer, second: Clusterer) -> None:
        self._first, self._second = first, second

    @property
    def window(self) -> int:
        return self._first.window

    async def cluster(self, pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        return await _either(
            lambda: self._first.cluster(pieces, task), lambda: self._second.cluster(pieces, task)
        )

    async def split(self, prompt: str) -> SplitPrompt:
        return await _either(lambda: self._first.split(prompt), lambda: self._second.split(prompt))


class StructurerOr:
    def __init__(self, first: Structurer, second: Structurer) -> None:
        self._first, self._second = first, second

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        return await _either(
            lambda: self._first.structure(content, context, keywords),
            lambda: self._second.structure(content, context, keywords),
        )


class JudgeOr:
    def __init__(self, first: Judge, second: Judge) -> None:
        self._first, self._second = first, second

    async def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> Sequence[ConflictOpinion | MergeOpinion]:
        return await _either(
            lambda: self._first.conflicts_and_merges(new, candidates),
            lambda: self._second.conflicts_and_merges(new, candidates),
        )

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        return await _either(
            lambda: self._first.related(new, candidates), lambda: self._second.related(new, candidates)
        )


class ConsolidatorOr:
    def __init__(self, first: Consolidator, second: Consolidator) -> None:
        self._first, self._second = first, second

    async def consolidate(
        self,
        nodes: Sequence[MergeSource],
        neighbors: Sequence[Neighbor],
        reason: MergeReason,
        verdict: str,
        strategy: str,
        evidence: str = "",
    ) -> Consolidation:
        return await _either(
            lambda: self._first.consolidate(nodes, neighbors, reason, verdict, strategy, evidence),
            lambda: self._second.consolidate(nodes, neighbors, reason, verdict, strategy, evidence),
        )

    async def verdict_type(self, sides: Sequence[Topic], verdict: str, evidence: str) -> VerdictType:
        return await _either(
            lambda: self._first.verdict_type(sides, verdict, evidence),
            lambda: self._second.verdict_type(sides, verdict, evidence),
        )


class PlannerOr:
    def __init__(self, first: Planner, second: Planner) -> None:
        self._first, self._second = first, second

    async def plan(self, insight: Insight, progress: Progress) -> Plan:
        return await _either(
            lambda: self._first.plan(insight, progress), lambda: self._second.plan(insight, progress)
        )

    async def condense(self, goal: str, tasks: Sequence[CompletedTask], before: str) -> str:
        return await _either(
            lambda: self._first.condense(goal, tasks, before),
            lambda: self._second.condense(goal, tasks, before),
        )


def with_recall_fallback(first: RecallAgents, second: RecallAgents) -> RecallAgents:
    """Returns each role of `first`, with the same role of `second` behind it."""
    return RecallAgents(
        router=RouterOr(first.router, second.router), reflector=ReflectorOr(first.reflector, second.reflector)
    )


class RouterOr:
    def __init__(self, first: Router, second: Router) -> None:
        self._first, self._second = first, second

    async def route(self, query: str) -> RouteOpinion:
        return await _either(lambda: self._first.route(query), lambda: self._second.route(query))


class ReflectorOr:
    def __init__(self, first: Reflector, second: Reflector) -> None:
        self._first, self._second = first, second

    async def reflect(
        self, title: str, category: str, records: Sequence[ReflectedRecord]
    ) -> ReflectionOpinion:
        return await _either(
            lambda: self._first.reflect(title, category, records),
            lambda: self._second.reflect(title, category, records),
        )


class SummariserOr:
    def __init__(self, first: Summariser, second: Summariser) -> None:
        self._first, self._second = first, second

    async def summarise(self, passages: Sequence[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        return await _either(
            lambda: self._first.summarise(passages, limit, unit, purpose),
            lambda: self._second.summarise(passages, limit, unit, purpose),
        )


class DistillerOr:
    def __init__(self, first: Distiller, second: Distiller) -> None:
        self._first, self._second = first, second

    async def key(self, passages: Sequence[Passage]) -> KeyOpinion:
        return await _either(lambda: self._first.key(passages), lambda: self._second.key(passages))

    async def distil(self, execution: Execution) -> Distillation:
        return await _either(lambda: self._first.distil(execution), lambda: self._second.distil(execution))


class ExtractorOr:
    def __init__(self, first: Extractor, second: Extractor) -> None:
        self._first, self._second = first, second

    async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
        return await _either(
            lambda: self._first.extract(passages, known), lambda: self._second.extract(passages, known)
        )


async def _either(first: Callable[[], Awaitable[Answer]], second: Callable[[], Awaitable[Answer]]) -> Answer:
    try:
        return await first()
    except AgentUnavailable:
        note_fallback()
        return await second()
