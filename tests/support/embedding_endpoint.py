"""A real HTTP server on the loopback that speaks OpenAI's embeddings API, or misbehaves as told."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.hashing_embedder import HashingEmbedder
from tests.support.loopback import Reply, failing, listening

__all__ = ["DIMENSION", "EmbeddingEndpoint", "Reply", "answering", "failing", "serving"]

DIMENSION = 64


def answering(*vectors: list[float]) -> Reply:
    items = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    return Reply(body=json.dumps({"object": "list", "data": items, "model": "m"}).encode())


class EmbeddingEndpoint:
    """Gives the scripted replies, then hashed vectors, not normalised and the last input first."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []  # what each request came with as its authorization
        self.traces: list[str] = []  # and as its traceparent
        self.script: list[Reply] = []
        self._embedder = HashingEmbedder(DIMENSION)

    def reply(self, body: dict[str, Any], key: str) -> Reply:
        self.requests.append(body)
        self.keys.append(key)
        if self.script:
            return self.script.pop(0)
        vectors = [(3 * self._embedder.vector(text)).tolist() for text in body["input"]]
        items = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        return Reply(
            body=json.dumps({"object": "list", "data": items[::-1], "model": body["model"]}).encode()
        )


@contextmanager
def serving() -> Iterator[EmbeddingEndpoint]:
    """An endpoint on a free port, gone with the context."""
    endpoint = EmbeddingEndpoint()
    with listening(endpoint.reply, traces=endpoint.traces) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint
