"""Vectors that do not change any more, and HNSW over them.

Law: the only importer of hnswlib. Rows and labels are numbers within one matrix; hnswlib's own distances never
leave. A graph is written down without its vectors, and put over them again when they are read.

How far a search looks (HNSW's ef) is no constant: what finds 99.5 % among 2,000 vectors of an embedder finds 97 %
among 100,000. So each graph is tried once, when it is built: `_QUESTIONS` vectors, each in the middle between two
of its rows, are answered by a scan and by the graph, and the least ef of `_LADDER` that finds the wanted share of
their ten nearest is kept with it. Real questions are easier than middles, and much harder than plain rows: where 0.98
of the middles' are found, it is 0.993 to 0.999 of the questions' (`tests/bench/bench_recall.py`). The ladder starts
where it does for questions unlike anything in the bank, of which the trial knows nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from typing import Any, TypeVar

import hnswlib
import numpy as np
from numpy.typing import NDArray

from core.bank.change import Vector
from core.bank.snapshot import SnapshotUnusable

Real = TypeVar("Real", np.float32, np.float64)

ROWS = 1_000  # copied or compared in one go, where each copy holds up every other thread
ROUNDING = 1e-5  # how far a float32 product of unit vectors may be off: nearer ones tie at first
_BATCH = 256  # rows added between two looks at whether the build is still wanted
_SEED = (
    1  # of HNSW's levels, of the order of insertion and of the trial: the same vectors make the same graph
)

_QUESTIONS = 256  # by which a graph is tried: the share found is then known to 0.004
_NEAREST = 10  # of which the wanted share is found
_LADDER = (80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512)
_BEYOND = 1.5  # ef for each one wanted: of the far ones fewer need be found


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """How vectors are indexed; the defaults are measured (`tests/bench/bench_recall.py`).

    m and ef_construction are HNSW's own. recall: the share of the ten nearest that a graph is to find for
    the middle between two rows, which is harder than a real question.
    """

    exact_up_to: int = 2_000  # living vectors that are scanned rather than compiled
    tail_share: float = 0.33  # of the living: a longer tail is compiled,
    scans: int = 100  # once so many searches have read it,
    rest_share: float = 0.05  # and a tail longer than this share of the living when nobody writes any more
    scan_share: float = 1 / 32  # of the compiled: asked for more, HNSW takes longer than a scan
    m: int = 20
    ef_construction: int = 200
    recall: float = 0.98


class Compiled:
    """Rows that do not change any more, and HNSW over them (none where a scan serves).

    Equal vectors share one label, the first one's row: a crowd of twins in HNSW links to itself
    alone, and a search that gets in does not get out (measured: recall 0.45 with two thirds twins).
    """

    def __init__(self, matrix: NDArray[np.float32]) -> None:
        self.matrix = matrix
        self.saved = False  # whether a snapshot was taken
        self._graph: hnswlib.Index | None = None
        self._ef = 0  # what the graph was found to need
        self._labels = 0  # living ones
        self._twins: dict[int, list[int]] = {}  # label → its living rows, if it ever had more than one
        self._label_of: dict[int, int] = {}  # row → label, if that is another row

    @property
    def linked(self) -> bool:
        return self._graph is not None

    def link(self, settings: VectorSettings, cancelled: Callable[[], bool]) -> None:
        """Build HNSW over all rows, and try it."""
        labels = self._distinct()
        # Inner product: the vectors are unit already, and the space "cosine" would divide them once more.
        graph = hnswlib.Index("ip", self.matrix.shape[1])
        graph.init_index(
            len(labels), M=settings.m, ef_construction=settings.ef_construction, random_seed=_SEED
        )
        np.random.default_rng(_SEED).shuffle(labels)  # in the order of topics, the early ones get poor links
        for start in range(0, len(labels), _BATCH):
            if cancelled():
                return
            batch = labels[start : start + _BATCH]
            graph.add_items(self.matrix[batch], batch, num_threads=1)
        self._ef = _least_ef(graph, self.matrix, labels, settings.recall, cancelled)
        self._graph, self._labels = graph, len(labels)

    def bury(self, row: int) -> None:
        """Take a row out, once."""
        if self._graph is None:
            return
        label = self._label_of.get(row, row)
        rows = self._twins.get(label, [row])
        rows.remove(row)
        if not rows:
            self._graph.mark_deleted(label)
            self._labels -= 1

    def near(self, vector: Vector, wanted: int, settings: VectorSettings) -> list[int] | None:
        """At least `wanted` living rows by HNSW; None where a scan is as quick or the only sure way."""
        if self._graph is None or wanted > settings.scan_share * self._labels:
            return None
        self._graph.set_ef(max(self._ef, int(_BEYOND * wanted)))
        try:
            labels, _ = self._graph.knn_query(vector, k=wanted, num_threads=1)
        except RuntimeError:  # fewer than `wanted` within reach; hnswlib has no gentler word for it
            return None
        near: list[int] = labels[0].tolist()
        return [row for label in near for row in self._twins.get(label, (label,))] if self._twins else near

    def _distinct(self) -> NDArray[np.int64]:
        """The rows that become labels; notes the twins of each."""
        first: dict[bytes, int] = {}
        for row, vector in enumerate(self.matrix):
            label = first.setdefault(blake2b(vector, digest_size=16).digest(), row)
            if label != row:
                self._label_of[row] = label
                self._twins.setdefault(label, [label]).append(row)
        return np.array(list(first.values()), dtype=np.int64)

    # ---- written down and read ----

    def links(self) -> dict[str, NDArray[Any]]:
        """The graph without its vectors. hnswlib holds the GIL meanwhile, for 1 ms in 1,000 vectors."""
        if self._graph is None:
            raise ValueError("there is no graph over these rows")
        (state,) = self._graph.__getstate__()
        level0 = state["data_level0"].view(np.uint8).reshape(state["cur_element_count"], -1)
        near = level0[:, : state["offset_data"]].copy()
        near[:, 2] = 0  # hnswlib's mark of the dead: who is dead is found anew
        label_of = np.arange(len(self.matrix), dtype=np.int64)
        label_of[list(self._label_of)] = list(self._label_of.values())
        return {
            "label_of": label_of,
            "labels": level0[:, state["label_offset"] :].copy().view(np.uint64).ravel().astype(np.int64),
            "near": near.view(np.uint32),
            "far": state["link_lists"].view(np.uint8),
            "levels": state["element_levels"],
            "entry": np.array([state["max_level"], state["enterpoint_node"]], dtype=np.int64),
            "ef": np.array([self._ef], dtype=np.int64),
        }

    def relink(
        self, links: Mapping[str, NDArray[Any]], living: NDArray[np.bool_], settings: VectorSettings
    ) -> None:
        """Put the graph that `links` gave over the same rows; those not `living` have no vector by now.

        The graph leads through a dead row all the same: it gets the middle of its neighbours for a vector. hnswlib
        holds the GIL for 1 ms in 1,000 vectors. Raises SnapshotUnusable.
        """
        labels, label_of, near = links["labels"], links["label_of"], links["near"]
        frame = hnswlib.Index("ip", self.matrix.shape[1])
        frame.init_index(
            len(labels), M=settings.m, ef_construction=settings.ef_construction, random_seed=_SEED
        )
        (state,) = frame.__getstate__()
        if near.shape != (len(labels), state["offset_data"] // 4) or len(label_of) != len(self.matrix):
            raise SnapshotUnusable("of another graph")
        self._note_twins(label_of)
        self._fill(labels, near, living)
        state |= {
            "cur_element_count": len(labels),
            "max_level": int(links["entry"][0]),
            "enterpoint_node": int(links["entry"][1]),
            "label_lookup_external": labels.astype(np.uint64),
            "label_lookup_internal": np.arange(len(labels), dtype=np.uint32),
            "element_levels": links["levels"],
            "data_level0": self._level0(labels, near, state),
            "link_lists": links["far"].view(np.int8),
            "ep_added": True,
        }
        self._graph, self._labels, self._ef = hnswlib.Index(params=state), len(labels), int(links["ef"][0])
        for row in np.flatnonzero(~living).tolist():
            self.bury(row)

    def _note_twins(self, label_of: NDArray[np.int64]) -> None:
        for row in np.flatnonzero(label_of != np.arange(len(label_of))).tolist():
            label = int(label_of[row])
            self._label_of[row] = label
            self._twins.setdefault(label, [label]).append(row)

    def _fill(self, labels: NDArray[np.int64], near: NDArray[np.uint32], living: NDArray[np.bool_]) -> None:
        """Vectors for labels whose own rows are dead: a living twin's, or the middle of the neighbours'."""
        for place in np.flatnonzero(~living[labels]).tolist():
            label = int(labels[place])
            twins = [row for row in self._twins.get(label, ()) if living[row]]
            around = labels[near[place, 1 : 1 + (int(near[place, 0]) & 0xFFFF)]]
            rows = twins[:1] or around[living[around]].tolist()
            if rows:
                middle = self.matrix[rows].mean(axis=0)
                self.matrix[label] = middle / max(float(np.linalg.norm(middle)), 1e-6)

    def _level0(
        self, labels: NDArray[np.int64], near: NDArray[np.uint32], state: Mapping[str, Any]
    ) -> NDArray[np.int8]:
        """hnswlib's own block of memory: of each element its links, its vector and its label."""
        vectors, names = state["offset_data"], state["label_offset"]
        block = np.empty((len(labels), state["size_data_per_element"]), np.uint8)
        for start in range(0, len(labels), ROWS):
            part = slice(start, start + ROWS)
            block[part, :vectors] = near[part].view(np.uint8)
            block[part, vectors:names] = self.matrix[labels[part]].view(np.uint8)
            block[part, names:] = labels[part].astype(np.uint64)[:, None].view(np.uint8)
        return block.reshape(-1).view(np.int8)


def _least_ef(
    graph: hnswlib.Index,
    matrix: NDArray[np.float32],
    labels: NDArray[np.int64],
    recall: float,
    cancelled: Callable[[], bool],
) -> int:
    """The least ef by which `graph` over these rows finds that share of the nearest; the ladder's last if none does.

    Among 100,000 vectors it takes 4 s beside a build of 100, most of it the scans.
    """
    k = min(_NEAREST, len(labels))
    one, other = matrix[np.random.default_rng(_SEED).choice(labels, size=(2, _QUESTIONS))]
    questions = one + other
    questions /= np.maximum(np.linalg.norm(questions, axis=1, keepdims=True), 1e-6)
    bars = _kth_best(matrix, labels, questions, k, cancelled) - ROUNDING
    for ef in _LADDER:
        graph.set_ef(ef)
        try:
            _, distances = graph.knn_query(questions, k=k, num_threads=1)
        except RuntimeError:  # fewer than `k` within reach
            continue
        if np.mean(1.0 - distances >= bars[:, None]) >= recall:
            return ef
    return _LADDER[-1]


def _kth_best(
    matrix: NDArray[np.float32],
    rows: NDArray[np.int64],
    questions: NDArray[np.float32],
    k: int,
    cancelled: Callable[[], bool],
) -> NDArray[np.float32]:
    """For each question the cosine of the `k`-th nearest of `rows`, by a scan."""
    best = np.full((len(questions), k), -np.inf, np.float32)
    for start in range(0, len(rows), ROWS):
        if cancelled():  # and then nobody will ask the graph
            break
        some = matrix[rows[start : start + ROWS]]
        cosines = np.stack([products(some, question) for question in questions])
        best = np.partition(np.concatenate([best, cosines], axis=1), -k, axis=1)[:, -k:]
    return best[:, 0]  # what `partition` was asked to put in its place


def facts(dimension: int, settings: VectorSettings) -> dict[str, Any]:
    """What a graph that is written down depends on beside the vectors."""
    return {
        "hnswlib": version("hnswlib"),
        "space": "ip",
        "dimension": dimension,
        "m": settings.m,
        "ef_construction": settings.ef_construction,
        "recall": settings.recall,
    }


def prints(matrix: NDArray[np.float32]) -> NDArray[np.uint64]:
    """A number for each row that another row hardly has (multilinear hashing modulo 2^64 over the rows' bits)."""
    factors = np.random.default_rng(_SEED).integers(
        1, 1 << 63, size=matrix.shape[1], dtype=np.uint64
    ) | np.uint64(1)
    found = np.empty(len(matrix), np.uint64)
    for start in range(0, len(matrix), ROWS):
        bits = matrix[start : start + ROWS].view(np.uint32)
        found[start : start + ROWS] = (bits * factors).sum(axis=1, dtype=np.uint64)
    return found


def products(matrix: NDArray[Real], vector: NDArray[Real]) -> NDArray[Real]:
    """matrix @ vector, row by row: BLAS would share the rows among threads that wait for one another, and where
    another thread keeps a core busy (an embedder, a build) 4,000 rows took 8 ms by it and 0.2 ms by this."""
    products: NDArray[Real] = np.vecdot(matrix, vector)
    return products
