"""The candidates of both sides where all scores are known are those that the indexes find."""

import numpy as np
import pytest

from core.index.compiled_vectors import VectorSettings
from core.index.keyword_index import KeywordIndex
from core.index.scoring import Mode
from core.index.vector_index import VectorIndex
from core.verbatim.candidates import SegmentSides, leading, sides, unranked
from core.verbatim.plan import Source, planned
from core.verbatim.query import Query
from tests.support.conversations import SPACE

WORDS = "ferry harbour Naxos ticket olive garden".split()


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("top_k", [1, 20, 60])
def test_of_many_that_tie_the_same_are_taken(mode: Mode, top_k: int) -> None:
    chance = np.random.default_rng(7)
    keys = [f"k{number:03}" for number in chance.permutation(200)]
    words: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    vectors: VectorIndex[str] = VectorIndex(4, VectorSettings())
    rows = np.eye(4, dtype=np.float32)
    for number, key in enumerate(keys):
        words.put_one(key, {"text": " ".join(chance.choice(WORDS, 3))})
        if number % 5:  # the others have no vector yet
            vectors.put(key, rows[number % 4])
    query = Query(top_k=top_k, alpha=0.5, text="the ferry to Naxos", vector=rows[1], mode=mode)
    plan, source = planned(query, SPACE), Source(words, vectors)
    cosines = vectors.similarities(rows[1], keys)

    found = leading(plan, SegmentSides(sides(plan, source, source.rows(keys), cosines), cosines), keys)

    assert {keys[place] for place in found.tolist()} == set(unranked(plan, source))
