"""The caller's own embedder under a store of LangGraph: what its `IndexConfig` says.

A vector is made of each text that an item's paths lead to, and kept with the item, at length one. An item scores as the
best of its vectors: the cosine to the query's.
"""

import math
import operator
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.store.base import (
    IndexConfig,
    Op,
    PutOp,
    SearchOp,
    ensure_embeddings,
    get_text_at_path,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchVectors:
    """The vectors of a batch, by text: an embedder may treat a query in its own way."""

    documents: Mapping[str, Sequence[float]] = field(default_factory=dict)
    queries: Mapping[str, Sequence[float]] = field(default_factory=dict)


NOTHING = BatchVectors()


class Index:
    """An embedder and the paths whose texts it embeds where a put names none."""

    def __init__(self, config: IndexConfig) -> None:
        self.config = config
        self.embeddings = ensure_embeddings(config["embed"])
        self.fields = list(config.get("fields") or ["$"])

    def embed(self, ops: Iterable[Op]) -> BatchVectors:
        documents, queries = self._texts(ops)
        return BatchVectors(
            documents=self._by_text(
                documents, self.embeddings.embed_documents(documents) if documents else ()
            ),
            queries=self._by_text(queries, map(self.embeddings.embed_query, queries)),
        )

    async def aembed(self, ops: Iterable[Op]) -> BatchVectors:
        documents, queries = self._texts(ops)
        return BatchVectors(
            documents=self._by_text(
                documents, await self.embeddings.aembed_documents(documents) if documents else ()
            ),
            queries=self._by_text(queries, [await self.embeddings.aembed_query(query) for query in queries]),
        )

    def stored(self, op: PutOp, embedded: BatchVectors) -> list[str]:
        """Returns the vectors of an item as they are kept."""
        return [_encoded(embedded.documents[text]) for text in dict.fromkeys(self._texts_of(op))]

    def score(self, stored: Iterable[str], query: Sequence[float]) -> float | None:
        """Returns the best cosine of vectors as they are kept; None: there is none of the index's dimensions."""
        vectors = [vector for vector in map(_decoded, stored) if len(vector) == len(query)]
        return max((sum(map(operator.mul, vector, query)) for vector in vectors), default=None)

    def _texts(self, ops: Iterable[Op]) -> tuple[list[str], list[str]]:
        asked = list(ops)
        documents = [text for op in asked if isinstance(op, PutOp) for text in self._texts_of(op)]
        queries = [op.query for op in asked if isinstance(op, SearchOp) and op.query]
        return list(dict.fromkeys(documents)), list(dict.fromkeys(queries))

    def _texts_of(self, op: PutOp) -> list[str]:
        if op.value is None or op.index is False:
            return []
        return [text for path in op.index or self.fields for text in get_text_at_path(op.value, path)]

    def _by_text(self, texts: Sequence[str], vectors: Iterable[Any]) -> dict[str, Sequence[float]]:
        found = {text: [float(x) for x in vector] for text, vector in zip(texts, vectors, strict=True)}
        for vector in found.values():
            if len(vector) != self.config["dims"]:
                raise ValueError(f"the embedder gave {len(vector)} numbers, not dims={self.config['dims']}")
        return {text: _normalised(vector) for text, vector in found.items()}


def _normalised(vector: Sequence[float]) -> Sequence[float]:
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else vector


def _encoded(vector: Sequence[float]) -> str:
    return b64encode(array("f", vector).tobytes()).decode()


def _decoded(text: str) -> Sequence[float]:
    return array("f", b64decode(text))
