"""What the embedder learned from its calibration texts: activation ranges, and what all vectors share.

Law: part of the embedding space. Another calibration gives other vectors, and needs another name.

The vectors of this model lie in a narrow cone, and one for each language: texts that have nothing in
common have a cosine of 0.76 in English and 0.87 in Chinese. Taking away the mean opens the cone;
taking away the one direction that tells the languages apart puts unrelated texts near 0 and
translations near each other (after Mu and Viswanath 2018, "All-but-the-Top").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.adapters.local_embedder.weight_file import unpacked
from service.adapters.local_embedder.weights import F32


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`ranges`: max|activation| per input channel of each quantised matrix, by its name.

    `mean`: the centre between the English and the Chinese mean of unit vectors, not normalised;
    `language`: the unit vector from one to the other. Both have the shape (hidden,).
    """

    ranges: Mapping[str, F32]
    mean: F32
    language: F32

    def centred(self, vector: NDArray[np.float64]) -> F32:
        """Maps a vector of any length to the space's unit vector."""
        opened = _unit(vector) - self.mean
        return _unit(opened - (opened * self.language).sum() * self.language).astype(np.float32)

    def save(self, path: Path) -> None:
        ranges = {f"ranges/{name}": largest.astype(np.float16) for name, largest in self.ranges.items()}
        np.savez_compressed(path, allow_pickle=False, mean=self.mean, language=self.language, **ranges)

    @classmethod
    def load(cls, path: Path) -> "Calibration":
        """Raises EmbedderUnavailable where the file is missing or damaged."""
        arrays = unpacked(path, "calibration")
        mean, language = (arrays.pop(name).astype(np.float32, copy=False) for name in ("mean", "language"))
        ranges = {name.removeprefix("ranges/"): array.astype(np.float32) for name, array in arrays.items()}
        return cls(ranges=ranges, mean=mean, language=language)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = vector / np.sqrt(np.square(vector).sum())
    return unit
