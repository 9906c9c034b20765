"""Documents prepared for a keyword index, and its snapshots.

Law: a snapshot holds the living documents, term by term, each with a fingerprint of the texts it was made from.
Posting lists are not stored: they are made of these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from core.index.scoring import K
from core.index.snapshot import Blob, Parts, SnapshotUnusable, packed, text_array, unpacked
from core.native.words import DocumentBatch, Postings

K1 = 0.9
B = 0.4
"""Saturation of repeated words, strength of length normalisation. The values of Trotman, Jia, Crane: Towards an
Efficient and Effective Search Engine, 2012; on turns of dialogue they find 65.9 % of the evidence in the top ten,
the customary 1.2 and 0.75 find 65.2 %."""

FINGERPRINT = 8  # bytes that tell a document's texts from any others


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PreparedDocuments(Generic[K]):
    """Documents taken apart, ready for `KeywordIndex.put`: the batch's document i is that of `keys[i]`."""

    keys: tuple[K, ...]
    fingerprints: tuple[bytes, ...]
    batch: DocumentBatch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordsSnapshot(Generic[K]):
    """An index as it stood at a moment, by row. `blob` may be made in another thread."""

    facts: Mapping[str, Any]
    keys: Sequence[K | None]
    fingerprints: bytes
    postings: Postings

    def blob(self, name_of: Callable[[K], str]) -> list[bytes]:
        """Serialises the index, its keys by the names given, which hold no line break."""
        living = np.flatnonzero([key is not None for key in self.keys])
        documents, ends = self.postings.documents()
        fingerprints = np.frombuffer(self.fingerprints, np.uint8).reshape(-1, FINGERPRINT)
        arrays: dict[str, NDArray[Any]] = {
            "keys": text_array([name_of(key) for key in self.keys if key is not None]),
            "fingerprints": fingerprints[living].reshape(-1),
            "terms": np.frombuffer(self.postings.terms(), np.uint8),
            "ends": ends,
            "documents": documents,
        }
        return packed(Parts(facts=self.facts, arrays=arrays))


class WordsTaken:
    """What `WordsSnapshot.blob` wrote, as postings, for one index to take over. Nothing of it is verified."""

    def __init__(self, blob: Blob, k1: float = K1, b: float = B) -> None:
        """Reads the blob, while other threads run. Raises SnapshotUnusable."""
        self.parts = unpacked(blob)
        self.documents = self.parts.array("documents", "u1")
        # Copied: native code wants numbers where they should lie.
        self.ends = np.array(self.parts.array("ends", "<i8"))
        self._postings: Postings | None = Postings(k1, b)
        try:
            self._postings.restore(self.parts.array("terms", "u1").tobytes(), self.documents, self.ends)
        except ValueError as error:
            raise SnapshotUnusable(str(error)) from error

    def document(self, row: int) -> bytes:
        """Returns the document of a row, as `Postings.drop` takes it."""
        start = int(self.ends[row - 1]) if row else 0
        return self.documents[start : int(self.ends[row])].tobytes()

    def given(self) -> Postings:
        """Hands over the postings, once. Raises SnapshotUnusable at the second call."""
        postings, self._postings = self._postings, None
        if postings is None:
            raise SnapshotUnusable("taken over by another index")
        return postings
