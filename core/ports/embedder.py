"""An embedder: text to vectors.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.model.bank import EmbeddingSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where an embedder draws its lines, on its calibrated scale [0, 1] (see `EmbeddingSpace`).

    They belong to the embedder: no threshold carries over to another.
    """

    topic: float  # neighbouring segments above it speak of one topic
    related: float  # two summaries above it are related
    cluster: float  # a turn above it joins the cluster of turns with that centroid
    same: float  # two summaries above it say much the same (never decides alone)


class Embedder(Protocol):
    """Text to unit vectors of one space. Raises EmbedderUnavailable.

    The same text gives the same bytes, whatever its company and whichever thread.
    """

    @property
    def space(self) -> EmbeddingSpace: ...

    @property
    def thresholds(self) -> Thresholds: ...

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeds questions: shape (len(texts), dimension), float32, unit rows."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeds what is to be found: shape (len(texts), dimension), float32, unit rows."""
        ...
