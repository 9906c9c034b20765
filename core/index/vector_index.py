"""The nearest vectors: an exact scan for a small bank, HNSW and a scanned tail for a large one.

Law: every edit is seen by the next search. Cosines come from the vectors as they were put, by one
formula, so that a pair of vectors has one similarity whichever part found it. Rows never leave.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from operator import gt
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from core.index.compiled_vectors import ROUNDING, CompiledPart, VectorSettings
from core.index.giving_way import GiveWay, at_once
from core.index.scoring import K, leading
from core.index.snapshot import Blob
from core.index.vector_compaction import BLOCK, Standing, VectorCompaction
from core.index.vector_snapshot import LinksSnapshot, restored
from core.model.vector import Vector
from core.native import vectors as native

Rows = NDArray[np.int64]
"""Numbers of rows, which keys have until the next edit; −1 for none."""

Near = tuple[list[int], list[float]]
"""Rows, and their cosines."""

FEWEST = 16
"""Rows that a tail has room for at the least."""

ABSENT = -1.0
"""The similarity of a key that has no vector: no scale of scores puts it above 0."""


class VectorIndex(Generic[K]):
    """Unit vectors by key. To be used from one thread; only a compaction's `build` may run in another.

    Rows are numbered through: first the compiled ones, then the tail, which takes every new vector, in blocks, so
    that it grows without being copied. A compiled row is never written again: its vector dies in place
    (in HNSW as a tombstone) and what replaces it goes to the tail.
    """

    outlives_snapshot = False  # it holds links, and no text

    def __init__(self, dimension: int, settings: VectorSettings) -> None:
        self._dimension = dimension
        self._settings = settings
        self._compiled = CompiledPart(np.empty((0, dimension), np.float32))
        self._tail: list[NDArray[np.float32]] = []  # blocks of BLOCK rows; the first one grows to that
        self._keys: list[K | None] = []  # by row; None is dead
        self._living = np.empty(0, np.bool_)  # the same as an array, with the tail's room to grow
        self._row_of: dict[K, int] = {}
        self.edits = 0  # while it stays the same, `rows` does
        self.moves = 0  # while it stays the same, a key that has a row keeps it
        self._free: list[int] = []  # dead rows of the tail that may be written again
        self._scans = 0  # searches since that read more than HNSW did
        self._job: VectorCompaction[K] | None = None

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, key: K) -> bool:
        return key in self._row_of

    # ---- edits ----

    def put(self, key: K, vector: Vector) -> None:
        """Adds a unit vector, or replaces the key's. Raises ValueError for another shape than (dimension,)."""
        if vector.shape != (self._dimension,):
            raise ValueError(f"a vector of shape {vector.shape} in an index of dimension {self._dimension}")
        self.drop(key)
        if self._free:
            row = self._free.pop()
            self._keys[row] = key
        else:
            row = len(self._keys)
            self._reserve(row + 1)
            self._keys.append(key)
        block, place = divmod(row - len(self._compiled.matrix), BLOCK)
        self._tail[block][place] = vector
        self._living[row] = True
        self._row_of[key] = row
        self.edits += 1
        self._touch(key)

    def put_many(self, keys: Sequence[K], vectors: Sequence[Vector] | NDArray[np.float32]) -> None:
        """Adds or replaces many, a row of `vectors` for each of `keys`; a matrix is kept as it is, not copied.

        In an empty index they count as compiled.
        """
        matrix = np.asarray(vectors, dtype=np.float32).reshape(-1, self._dimension)
        if len(matrix) != len(keys):
            raise ValueError(f"{len(matrix)} vectors for {len(keys)} keys")
        if not self._keys and self._job is None and len(set(keys)) == len(keys):
            self._stand_on(Standing.of(CompiledPart(matrix), keys))
            return
        self._reserve(len(self._keys) + len(keys))
        for key, vector in zip(keys, matrix, strict=True):
            self.put(key, vector)

    def drop(self, key: K) -> None:
        """Removes a key's vector; does nothing for a key that has none."""
        row = self._row_of.pop(key, None)
        if row is None:
            return
        self.edits += 1
        self.moves += 1
        self._keys[row] = None
        self._living[row] = False
        if row < len(self._compiled.matrix):
            self._compiled.delete(row)
        elif self._job is None:
            self._free.append(row)  # under a job, which still reads the tail, the row waits for its adoption
        self._touch(key)

    def _reserve(self, rows: int) -> None:
        """Makes room for so many rows in all. Old blocks are left as they are, for reads under way."""
        wanted = rows - len(self._compiled.matrix)
        if self._tail and len(self._tail[0]) < min(wanted, BLOCK):
            first = self._block(max(wanted, 2 * len(self._tail[0])))
            first[: len(self._tail[0])] = self._tail[0]
            self._tail[0] = first
        while wanted > len(self._tail) * BLOCK or (wanted > 0 and not self._tail):
            self._tail.append(self._block(BLOCK if self._tail else max(wanted, FEWEST)))
        if rows > len(self._living):
            living = np.zeros(max(rows, 2 * len(self._living)), np.bool_)
            living[: len(self._living)] = self._living
            self._living = living

    def _block(self, rows: int) -> NDArray[np.float32]:
        return np.empty((min(rows, BLOCK), self._dimension), np.float32)

    def _touch(self, key: K) -> None:
        if self._job is not None:
            self._job.touched[key] = None

    def _stand_on(self, standing: Standing[K]) -> None:
        self._compiled = standing.compiled
        self._tail = []
        self._keys, self._free = standing.keys, []
        self._row_of, self._living = standing.row_of, standing.living
        self.edits += 1
        self.moves += 1

    # ---- reads ----

    def get(self, key: K) -> Vector | None:
        """Returns the vector as it was put, bit for bit; None if there is none."""
        row = self._row_of.get(key)
        return None if row is None else self._vector(row).copy()

    def matrix(self, keys: Sequence[K]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Returns the places of those of `keys` that have vectors, and these vectors, shape (places, dimension)."""
        rows = self.rows(keys)
        places = np.flatnonzero(rows >= 0)
        return places, self._vectors(rows[places])

    def search(
        self, vector: Vector, k: int, allowed: Callable[[K], bool] | None = None
    ) -> list[tuple[K, float]]:
        """Returns the `k` nearest of those `allowed`, or as many as there are, with cosines: best first, ties by key.

        Exact while nothing is compiled into HNSW; otherwise with HNSW's recall for compiled rows.
        """
        return list(zip(*self.near(vector, k, allowed), strict=True))

    def near(
        self, vector: Vector, k: int, allowed: Callable[[K], bool] | None = None
    ) -> tuple[list[K], list[float]]:
        """Returns what `search` finds, keys and cosines apart."""
        k = min(k, len(self))
        if k <= 0:
            return [], []
        keys: Sequence[K] = self._keys  # type: ignore[assignment] # what is found is alive
        rows, cosines = self._near(vector, k, allowed and (lambda row: allowed(keys[row])))
        found = list(map(keys.__getitem__, rows))
        if len(found) == k and all(map(gt, cosines, cosines[1:])):  # as a rule: in order, and without ties
            return found, cosines
        ranked = sorted([(-cosine, key) for cosine, key in zip(cosines, found, strict=True)])[:k]
        return [key for _, key in ranked], [-cosine for cosine, _ in ranked]

    def similarities(self, vector: Vector, keys: Sequence[K]) -> NDArray[np.float32]:
        """Returns the cosine of each of `keys`, shape (len(keys),); ABSENT for one that has no vector."""
        return self.cosines(vector, self.rows(keys))

    def rows(self, keys: Sequence[K]) -> Rows:
        """Returns the row of each key; −1 for one that has none. Void after the next edit."""
        return np.fromiter(map(self._row_of.get, keys, repeat(-1)), np.int64, len(keys))

    def cosines(self, vector: Vector, rows: Rows) -> NDArray[np.float32]:
        """Returns what `similarities` does of the keys whose `rows` these are."""
        if rows.min(initial=0) >= 0:  # as a rule
            return self._cosines(vector, rows)
        present = rows >= 0
        found = np.full(len(rows), ABSENT, np.float32)
        found[present] = self._cosines(vector, rows[present])
        return found

    def _near(self, vector: Vector, k: int, allowed: Callable[[int], bool] | None) -> Near:
        """Finds rows among which the `k` nearest are."""
        compiled = len(self._compiled.matrix)
        known = self._near_compiled(vector, k, allowed)
        if known is not None and compiled == len(self._keys):
            return known
        self._scans += 1
        rows, cosines = known or self._scan(self._compiled.matrix, 0, vector, k, allowed)
        for first, block in enumerate(self._tail):
            found = self._scan(block, compiled + first * BLOCK, vector, k, allowed)
            rows, cosines = rows + found[0], cosines + found[1]
        return rows, cosines

    def _near_compiled(self, vector: Vector, k: int, allowed: Callable[[int], bool] | None) -> Near | None:
        """Finds compiled rows, more and more of them until enough are allowed; None where a scan is better."""
        wanted = k if allowed is None else 4 * k
        while (near := self._compiled.near(vector, wanted, self._settings)) is not None:
            if allowed is None:
                return near
            admitted = [(row, cosine) for row, cosine in zip(*near, strict=True) if allowed(row)]
            if len(admitted) >= k:
                return [row for row, _ in admitted], [cosine for _, cosine in admitted]
            wanted *= 4
        return None

    def _scan(
        self,
        matrix: NDArray[np.float32],
        first: int,
        vector: Vector,
        k: int,
        allowed: Callable[[int], bool] | None,
    ) -> Near:
        """Finds the `k` nearest living rows of a part whose first row is `first`, with ties for the last place."""
        living = self._living[first : min(first + len(matrix), len(self._keys))]
        if allowed is None:
            places, cosines = native.scan(matrix, living, vector, k, ROUNDING)
        else:
            products = np.vecdot(matrix[: len(living)], vector)
            products[~living] = -np.inf
            places = leading(products, k, lambda place: allowed(place + first), slack=ROUNDING)
            cosines = native.cosines(matrix, places, vector).tolist()
        return [place + first for place in places] if first else places, cosines

    def _vector(self, row: int) -> Vector:
        compiled = len(self._compiled.matrix)
        if row < compiled:
            of_compiled: Vector = self._compiled.matrix[row]
            return of_compiled
        block, place = divmod(row - compiled, BLOCK)
        of_tail: Vector = self._tail[block][place]
        return of_tail

    def _cosines(self, vector: Vector, rows: Rows) -> NDArray[np.float32]:
        if rows.max(initial=-1) < len(self._compiled.matrix):  # as a rule
            return native.cosines(self._compiled.matrix, rows, vector)
        found = np.empty(len(rows), np.float32)
        for here, matrix, own in self._by_part(rows):
            found[here] = native.cosines(matrix, own, vector)
        return found

    def _vectors(self, rows: Rows) -> NDArray[np.float32]:
        if rows.max(initial=-1) < len(self._compiled.matrix):  # as a rule, and then half the work
            return self._compiled.matrix.take(rows, axis=0)
        found = np.empty((len(rows), self._dimension), np.float32)
        for here, matrix, own in self._by_part(rows):
            found[here] = matrix[own]
        return found

    def _by_part(self, rows: Rows) -> Iterator[tuple[NDArray[np.int64] | slice, NDArray[np.float32], Rows]]:
        """Yields for the compiled part and each block of the tail: the places of those of `rows` that lie there, the
        part's vectors, and which of them these are. Nothing is copied: all of a conversation may lie in the tail."""
        first = 0
        for matrix in (self._compiled.matrix, *self._tail):
            here = np.flatnonzero((rows >= first) & (rows < first + len(matrix)))
            if len(here) == len(rows):
                yield slice(None), matrix, rows - first
            elif len(here):
                yield here, matrix, rows[here] - first
            first += len(matrix)

    # ---- compaction ----

    def compaction(self, *, at_rest: bool = False) -> VectorCompaction[K] | None:
        """Returns a job to compile the vectors living now, or None while it is not worth it: less is, where edits rest.

        Call its `build` in another thread, then `adopt` it here. A newer job makes an older one void.
        """
        if not self._worth_compiling(at_rest):
            return None
        self._job = VectorCompaction(self._settings, self._compiled, tuple(self._tail), tuple(self._keys))
        self._free = []  # nothing the job reads is written again
        return self._job

    def adopt(self, job: VectorCompaction[K]) -> None:
        """Swaps in what `job` built, and carries over edits made meanwhile. Raises ValueError if void or unbuilt."""
        if job is not self._job or job.built is None:
            raise ValueError("only the newest compaction can be adopted, and only when it is built")
        edits = {key: self.get(key) for key in job.touched}
        self._job = None
        self._scans = 0
        self._stand_on(job.built)
        for key, vector in edits.items():
            if vector is None:
                self.drop(key)
            else:
                self.put(key, vector)

    def _worth_compiling(self, at_rest: bool) -> bool:
        """Decides whether to compile: a tail for searches; a bank that is only being filled once, at rest."""
        living, settings = len(self), self._settings
        tail = len(self._keys) - len(self._compiled.matrix)
        wasted = len(self._keys) - living
        if living < settings.exact_up_to:
            return wasted > max(living, settings.exact_up_to)
        if wasted > living / 2:
            return True
        if at_rest:
            least = max(settings.exact_up_to / 4, settings.rest_share * living)
        else:
            least = max(settings.exact_up_to, settings.tail_share * living)
        wanted = at_rest or self._scans >= settings.scans
        return wanted and (tail > least or not self._compiled.linked)

    # ---- snapshots ----

    @property
    def worth_saving(self) -> bool:
        """Whether there is a graph that no snapshot holds."""
        return self._compiled.linked and not self._compiled.saved

    def snapshot(self) -> LinksSnapshot[K]:
        """Returns the compiled part as it stands, for another thread to serialise."""
        self._compiled.saved = True
        keys = tuple(self._keys[: len(self._compiled.matrix)])
        return LinksSnapshot(compiled=self._compiled, keys=keys, settings=self._settings)

    def restore(
        self,
        blob: Blob,
        key_of: Callable[[str], K],
        keys: Sequence[K],
        vectors: NDArray[np.float32],
        give_way: GiveWay = at_once,
    ) -> None:
        """Fills an empty index: what has the same vector today as in the snapshot is compiled, the rest is a tail.

        `vectors`: shape (len(keys), dimension), kept as they are. Raises SnapshotUnusable, the index still empty.
        """
        standing, tail = restored(blob, key_of, keys, vectors, self._settings, give_way)
        self._stand_on(standing)
        self.put_many([keys[place] for place in tail.tolist()], vectors[tail])
