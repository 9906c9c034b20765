"""An inverted index with BM25 scores. Documents are rows: whole numbers from 0 to 2^24 - 1 that the caller gives.

What contradicts what was put is a ValueError, and changes nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

def fingerprint(fields: Mapping[str, str]) -> bytes:
    """Returns eight bytes that tell a document's texts from any others, in every process alike."""

class DocumentBatch:
    """Documents taken apart into terms, before they have rows."""

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """Returns how many documents are closed."""

    def add(self, words: list[str], runs: list[str], weight: float) -> None:
        """Adds to the open document these words, and every overlapping pair of characters of these runs. Each
        occurrence counts `weight` in its term frequency.

        A word has 1 to 65,535 bytes of UTF-8 and no line break; a weight is not negative. ValueError else.
        """

    def close(self) -> None:
        """Ends the open document; another begins."""

class Postings:
    """An inverted index. Score: BM25 with k1 and b. Belongs to one thread.

    What a document contains is not kept beside the posting lists: it is asked for when the document goes.
    """

    def __init__(self, k1: float, b: float) -> None: ...
    def __len__(self) -> int:
        """Returns how many documents there are."""

    def put(self, batch: DocumentBatch, rows: Sequence[int]) -> None:
        """Adds the batch's closed documents in these rows, which are free. Lets other threads run now and then."""

    def drop(self, row: int, document: DocumentBatch | bytes) -> None:
        """Removes the document of a row, given what it contains: a batch of it alone, or its part of `documents()`.

        Terms of no other document are overwritten.
        """

    def restore(self, terms: bytes, documents: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Fills an index that was never edited from `terms()` and `documents()`, the documents in rows 0, 1, …

        Releases the GIL, and works at a low priority where threads have one.
        """

    def copy(self) -> Postings:
        """Copies the index for another thread. Posting lists are shared until they are edited; takes time in
        proportion to the terms."""

    def terms(self) -> bytes:
        """Returns the vocabulary by number, a line for each term; the line of a dropped one is empty."""

    def documents(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Returns the documents by row, encoded one behind another, and where each ends. Releases the GIL."""

    def search(
        self, words: list[str], weights: Sequence[float], k: int, others: Sequence[int]
    ) -> tuple[list[int], list[float], list[float]]:
        """Returns rows and scores of the `k` best documents with any of the words, and of all that tie with the last
        of them, best first, then by row; and the scores of other rows. A score is summed in the order of the words,
        to the bit."""

    def scores(self, words: list[str], weights: Sequence[float], rows: Sequence[int]) -> NDArray[np.float64]:
        """Returns the same scores of chosen rows, shape (len(rows),); 0 for a row that is negative or free."""
