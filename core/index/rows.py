"""Vectors as a store reads them: many at once, as rows of one matrix.

Law: read one by one they are the same mapping as plain values would be; taken all at once they are the matrix, and no
object is made for each.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.model.vector import Vector

K = TypeVar("K")

_AT_ONCE = 1_000  # rows copied in one go, which holds up every other thread


class VectorRows(Mapping[K, Vector], Generic[K]):
    """Vectors by key: row i of `matrix`, float32 of shape (len(keys), dimension), is that of `keys[i]`."""

    def __init__(self, keys: Sequence[K], matrix: NDArray[np.float32]) -> None:
        if matrix.ndim != 2 or len(keys) != len(matrix):
            raise ValueError(f"{len(keys)} keys for vectors of shape {matrix.shape}")
        self.names = keys
        self.matrix = matrix
        self._row_of: dict[K, int] | None = None  # made by the first look-up

    @classmethod
    def of(cls, vectors: Mapping[K, Vector], dimension: int) -> "VectorRows[K]":
        """Returns the same vectors in one matrix: copied, unless they are in one already."""
        if isinstance(vectors, VectorRows):
            return vectors
        matrix = np.empty((len(vectors), dimension), np.float32)
        each = iter(vectors.values())
        for start in range(0, len(matrix), _AT_ONCE):
            matrix[start : start + _AT_ONCE] = list(islice(each, _AT_ONCE))
        return cls(list(vectors), matrix)

    def finite(self) -> "VectorRows[K]":
        """Returns those vectors that are finite: a damaged file can hold others, and nothing is near to them."""
        with np.errstate(all="ignore"):  # of a signalling NaN, and of numbers too large
            kept = np.isfinite(np.vecdot(self.matrix, self.matrix))
        if kept.all():
            return self
        return VectorRows([self.names[row] for row in np.flatnonzero(kept).tolist()], self.matrix[kept])

    def __getitem__(self, key: K) -> Vector:
        if self._row_of is None:
            self._row_of = {name: row for row, name in enumerate(self.names)}
        vector: Vector = self.matrix[self._row_of[key]]
        return vector

    def __iter__(self) -> Iterator[K]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
