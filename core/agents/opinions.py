"""What the agents and the embedder have been asked, and what they answered.

Deciding is synchronous and repeatable: it looks opinions up here. One that is not known yet
raises `OpinionPending`; the caller then awaits `OpinionPending.ask()`, holding nothing, and decides again
on the bank as it stands by then. So after a race only what the move made stale is asked anew,
and no decision is ever built on an opinion about other texts. What is looked up in the bank for an opinion is cut into
portions in the same way: between two of them the caller awaits, and others have the loop.

Law: answers are checked here against what was asked; a stray id is AgentReplyInvalid.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from core.agents.roles import (
    Agents,
    Cluster,
    ConflictOpinion,
    Consolidation,
    MergeOpinion,
    MergeSource,
    Neighbor,
    RelatedOpinion,
    Topic,
)
from core.agents.usage import Ledger
from core.errors import AgentReplyInvalid
from core.ids import NodeId
from core.index.giving_way import yield_to_loop
from core.model.conflict import VerdictType
from core.model.lineage import MergeReason
from core.model.vector import Vector
from core.ports.clock import Ids
from core.ports.embedder import Embedder

Opinion = TypeVar("Opinion", ConflictOpinion | MergeOpinion, RelatedOpinion)
Made = TypeVar("Made")

PORTION = 12  # segments looked at between two turns of others: 2 to 4 ms
MOST_TURNS = 64  # of others between two answers: a bank that moves at each of them is decided on all the same


class OpinionPending(Exception):
    """An opinion is missing. `await ask()` gets it; then decide again."""

    def __init__(self, ask: Callable[[], Awaitable[None]]) -> None:
        super().__init__("an opinion that no agent has been asked for yet")
        self.ask = ask


class Opinions:
    """The opinions of one call. Everything is looked up by the very texts it is about."""

    def __init__(self, agents: Agents, embedder: Embedder, ids: Ids, ledger: Ledger) -> None:
        self._agents = agents
        self._embedder = embedder
        self._ids = ids
        self._ledger = ledger
        self._vectors: dict[str, Vector] = {}
        self._first: dict[tuple[Topic, Topic], ConflictOpinion | MergeOpinion | None] = {}
        self._second: dict[tuple[Topic, Topic], RelatedOpinion | None] = {}
        self._uncompared: list[tuple[Topic, frozenset[Topic], int]] = []  # what the first judgements left out
        self._consolidations: dict[Hashable, Consolidation] = {}
        self._verdict_types: dict[Hashable, VerdictType] = {}
        self._made_ids: dict[Hashable, str] = {}
        self._head: Hashable = None
        self._looked_up: dict[Hashable, Any] = {}
        self._segments = 0  # looked at since others had a turn
        self._turns = 0  # of others since an opinion was missing

    def new_id(self, prefix: str, *purpose: Hashable) -> str:
        """Returns an id for something to be made, the same however often that is decided upon."""
        made = self._made_ids.get((prefix, purpose))
        if made is None:
            made = self._made_ids[prefix, purpose] = self._ids.new(prefix)
        return made

    def once(self, head: Hashable, what: Hashable, look: Callable[[], Made], segments: int = 0) -> Made:
        """Returns what is looked up in a bank, once for each of its heads however often is decided on it. `segments`:
        how many it reads, or what takes as long. Raises OpinionPending when others are to have a turn."""
        if head != self._head:
            self._head = head
            self._looked_up.clear()
        if what not in self._looked_up:
            self._looked_up[what] = look()
            self._segments += segments
            if self._segments >= PORTION and self._turns < MOST_TURNS:
                self._segments, self._turns = 0, self._turns + 1
                raise OpinionPending(yield_to_loop)
        found: Made = self._looked_up[what]
        return found

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector per text. Raises OpinionPending."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            raise self._missing(lambda: self._embed(missing))
        return [self._vectors[text] for text in texts]

    def conflicts_and_merges(
        self, new: Topic, candidates: Sequence[Topic]
    ) -> list[ConflictOpinion | MergeOpinion]:
        """Returns the opinions of phase 1, most confident first. Raises OpinionPending where one is not judged yet."""
        missing = [c for c in candidates if (new, c) not in self._first]
        if missing:
            raise self._missing(lambda: self._judge_first(new, missing))
        found = [o for c in candidates if (o := self._first[new, c]) is not None]
        return sorted(found, key=lambda o: (-o.confidence, o.existing))

    def uncompared_pairs(self, new: Topic, candidates: Sequence[Topic]) -> int:
        """Returns how many pairs of sentences were not compared for these opinions of phase 1, because of bounds."""
        return sum(
            count for topic, asked, count in self._uncompared if topic == new and asked & set(candidates)
        )

    def related(self, new: Topic, candidates: Sequence[Topic]) -> list[RelatedOpinion]:
        """Returns the opinions of phase 2, most confident first. Raises OpinionPending where one is not judged yet."""
        missing = [c for c in candidates if (new, c) not in self._second]
        if missing:
            raise self._missing(lambda: self._judge_second(new, missing))
        found = [o for c in candidates if (o := self._second[new, c]) is not None]
        return sorted(found, key=lambda o: (-o.confidence, o.existing))

    def consolidation(
        self,
        nodes: tuple[MergeSource, ...],
        neighbors: tuple[Neighbor, ...],
        reason: MergeReason,
        verdict: str,
        strategy: str,
        evidence: str = "",
    ) -> Consolidation:
        """Returns one node's content out of several. Raises OpinionPending."""
        question = (nodes, neighbors, reason, verdict, strategy, evidence)
        if question not in self._consolidations:
            raise self._missing(lambda: self._consolidate(*question))
        return self._consolidations[question]

    def verdict_type(self, sides: tuple[Topic, ...], verdict: str, evidence: str) -> VerdictType:
        """Returns how a verdict settles the contradiction of these nodes. Raises OpinionPending."""
        question = (sides, verdict, evidence)
        if question not in self._verdict_types:
            raise self._missing(lambda: self._read_verdict(*question))
        return self._verdict_types[question]

    def _missing(self, ask: Callable[[], Awaitable[None]]) -> OpinionPending:
        self._turns = 0
        return OpinionPending(ask)

    async def _embed(self, texts: Sequence[str]) -> None:
        with self._ledger.spending("embedder"):
            rows = await self._embedder.embed_passages(texts)
        self._vectors.update(zip(texts, rows, strict=True))

    async def _judge_first(self, new: Topic, candidates: Sequence[Topic]) -> None:
        with self._ledger.spending("judge") as question:
            given = await self._agents.judge.conflicts_and_merges(new, candidates)
            by_id = _one_each("judge", candidates, given)
        if question.uncompared_pairs:
            self._uncompared.append((new, frozenset(candidates), question.uncompared_pairs))
        self._first.update({(new, c): _on_evidence(by_id.get(c.node_id), new, c) for c in candidates})

    async def _judge_second(self, new: Topic, candidates: Sequence[Topic]) -> None:
        with self._ledger.spending("judge"):
            given = await self._agents.judge.related(new, candidates)
            by_id = _one_each("judge", candidates, given)
        self._second.update({(new, c): by_id.get(c.node_id) for c in candidates})

    async def _consolidate(
        self,
        nodes: tuple[MergeSource, ...],
        neighbors: tuple[Neighbor, ...],
        reason: MergeReason,
        verdict: str,
        strategy: str,
        evidence: str,
    ) -> None:
        question = (nodes, neighbors, reason, verdict, strategy, evidence)
        with self._ledger.spending("consolidator"):
            given = await self._agents.consolidator.consolidate(*question)
            _check_consolidation(given, neighbors)
        self._consolidations[question] = given

    async def _read_verdict(self, sides: tuple[Topic, ...], verdict: str, evidence: str) -> None:
        with self._ledger.spending("consolidator"):
            given = await self._agents.consolidator.verdict_type(sides, verdict, evidence)
        self._verdict_types[sides, verdict, evidence] = given


def _check_consolidation(given: Consolidation, neighbors: Sequence[Neighbor]) -> None:
    if set(given.neighbor_updates) != {n.node_id for n in neighbors}:
        raise AgentReplyInvalid(
            "consolidator", "neighbor_updates must name every neighbour given and no other"
        )
    if not given.summary.strip():
        raise AgentReplyInvalid("consolidator", "the summary is empty")


def _on_evidence(
    opinion: ConflictOpinion | MergeOpinion | None, new: Topic, existing: Topic
) -> ConflictOpinion | MergeOpinion | None:
    """Returns the opinion, unless it is a conflict whose quotes are no evidence; of several points those that are."""
    if not isinstance(opinion, ConflictOpinion):
        return opinion
    points = [
        replace(each, further=())
        for each in opinion.points
        if not (new.is_generated(each.new_quote) or existing.is_generated(each.existing_quote))
    ]
    return replace(points[0], further=tuple(points[1:])) if points else None


def _one_each(role: str, candidates: Sequence[Topic], given: Sequence[Opinion]) -> dict[NodeId, Opinion]:
    asked = {c.node_id for c in candidates}
    by_id: dict[NodeId, Opinion] = {}
    for opinion in given:
        if opinion.existing not in asked:
            raise AgentReplyInvalid(role, f"{opinion.existing} is not among the nodes asked about")
        if opinion.existing in by_id:
            raise AgentReplyInvalid(role, f"{opinion.existing} is judged twice")
        if not 0.0 <= opinion.confidence <= 1.0:
            raise AgentReplyInvalid(role, f"a confidence lies in [0, 1], not at {opinion.confidence}")
        by_id[opinion.existing] = opinion
    return by_id


def check_clusters(clusters: Sequence[Cluster], pieces: int) -> None:
    """Raises AgentReplyInvalid unless every piece is in exactly one cluster."""
    named = sorted(piece for cluster in clusters for piece in cluster.pieces)
    if named != list(range(pieces)):
        raise AgentReplyInvalid("clusterer", f"each of the {pieces} pieces belongs to exactly one cluster")
    if not all(cluster.pieces for cluster in clusters):
        raise AgentReplyInvalid("clusterer", "a cluster has no pieces")
