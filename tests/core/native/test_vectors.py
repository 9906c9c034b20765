"""The native vectors module: what its arrays say."""

import numpy as np

from core.native import vectors


def test_a_cosine_is_the_same_to_the_bit_wherever_its_row_lies() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 383)).astype(np.float32)
    matrix = np.repeat(one[None], 50, axis=0)

    found = vectors.cosines(matrix, np.arange(50), other)

    assert len(set(found.tolist())) == 1
    assert found[0] == np.float32(one.astype(np.float64) @ other.astype(np.float64))
