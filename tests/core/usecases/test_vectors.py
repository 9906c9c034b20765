"""Callers' vectors at the door."""

import numpy as np
import pytest

from core.errors import EmbeddingSpaceMismatch, InvalidField
from core.model.bank import EmbeddingSpace
from core.usecases.vectors import unit

SPACE = EmbeddingSpace(name="s", dimension=3)


def test_a_vector_is_scaled_to_unit_length() -> None:
    scaled = unit(np.array([3, 0, 4], np.float32), SPACE, "embedding")

    assert scaled.dtype == np.float32
    assert scaled.tolist() == pytest.approx([0.6, 0.0, 0.8])


def test_what_has_unit_length_comes_back_bit_for_bit() -> None:
    drawn = np.random.default_rng(5).standard_normal((500, 3)).astype(np.float32)

    once = [unit(row, SPACE, "embedding") for row in drawn]

    assert all(unit(row, SPACE, "embedding").tobytes() == row.tobytes() for row in once)


def test_tiny_and_huge_numbers_are_scaled_too() -> None:
    for size in (1e-38, 3e38):
        scaled = unit(np.array([size, 0, 0], np.float32), SPACE, "embedding")

        assert scaled.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("numbers", [[0, 0, 0], [1, float("nan"), 0], [float("inf"), 0, 0]])
def test_a_vector_without_direction_is_refused(numbers: list[float]) -> None:
    with pytest.raises(InvalidField) as refused:
        unit(np.array(numbers, np.float32), SPACE, "nodes[2].embedding")

    assert refused.value.field == "nodes[2].embedding"


@pytest.mark.parametrize("shape", [(2,), (4,), (0,), (1, 3)])
def test_a_vector_of_another_length_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(EmbeddingSpaceMismatch):
        unit(np.ones(shape, np.float32), SPACE, "embedding")
