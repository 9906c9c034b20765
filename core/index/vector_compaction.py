"""Compaction of a vector index, in another thread beside its use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from core.index.compiled_vectors import CompiledPart, VectorSettings
from core.index.scoring import K

BLOCK = 1_024  # rows of a tail that lie together
_DEAD = 0.25  # share of compiled rows that may be dead where their graph goes on: a search leads through them


@dataclass(frozen=True, slots=True, eq=False)
class Standing(Generic[K]):
    """A compiled part, and the key of each of its rows; None: deleted. Its new owner may write to it."""

    compiled: CompiledPart
    keys: list[K | None]
    row_of: dict[K, int]
    living: NDArray[np.bool_]

    @classmethod
    def of(cls, compiled: CompiledPart, keys: Sequence[K | None]) -> "Standing[K]":
        """Makes one of keys by row, in time proportional to the rows."""
        own = list(keys)
        row_of = {key: row for row, key in enumerate(own) if key is not None}
        return cls(compiled, own, row_of, living_of(own))


class VectorCompaction(Generic[K]):
    """A new compiled part in the making. `build` may run in another thread, beside the index's use.

    The graph there is goes on with the tail's rows, and what is compiled keeps its place; where too much of it is
    dead, or there is none, one is built over the living. Compiled rows and the `tail` stay as they are meanwhile.
    """

    def __init__(
        self,
        settings: VectorSettings,
        compiled: CompiledPart,
        tail: Sequence[NDArray[np.float32]],
        keys: Sequence[K | None],
    ) -> None:
        self.touched: dict[K, None] = {}  # keys put or dropped since; written by the index
        self.built: Standing[K] | None = None
        self._settings = settings
        self._compiled, self._tail, self._all_keys = compiled, tail, keys
        self._cancelled = False

    def cancel(self) -> None:
        """Lets a running `build` end soon; there will be nothing to adopt."""
        self._cancelled = True

    def build(self) -> None:
        """Compiles the vectors living when the job was made. Releases the GIL nearly all the time."""
        living = living_of(self._all_keys)
        kept = living.copy()
        goes_on = self._goes_on(living)
        if goes_on:
            kept[: len(self._compiled.matrix)] = True
        compiled = CompiledPart(self._rows(kept))
        if len(compiled.matrix) >= self._settings.exact_up_to:
            base = self._compiled if goes_on else None
            compiled.link(self._settings, lambda: self._cancelled, base)
        if not self._cancelled:
            for row in np.flatnonzero(~living[kept]).tolist():
                compiled.delete(row)
            keys = [self._all_keys[row] for row in np.flatnonzero(kept).tolist()]
            self.built = Standing.of(compiled, keys)

    def _goes_on(self, living: NDArray[np.bool_]) -> bool:
        compiled = len(self._compiled.matrix)
        dead = compiled - int(np.count_nonzero(living[:compiled]))
        enough = np.count_nonzero(living) >= self._settings.exact_up_to
        return self._compiled.linked and bool(enough) and dead <= _DEAD * compiled

    def _rows(self, kept: NDArray[np.bool_]) -> NDArray[np.float32]:
        matrix = self._compiled.matrix
        of_compiled, of_tail = kept[: len(matrix)], kept[len(matrix) :]
        parts = [matrix if of_compiled.all() else matrix[of_compiled]]
        for number, block in enumerate(self._tail):
            here = of_tail[number * BLOCK : (number + 1) * BLOCK]
            parts.append(block[: len(here)][here])
        return np.concatenate(parts)


def living_of(keys: Sequence[object]) -> NDArray[np.bool_]:
    """Returns for each row whether it has a key."""
    return np.fromiter((key is not None for key in keys), np.bool_, len(keys))
