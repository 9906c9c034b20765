"""A real HTTP server on the loopback that reranks in Cohere's and Jina's form, or misbehaves as told."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.loopback import Reply, failing, listening
from tests.support.scripted_reranker import sharing

__all__ = ["Reply", "RerankEndpoint", "failing", "scoring", "serving"]


def scoring(*scores: float, first: int = 0) -> Reply:
    """Scores of documents from `first` on, the last one in front."""
    results = [{"index": i, "relevance_score": score} for i, score in enumerate(scores, first)]
    return Reply(body=json.dumps({"model": "m", "results": results[::-1]}).encode())


class RerankEndpoint:
    """Gives the scripted replies, then the share of the query that each document holds."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []  # what each request came with as its authorization
        self.traces: list[str] = []  # and as its traceparent
        self.script: list[Reply] = []

    def reply(self, body: dict[str, Any], key: str) -> Reply:
        self.requests.append(body)
        self.keys.append(key)
        if self.script:
            return self.script.pop(0)
        return scoring(*(sharing(body["query"], document) for document in body["documents"]))


@contextmanager
def serving() -> Iterator[RerankEndpoint]:
    """An endpoint on a free port, gone with the context."""
    endpoint = RerankEndpoint()
    with listening(endpoint.reply, traces=endpoint.traces) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint
