"""Vectors that do not change any more, and HNSW over them.

Law: the only user of the native graph, which is hnswlib's (`core/native/graph.h`). Rows are numbers within one
matrix. A graph is stored without its vectors, and put over them again when they are loaded.

How far a search looks (HNSW's ef) is no constant: what finds 99.2 % among 5,762 vectors of an embedder finds 96.8 %
among 100,000. So each graph is tried once, when it is built: `_QUESTIONS` vectors, each in the middle between two
of its rows, are answered by a scan and by the graph, and the least ef of `_LADDER` that finds the wanted share of
their ten nearest is kept with it. Real questions are easier than middles, and much harder than plain rows: where 0.98
of the middles' are found, it is 0.992 of the questions' (`tests/bench/bench_recall.py`). The ladder starts at
`least_ef`, for questions unlike anything in the bank, of which the trial knows nothing: the more rows lie between a
question and its nearest, the further is to be looked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.index.snapshot import SnapshotUnusable
from core.model.vector import Vector
from core.native.vectors import Graph
from core.native.vectors import fingerprints as _fingerprints

ROWS = 1_000  # copied or compared in one go, where each copy holds up every other thread
ROUNDING = 1e-5  # how far a float32 product of unit vectors may be off: nearer ones tie at first
LINKS = {"label_of": "<i8", "labels": "<i8", "levels": "u1", "ground": "<u4", "upper": "<u4", "entry": "<i8"}
"""What a stored graph consists of: arrays by name, and their types."""
EDITION = 3  # of the stored graph
_BATCH = 256  # rows linked between two looks at whether the build is still wanted
_SEED = (
    1  # of HNSW's levels, of the order of insertion and of the trial: the same vectors make the same graph
)

_QUESTIONS = 256  # by which a graph is tried: the share found is then known to 0.004
_NEAREST = 10  # of which the wanted share is found
_LADDER = (80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512)
_SMALL = 20_000  # nodes, up to which the ladder's first rung is enough: it finds 0.993 among 30,000
_GROWTH = 0.545  # the power of a larger graph's size by which ef grows: among 100,000 it is 192
_BEYOND = 1.5  # ef for each one wanted: of the far ones fewer need be found


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """How vectors are indexed; the defaults are measured (`tests/bench/bench_recall.py`).

    m and ef_construction are HNSW's own. recall: the share of the ten nearest that a graph is to find for
    the middle between two rows, which is harder than a real question.
    """

    exact_up_to: int = 2_000  # living vectors that are scanned rather than compiled
    tail_share: float = 0.1  # of the living: a longer tail is compiled,
    scans: int = 100  # once so many searches have read it,
    rest_share: float = 0.05  # and a tail longer than this share of the living when writing has stopped
    scan_share: float = 1 / 32  # of the compiled: asked for more, HNSW takes longer than a scan
    m: int = 20
    ef_construction: int = 200
    recall: float = 0.98


class CompiledPart:
    """Rows that do not change any more, and HNSW over them (none where a scan serves).

    Equal vectors share one label, the first one's row: a crowd of twins in HNSW links to itself
    alone, and a search that gets in does not get out (measured: recall 0.45 with two thirds twins).
    """

    def __init__(self, matrix: NDArray[np.float32]) -> None:
        self.matrix = matrix
        self.saved = False  # whether a snapshot was taken
        self._graph: Graph | None = None
        self._ef = 0  # what the graph was found to need
        self._labels = 0  # living ones
        self._twins: dict[int, list[int]] = {}  # label → its living rows, if it ever had more than one
        self._label_of: dict[int, int] = {}  # row → label, if that is another row

    @property
    def linked(self) -> bool:
        return self._graph is not None

    def link(
        self, settings: VectorSettings, cancelled: Callable[[], bool], base: "CompiledPart | None" = None
    ) -> None:
        """Builds HNSW over all rows, and tries it; or extends the graph of `base`, whose rows are the first here."""
        label_of, known = self._same(base), 0 if base is None else len(base.matrix)
        self._note_twins(label_of)
        labels = known + np.flatnonzero(label_of[known:] == np.arange(known, len(label_of)))
        np.random.default_rng(_SEED).shuffle(labels)  # in the order of topics, the early ones get poor links
        if base is None or base._graph is None:
            graph = Graph(self.matrix, labels, settings.m)
        else:
            graph = base._graph.extended(self.matrix, labels)
        while graph.link(_BATCH, settings.ef_construction, _SEED) < len(graph):
            if cancelled():
                return
        self._ef = _tried(graph, self.matrix[_asked_of(np.unique(label_of))], settings.recall)
        self._graph, self._labels = graph, len(graph)

    def delete(self, row: int) -> None:
        """Deletes a row; to be called once for each."""
        if self._graph is None:
            return
        label = self._label_of.get(row, row)
        rows = self._twins.get(label, [row])
        rows.remove(row)
        if not rows:
            self._graph.mark_deleted(label)
            self._labels -= 1

    def near(
        self, vector: Vector, wanted: int, settings: VectorSettings
    ) -> tuple[list[int], list[float]] | None:
        """Finds at least `wanted` living rows and their cosines by HNSW; None where a scan is as quick or surer."""
        if self._graph is None or wanted > settings.scan_share * self._labels:
            return None
        rows, cosines = self._graph.near(vector, wanted, max(self._ef, int(_BEYOND * wanted)))
        if len(rows) < wanted:
            return None
        return (rows, cosines) if self._twins.keys().isdisjoint(rows) else self._with_twins(rows, cosines)

    def _with_twins(self, labels: list[int], cosines: list[float]) -> tuple[list[int], list[float]]:
        twins = self._twins
        found = [
            (row, c) for label, c in zip(labels, cosines, strict=True) for row in twins.get(label, (label,))
        ]
        return [row for row, _ in found], [cosine for _, cosine in found]

    def _same(self, base: "CompiledPart | None") -> NDArray[np.int64]:
        """Returns each row's label: the first row with an equal vector; rows of `base` keep the labels they have."""
        _, firsts, of = np.unique(fingerprints(self.matrix), return_index=True, return_inverse=True)
        label_of = firsts[of]
        known = 0 if base is None else len(base.matrix)
        if base is not None:
            label_of[:known] = base._label_of_rows()
            label_of[known:] = label_of[label_of[known:]]
        for row in known + np.flatnonzero(label_of[known:] != np.arange(known, len(label_of))):
            if self.matrix[row].tobytes() != self.matrix[label_of[row]].tobytes():
                label_of[row] = row
        return label_of

    def _label_of_rows(self) -> NDArray[np.int64]:
        label_of = np.arange(len(self.matrix), dtype=np.int64)
        label_of[list(self._label_of)] = list(self._label_of.values())
        return label_of

    def _note_twins(self, label_of: NDArray[np.int64]) -> None:
        for row in np.flatnonzero(label_of != np.arange(len(label_of))).tolist():
            label = int(label_of[row])
            self._label_of[row] = label
            self._twins.setdefault(label, [label]).append(row)

    # ---- stored and restored ----

    def links(self) -> dict[str, NDArray[Any]]:
        """Returns the graph as the arrays of LINKS, without its vectors."""
        if self._graph is None:
            raise ValueError("there is no graph over these rows")
        links = self._graph.links()
        return {
            "label_of": self._label_of_rows(),
            "labels": links["rows"],
            "levels": links["levels"],
            "ground": links["ground"],
            "upper": links["upper"],
            "entry": np.append(links["entry"], self._ef),
        }

    def relink(
        self, links: Mapping[str, NDArray[Any]], living: NDArray[np.bool_], settings: VectorSettings
    ) -> None:
        """Rebuilds the graph that gave `links` over the same rows; those not `living` have no vector by now.

        The graph leads through a dead row all the same: it gets the mean of its neighbours for a vector. Raises
        SnapshotUnusable.
        """
        labels, label_of, ground = links["labels"], links["label_of"], links["ground"]
        if len(label_of) != len(self.matrix) or len(ground) != len(labels) * (1 + 2 * settings.m):
            raise SnapshotUnusable("of another graph")
        if not np.array_equal(np.sort(labels), np.unique(label_of)) or (label_of[labels] != labels).any():
            raise SnapshotUnusable("labels that are none")
        self._note_twins(label_of)
        self._fill(labels, ground.reshape(len(labels), -1), living)
        graph = Graph(self.matrix, labels, settings.m)
        entry, ef = links["entry"].tolist()
        if not 1 <= ef <= _LADDER[-1]:
            raise SnapshotUnusable(f"searched as far as {ef}")
        try:
            graph.relink(links["levels"], ground, links["upper"], entry)
        except ValueError as error:
            raise SnapshotUnusable(str(error)) from None
        self._graph, self._labels, self._ef = graph, len(labels), max(ef, least_ef(len(labels)))
        for row in np.flatnonzero(~living).tolist():
            self.delete(row)

    def _fill(self, labels: NDArray[np.int64], ground: NDArray[np.uint32], living: NDArray[np.bool_]) -> None:
        """Gives labels whose own rows are dead a vector: a living twin's, or the mean of the neighbours'."""
        for place in np.flatnonzero(~living[labels]).tolist():
            label = int(labels[place])
            twins = [row for row in self._twins.get(label, ()) if living[row]]
            around = labels[ground[place, 1 : 1 + int(ground[place, 0])]]
            rows = twins[:1] or around[living[around]].tolist()
            if rows:
                middle = self.matrix[rows].mean(axis=0)
                self.matrix[label] = middle / max(float(np.linalg.norm(middle)), 1e-6)


def _asked_of(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draws the pairs of rows between which a graph is tried, shape (2, _QUESTIONS)."""
    chosen: NDArray[np.int64] = np.random.default_rng(_SEED).choice(labels, size=(2, _QUESTIONS))
    return chosen


def least_ef(nodes: int) -> int:
    """Returns how far a graph of so many nodes is searched at the least, whatever its trial finds."""
    grown: float = _LADDER[0] * max(1.0, nodes / _SMALL) ** _GROWTH
    return min(_LADDER[-1], round(grown))


def _tried(graph: Graph, pairs: NDArray[np.float32], recall: float) -> int:
    """Returns the ef of the ladder by which `graph` finds that share of a middle's nearest; the last if none does."""
    k = min(_NEAREST, len(graph))
    middles = pairs[0] + pairs[1]
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), 1e-6)
    bars = graph.nearest(middles, k)[:, -1:]
    least = least_ef(len(graph))
    for ef in (least, *(ef for ef in _LADDER if ef > least)):
        if np.mean(graph.found(middles, k, ef) >= bars) >= recall:
            return ef
    return _LADDER[-1]


def facts(dimension: int, settings: VectorSettings) -> dict[str, Any]:
    """Returns what a stored graph depends on beside the vectors."""
    return {
        "edition": EDITION,
        "dimension": dimension,
        "m": settings.m,
        "ef_construction": settings.ef_construction,
        "recall": settings.recall,
    }


def fingerprints(matrix: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Hashes each row to a number that hardly any other row has (multilinear, modulo 2^64, over the rows' bits)."""
    factors = np.random.default_rng(_SEED).integers(1, 1 << 63, size=matrix.shape[1], dtype=np.uint64)
    return _fingerprints(matrix, np.bitwise_or(factors, 1, dtype=np.uint64))
