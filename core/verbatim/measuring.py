"""What the measure of a prompt's evidence is made of: which candidates hold which words of a query, and their cosines.

Law: reads only. Greetings, thanks and question words weigh nothing, unless the query has no other.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.index.keyword_index import KeywordIndex
from core.index.scoring import K
from core.index.vector_index import ABSENT, VectorIndex
from core.language import in_all
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.text.analysis import terms

MOST_WORDS = 64
"""Distinct words of a query that are looked for: a longer one has matter enough."""


def words_of(query: str) -> list[str]:
    """Returns the distinct words of a query that tell its matter, in order."""
    found = list(dict.fromkeys(terms(query)))
    telling = [word for word in found if word not in _empty_words()]
    return (telling or found)[:MOST_WORDS]


@cache
def _empty_words() -> frozenset[str]:
    listed = (*in_all("asking"), *in_all("needless"))
    return frozenset(word for entry in listed for word in terms(entry))


def holding(index: KeywordIndex[K], keys: Sequence[K], words: Sequence[str]) -> NDArray[np.bool_]:
    """Returns which of some keys holds which word, shape (keys, words)."""
    return index.holding(words, index.rows(keys))


def cosines(
    index: VectorIndex[K], keys: Sequence[K], vector: Vector | None, space: EmbeddingSpace
) -> NDArray[np.float64]:
    """Returns the cosines on the space's scale, uncut; NaN for a key without a vector, or without a query's."""
    if vector is None:
        return np.full(len(keys), np.nan)
    return scaled(index.similarities(vector.astype(np.float32), keys), space)


def scaled(found: NDArray[np.float32], space: EmbeddingSpace) -> NDArray[np.float64]:
    """Returns cosines as they were found on the space's scale, uncut; NaN for an absent one."""
    on_scale = (found.astype(np.float64) - space.cosine_floor) / (space.cosine_ceiling - space.cosine_floor)
    return np.where(found == ABSENT, np.nan, on_scale)
