from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

def print_of(fields: Mapping[str, str]) -> bytes:
    """Eight bytes that tell a document's texts from any others, in every process alike."""

class Draft:
    """Documents taken apart, before they have rows."""

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """How many documents are closed."""

    def say(self, words: list[str], runs: list[str], weight: float) -> None:
        """The open document says these words, and every overlapping pair of characters of these runs, each as often
        as it stands there, times `weight`.

        A word has 1 to 65,535 bytes of UTF-8 and no line break; a weight is not negative. ValueError else.
        """

    def close(self) -> None:
        """The document is complete; another begins."""

class Postings:
    """An inverted index of documents by row. Score: BM25 with k1 and b.

    What a document says is not kept beside it: it is asked for when the document goes. Belongs to one thread.
    What contradicts what was put is a ValueError, and changes nothing.
    """

    def __init__(self, k1: float, b: float) -> None: ...
    def __len__(self) -> int:
        """How many documents there are."""

    def put(self, draft: Draft, rows: Sequence[int]) -> None:
        """Add the draft's documents, which are closed, in these rows, which are free.

        Other threads may run now and then.
        """

    def drop(self, row: int, said: Draft | bytes) -> None:
        """Remove a document that says this: the draft's only one, or one of those of `said()`. Words that nobody says
        any more are overwritten."""

    def restore(self, words: bytes, said: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Take over, in an index nothing was ever put into, `words()` and documents as `said()` gives them, in rows
        0, 1, … Other threads may run meanwhile, and have the processors first where threads have priorities."""

    def copy(self) -> Postings:
        """The same as it stands, for another thread. What is not edited meanwhile they share; takes time in proportion
        to the words."""

    def words(self) -> bytes:
        """All words, each on a line, which is empty where a word was forgotten."""

    def said(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """What the documents say, in numbers of `words()`, one behind another by row, and where each ends. Other
        threads may run meanwhile."""

    def search(
        self, words: list[str], weights: Sequence[float], k: int, others: Sequence[int]
    ) -> tuple[list[int], list[float], list[float]]:
        """Rows and scores of the `k` best documents that say any of the words, and of all that tie with the last of
        them, best first, then by row; and the scores of other rows. A score is the sum over the words in their order,
        to the bit."""

    def scores(self, words: list[str], weights: Sequence[float], rows: Sequence[int]) -> NDArray[np.float64]:
        """The same scores of chosen rows, shape (len(rows),); 0 for a row that is negative or free."""
