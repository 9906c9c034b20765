"""A real HTTP server on the loopback that reranks in Cohere's and Jina's form, or misbehaves as told."""

import json
from contextlib import AbstractContextManager
from typing import Any

from tests.support.loopback import Reply, ScriptedEndpoint, failing, scripted
from tests.support.scripted_reranker import sharing

__all__ = ["Reply", "RerankEndpoint", "failing", "scoring", "serving"]


def scoring(*scores: float, first: int = 0) -> Reply:
    """Scores of documents from `first` on, the last one in front."""
    results = [{"index": i, "relevance_score": score} for i, score in enumerate(scores, first)]
    return Reply(body=json.dumps({"model": "m", "results": results[::-1]}).encode())


class RerankEndpoint(ScriptedEndpoint):
    """Gives the scripted replies, then the share of the query that each document holds."""

    def usual(self, body: dict[str, Any]) -> Reply:
        return scoring(*(sharing(body["query"], document) for document in body["documents"]))


def serving() -> AbstractContextManager[RerankEndpoint]:
    """An endpoint on a free port, gone with the context."""
    return scripted(RerankEndpoint())
