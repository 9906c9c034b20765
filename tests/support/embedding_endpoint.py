"""A real HTTP server on the loopback that speaks OpenAI's embeddings API, or misbehaves as told."""

import json
from contextlib import AbstractContextManager
from typing import Any

from tests.support.hashing_embedder import HashingEmbedder
from tests.support.loopback import Reply, ScriptedEndpoint, failing, scripted

__all__ = ["DIMENSION", "EmbeddingEndpoint", "Reply", "answering", "failing", "serving"]

DIMENSION = 64


def answering(*vectors: list[float]) -> Reply:
    items = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    return Reply(body=json.dumps({"object": "list", "data": items, "model": "m"}).encode())


class EmbeddingEndpoint(ScriptedEndpoint):
    """Gives the scripted replies, then hashed vectors, not normalised and the last input first."""

    def __init__(self) -> None:
        super().__init__()
        self._embedder = HashingEmbedder(DIMENSION)

    def usual(self, body: dict[str, Any]) -> Reply:
        vectors = [(3 * self._embedder.vector(text)).tolist() for text in body["input"]]
        items = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        return Reply(
            body=json.dumps({"object": "list", "data": items[::-1], "model": body["model"]}).encode()
        )


def serving() -> AbstractContextManager[EmbeddingEndpoint]:
    """An endpoint on a free port, gone with the context."""
    return scripted(EmbeddingEndpoint())
