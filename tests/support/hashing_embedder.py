"""An embedder for tests: no model, no threads, microseconds a text.

Law: the same text gives the same bytes in every run; texts that share words, or pieces of
words, or CJK bigrams, are near. It knows no meaning: "car" and "automobile" are strangers.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from core.model.bank import EmbeddingSpace
from core.ports.embedder import Thresholds

_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def features(text: str) -> Iterator[tuple[str, float]]:
    """What a text is made of, with weights: words and their trigrams, or CJK characters and bigrams."""
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if _CJK.match(word):
            yield from ((character, 0.5) for character in word)
            yield from ((word[i : i + 2], 1.0) for i in range(len(word) - 1))
        else:
            yield word, 1.0
            padded = f"^{word}$"
            yield from ((padded[i : i + 3], 0.3) for i in range(len(padded) - 2))


class HashingEmbedder:
    """Signed feature hashing into `dimension` places, log-damped counts, unit length.

    A text without any word lands on the first axis. Queries and passages are embedded alike.
    `texts_embedded` counts what was asked of it, for claims about caching and batching.
    """

    def __init__(self, dimension: int = 256, name: str = "hashing-1") -> None:
        self.space = EmbeddingSpace(name=f"{name}/{dimension}", dimension=dimension)
        self.thresholds = Thresholds(topic=0.15, related=0.25, cluster=0.3, same=0.75)
        self.texts_embedded = 0

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts_embedded += len(texts)
        rows = np.zeros((len(texts), self.space.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self.vector(text)
        return rows

    def vector(self, text: str) -> NDArray[np.float32]:
        """The unit vector of one text: shape (dimension,), float32."""
        counts: Counter[str] = Counter()
        weights: dict[str, float] = {}
        for feature, weight in features(text):
            counts[feature] += 1
            weights[feature] = weight
        total = np.zeros(self.space.dimension)
        for feature, count in counts.items():
            digest = int.from_bytes(
                blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
            )
            sign = 1.0 if digest >> 63 else -1.0
            total[digest % self.space.dimension] += sign * weights[feature] * (1 + np.log(count))
        norm = float(np.linalg.norm(total))
        if norm < 1e-9:
            total[0], norm = 1.0, 1.0
        return (total / norm).astype(np.float32)
