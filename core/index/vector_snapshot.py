"""The snapshot of a vector index: its HNSW graph, written and taken up again, without the vectors.

Law: a graph is taken up only over the vectors that it was built on, told by their fingerprints, key by key.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from core.index.compiled_vectors import LINKS, ROWS, CompiledPart, VectorSettings, facts, fingerprints
from core.index.giving_way import MANY, GiveWay, in_turns
from core.index.scoring import K
from core.index.snapshot import Blob, Parts, SnapshotUnusable, packed, text_array, texts_of, unpacked
from core.index.vector_compaction import Standing


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LinksSnapshot(Generic[K]):
    """The compiled part at a moment: keys by row, None where dead. `blob` may be made in another thread."""

    compiled: CompiledPart
    keys: Sequence[K | None]
    settings: VectorSettings

    def blob(self, name_of: Callable[[K], str]) -> list[bytes]:
        """Serialises it without the vectors, keys by the names given, which hold no line break and are not empty."""
        arrays = self.compiled.links() | {
            "keys": text_array(["" if key is None else name_of(key) for key in self.keys]),
            "fingerprints": fingerprints(self.compiled.matrix),
        }
        return packed(Parts(facts=facts(self.compiled.matrix.shape[1], self.settings), arrays=arrays))


def restored(
    blob: Blob,
    key_of: Callable[[str], K],
    keys: Sequence[K],
    vectors: NDArray[np.float32],
    settings: VectorSettings,
    give_way: GiveWay,
) -> tuple[Standing[K], NDArray[np.int64]]:
    """Returns the compiled part of what has the same vector today as in the snapshot, and the places of the rest.

    `vectors`: shape (len(keys), dimension), kept as they are. Raises SnapshotUnusable.
    """
    parts = unpacked(blob)
    if dict(parts.facts) != facts(vectors.shape[1], settings):
        raise SnapshotUnusable("of another edition")
    named = [key_of(name) if name else None for name in texts_of(parts.array("keys", "u1"))]
    place_of: dict[K | None, int] = {key: place for place, key in enumerate(in_turns(keys, give_way, MANY))}
    places = np.array([place_of.get(key, -1) for key in in_turns(named, give_way, MANY)], dtype=np.int64)
    today = np.append(fingerprints(vectors), np.uint64(0))  # the last stands for a key that is gone
    living = (places >= 0) & (today[places] == parts.array("fingerprints", "<u8"))
    if np.count_nonzero(living) < len(named) / 2:
        raise SnapshotUnusable("of vectors most of which have changed")
    links = {name: parts.array(name, kind) for name, kind in LINKS.items()}
    written = parts.array("fingerprints", "<u8")
    if not np.array_equal(written[links["label_of"]], written):
        raise SnapshotUnusable("twins that are none")
    compiled = CompiledPart(_gathered(vectors, places, living))
    compiled.relink(links, living, settings)
    compiled.saved = True
    rest = np.ones(len(keys), np.bool_)
    rest[places[living]] = False
    if np.count_nonzero(living) + np.count_nonzero(rest) != len(keys):
        raise SnapshotUnusable("a vector twice")
    alive = zip(in_turns(named, give_way, MANY), living.tolist(), strict=True)
    kept = [key if lives else None for key, lives in alive]
    return Standing.of(compiled, kept), np.flatnonzero(rest)


def _gathered(
    vectors: NDArray[np.float32], places: NDArray[np.int64], living: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Gathers the rows at `places`, those not living with any content; `vectors` themselves where it is all of them."""
    if living.all() and np.array_equal(places, np.arange(len(vectors))):
        return vectors
    matrix = np.empty((len(places), vectors.shape[1]), np.float32)
    for start in range(0, len(places), ROWS):
        matrix[start : start + ROWS] = vectors[places[start : start + ROWS]]
    return matrix
