"""A reranker.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Reads a question beside each text, as no index can: a cross-encoder, or a language model.

    Raises RerankerUnavailable; it keeps its own time, and RerankerLate says that this was over.
    """

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Scores how well each text answers the query, in the order of the texts: 0 (not at all) to 1."""
        ...
