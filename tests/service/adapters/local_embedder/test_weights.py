"""The weights' file is believed only when it is the one expected."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbedderUnavailable
from service.adapters.local_embedder.weights import FILE_NAME, PACKAGE, dequantise, read_model
from service.adapters.wheel_file import wheel_file


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / FILE_NAME
    image = bytearray(wheel_file(PACKAGE, FILE_NAME).read_bytes())
    image[40_000_000] ^= 1
    other.write_bytes(image)

    with pytest.raises(EmbedderUnavailable, match="sha256"):
        read_model(other)


def test_a_missing_file_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="No such file"):
        read_model(tmp_path / "gone.bin")


def test_a_package_that_is_not_installed_is_unavailable() -> None:
    with pytest.raises(EmbedderUnavailable, match="not installed"):
        wheel_file("no_such_package_here", FILE_NAME)


def test_a_block_is_its_scale_times_its_nibbles_less_eight() -> None:
    scale = np.array([0.5], dtype=np.float16).view(np.uint8)
    low_1_high_15 = np.full(16, 0xF1, dtype=np.uint8)

    row = dequantise(np.concatenate([scale, low_1_high_15])[None, None, :])

    assert row.tolist() == [[-3.5] * 16 + [3.5] * 16]
