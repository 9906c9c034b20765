"""What may be found for a query, and what each scores by either side.

Law: reads only. Candidates are the best by words and the best by meaning; what is one gets both scores. The scale of
cosines is the embedding space's.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.index import scoring
from core.index.keyword_index import KeywordIndex
from core.index.scoring import K, Scale, Scored
from core.index.vector_index import ABSENT, VectorIndex
from core.model.bank import EmbeddingSpace
from core.text.analysis import terms
from core.verbatim.query import Fusion, Query

KEYWORD_WEIGHT = 2  # a keyword the caller names counts as if the text had said it twice
WIDENING = 2  # candidates taken from each side, as a multiple of top_k: the mixture may prefer a side's 20th
FEWEST = 25  # and at least so many (docs/retrieval.md tells what more would find)


def terms_of(query: Query) -> dict[str, float]:
    """The query's words with their counts; none when it is a vector alone."""
    counts: dict[str, float] = {}
    for term in terms(query.text):
        counts[term] = counts.get(term, 0.0) + 1.0
    for keyword in query.keywords:
        for term in terms(keyword):
            counts[term] = counts.get(term, 0.0) + KEYWORD_WEIGHT
    return counts


def alpha_of(query: Query, said: Mapping[str, float]) -> float | None:
    return scoring.effective_alpha(
        query.mode, query.alpha, has_terms=bool(said), has_vector=query.vector is not None
    )


def unranked(
    query: Query,
    said: Mapping[str, float],
    words: KeywordIndex[K],
    vectors: VectorIndex[K],
    allowed: Callable[[K], bool] | None,
    alpha: float,
) -> list[K]:
    """The candidates of both sides, in no order: whoever is one by both is there twice."""
    wide = _wide(query)
    found = words.leading(said, wide, (), allowed)[0] if alpha > 0.0 else []
    if alpha < 1.0 and query.vector is not None:
        found += vectors.near(query.vector, wide, allowed)[0]
    return found


def _wide(query: Query) -> int:
    return max(FEWEST, WIDENING * query.top_k)


def sides(
    space: EmbeddingSpace,
    query: Query,
    said: Mapping[str, float],
    words: KeywordIndex[K],
    vectors: VectorIndex[K],
    keys: Sequence[K],
    alpha: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Attribute and embedding score of each key; 0 throughout for a side that does not count."""
    attribute = embedding = np.zeros(len(keys))
    if alpha > 0.0:
        attribute = scoring.attribute_scores(words.scores(said, keys), words.best(said))
    if alpha < 1.0 and query.vector is not None:
        cosines = vectors.similarities(query.vector, keys)
        embedding = scoring.embedding_scores(cosines, space.cosine_floor, space.cosine_ceiling)
    return attribute, embedding


def scored(
    space: EmbeddingSpace,
    query: Query,
    said: Mapping[str, float],
    words: KeywordIndex[K],
    vectors: VectorIndex[K],
    allowed: Callable[[K], bool] | None,
    *,
    final: bool = True,
) -> list[Scored[K]]:
    """Candidates of both sides, each with both scores.

    The `top_k` best and all that tie with the last of them are there; the others only where scores are not
    `final`, so that one of them may yet be among the best.
    """
    alpha = alpha_of(query, said)
    if alpha is None:
        return []
    cut = final and query.fusion is Fusion.WEIGHTED
    near, cosines = _by_meaning(space, query, vectors, allowed, alpha, cut)
    by_words: list[K] = []
    bm25, best = [0.0] * len(near), 0.0
    if alpha > 0.0:
        by_words, of_these, bm25 = words.leading(said, _wide(query), near, allowed)
        bm25, best = bm25 + of_these, words.best(said)
        cosines = cosines + _cosines(query, vectors, by_words, alpha)
    scale = Scale(best, space.cosine_floor, space.cosine_ceiling)
    mixed = scoring.mixed(near + by_words, bm25, cosines, scale, alpha, k=query.top_k if cut else None)
    if query.fusion is Fusion.RECIPROCAL_RANK:
        ranks = scoring.fused((by_words, near))
        most = 2.0 / (scoring.RRF_K + 1.0)
        return [s._replace(score=ranks[s.key] / most) for s in mixed]
    return mixed


def _by_meaning(
    space: EmbeddingSpace,
    query: Query,
    vectors: VectorIndex[K],
    allowed: Callable[[K], bool] | None,
    alpha: float,
    cut: bool,
) -> tuple[list[K], list[float]]:
    """The candidates by meaning with their cosines, best first: no more than are wanted where that settles it."""
    if alpha == 1.0 or query.vector is None:
        return [], []
    if cut and alpha == 0.0:
        nearest = _surely_nearest(space, query, vectors, allowed)
        if nearest is not None:
            return nearest
    return vectors.near(query.vector, _wide(query), allowed)


def _cosines(query: Query, vectors: VectorIndex[K], keys: Sequence[K], alpha: float) -> list[float]:
    """Of candidates by words. Where words count alone, they are as if they had no vectors."""
    if alpha == 1.0 or query.vector is None:
        return [ABSENT] * len(keys)
    found: list[float] = vectors.similarities(query.vector, keys).tolist()
    return found


def _surely_nearest(
    space: EmbeddingSpace, query: Query, vectors: VectorIndex[K], allowed: Callable[[K], bool] | None
) -> tuple[list[K], list[float]] | None:
    """The `top_k` nearest with their cosines; None where their scores do not tell them from the next ones.

    Cosines off the calibrated scale all score the same, and so do twins: time decides then, among more of them.
    """
    assert query.vector is not None, "without words there is a vector"
    keys, cosines = vectors.near(query.vector, query.top_k + 1, allowed)
    if len(keys) > query.top_k:
        last, first_out = cosines[query.top_k - 1 : query.top_k + 1]
        if first_out == last or not space.cosine_floor < last < space.cosine_ceiling:
            return None
    return keys[: query.top_k], cosines[: query.top_k]
