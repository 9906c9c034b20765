"""Finding in a bank: candidates of both sides, scored by one formula, with their neighbourhood.

Law: reads only, and never waits: an answer is of one revision. With `core.verbatim.structure` switched off, and
always for judging candidates, the score is `core.index.scoring`'s formula and nothing else. Structure orders
segments that are searched for themselves; nodes keep the plain formula.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime
from itertools import repeat
from operator import attrgetter, neg
from types import MappingProxyType

from core.bank.bank import Bank
from core.bank.candidates import node_filter, segment_filter
from core.bank.other_sides import with_other_sides
from core.bank.placed import placed, standing
from core.bank.query import Found, Fusion, Hit, Query, Target
from core.bank.reranked import Opinions, reranked
from core.ids import InteractionId, NodeId, SegmentRef
from core.index import scoring
from core.index.scoring import Mode, Scored, Why
from core.model.node import Node
from core.model.vector import Vector
from core.verbatim.candidates import FEWEST, WIDENING, scored, terms_of

_SILENT: Mapping[str, float] = MappingProxyType({})


def search(bank: Bank, query: Query, opinions: Opinions | None = None) -> Found:
    """The best `top_k` hits for a query, and the nodes around them; by a reranker's `opinions` too, if given.

    What scores 0 by words and by meaning is no hit: where nothing fits, nothing is found.
    """
    said = terms_of(query) if query.text or query.keywords else _SILENT
    if opinions is None:
        best = _best(bank, query, said)
    else:
        best = _ordered(_reranked(bank, query, said, opinions))[: query.top_k]
    best = [hit for hit in best if hit.attribute_score > 0.0 or hit.embedding_score > 0.0 or hit.why]
    if best and query.structure.conflicts and bank.conflicts:
        best = _ordered(with_other_sides(bank, query, said, best))[: query.top_k]
    near, truncated = _neighborhood(bank, best, query)
    return Found(
        hits=tuple(best),
        neighbors=near,
        neighbors_truncated=truncated,
        revision=bank.revision,
        by_words=bool(said) and query.mode is not Mode.EMBEDDING,
        by_meaning=query.vector is not None and query.mode is not Mode.ATTRIBUTE,
    )


def worth_reading(bank: Bank, query: Query, depth: int) -> list[Hit]:
    """The best `depth` hits of a query, for a reranker to read: neither cut off nor joined by other sides."""
    return _ordered(_hits(bank, _widened(query, depth), terms_of(query)))[:depth]


def segments_within(bank: Bank, query: Query, interaction_ids: Set[InteractionId]) -> list[SegmentRef]:
    """The best `top_k` segments of some records, in order, by the plain formula."""
    found = _segments(bank, query, terms_of(query), lambda ref: ref.interaction_id in interaction_ids)
    return [one.key for one in found]


def _best(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Hit]:
    """The `top_k` best hits, in order."""
    if query.target is not Target.NODES or bank.tree.has_unsummarised:
        return _ordered(_hits(bank, query, said))[: query.top_k]
    nearest = _nearest(bank, query, said)
    return _node_hits(bank, _nodes(bank, query, said)) if nearest is None else nearest


def _nearest(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Hit] | None:
    """The `top_k` nodes by meaning alone, in order; None where more than that has a say.

    The hits of the long way, for the plainest of questions, without looking at anything but them.
    """
    by_meaning_alone = query.mode is Mode.EMBEDDING or (query.mode is Mode.HYBRID and not said)
    plain = query.fusion is Fusion.WEIGHTED and not query.exclude
    if query.vector is None or not (by_meaning_alone and plain and query.filter.admits_all):
        return None
    keys, cosines = bank.node_vectors.near(query.vector, query.top_k + 1)
    scores = _scores(bank, cosines)
    if len(keys) > query.top_k and scores[-1] == scores[-2]:
        # Time decides who is last, and among more of them.
        keys, cosines = bank.node_vectors.near(query.vector, max(FEWEST, WIDENING * query.top_k))
        scores = _scores(bank, cosines)
        wanted = bisect_right(scores, -scores[query.top_k - 1], key=neg)
    else:
        wanted = query.top_k
    found = zip(keys[:wanted], scores, repeat(0.0), scores, repeat(()), strict=False)
    hits = _node_hits(bank, [one for one in found if one[1] >= query.min_score])
    if len(set(scores)) < len(scores):
        hits.sort(key=_ID)  # least significant first: sorting is stable
        hits.sort(key=_TIME, reverse=True)
        hits.sort(key=_SCORE, reverse=True)
    return hits[: query.top_k]


_SCORE, _ID, _TIME = attrgetter("score"), attrgetter("node.node_id"), attrgetter("node.event_time")


def _scores(bank: Bank, cosines: Sequence[float]) -> list[float]:
    """`scoring.embedding_scores` of so few, the best first, that an array is not worth it."""
    space = bank.record.space
    floor, height = space.cosine_floor, space.cosine_ceiling - space.cosine_floor
    scores = [(cosine - floor) / height for cosine in cosines]
    if scores and (scores[0] > 1.0 or scores[-1] < 0.0):
        return [0.0 if score < 0.0 else 1.0 if score > 1.0 else score for score in scores]
    return scores


def _hits(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Hit]:
    """`top_k` hits or more, not in order."""
    hits: list[Hit] = []
    if query.target is not Target.SEGMENTS:
        hits += _node_hits(bank, _nodes(bank, query, said))
    if query.target is not Target.NODES:
        if query.target is Target.BOTH:
            hits = _lifted(bank, query, hits, _segments(bank, query, said))
        else:
            hits = [_segment_hit(bank, found) for found in _evidence(bank, query, said)]
    elif bank.tree.has_unsummarised:
        waiting = _segments(bank, query, said, bank.tree.is_unsummarised)
        hits += [_segment_hit(bank, found)._replace(unstructured=True) for found in waiting]
    return hits


def _reranked(bank: Bank, query: Query, said: Mapping[str, float], opinions: Opinions) -> list[Hit]:
    """Hits with the opinions in their scores, of at least `min_score` then."""
    hits = reranked(bank, _hits(bank, _widened(query, opinions.depth), said), opinions)
    return [hit for hit in hits if hit.score >= query.min_score]


def _widened(query: Query, depth: int) -> Query:
    return query._replace(top_k=max(query.top_k, depth), min_score=0.0)


def nearest_nodes(
    bank: Bank, node: Node, vector: Vector | None, top_k: int, alpha: float, apart: Set[NodeId]
) -> list[NodeId]:
    """The `top_k` nodes nearest to a new one, those `apart` left out, by the plain formula."""
    text = "\n".join((node.summary, node.base_context, *node.base_keywords))
    query = Query(top_k=top_k, alpha=alpha, text=text, vector=vector, exclude=frozenset(apart))
    return [found.key for found in _nodes(bank, query, terms_of(query))][:top_k]


def judging_candidates(
    bank: Bank, node: Node, vector: Vector | None, top_k: int, alpha: float, apart: Set[NodeId]
) -> list[NodeId]:
    """The `top_k` nodes that a new one may contradict or be one with: half the nearest, half those by meaning alone.

    Nodes that neighbours have lent the new one's words come first by the formula, and must not crowd out what it is
    about.
    """
    found = nearest_nodes(bank, node, vector, top_k, alpha, apart)
    if vector is None or len(found) < top_k:
        return found
    by_meaning = nearest_nodes(bank, node, vector, top_k, 0.0, apart)
    return list(dict.fromkeys((*found[: top_k - top_k // 2], *by_meaning, *found)))[:top_k]


# ---- the two targets ----


def _nodes(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Scored[NodeId]]:
    allowed = None
    if query.exclude or not query.filter.admits_all:
        allowed = node_filter(bank, query)
    found = scored(bank.record.space, query, said, bank.node_words, bank.node_vectors, allowed)
    return scoring.in_order(
        found, lambda n: bank.nodes[n].event_time, k=query.top_k, min_score=query.min_score
    )


def _segments(
    bank: Bank, query: Query, said: Mapping[str, float], wanted: Callable[[SegmentRef], bool] | None = None
) -> list[Scored[SegmentRef]]:
    """The best segments by the plain formula."""
    allowed = _both(wanted, segment_filter(bank, query))
    weigh = bool(bank.tree.refuted or bank.tree.failed)
    found = scored(
        bank.record.space, query, said, bank.verbatim.words, bank.verbatim.vectors, allowed, final=not weigh
    )
    ranked = [_demoted(bank, s) for s in found] if weigh else found
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
                (lifted,) = _node_hits(bank, [(owner, *found[1:])])
                hits[owner] = lifted._replace(best_segment=found.key)
        if not owners:
            waiting = bank.tree.is_unsummarised(found.key)
            alone.append(_segment_hit(bank, found)._replace(unstructured=waiting))
    return [*hits.values(), *alone]


# ---- small things ----


def _both(
    one: Callable[[SegmentRef], bool] | None, other: Callable[[SegmentRef], bool] | None
) -> Callable[[SegmentRef], bool] | None:
    if one is None or other is None:
        return one or other
    return lambda ref: one(ref) and other(ref)


def _neighborhood(bank: Bank, hits: Sequence[Hit], query: Query) -> tuple[tuple[Node, ...], bool]:
    if query.hops == 0:
        return (), False
    found = [hit.node.node_id for hit in hits if hit.node]
    near, truncated = bank.graph.neighborhood(found, query.hops, query.max_neighbors)
    nodes = bank.nodes
    return tuple([nodes[node_id] for node_id in near]), truncated


def _node_hits(bank: Bank, found: Iterable[tuple[NodeId, float, float, float, Why]]) -> list[Hit]:
    """Hits of what was found (`Scored`), in its order."""
    nodes, neighbors = bank.nodes, bank.graph.neighbors
    return [
        Hit(score, attribute, embedding, nodes[node_id], neighbor_ids=neighbors(node_id))
        for node_id, score, attribute, embedding, _ in found
    ]


def _segment_hit(bank: Bank, scored: Scored[SegmentRef]) -> Hit:
    return Hit(
        score=scored.score,
        attribute_score=scored.attribute_score,
        embedding_score=scored.embedding_score,
        segment=bank.tree.segment(scored.key),
        why=scored.why,
    )


def _demoted(bank: Bank, scored: Scored[SegmentRef]) -> Scored[SegmentRef]:
    return scored._replace(score=scored.score * standing(bank, scored.key))


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    """By score, ties by newer, then by id."""
    ranked = sorted(hits, key=_SCORE, reverse=True)
    if len(set(map(_SCORE, ranked))) < len(ranked):
        ranked.sort(key=_name)  # least significant first: sorting is stable
        ranked.sort(key=_time, reverse=True)
        ranked.sort(key=_SCORE, reverse=True)
    return ranked


def _time(hit: Hit) -> datetime:
    shown = hit.node or hit.segment
    assert shown is not None, "a hit is a node or a segment"
    return shown.event_time


def _name(hit: Hit) -> tuple[str, ...]:
    return (hit.node.node_id,) if hit.node else tuple(map(str, hit.segment.ref)) if hit.segment else ()
