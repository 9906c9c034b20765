"""Finding in a bank: candidates of both sides, scored by one formula, with their neighbourhood.

Law: reads only, and never waits: an answer is of one revision. With every extension off, and always
for judging candidates, the score is `core.bank.scoring`'s formula and nothing else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

import numpy as np

from core.bank import scoring
from core.bank.bank import Bank
from core.bank.change import Vector
from core.bank.keyword_index import KeywordIndex
from core.bank.scoring import K, Mode, Scored
from core.bank.vector_index import VectorIndex
from core.ids import NodeId, SegmentRef
from core.model.interaction import Segment
from core.model.node import Node, NodeState
from core.text.analysis import terms

KEYWORD_WEIGHT = 2  # a keyword the caller names counts as if the text had said it twice
WIDENING = 4  # candidates taken from each side, as a multiple of top_k: the mixture may prefer a side's 30th
FEWEST = 50  # and at least so many
REFUTED = 0.5  # what a segment's score is multiplied with when a verdict speaks against it


class Target(StrEnum):
    NODES = "nodes"
    SEGMENTS = "segments"
    BOTH = "both"


class Fusion(StrEnum):
    WEIGHTED = "weighted"
    RECIPROCAL_RANK = "reciprocal_rank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What may be found. Times are of the event, `since` inclusive and `until` exclusive; empty admits all.

    `keywords` and `labels` must all be there (keywords of nodes compare without case; segments
    have neither and are found by their nodes'); one of `states` and one of `sources` must fit.
    """

    since: datetime | None = None
    until: datetime | None = None
    keywords: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    states: frozenset[NodeState] = frozenset()
    sources: frozenset[str] = frozenset()

    @property
    def admits_all(self) -> bool:
        return self == Filter()

    def admits(self, node: Node) -> bool:
        return (
            _in_time(node.event_time, self)
            and (not self.states or node.state in self.states)
            and (not self.sources or node.source in self.sources)
            and self.labels.items() <= node.labels.items()
            and (not self.keywords or _folded(self.keywords) <= _folded(node.keywords))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search. `text` and `vector` may both be there, or either; α weighs them."""

    top_k: int
    alpha: float
    text: str = ""
    vector: Vector | None = None
    keywords: tuple[str, ...] = ()
    mode: Mode = Mode.HYBRID
    target: Target = Target.NODES
    fusion: Fusion = Fusion.WEIGHTED
    hops: int = 1
    max_neighbors: int = 100
    min_score: float = 0.0
    exclude: frozenset[NodeId] = frozenset()
    filter: Filter = Filter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One hit: a node or a segment. `neighbor_ids` are a node's own; `unstructured` marks a segment that
    stands in for the summary still to come; `best_segment` is what lifted a node's score (target BOTH)."""

    score: float
    attribute_score: float
    embedding_score: float
    node: Node | None = None
    segment: Segment | None = None
    neighbor_ids: tuple[NodeId, ...] = ()
    unstructured: bool = False
    best_segment: SegmentRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Hits in score order; their neighbourhood, each node once, hits left out.

    `by_words` and `by_meaning` tell which sides were searched: the score of another side is 0 throughout.
    """

    hits: tuple[Hit, ...]
    neighbors: tuple[Node, ...]
    neighbors_truncated: bool
    revision: int
    by_words: bool = True
    by_meaning: bool = True


def search(bank: Bank, query: Query) -> Found:
    """The best `top_k` hits for a query, and the nodes around them."""
    said = _terms_of(query)
    hits: list[Hit] = []
    if query.target is not Target.SEGMENTS:
        hits += [_node_hit(bank, scored) for scored in _nodes(bank, query, said)]
    if query.target is not Target.NODES:
        segments = _segments(bank, query, said, lambda _: True)
        hits = (
            _lifted(bank, query, hits, segments)
            if query.target is Target.BOTH
            else [_segment_hit(bank, scored) for scored in segments]
        )
    elif bank.tree.has_unsummarised:
        waiting = _segments(bank, query, said, bank.tree.is_unsummarised)
        hits += [replace(_segment_hit(bank, scored), unstructured=True) for scored in waiting]
    best = tuple(_ordered(hits)[: query.top_k])
    found = [hit.node.node_id for hit in best if hit.node]
    near, truncated = _neighborhood(bank, found, query)
    return Found(
        hits=best,
        neighbors=near,
        neighbors_truncated=truncated,
        revision=bank.revision,
        by_words=bool(said) and query.mode is not Mode.EMBEDDING,
        by_meaning=query.vector is not None and query.mode is not Mode.ATTRIBUTE,
    )


def judging_candidates(
    bank: Bank, node: Node, vector: Vector | None, top_k: int, alpha: float, apart: Set[NodeId]
) -> list[NodeId]:
    """The `top_k` nodes nearest to a new one, those `apart` left out, by the plain formula."""
    text = "\n".join((node.summary, node.base_context, *node.base_keywords))
    query = Query(top_k=top_k, alpha=alpha, text=text, vector=vector, exclude=frozenset(apart))
    return [scored.key for scored in _nodes(bank, query, _terms_of(query))][:top_k]


# ---- the two targets ----


def _nodes(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Scored[NodeId]]:
    allowed = None
    if query.exclude or not query.filter.admits_all:
        allowed = _node_filter(bank, query)
    scored = _scored(bank, query, said, bank.node_words, bank.node_vectors, allowed)
    return scoring.in_order(
        scored, lambda n: bank.nodes[n].event_time, k=query.top_k, min_score=query.min_score
    )


def _segments(
    bank: Bank, query: Query, said: Mapping[str, float], wanted: Callable[[SegmentRef], bool]
) -> list[Scored[SegmentRef]]:
    fits = _segment_filter(bank, query)
    scored = _scored(
        bank,
        query,
        said,
        bank.segment_words,
        bank.segment_vectors,
        lambda ref: wanted(ref) and fits(ref),
    )
    ranked = [_demoted(s) if s.key in bank.tree.refuted else s for s in scored]
    return scoring.in_order(
        ranked, lambda ref: bank.tree.segment(ref).event_time, k=query.top_k, min_score=query.min_score
    )


def _scored(
    bank: Bank,
    query: Query,
    said: Mapping[str, float],
    words: KeywordIndex[K],
    vectors: VectorIndex[K],
    allowed: Callable[[K], bool] | None,
) -> list[Scored[K]]:
    """Candidates of both sides, each with both scores."""
    alpha = scoring.effective_alpha(
        query.mode, query.alpha, has_terms=bool(said), has_vector=query.vector is not None
    )
    if alpha is None:
        return []
    wide = max(FEWEST, WIDENING * query.top_k)
    by_words: list[K] = []
    if alpha > 0.0:
        by_words = [key for key, _ in words.search(said, wide, allowed)]
    by_vector: list[K] = []
    if alpha < 1.0 and query.vector is not None:
        by_vector = [key for key, _ in vectors.search(query.vector, wide, allowed)]
    keys = list(dict.fromkeys((*by_words, *by_vector)))
    space = bank.record.space
    attribute = np.zeros(len(keys))
    if alpha > 0.0:
        attribute = scoring.attribute_scores(words.scores(said, keys), words.best(said))
    embedding = np.zeros(len(keys))
    if alpha < 1.0 and query.vector is not None:
        cosines = vectors.similarities(query.vector, keys)
        embedding = scoring.embedding_scores(cosines, space.cosine_floor, space.cosine_ceiling)
    scored = scoring.mixed(keys, attribute, embedding, alpha)
    if query.fusion is Fusion.RECIPROCAL_RANK:
        ranks = scoring.fused((by_words, by_vector))
        most = 2.0 / (scoring.RRF_K + 1.0)
        scored = [replace(s, score=ranks[s.key] / most) for s in scored]
    return scored


def _lifted(
    bank: Bank, query: Query, nodes: Sequence[Hit], segments: Sequence[Scored[SegmentRef]]
) -> list[Hit]:
    """Target BOTH: a node scores as the better of itself and its best segment; other segments stand alone."""
    hits = {hit.node.node_id: hit for hit in nodes if hit.node}
    allowed = _node_filter(bank, query)
    alone = []
    for scored in segments:
        owners = [n for n in bank.tree.nodes_of(scored.key) if allowed(n)]
        for owner in owners:
            hit = hits.get(owner)
            if hit is None or hit.score < scored.score:
                lifted = _node_hit(bank, _as_node(scored, owner))
                hits[owner] = replace(lifted, best_segment=scored.key)
        if not owners:
            waiting = bank.tree.is_unsummarised(scored.key)
            alone.append(replace(_segment_hit(bank, scored), unstructured=waiting))
    return [*hits.values(), *alone]


# ---- filters ----


def _node_filter(bank: Bank, query: Query) -> Callable[[NodeId], bool]:
    admits_all = query.filter.admits_all

    def allowed(node_id: NodeId) -> bool:
        return node_id not in query.exclude and (admits_all or query.filter.admits(bank.nodes[node_id]))

    return allowed


def _segment_filter(bank: Bank, query: Query) -> Callable[[SegmentRef], bool]:
    """A segment fits by its own time and source; by keywords, labels, states and exclusion through its nodes."""
    chosen = query.filter
    through_nodes = bool(chosen.keywords or chosen.labels or chosen.states or query.exclude)
    by_node = _node_filter(
        bank, replace(query, filter=replace(chosen, since=None, until=None, sources=frozenset()))
    )

    def allowed(ref: SegmentRef) -> bool:
        if through_nodes:
            owners = bank.tree.nodes_of(ref)
            if not any(by_node(n) for n in owners) and (
                owners or chosen.keywords or chosen.labels or chosen.states
            ):
                return False
        if chosen.since is None and chosen.until is None and not chosen.sources:
            return True
        segment = bank.tree.segment(ref)
        return _in_time(segment.event_time, chosen) and (
            not chosen.sources or segment.source in chosen.sources
        )

    return allowed


def _folded(words: Iterable[str]) -> set[str]:
    return {word.casefold() for word in words}


def _in_time(time: datetime, chosen: Filter) -> bool:
    return (chosen.since is None or time >= chosen.since) and (chosen.until is None or time < chosen.until)


# ---- small things ----


def _terms_of(query: Query) -> dict[str, float]:
    """The query's words with their counts; none when it is a vector alone."""
    counts: dict[str, float] = {}
    for term in terms(query.text):
        counts[term] = counts.get(term, 0.0) + 1.0
    for keyword in query.keywords:
        for term in terms(keyword):
            counts[term] = counts.get(term, 0.0) + KEYWORD_WEIGHT
    return counts


def _neighborhood(bank: Bank, found: Sequence[NodeId], query: Query) -> tuple[tuple[Node, ...], bool]:
    if not found or query.hops == 0:
        return (), False
    near, truncated = bank.graph.neighborhood(found, query.hops, query.max_neighbors)
    return tuple(bank.nodes[n] for n in near), truncated


def _node_hit(bank: Bank, scored: Scored[NodeId]) -> Hit:
    return Hit(
        score=scored.score,
        attribute_score=scored.attribute_score,
        embedding_score=scored.embedding_score,
        node=bank.nodes[scored.key],
        neighbor_ids=tuple(bank.graph.neighbors(scored.key)),
    )


def _segment_hit(bank: Bank, scored: Scored[SegmentRef]) -> Hit:
    return Hit(
        score=scored.score,
        attribute_score=scored.attribute_score,
        embedding_score=scored.embedding_score,
        segment=bank.tree.segment(scored.key),
    )


def _as_node(scored: Scored[SegmentRef], node_id: NodeId) -> Scored[NodeId]:
    return Scored(
        key=node_id,
        score=scored.score,
        attribute_score=scored.attribute_score,
        embedding_score=scored.embedding_score,
    )


def _demoted(scored: Scored[SegmentRef]) -> Scored[SegmentRef]:
    return replace(scored, score=scored.score * REFUTED)


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    """By score, ties by newer, then by id."""

    def name(hit: Hit) -> tuple[str, ...]:
        return (hit.node.node_id,) if hit.node else tuple(map(str, hit.segment.ref)) if hit.segment else ()

    def time(hit: Hit) -> float:
        shown = hit.node or hit.segment
        return shown.event_time.timestamp() if shown else 0.0

    return sorted(hits, key=lambda hit: (-hit.score, -time(hit), name(hit)))
