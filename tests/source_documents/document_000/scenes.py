"""The two scenes that prove the document's requirements, and what is asked of their nodes."""

from collections.abc import Callable

import numpy as np

from memorybank.v1.query_graph_pb2 import GetNodeResponse
from memorybank_client import numbers
from tests.source_documents.document_000.a_merge import Merge
from tests.source_documents.document_000.a_task import Task
from tests.source_documents.requirement import Seen
from tests.support.hashing_embedder import HashingEmbedder

MERGE, TASK = "a merge", "a task"


def merge(holds: Callable[[Merge], object]) -> Seen[Merge]:
    return Seen(MERGE, holds)


def task(holds: Callable[[Task], object]) -> Seen[Task]:
    return Seen(TASK, holds)


def embeds_all(read: GetNodeResponse) -> bool:
    """Whether the node's vector is of its summary, context and keywords as they stand, nothing twice."""
    node = read.node
    told = [node.summary] if node.context in node.summary else [node.summary, node.context]
    told = [node.context] if node.summary in node.context else told
    more = [word for word in node.keywords if word.casefold() not in "\n".join(told).casefold()]
    return _embeds(read, "\n".join([*told, ", ".join(more)] if more else told))


def embeds_summary(read: GetNodeResponse) -> bool:
    """Whether the node's vector is of its summary alone."""
    return _embeds(read, read.node.summary)


def _embeds(read: GetNodeResponse, text: str) -> bool:
    return np.allclose(numbers(read.node.embedding), HashingEmbedder().vector(text), atol=1e-6)


def section(prompt: str, name: str) -> str:
    """One section of a prompt, from its title to the next; empty where there is none."""
    return next((part for part in prompt.split("\n\n## ") if part.removeprefix("## ").startswith(name)), "")
