"""Vectors near a vector. Vectors and matrices are float32 and contiguous; a row of a matrix is named by its number.

Cosines are products of unit vectors, summed in double precision and rounded once: a pair of vectors has one,
to the bit, whichever function gives it. Wrong shapes are ValueError, rows that are not there IndexError.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def cosines(matrix: NDArray[np.float32], rows: object, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the cosine of each of `rows` (whole numbers), shape (len(rows),)."""

def scan(
    matrix: NDArray[np.float32],
    living: NDArray[np.bool_],
    vector: NDArray[np.float32],
    k: int,
    rounding: float,
) -> tuple[list[int], list[float]]:
    """Returns the `k` nearest living rows among the first len(living), in no order, and their cosines.

    So are all that may tie with the last of them: they are told apart in single precision, off by `rounding` at most.
    """

def fingerprints(matrix: NDArray[np.float32], factors: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hashes each row: the sum of its columns' bits times `factors`, modulo 2^64."""

class Graph:
    """hnswlib's HNSW graph over rows of a matrix, which must not change from now on.

    `near` and `mark_deleted` keep the GIL, and belong to one thread; all else releases it, and may run in any thread.
    Builds (`link`, `found`, `nearest`) and loads (the constructor, `relink`) run at low priority.
    """

    def __init__(self, matrix: NDArray[np.float32], rows: NDArray[np.int64], m: int) -> None:
        """Makes a graph still without links. `rows`: each once, in the order in which they are to be linked.

        Raises ValueError for an `m` below 2, and for a row that is not finite.
        """

    def extended(self, matrix: NDArray[np.float32], rows: NDArray[np.int64]) -> Graph:
        """Returns a graph over this one's rows, which `matrix` has too, and over more `rows`, these without links.

        Rows deleted in this one are not in that one. Raises ValueError for vectors of another dimension.
        """

    def __len__(self) -> int:
        """Returns how many nodes there are, linked or not."""

    def link(self, count: int, ef_construction: int, seed: int) -> int:
        """Links the next `count` nodes in; returns how many are linked then. The same seed makes the same graph."""

    def near(self, vector: NDArray[np.float32], k: int, ef: int) -> tuple[list[int], list[float]]:
        """Returns the `k` nearest rows and their cosines, best first; or fewer if no more are within reach."""

    def found(self, questions: NDArray[np.float32], k: int, ef: int) -> NDArray[np.float32]:
        """Returns the cosines that `near` finds for each of `questions`, shape (questions, k); -2 if missing."""

    def nearest(self, questions: NDArray[np.float32], k: int) -> NDArray[np.float32]:
        """Returns the same by a scan of all nodes, deleted ones too."""

    def mark_deleted(self, row: int) -> bool:
        """Leaves a tombstone: the row is found no more, and still leads to others. Returns False if it was deleted.

        Raises ValueError until all nodes are linked.
        """

    def links(self) -> dict[str, NDArray[Any]]:
        """Returns what `relink` takes, by name (`entry` as an array of one), and `rows`."""

    def relink(
        self, levels: NDArray[np.uint8], ground: NDArray[np.uint32], upper: NDArray[np.uint32], entry: int
    ) -> None:
        """Takes the links of a graph over the same rows. Raises ValueError for what no such graph can have."""
