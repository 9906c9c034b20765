"""The candidates of a plan, and their scores by either side.

Law: reads only. Candidates are the best by words and the best by meaning; a candidate of one side gets both scores.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.index import scoring
from core.index.scoring import K, ScoredCandidate
from core.index.vector_index import ABSENT
from core.verbatim.plan import NO_ROW, Plan, RowsOf, Source
from core.verbatim.query import Fusion


def unranked(plan: Plan, source: Source[K]) -> list[K]:
    """Returns the candidates of both sides, unordered; one of both sides is there twice."""
    vector, alpha = plan.query.vector, plan.alpha
    found: list[K] = []
    if alpha is None:
        return found
    if alpha > 0.0:
        found += source.words.leading(plan.terms, plan.depth, (), source.allowed)[0]
    if alpha < 1.0 and vector is not None:
        found += source.vectors.near(vector, plan.depth, source.allowed)[0]
    return found


class Sides(NamedTuple):
    """The scores of each key by words and by meaning, 0 throughout for a side that does not count, and by the plain
    formula. A key without a vector yet scores by words alone, else nothing new would come before what has one."""

    attribute: NDArray[np.float64]
    embedding: NDArray[np.float64]
    plain: NDArray[np.float64]

    def at(self, places: NDArray[np.int64]) -> "Sides":
        """Returns those of some of the keys."""
        return Sides(self.attribute[places], self.embedding[places], self.plain[places])


def sides(plan: Plan, source: Source[K], rows: RowsOf, cosines: NDArray[np.float32] | None = None) -> Sides:
    """Scores each of some keys by either side. `cosines`: of the vector with each key's, where they are known."""
    vector, alpha = plan.query.vector, plan.alpha
    attribute = embedding = meant = np.zeros(len(rows.words))
    if alpha is None:
        return Sides(attribute, embedding, attribute)
    if alpha > 0.0:
        bm25, best = source.words.scores_at(plan.terms, rows.words), source.words.best(plan.terms)
        attribute = scoring.attribute_scores(bm25, best)
    if alpha < 1.0 and vector is not None:
        if cosines is None:
            cosines = source.vectors.cosines(vector, rows.vectors)
        embedding = scoring.embedding_scores(cosines, plan.floor, plan.ceiling)
        meant = np.where(cosines == ABSENT, attribute, embedding)
    return Sides(attribute, embedding, scoring.mixture(alpha, attribute, meant))


class SegmentSides(NamedTuple):
    """The sides of all segments of an owner, by position, and where the query has a vector its cosines with theirs."""

    sides: Sides
    cosines: NDArray[np.float32] | None


def leading(plan: Plan, known: SegmentSides, keys: Sequence[K]) -> NDArray[np.int64]:
    """Returns the places of the candidates of both sides among all keys, whose scores are known; one of both sides is
    there twice."""
    found = [np.empty(0, np.int64)]
    if plan.alpha is not None and plan.alpha > 0.0:
        found.append(_best(known.sides.attribute, plan.depth, keys, 0.0))
    if plan.alpha is not None and plan.alpha < 1.0 and known.cosines is not None:
        found.append(_best(known.cosines, plan.depth, keys, ABSENT))
    return np.concatenate(found)


def _best(scores: NDArray[np.floating[Any]], k: int, keys: Sequence[K], above: float) -> NDArray[np.int64]:
    """Returns the places of the `k` best scores `above` a bound, ties by key; in no order."""
    if np.count_nonzero(scores > above) <= k:
        return np.flatnonzero(scores > above)
    bar = np.partition(scores, -k)[-k]
    better, tied = np.flatnonzero(scores > bar), np.flatnonzero(scores == bar)
    if len(better) + len(tied) > k:
        first = sorted(tied.tolist(), key=keys.__getitem__)[: k - len(better)]
        tied = np.array(first, dtype=np.int64)
    return np.concatenate((better, tied))


def scored(plan: Plan, source: Source[K], *, final: bool = True) -> list[ScoredCandidate[K]]:
    """Scores the candidates of both sides by both; returns them best first.

    The `top_k` best and all that tie with the last of them are there; the others only where scores are not `final`, so
    that one of them may yet be among the best.
    """
    query, alpha = plan.query, plan.alpha
    if alpha is None:
        return []
    most = max(query.top_k, 1) if final and query.fusion is Fusion.WEIGHTED else None
    near, cosines = _nearest(plan, source, most)
    keys, attribute, leading = near, [0.0] * len(near), list[K]()
    if alpha > 0.0:
        leading, bm25, of_near = source.words.leading(plan.terms, plan.depth, near, source.allowed)
        best = source.words.best(plan.terms)
        known = set(near)
        fresh = [place for place, key in enumerate(leading) if key not in known]
        keys = near + [leading[place] for place in fresh]
        attribute = scoring.shares(of_near + [bm25[place] for place in fresh], best)
        if alpha < 1.0 and query.vector is not None:
            cosines += source.vectors.similarities(query.vector, keys[len(near) :]).tolist()
    embedding = scoring.scaled(cosines, plan.floor, plan.ceiling) if alpha < 1.0 else [0.0] * len(keys)
    mixed = scoring.mixed(keys, attribute, embedding, alpha, most)
    if query.fusion is Fusion.RECIPROCAL_RANK:
        ranks, highest = scoring.fused((leading, near)), 2.0 / (scoring.RRF_K + 1.0)
        return [hit._replace(score=ranks[hit.key] / highest) for hit in mixed]
    return mixed


def scored_among(plan: Plan, source: Source[K], keys: Sequence[K]) -> list[ScoredCandidate[K]]:
    """Scores a few keys by both sides; returns what `scored` finds of them where no others are allowed."""
    if plan.alpha is None:
        return []
    attribute, embedding, _ = sides(plan, source, rows := source.rows(keys))
    scores = scoring.mixture(plan.alpha, attribute, embedding).tolist()
    has_vector = plan.alpha < 1.0 and plan.query.vector is not None
    found = [
        ScoredCandidate(key, score, by_words, by_meaning)
        for key, row, score, by_words, by_meaning in zip(
            keys, rows.vectors.tolist(), scores, attribute.tolist(), embedding.tolist(), strict=True
        )
        if by_words > 0.0 or (has_vector and row != NO_ROW)
    ]
    return sorted(found, key=attrgetter("score"), reverse=True)


def _nearest(plan: Plan, source: Source[K], most: int | None) -> tuple[list[K], list[float]]:
    """Returns the candidates by meaning with their cosines, best first; at most `most` where meaning alone decides.

    It does not where the first one out scores as the last one in: time decides between twins, and between cosines off
    the calibrated scale.
    """
    vector = plan.query.vector
    if plan.alpha == 1.0 or vector is None:
        return [], []
    if plan.alpha == 0.0 and most is not None:
        keys, cosines = source.vectors.near(vector, most + 1, source.allowed)
        border = scoring.scaled(cosines[most - 1 :], plan.floor, plan.ceiling)
        if len(border) < 2 or border[0] > border[1]:
            return keys[:most], cosines[:most]
    return source.vectors.near(vector, plan.depth, source.allowed)
