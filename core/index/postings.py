"""Documents about to be indexed, and a whole index written down.

Law: what is written is what the living documents say, document by document, with a print of the texts it was made
from. Postings are not: they follow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from core.index.scoring import K
from core.index.snapshot import Blob, Parts, SnapshotUnusable, packed, text_array, unpacked
from core.native.words import Draft, Postings

K1 = 0.9
B = 0.4
"""Saturation of repeated words, strength of length normalisation. The values of Trotman, Jia, Crane: Towards an
Efficient and Effective Search Engine, 2012; on turns of dialogue they find 65.9 % of the evidence in the top ten,
the customary 1.2 and 0.75 find 65.2 %."""

PRINT = 8  # bytes that tell a document's texts from any others


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Prepared(Generic[K]):
    """Documents taken apart, ready for `KeywordIndex.put`: the draft's document i is that of `keys[i]`."""

    keys: tuple[K, ...]
    prints: tuple[bytes, ...]
    draft: Draft


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordsSnapshot(Generic[K]):
    """An index as it stood at a moment, by row. `blob` may be made in another thread."""

    facts: Mapping[str, Any]
    keys: Sequence[K | None]
    prints: bytes
    postings: Postings

    def blob(self, name_of: Callable[[K], str]) -> list[bytes]:
        """Written down, keys by the names given, which hold no line break."""
        living = np.flatnonzero([key is not None for key in self.keys])
        said, ends = self.postings.said()
        prints = np.frombuffer(self.prints, np.uint8).reshape(-1, PRINT)
        arrays: dict[str, NDArray[Any]] = {
            "keys": text_array([name_of(key) for key in self.keys if key is not None]),
            "prints": prints[living].reshape(-1),
            "words": np.frombuffer(self.postings.words(), np.uint8),
            "ends": ends,
            "said": said,
        }
        return packed(Parts(facts=self.facts, arrays=arrays))


class WordsTaken:
    """What `WordsSnapshot.blob` wrote, its words in postings, for one index to take over. Nothing of it is verified."""

    def __init__(self, blob: Blob, k1: float = K1, b: float = B) -> None:
        """Other threads run meanwhile. Raises SnapshotUnusable."""
        self.parts = unpacked(blob)
        self.said = self.parts.array("said", "u1")
        # Copied: native code wants numbers where they should lie.
        self.ends = np.array(self.parts.array("ends", "<i8"))
        self._postings: Postings | None = Postings(k1, b)
        try:
            self._postings.restore(self.parts.array("words", "u1").tobytes(), self.said, self.ends)
        except ValueError as error:
            raise SnapshotUnusable(str(error)) from error

    def said_in(self, row: int) -> bytes:
        """What the document of a row says, as the postings want it."""
        start = int(self.ends[row - 1]) if row else 0
        return self.said[start : int(self.ends[row])].tobytes()

    def given(self) -> Postings:
        """The postings, to whoever asks first. Raises SnapshotUnusable to others."""
        postings, self._postings = self._postings, None
        if postings is None:
            raise SnapshotUnusable("taken over by another index")
        return postings
