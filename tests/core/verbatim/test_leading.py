"""The candidates of both sides where all scores are known are those that the indexes find."""

import numpy as np
import pytest

from core.index.compiled_vectors import VectorSettings
from core.index.keyword_index import KeywordIndex
from core.index.scoring import Mode
from core.index.vector_index import VectorIndex
from core.verbatim.candidates import SegmentSides, leading, scored, scored_among, sides, unranked
from core.verbatim.plan import Source, planned
from core.verbatim.query import Query
from tests.support.conversations import SPACE

ROWS = np.eye(4, dtype=np.float32)
WORDS = "ferry harbour Naxos ticket olive garden".split()


def indexed() -> tuple[list[str], Source[str]]:
    """200 keys of three words each, of which four in five have a vector, one of four."""
    chance = np.random.default_rng(7)
    keys = [f"k{number:03}" for number in chance.permutation(200)]
    words: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    vectors: VectorIndex[str] = VectorIndex(4, VectorSettings())
    for number, key in enumerate(keys):
        words.put_one(key, {"text": " ".join(chance.choice(WORDS, 3))})
        if number % 5:  # the others have no vector yet
            vectors.put(key, ROWS[number % 4])
    return keys, Source(words, vectors)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("top_k", [1, 20, 60])
def test_of_many_that_tie_the_same_are_taken(mode: Mode, top_k: int) -> None:
    keys, source = indexed()
    query = Query(top_k=top_k, alpha=0.5, text="the ferry to Naxos", vector=ROWS[1], mode=mode)
    plan = planned(query, SPACE)
    cosines = source.vectors.similarities(ROWS[1], keys)

    found = leading(plan, SegmentSides(sides(plan, source, source.rows(keys), cosines), cosines), keys)

    assert {keys[place] for place in found.tolist()} == set(unranked(plan, source))


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("text", ["the ferry to Naxos", "nothing of it"])
def test_of_a_few_each_is_scored_as_a_search_among_them_scores_it(mode: Mode, text: str) -> None:
    keys, source = indexed()
    few = keys[:30]
    plan = planned(Query(top_k=30, alpha=0.5, text=text, vector=ROWS[1], mode=mode), SPACE)

    found = scored_among(plan, source, few)

    assert set(found) == set(scored(plan, source._replace(allowed=few.__contains__)))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
