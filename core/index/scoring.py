"""How hits are scored and put in order.

Law: pure. score = alpha × attribute + (1 − alpha) × embedding, both sides in [0, 1] and absolute, so
that a score means the same in every query's list; order is by score, then newer, then id, and never
depends on where things happen to lie in memory.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class Sortable(Hashable, Protocol):
    """What a key must be: hashable, and ordered among its kind."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=Sortable)

Why = tuple[tuple[str, float], ...]

Side = TypeVar("Side", float, NDArray[np.float64])


RRF_K = 60.0
"""Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet …, SIGIR 2009."""


class Mode(StrEnum):
    """Which sides a search uses."""

    HYBRID = "hybrid"
    ATTRIBUTE = "attribute"
    EMBEDDING = "embedding"


class ScoredCandidate(NamedTuple, Generic[K]):
    """A candidate and what it scored; all three in [0, 1]. A side that the query lacks is 0.

    `why`: what made the score, by component, adding up to it; empty for the plain formula. A tuple, as each
    search makes many.
    """

    key: K
    score: float
    attribute_score: float
    embedding_score: float
    why: Why = ()


def attribute_scores(bm25: NDArray[np.float64], best: float) -> NDArray[np.float64]:
    """Scales BM25 to a share of the best the query gets anywhere in the bank; all 0 when nothing matches it."""
    return bm25 / best if best > 0.0 else np.zeros_like(bm25)


def embedding_scores(cosines: NDArray[np.floating[Any]], floor: float, ceiling: float) -> NDArray[np.float64]:
    """Scales cosines to the embedding space's calibrated range: `floor` and below is 0, `ceiling` and above is 1."""
    scaled = (cosines.astype(np.float64) - floor) / (ceiling - floor)
    return np.minimum(np.maximum(scaled, 0.0), 1.0)


def shares(bm25: Sequence[float], best: float) -> list[float]:
    """Computes `attribute_scores` of so few that an array is not worth it; the same to the bit."""
    return [score / best for score in bm25] if best > 0.0 else [0.0] * len(bm25)


def scaled(cosines: Sequence[float], floor: float, ceiling: float) -> list[float]:
    """Computes `embedding_scores` of so few that an array is not worth it; the same to the bit."""
    height = ceiling - floor
    return [0.0 if c <= floor else 1.0 if c >= ceiling else (c - floor) / height for c in cosines]


def effective_alpha(mode: Mode, alpha: float, *, has_terms: bool, has_vector: bool) -> float | None:
    """Returns the attribute side's weight for a query that has these sides; None when it has none that `mode` uses."""
    attribute = has_terms and mode is not Mode.EMBEDDING
    embedding = has_vector and mode is not Mode.ATTRIBUTE
    if attribute and embedding:
        return alpha
    return 1.0 if attribute else 0.0 if embedding else None


def mixture(alpha: float, attribute: Side, embedding: Side) -> Side:
    """Computes the formula."""
    return alpha * attribute + (1.0 - alpha) * embedding


def mixed(
    keys: Sequence[K],
    attribute: Sequence[float],
    embedding: Sequence[float],
    alpha: float,
    k: int | None = None,
) -> list[ScoredCandidate[K]]:
    """Scores candidates by the formula from the scores of their sides, best first. `alpha` is the effective one.

    With `k`, at least 1, returns the best so many and all that tie with the last of them.
    """
    of_meaning = 1.0 - alpha
    scores = [alpha * a + of_meaning * e for a, e in zip(attribute, embedding, strict=True)]  # `mixture`
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    if k is not None and k < len(order):
        low = scores[order[k - 1]]
        while k < len(order) and scores[order[k]] == low:
            k += 1
        del order[k:]
    return [
        ScoredCandidate(keys[place], scores[place], attribute[place], embedding[place]) for place in order
    ]


def in_order(
    scored: Iterable[ScoredCandidate[K]],
    time: Callable[[K], datetime],
    *,
    k: int | None = None,
    min_score: float = 0.0,
) -> list[ScoredCandidate[K]]:
    """Returns the best `k` of at least `min_score`: by score, ties by newer `time`, then by id."""
    kept = sorted([hit for hit in scored if hit.score >= min_score], key=_SCORE, reverse=True)
    if len(set(map(_SCORE, kept))) < len(kept):
        kept.sort(key=_KEY)  # least significant first: sorting is stable
        kept.sort(key=lambda hit: time(hit.key), reverse=True)
        kept.sort(key=_SCORE, reverse=True)
    return kept[:k]


_SCORE, _KEY = attrgetter("score"), attrgetter("key")


def fused(rankings: Iterable[Sequence[K]], constant: float = RRF_K) -> dict[K, float]:
    """Fuses rankings by reciprocal rank: each key's sum of 1 / (constant + rank), ranks from 1.

    Scores compare only within one query's list: `min_score` means nothing here.
    """
    scores: dict[K, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (constant + rank)
    return scores


def leading(
    scores: NDArray[np.floating[Any]],
    k: int,
    allowed: Callable[[int], bool] | None = None,
    *,
    slack: float = 0.0,
    above: float = -np.inf,
) -> list[int]:
    """Returns the positions of the `k` best scores among those `allowed`, and of all that tie with the last of them.

    Ties count within `slack`, so that a caller can settle them by something exact. Only scores greater than `above`
    count. Positions ascend. `allowed` is asked about the best first, in growing batches, rather than about all.
    """
    if k <= 0:
        return []
    wanted = k if allowed is None else 4 * k
    while True:
        bar = _kth_best(scores, wanted, above) - slack
        leads = scores >= bar if bar > above else scores > above
        positions = np.flatnonzero(leads)
        admitted = positions.tolist() if allowed is None else _admitted(scores, positions, k, allowed, slack)
        if bar == -np.inf or wanted >= len(scores) or len(admitted) >= k:
            return admitted
        wanted *= 4


def _admitted(
    scores: NDArray[np.floating[Any]],
    positions: NDArray[np.int64],
    k: int,
    allowed: Callable[[int], bool],
    slack: float,
) -> list[int]:
    """Returns those `allowed`, up to the `k` best and what ties with the last of them."""
    order = positions[np.argsort(-scores[positions], kind="stable")]
    found: list[int] = []
    bar = -np.inf
    for position, score in zip(order.tolist(), scores[order].tolist(), strict=True):
        if score < bar:
            break
        if allowed(position):
            found.append(position)
            if len(found) == k:
                bar = score - slack
    return sorted(found)


_CROWD = 16  # times k: among more scores than that, most are ruled out by the best of each heap


def _kth_best(scores: NDArray[np.floating[Any]], k: int, above: float) -> float:
    """Returns the `k`-th best of the scores greater than `above`; −inf where there are fewer."""
    if len(scores) > _CROWD * k:
        heaps = 4 * k
        highest = scores[: len(scores) // heaps * heaps].reshape(-1, heaps).max(axis=0)
        reached = np.partition(highest, -k)[-k]  # by k scores at least, each of another heap
        scores = scores[scores >= reached] if reached > above else scores[scores > above]
    return float(np.partition(scores, -k)[-k]) if k <= len(scores) else -np.inf
