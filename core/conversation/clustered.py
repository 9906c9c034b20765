"""Which cluster each segment of a conversation lies in, and what it gives to the likeness of that cluster.

Law: derived, and no vector is kept for it. A turn's vector is the mean of its segments' by their lengths, as a unit
vector; a centroid is the mean of its turns', as a unit vector. So a centroid's cosine is the sum of its segments'
cosines, each times its share. Shares of clusters that changed are computed on demand.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.conversation.telling import id_of
from core.ids import SegmentRef
from core.model.conversation import TurnCluster
from core.verbatim.segment_order import Positions
from core.verbatim.verbatim import Verbatim

NONE = -1  # the cluster of what lies in none


class ClusterShares:
    """By position of a segment, the number of its cluster and its share."""

    def __init__(self, names: Iterable[str]) -> None:
        self.number_of: dict[str, int] = {}
        self._names: list[str] = []
        self._free: list[int] = []  # numbers
        self._outdated = set(names)
        self._numbers = array("i")
        self._shares = array("f")

    def outdate(self, name: str) -> None:
        """Marks a cluster, or a vector of it, as changed."""
        self._outdated.add(name)

    def bring_up_to_date(self, clusters: Mapping[str, TurnCluster], verbatim: Verbatim) -> None:
        new = len(verbatim.order) - len(self._numbers)
        self._numbers.extend([NONE] * new)
        self._shares.extend([0.0] * new)
        for name in self._outdated:
            self._leave(name)
        for name in self._outdated & clusters.keys():
            self._enter(clusters[name], verbatim)
        self._outdated.clear()

    # ---- reads ----

    @property
    def count(self) -> int:
        """Numbers are below it."""
        return len(self._names)

    @property
    def numbers(self) -> NDArray[np.intc]:
        """By position. To be read before the next change, like the shares."""
        return np.frombuffer(self._numbers, np.intc)

    @property
    def shares(self) -> NDArray[np.float32]:
        return np.frombuffer(self._shares, np.float32)

    def at(self, position: int) -> str:
        """Returns the cluster of a segment; empty for none."""
        number = self._numbers[position]
        return "" if number == NONE else self._names[number]

    # ---- clusters come and go ----

    def _leave(self, name: str) -> None:
        number = self.number_of.pop(name, None)
        if number is not None:
            numbers = np.frombuffer(self._numbers, np.intc)
            numbers[numbers == number] = NONE
            self._names[number] = ""
            self._free.append(number)

    def _enter(self, cluster: TurnCluster, verbatim: Verbatim) -> None:
        number = self._free.pop() if self._free else len(self._names)
        self._names[number : number + 1] = [cluster.cluster_id]
        self.number_of[cluster.cluster_id] = number
        positions, shares = shares_of(cluster, verbatim)
        np.frombuffer(self._numbers, np.intc)[positions] = number
        np.frombuffer(self._shares, np.float32)[positions] = shares


def shares_of(cluster: TurnCluster, verbatim: Verbatim) -> tuple[Positions, NDArray[np.float32]]:
    """Returns where the segments of a cluster are, and the share of each; 0 of turns that have not all their
    vectors."""
    order = verbatim.order
    turns = [order.all_of(id_of(step)) for step in cluster.steps]
    embedded = [is_embedded(refs, verbatim) for refs in turns]
    lengths, sums = _means([refs for refs, is_so in zip(turns, embedded, strict=True) if is_so], verbatim)
    norms = _norms(sums)
    centroid = (sums / norms[:, None]).sum(axis=0)
    counts = np.array([len(refs) for refs in turns])
    counted = np.repeat(embedded, counts)
    shares = np.zeros(len(counted), np.float32)
    shares[counted] = lengths / np.repeat(norms, counts[embedded]) / (np.linalg.norm(centroid) or np.inf)
    return order.positions(ref for refs in turns for ref in refs), shares


def vectors_of(steps: Sequence[int], verbatim: Verbatim) -> NDArray[np.float64]:
    """Returns the vectors of those of the turns that are embedded, as rows."""
    turns = [verbatim.order.all_of(id_of(step)) for step in steps]
    _, sums = _means([refs for refs in turns if is_embedded(refs, verbatim)], verbatim)
    return sums / _norms(sums)[:, None]


def is_embedded(refs: Sequence[SegmentRef], verbatim: Verbatim) -> bool:
    """Whether all segments of a turn have their vectors."""
    return not any(ref in verbatim.wanting for ref in refs)


def _means(
    turns: Sequence[Sequence[SegmentRef]], verbatim: Verbatim
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns of turns that are embedded the length of each segment, and as rows the sums of each turn's vectors,
    each times its segment's length."""
    refs = [ref for turn in turns for ref in turn]
    lengths = verbatim.order.lengths[verbatim.order.positions(refs)].astype(np.float64)
    _, vectors = verbatim.vectors.matrix(refs)
    ends = np.cumsum([len(turn) for turn in turns]).tolist()
    spans = zip([0, *ends], ends, strict=False)
    sums = [lengths[first:end] @ vectors[first:end].astype(np.float64) for first, end in spans]
    return lengths, np.array(sums).reshape(len(turns), vectors.shape[1])


def _norms(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the length of each row; infinite of one that is zero, so that it stays zero."""
    norms: NDArray[np.float64] = np.sqrt((sums * sums).sum(axis=1))
    norms[norms == 0.0] = np.inf
    return norms
