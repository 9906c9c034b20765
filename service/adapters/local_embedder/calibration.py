"""What the embedder learned from its calibration texts: activation ranges and the mean vector.

Law: part of the embedding space. Another calibration gives other vectors, and needs another name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from service.adapters.local_embedder.weights import F32

_MEAN = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`ranges`: max|activation| per input channel of each quantised matrix; `mean`: of unit vectors, not normalised."""

    ranges: Mapping[str, F32]
    mean: F32

    def save(self, path: Path) -> None:
        ranges = {name: largest.astype(np.float16) for name, largest in self.ranges.items()}
        np.savez_compressed(path, **{_MEAN: self.mean}, **ranges)

    @classmethod
    def load(cls, path: Path) -> "Calibration":
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in stored.files}
        return cls(mean=arrays.pop(_MEAN), ranges=arrays)
