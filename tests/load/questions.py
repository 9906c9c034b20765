"""The data files that ghz sends: a thousand different questions, or nodes, made anew at each run from the seed."""

import json
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from memorybank.v1 import query_graph_pb2, retrieval_pb2
from tests.bench.corpus import Corpus, by_text, by_vector

QUESTIONS = 1_000
CONTEXTS = 100
"""Different inputs of contexts: so few that their vectors are known after one round."""
TOKENS = 4_000
WHOSE: dict[str, Any] = {"user": "load", "conversation_id": "load", "collection": "load"}
"""What stands in a context beside the bank."""


def label(nodes: int) -> str:
    """A size as files and banks are named: 1k, 10k, 100k."""
    return f"{nodes // 1_000}k"


def bank_of(nodes: int) -> str:
    return f"load-{label(nodes)}"


def messages(corpus: Corpus) -> dict[str, list[Message]]:
    """By file name without its ending."""
    size, bank_id = label(len(corpus)), bank_of(len(corpus))
    asked = corpus.questions(QUESTIONS)
    meaning = retrieval_pb2.SEARCH_MODE_EMBEDDING
    return {
        f"vector_{size}": [by_vector(bank_id, one, mode=meaning) for one in asked],
        f"vector_no_neighbors_{size}": [by_vector(bank_id, one, mode=meaning, hops=0) for one in asked],
        f"text_{size}": [by_text(bank_id, one) for one in asked],
        f"assemble_{size}": [*contexts(corpus)],
        f"augment_{size}": [
            retrieval_pb2.AugmentRequest(query=one.text, bank_id=bank_id, token_budget=TOKENS)
            for one in asked[:CONTEXTS]
        ],
        f"nodes_{size}": [_new(bank_id, corpus.node(len(corpus) + place)) for place in range(QUESTIONS)],
    }


def contexts(corpus: Corpus) -> list[retrieval_pb2.AssembleContextRequest]:
    """Of bank, conversation and collection."""
    bank_id = bank_of(len(corpus))
    return [
        retrieval_pb2.AssembleContextRequest(input=one.text, bank_id=bank_id, token_budget=TOKENS, **WHOSE)
        for one in corpus.questions(QUESTIONS)[:CONTEXTS]
    ]


def write(folder: Path, corpus: Corpus) -> dict[str, bytes]:
    """Write the files; the first message of each, encoded."""
    made = messages(corpus)
    for name, them in made.items():
        content = [MessageToDict(message, preserving_proto_field_name=True) for message in them]
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return {name: them[0].SerializeToString() for name, them in made.items()}


def _new(bank_id: str, node: query_graph_pb2.NewNode) -> query_graph_pb2.AddNodeRequest:
    """Without an id, so that the file can be sent again and again."""
    return query_graph_pb2.AddNodeRequest(
        bank_id=bank_id,
        summary=node.summary,
        context=node.context,
        keywords=node.keywords,
        embedding=node.embedding,
        related_node_ids=node.related_node_ids,
    )
