"""The arithmetic of quantisation, on small matrices."""

import numpy as np
import pytest

from service.adapters.local_embedder.quantise import LARGEST, quantised_rows, smoothing


def test_rows_keep_within_seven_bits_and_half_a_step() -> None:
    matrix = np.random.default_rng(3).normal(size=(20, 50)).astype(np.float32)

    quantised, scales = quantised_rows(matrix)

    assert np.abs(quantised).max() == LARGEST == 63
    assert np.abs(quantised * scales[:, None] - matrix).max() <= scales.max() / 2 + 1e-6


def test_an_empty_row_stays_empty() -> None:
    quantised, scales = quantised_rows(np.zeros((1, 4), dtype=np.float32))

    assert not quantised.any()
    assert np.isfinite(scales).all()


def test_smoothing_evens_out_what_an_outlier_channel_holds() -> None:
    activations = np.array([100.0, 1.0, 1.0], dtype=np.float32)
    columns = np.array([0.1, 0.1, 0.1], dtype=np.float32)

    calmed = activations / smoothing(activations, columns)

    assert calmed.max() / calmed.min() < 5


@pytest.mark.parametrize(("activation", "column"), [(0.0, 1.0), (1.0, 0.0)])
def test_a_silent_channel_is_left_alone(activation: float, column: float) -> None:
    factors = smoothing(np.array([activation], np.float32), np.array([column], np.float32))

    assert factors.tolist() == [1.0]
