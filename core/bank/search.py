"""Searching a bank: one plan a request, carried out straight through.

Law: reads only, and never waits: an answer is of one revision. With `core.verbatim.structure` switched off, and
always for judging candidates, the score is `core.index.scoring`'s formula and nothing else. Structure orders
segments that are searched for themselves; nodes keep the plain formula.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from functools import partial
from operator import attrgetter
from typing import Protocol, TypeVar

from core.bank.bank import Bank
from core.bank.other_sides import with_other_sides
from core.bank.placed import credibility, placed
from core.bank.plan import BankPlan, plan_in
from core.bank.query import Fusion, Hit, Query, QueryResult, Target
from core.bank.reranked import Opinions, reranked
from core.ids import InteractionId, NodeId, SegmentRef
from core.index import scoring
from core.index.scoring import Mode, ScoredCandidate
from core.model.node import Node
from core.model.vector import Vector
from core.verbatim.candidates import scored

Found = TypeVar("Found")

NEAREST_SEGMENTS = 8  # of each segment of a new node
JUDGED_SEGMENTS = 16  # of a new node that are looked at
BESIDES = 4  # nodes that a new one is judged against for what their segments say


def search(bank: Bank, query: Query, opinions: Opinions | None = None) -> QueryResult:
    """Returns the best `top_k` hits for a query, and the nodes around them; by a reranker's `opinions` too, if
    given.

    What scores 0 by words and by meaning is no hit: where nothing fits, nothing is found.
    """
    if opinions is None:
        plan = plan_in(bank, query)
        hits = _hits(plan)
    else:
        plan = plan_in(bank, _widened(query, opinions.depth))
        judged = reranked(bank, _hits(plan), opinions)
        hits = _ordered(hit for hit in judged if hit.score >= query.min_score)
    best = [
        hit
        for hit in hits[: query.top_k]
        if hit.attribute_score > 0.0 or hit.embedding_score > 0.0 or hit.why
    ]
    if best and query.structure.conflicts and bank.conflicts:
        best = _ordered(with_other_sides(plan, best))[: query.top_k]
    near, truncated = _neighborhood(bank, best, query)
    return QueryResult(
        hits=tuple(best),
        neighbors=near,
        neighbors_truncated=truncated,
        revision=bank.revision,
        by_words=bool(plan.plan.terms),
        by_meaning=query.vector is not None and query.mode is not Mode.ATTRIBUTE,
    )


def worth_reading(bank: Bank, query: Query, depth: int) -> list[Hit]:
    """Returns the best `depth` hits of a query, for a reranker to read: neither cut off nor joined by other sides."""
    return _hits(plan_in(bank, _widened(query, depth)))[:depth]


def segments_within(bank: Bank, query: Query, interaction_ids: Set[InteractionId]) -> list[SegmentRef]:
    """Returns the best `top_k` segments of some records, in order, by the plain formula."""
    plan = plan_in(bank, query, copies=True)
    found = _segments(plan, lambda ref: ref.interaction_id in interaction_ids)
    return [each.key for each in found]


def nearest_nodes(
    bank: Bank, node: Node, vector: Vector | None, top_k: int, alpha: float, apart: Set[NodeId]
) -> list[NodeId]:
    """Returns the `top_k` nodes nearest to a new one, those `apart` left out, by the plain formula."""
    text = "\n".join((node.summary, node.base_context, *node.base_keywords))
    query = Query(top_k=top_k, alpha=alpha, text=text, vector=vector, exclude=frozenset(apart))
    return [found.key for found in _nodes(plan_in(bank, query))][:top_k]


class Part(Protocol):
    """Carries out a part of a search that has this name among its parts, or returns what it found before."""

    def __call__(self, name: Hashable, look: Callable[[], Found], /) -> Found: ...


def whole(_name: Hashable, look: Callable[[], Found], /) -> Found:
    """Carries out each part, one right after the other."""
    return look()


def judging_candidates(
    bank: Bank,
    node: Node,
    vector: Vector | None,
    top_k: int,
    alpha: float,
    apart: Set[NodeId],
    part: Part = whole,
) -> list[NodeId]:
    """Returns the `top_k` nodes that a new one may contradict or be one with: half the nearest, half those by
    meaning alone.

    Nodes that neighbours have lent the new one's words come first by the formula, and must not crowd out what it is
    about. What only one passage of a long text is about is no node's summary: a few nodes whose segments are nearest to
    the new one's come besides.
    """
    found = part("nearest", lambda: nearest_nodes(bank, node, vector, top_k, alpha, apart))
    if len(found) < top_k:
        return found
    if vector is not None:
        by_meaning = part("meaning", lambda: nearest_nodes(bank, node, vector, top_k, 0.0, apart))
        found = list(dict.fromkeys((*found[: top_k - top_k // 2], *by_meaning, *found)))[:top_k]
    near = _owners_of_nearest_segments(bank, node.segments[:JUDGED_SEGMENTS], alpha, part)
    besides = [node_id for node_id in near if node_id not in apart and node_id not in found]
    return [*found, *besides[:BESIDES]]


def _owners_of_nearest_segments(
    bank: Bank, refs: Sequence[SegmentRef], alpha: float, part: Part
) -> list[NodeId]:
    """Returns the nodes of the segments nearest to these, the nearest first."""
    best: dict[NodeId, float] = {}
    for ref in refs:
        for found in part(ref, partial(_nearest_segments, bank, ref, alpha)):
            for owner in bank.tree.nodes_of(found.key):
                best[owner] = max(best.get(owner, 0.0), found.score)
    return sorted(best, key=lambda node_id: (-best[node_id], node_id))


def _nearest_segments(bank: Bank, ref: SegmentRef, alpha: float) -> list[ScoredCandidate[SegmentRef]]:
    text, vector = bank.tree.text(ref), bank.verbatim.vectors.get(ref)
    return _segments(plan_in(bank, Query(top_k=NEAREST_SEGMENTS, alpha=alpha, text=text, vector=vector)))


def _widened(query: Query, depth: int) -> Query:
    return query._replace(top_k=max(query.top_k, depth), min_score=0.0)


# ---- the targets ----


def _hits(plan: BankPlan) -> list[Hit]:
    """`top_k` hits or more, in order."""
    query, tree = plan.query, plan.bank.tree
    if query.target is Target.SEGMENTS:
        return _ordered(_segment_hit(plan.bank, found) for found in _evidence(plan))
    hits = _node_hits(plan.bank, _nodes(plan))
    if query.target is Target.BOTH:
        return _ordered(_lifted(plan, hits, _segments(plan)))
    if tree.has_unsummarised:
        waiting = _segments(plan, tree.is_unsummarised)
        return _ordered([*hits, *(_segment_hit(plan.bank, found, unstructured=True) for found in waiting)])
    return hits


def _nodes(plan: BankPlan) -> list[ScoredCandidate[NodeId]]:
    nodes, query = plan.bank.nodes, plan.query
    found = scored(plan.plan, plan.nodes)
    return scoring.in_order(found, lambda n: nodes[n].event_time, k=query.top_k, min_score=query.min_score)


def _segments(
    plan: BankPlan, wanted: Callable[[SegmentRef], bool] | None = None
) -> list[ScoredCandidate[SegmentRef]]:
    """Returns the best segments, of those `wanted`, by the plain formula."""
    tree, query = plan.bank.tree, plan.query
    source = plan.segments._replace(allowed=_both(wanted, plan.segments.allowed))
    demotes = bool(tree.refuted or tree.failed)
    found = scored(plan.plan, source, final=not demotes)
    if demotes:
        found = [each._replace(score=each.score * credibility(plan.bank, each.key)) for each in found]
    return scoring.in_order(
        found, lambda ref: tree.segment(ref).event_time, k=query.top_k, min_score=query.min_score
    )


def _evidence(plan: BankPlan) -> list[ScoredCandidate[SegmentRef]]:
    """Returns the best segments, by their places too where the query wants that. Ranks alone know no places."""
    if plan.query.structure.reorders and plan.query.fusion is Fusion.WEIGHTED:
        return placed(plan)
    return _segments(plan)


def _lifted(
    plan: BankPlan, nodes: Sequence[Hit], segments: Sequence[ScoredCandidate[SegmentRef]]
) -> list[Hit]:
    """Ranks target BOTH: a node scores as the better of itself and its best segment; other segments stand alone."""
    tree, allowed = plan.bank.tree, plan.nodes.allowed
    hits = {hit.node.node_id: hit for hit in nodes if hit.node}
    alone = []
    for found in segments:
        owners = [n for n in tree.nodes_of(found.key) if allowed is None or allowed(n)]
        for owner in owners:
            hit = hits.get(owner)
            if hit is None or hit.score < found.score:
                (lifted,) = _node_hits(
                    plan.bank,
                    [ScoredCandidate(owner, found.score, found.attribute_score, found.embedding_score)],
                )
                hits[owner] = lifted._replace(best_segment=found.key)
        if not owners:
            waiting = tree.is_unsummarised(found.key)
            alone.append(_segment_hit(plan.bank, found, unstructured=waiting))
    return [*hits.values(), *alone]


# ---- hits ----


def _node_hits(bank: Bank, found: Iterable[ScoredCandidate[NodeId]]) -> list[Hit]:
    """Hits of what was found, in its order."""
    nodes, neighbors = bank.nodes, bank.graph.neighbors
    return [
        Hit(score, attribute, embedding, nodes[node_id], None, neighbors(node_id))
        for node_id, score, attribute, embedding, _ in found
    ]


def _segment_hit(bank: Bank, scored: ScoredCandidate[SegmentRef], *, unstructured: bool = False) -> Hit:
    return Hit(
        score=scored.score,
        attribute_score=scored.attribute_score,
        embedding_score=scored.embedding_score,
        segment=bank.tree.segment(scored.key),
        unstructured=unstructured,
        why=scored.why,
    )


def _neighborhood(bank: Bank, hits: Sequence[Hit], query: Query) -> tuple[tuple[Node, ...], bool]:
    if query.hops == 0:
        return (), False
    found = [hit.node.node_id for hit in hits if hit.node]
    near, truncated = bank.graph.neighborhood(found, query.hops, query.max_neighbors)
    nodes = bank.nodes
    return tuple([nodes[node_id] for node_id in near]), truncated


def _both(
    one: Callable[[SegmentRef], bool] | None, other: Callable[[SegmentRef], bool] | None
) -> Callable[[SegmentRef], bool] | None:
    if one is None or other is None:
        return one or other
    return lambda ref: one(ref) and other(ref)


_SCORE, _TIME = attrgetter("score"), attrgetter("time")


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    """Returns hits by score, ties by newer, then by id."""
    ranked = sorted(hits, key=_SCORE, reverse=True)
    if len(set(map(_SCORE, ranked))) < len(ranked):
        ranked.sort(key=_name)  # least significant first: sorting is stable
        ranked.sort(key=_TIME, reverse=True)
        ranked.sort(key=_SCORE, reverse=True)
    return ranked


def _name(hit: Hit) -> tuple[str, ...]:
    return (hit.node.node_id,) if hit.node else tuple(map(str, hit.segment.ref)) if hit.segment else ()
