"""Vectors near a vector. Vectors and matrices are float32 and contiguous; a row of a matrix is named by its number.

Cosines are products of unit vectors, summed in double precision and rounded once: a pair of vectors has one,
to the bit, whichever function gives it. Wrong shapes are ValueError, rows that are not there IndexError.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def cosines(matrix: NDArray[np.float32], rows: object, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of each of `rows` (whole numbers), shape (len(rows),)."""

def scan(
    matrix: NDArray[np.float32],
    living: NDArray[np.bool_],
    vector: NDArray[np.float32],
    k: int,
    rounding: float,
) -> tuple[list[int], list[float]]:
    """Of the first len(living) rows those living ones among which the `k` nearest are, in no order, and their cosines.

    All that tie with the last of them are there: they are told apart by single precision, off by `rounding` at most.
    """

def prints(matrix: NDArray[np.float32], factors: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A number for each row: the sum of its columns' bits times `factors`, modulo 2^64."""

class Graph:
    """HNSW over rows of a matrix, which must not change from now on. All but `near` and `bury` may run in any thread.

    Released, while they run: the GIL, by all but these two. What a build takes long for (`link`, `found`, `nearest`),
    and a load (the making of one), leaves the processors to others, where threads have priorities.
    """

    def __init__(self, matrix: NDArray[np.float32], rows: NDArray[np.int64], m: int) -> None:
        """A graph still without links. `rows`: each once, in the order in which they are to be linked.

        Raises ValueError for 2^24 - 1 of them or more.
        """

    def extended(self, matrix: NDArray[np.float32], rows: NDArray[np.int64]) -> Graph:
        """A graph over this one's rows, which `matrix` has too, and over more `rows` of it, these still without links.

        Who is buried in this one, is not in that. Raises ValueError for vectors of another dimension.
        """

    def __len__(self) -> int:
        """How many nodes there are, linked or not."""

    def link(self, count: int, ef_construction: int, seed: int) -> int:
        """Link the next `count` nodes in; how many are linked then. The same seed makes the same graph."""

    def near(self, vector: NDArray[np.float32], k: int, ef: int) -> tuple[list[int], list[float]]:
        """Living rows and their cosines, the nearest first: `k` of them, or fewer if no more are within reach."""

    def found(self, questions: NDArray[np.float32], k: int, ef: int) -> NDArray[np.float32]:
        """The cosines that `near` finds for each row of `questions`, shape (questions, k); -2 where there are fewer."""

    def nearest(self, questions: NDArray[np.float32], k: int) -> NDArray[np.float32]:
        """The same by a scan of all nodes, living or not."""

    def bury(self, row: int) -> bool:
        """Find a row no more; False if that was so. Only when all are linked (ValueError)."""

    def links(self) -> dict[str, NDArray[Any]]:
        """What `relink` takes, by name (`entry` as an array of one), and `rows`."""

    def relink(
        self, levels: NDArray[np.uint8], ground: NDArray[np.uint32], upper: NDArray[np.uint32], entry: int
    ) -> None:
        """Take the links of a graph over the same rows. Raises ValueError for what no such graph can have."""
