"""The sum over postings, against the same sum document by document."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.bank.bm25 import Posting, summed


def postings(rng: np.random.Generator, documents: int, sizes: Sequence[int]) -> list[Posting]:
    return [
        Posting(
            slots=rng.permutation(documents)[:size].astype(np.intc),
            counts=rng.integers(1, 5, size).astype(np.single),
            worth=float(rng.random()),
        )
        for size in sizes
    ]


@pytest.mark.parametrize(
    "sizes",
    [(), (0,), (3,), (5, 0, 7), (600, 600), (8_191, 1, 1), (8_192, 8_192), (8_193,), (20_000, 4, 20_000)],
)
def test_every_document_gets_the_sum_over_the_terms_in_their_order_to_the_bit(sizes: Sequence[int]) -> None:
    rng = np.random.default_rng(len(sizes))
    norms = rng.random(20_000) + 0.5
    given = postings(rng, 20_000, sizes)
    expected = [0.0] * 20_000
    for posting in given:
        for slot, count in zip(posting.slots.tolist(), posting.counts.tolist(), strict=True):
            expected[slot] += posting.worth * count / (count + float(norms[slot]))

    sums = summed(given, norms)

    assert sums.scores.tolist() == expected
    assert sums.best == max(expected)
    said = sorted({slot for posting in given for slot in posting.slots.tolist()})
    assert (sums.hits is None) == (sum(sizes) >= 20_000 / 16)
    assert sums.hits is None or sums.hits.tolist() == said
