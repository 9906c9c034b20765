"""A conversation and a collection as full as a long-standing user's, out of the corpus's words, for contexts."""

from typing import Any

import grpc

from memorybank.v1 import (
    conversation_pb2,
    conversation_pb2_grpc,
    long_term_pb2,
    long_term_pb2_grpc,
    retrieval_pb2_grpc,
)
from tests.bench.corpus import Corpus
from tests.load.questions import WHOSE, contexts

TURNS, RECORDS = 600, 500
AT_ONCE = 100


async def fill_memories(channel: grpc.aio.Channel, corpus: Corpus) -> None:
    """Add the turns and the records."""
    talk = conversation_pb2_grpc.ConversationStub(channel)
    questions = corpus.questions(TURNS + RECORDS)
    turns = [
        conversation_pb2.Turn(input=one.text, reply=corpus.node(number).summary)
        for number, one in enumerate(questions[:TURNS])
    ]
    for start in range(0, TURNS, AT_ONCE):
        await talk.AddTurns(conversation_pb2.AddTurnsRequest(turns=turns[start : start + AT_ONCE], **WHOSE))
    known = long_term_pb2_grpc.LongTermStub(channel)
    whose: dict[str, Any] = {name: WHOSE[name] for name in ("user", "collection")}
    for one in questions[TURNS:]:
        await known.StoreFact(long_term_pb2.StoreFactRequest(content=one.text, **whose))


async def warm(channel: grpc.aio.Channel, corpus: Corpus) -> None:
    """Ask for each context once: what is measured then has its vectors at hand."""
    retrieval = retrieval_pb2_grpc.RetrievalStub(channel)
    for request in contexts(corpus):
        await retrieval.AssembleContext(request)
