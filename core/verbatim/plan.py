"""How a query is carried out: settled once, before anything is looked for.

Law: pure. Which sides count and how much, on what scale, and how many candidates each side gives is settled here alone;
every search follows it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple

from core.index.keyword_index import KeywordIndex
from core.index.scoring import K, Mode, effective_alpha
from core.index.vector_index import Rows, VectorIndex
from core.model.bank import EmbeddingSpace
from core.text.analysis import terms
from core.verbatim.query import Query

KEYWORD_WEIGHT = 2  # a keyword the caller names counts as if the text had contained it twice
FEWEST = (
    25  # candidates taken from each side, at the least (docs/internals/ranking.md tells what more would find)
)
BEYOND = 25  # and as many beyond the `top_k`, twice as many of few: the mixture may prefer a side's 20th to its 10th


class Plan(NamedTuple):
    """A query, and what follows from it for every index it is put to.

    `terms`: the words of its text and keywords with their counts; none where the mode leaves them out. `alpha`: what
    words weigh, 0 to 1, the vector the rest; None where there is nothing to search by. `depth`: candidates of each
    side. `floor` and `ceiling`: the cosines that score 0 and 1.
    """

    query: Query
    terms: Mapping[str, float]
    alpha: float | None
    depth: int
    floor: float
    ceiling: float

    def wanting(self, top_k: int) -> "Plan":
        """Returns the plan of the same query for so many."""
        return self._replace(query=self.query._replace(top_k=top_k), depth=_depth(top_k))


NO_ROW = -1


class RowsOf(NamedTuple):
    """Where some keys stand in the two indexes of a source, until the next edit of either; NO_ROW where they do not."""

    words: list[int]
    vectors: Rows

    def at(self, places: Rows) -> "RowsOf":
        """Returns those of some of the keys."""
        return RowsOf([self.words[place] for place in places.tolist()], self.vectors[places])


class Source(NamedTuple, Generic[K]):
    """The two indexes of what a plan is put to, and what of it may be found (None: all)."""

    words: KeywordIndex[K]
    vectors: VectorIndex[K]
    allowed: Callable[[K], bool] | None = None

    def rows(self, keys: Sequence[K]) -> RowsOf:
        return RowsOf(self.words.rows(keys), self.vectors.rows(keys))


def planned(query: Query, space: EmbeddingSpace) -> Plan:
    """Plans a query in an embedding space."""
    terms = {} if query.mode is Mode.EMBEDDING else terms_of(query)
    has_vector = query.vector is not None
    return Plan(
        query=query,
        terms=terms,
        alpha=effective_alpha(query.mode, query.alpha, has_terms=bool(terms), has_vector=has_vector),
        depth=_depth(query.top_k),
        floor=space.cosine_floor,
        ceiling=space.cosine_ceiling,
    )


def _depth(top_k: int) -> int:
    return max(FEWEST, top_k + min(top_k, BEYOND))


def terms_of(query: Query) -> dict[str, float]:
    """Returns the query's words with their counts; none when it is a vector alone."""
    counts: dict[str, float] = {}
    if query.text:
        for term in terms(query.text):
            counts[term] = counts.get(term, 0.0) + 1.0
    for keyword in query.keywords:
        for term in terms(keyword):
            counts[term] = counts.get(term, 0.0) + KEYWORD_WEIGHT
    return counts
