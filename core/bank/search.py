"""Finding in a bank: candidates of both sides, scored by one formula, with their neighbourhood.

Law: reads only, and never waits: an answer is of one revision. With `core.bank.structure` switched off, and
always for judging candidates, the score is `core.bank.scoring`'s formula and nothing else. Structure orders
segments that are searched for themselves; nodes keep the plain formula.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from core.bank import scoring
from core.bank.bank import Bank
from core.bank.candidates import node_filter, scored, segment_filter, terms_of
from core.bank.change import Vector
from core.bank.other_sides import with_other_sides
from core.bank.placed import REFUTED, placed
from core.bank.query import Found, Fusion, Hit, Query, Target
from core.bank.reranked import Opinions, reranked
from core.bank.scoring import Mode, Scored
from core.ids import NodeId, SegmentRef
from core.model.node import Node


def search(bank: Bank, query: Query, opinions: Opinions | None = None) -> Found:
    """The best `top_k` hits for a query, and the nodes around them; by a reranker's `opinions` too, if given."""
    said = terms_of(query)
    hits = _hits(bank, query, said) if opinions is None else _reranked(bank, query, said, opinions)
    best = tuple(_ordered(hits)[: query.top_k])
    if query.structure.conflicts and bank.conflicts:
        best = tuple(_ordered(with_other_sides(bank, query, said, best))[: query.top_k])
    nodes = [hit.node.node_id for hit in best if hit.node]
    near, truncated = _neighborhood(bank, nodes, query)
    return Found(
        hits=best,
        neighbors=near,
        neighbors_truncated=truncated,
        revision=bank.revision,
        by_words=bool(said) and query.mode is not Mode.EMBEDDING,
        by_meaning=query.vector is not None and query.mode is not Mode.ATTRIBUTE,
    )


def worth_reading(bank: Bank, query: Query, depth: int) -> list[Hit]:
    """The best `depth` hits of a query, for a reranker to read: neither cut off nor joined by other sides."""
    return _ordered(_hits(bank, _widened(query, depth), terms_of(query)))[:depth]


def _hits(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Hit]:
    """`top_k` hits or more, not in order."""
    hits: list[Hit] = []
    if query.target is not Target.SEGMENTS:
        hits += [_node_hit(bank, found) for found in _nodes(bank, query, said)]
    if query.target is not Target.NODES:
        if query.target is Target.BOTH:
            hits = _lifted(bank, query, hits, _segments(bank, query, said))
        else:
            hits = [_segment_hit(bank, found) for found in _evidence(bank, query, said)]
    elif bank.tree.has_unsummarised:
        waiting = _segments(bank, query, said, bank.tree.is_unsummarised)
        hits += [replace(_segment_hit(bank, found), unstructured=True) for found in waiting]
    return hits


def _reranked(bank: Bank, query: Query, said: Mapping[str, float], opinions: Opinions) -> list[Hit]:
    """Hits with the opinions in their scores, of at least `min_score` then."""
    hits = reranked(bank, _hits(bank, _widened(query, opinions.depth), said), opinions)
    return [hit for hit in hits if hit.score >= query.min_score]


def _widened(query: Query, depth: int) -> Query:
    return replace(query, top_k=max(query.top_k, depth), min_score=0.0)


def judging_candidates(
    bank: Bank, node: Node, vector: Vector | None, top_k: int, alpha: float, apart: Set[NodeId]
) -> list[NodeId]:
    """The `top_k` nodes nearest to a new one, those `apart` left out, by the plain formula."""
    text = "\n".join((node.summary, node.base_context, *node.base_keywords))
    query = Query(top_k=top_k, alpha=alpha, text=text, vector=vector, exclude=frozenset(apart))
    return [found.key for found in _nodes(bank, query, terms_of(query))][:top_k]


# ---- the two targets ----


def _nodes(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Scored[NodeId]]:
    allowed = None
    if query.exclude or not query.filter.admits_all:
        allowed = node_filter(bank, query)
    found = scored(bank, query, said, bank.node_words, bank.node_vectors, allowed)
    return scoring.in_order(
        found, lambda n: bank.nodes[n].event_time, k=query.top_k, min_score=query.min_score
    )


def _segments(
    bank: Bank, query: Query, said: Mapping[str, float], wanted: Callable[[SegmentRef], bool] | None = None
) -> list[Scored[SegmentRef]]:
    """The best segments by the plain formula."""
    allowed = _both(wanted, segment_filter(bank, query))
    refuted = bank.tree.refuted
    found = scored(bank, query, said, bank.segment_words, bank.segment_vectors, allowed, final=not refuted)
    ranked = [_demoted(s) if s.key in refuted else s for s in found]
    return scoring.in_order(
        ranked, lambda ref: bank.tree.segment(ref).event_time, k=query.top_k, min_score=query.min_score
    )


def _evidence(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Scored[SegmentRef]]:
    """The best segments, by their places too where the query wants that. Ranks alone know no places."""
    if query.structure.reorders and query.fusion is Fusion.WEIGHTED:
        return placed(bank, query, said)
    return _segments(bank, query, said)


def _lifted(
    bank: Bank, query: Query, nodes: Sequence[Hit], segments: Sequence[Scored[SegmentRef]]
) -> list[Hit]:
    """Target BOTH: a node scores as the better of itself and its best segment; other segments stand alone."""
    hits = {hit.node.node_id: hit for hit in nodes if hit.node}
    allowed = node_filter(bank, query)
    alone = []
    for found in segments:
        owners = [n for n in bank.tree.nodes_of(found.key) if allowed(n)]
        for owner in owners:
            hit = hits.get(owner)
            if hit is None or hit.score < found.score:
                lifted = _node_hit(bank, _as_node(found, owner))
                hits[owner] = replace(lifted, best_segment=found.key)
        if not owners:
            waiting = bank.tree.is_unsummarised(found.key)
            alone.append(replace(_segment_hit(bank, found), unstructured=waiting))
    return [*hits.values(), *alone]


# ---- small things ----


def _both(
    one: Callable[[SegmentRef], bool] | None, other: Callable[[SegmentRef], bool] | None
) -> Callable[[SegmentRef], bool] | None:
    if one is None or other is None:
        return one or other
    return lambda ref: one(ref) and other(ref)


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
        neighbor_ids=bank.graph.neighbors(scored.key),
    )


def _segment_hit(bank: Bank, scored: Scored[SegmentRef]) -> Hit:
    return Hit(
        score=scored.score,
        attribute_score=scored.attribute_score,
        embedding_score=scored.embedding_score,
        segment=bank.tree.segment(scored.key),
        why=scored.why,
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
