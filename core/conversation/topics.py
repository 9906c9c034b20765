"""What turns are about, as vectors: by these turns are placed in clusters.

Law: derived. The *topic* of a turn is its own vector and half of that of the turn before, at length 1: "And how much?"
is about what was asked before it. That of a cluster is the mean of its turns', at length 1. It is kept until the
cluster, one of these vectors, or the turn before one of its turns changes.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.conversation.clustered import is_embedded, vectors_of
from core.conversation.telling import id_of
from core.model.conversation import TurnCluster
from core.verbatim.verbatim import Verbatim

BEFORE = 0.5  # what the vector of the turn before counts


class Topics:
    """The topics of the clusters of one conversation, each made when it is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, NDArray[np.float64]] = {}

    def outdate(self, name: str) -> None:
        """Marks a cluster, or a vector that its topic is made of, as changed."""
        self._known.pop(name, None)

    def sums(self, clusters: Iterable[TurnCluster], verbatim: Verbatim) -> list[NDArray[np.float64]]:
        """Returns of each cluster the sum of the topics of its turns."""
        return [self._sum(cluster, verbatim) for cluster in clusters]

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return sum(known.nbytes for known in self._known.values())

    def _sum(self, cluster: TurnCluster, verbatim: Verbatim) -> NDArray[np.float64]:
        known = self._known.get(cluster.cluster_id)
        if known is None:
            known = self._known[cluster.cluster_id] = topics_of(cluster.steps, verbatim).sum(axis=0)
        return known


def topics_of(steps: Sequence[int], verbatim: Verbatim) -> NDArray[np.float64]:
    """Returns the topics of turns, as rows; zero of one that is not embedded."""
    wanted = sorted({*steps, *(step - 1 for step in steps)})
    embedded = [step for step in wanted if _is_embedded(step, verbatim)]
    vectors = vectors_of(embedded, verbatim)
    row_of = {step: row for row, step in enumerate(embedded)}
    made = np.zeros((len(steps), vectors.shape[1]))
    for place, step in enumerate(steps):
        if step in row_of:
            made[place] = vectors[row_of[step]]
            if step - 1 in row_of:
                made[place] += BEFORE * vectors[row_of[step - 1]]
    return made / _lengths(made)


def _is_embedded(step: int, verbatim: Verbatim) -> bool:
    name = id_of(step)
    return verbatim.order.has(name) and is_embedded(verbatim.order.all_of(name), verbatim)


def _lengths(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the length of each row as a column; 1 of one that is zero, so that it stays zero."""
    lengths: NDArray[np.float64] = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0.0] = 1.0
    return lengths
