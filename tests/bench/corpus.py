"""The nodes and the questions of every measurement: seeded, English and Chinese by turns.

A node takes some 700 bytes on the wire (a summary of some 60 words, a context, four keywords) and is
related to one or two earlier ones, so that ten hits have about thirty neighbours. Vectors lie in topics
within one cone; questions lie between topics.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import grpc
import numpy as np

from memorybank.v1 import (
    memory_bank_pb2,
    memory_bank_pb2_grpc,
    query_graph_pb2,
    query_graph_pb2_grpc,
    retrieval_pb2,
    types_pb2,
)
from tests.bench.bench_vector_index import DIMENSION, between, made

SEED = 7
BATCH = 100

_ONSETS = "b br c ch d dr f g gr h j k kl l m n p pr r s st t tr v w z".split()
_VOWELS = "a e i o u ai ea ou".split()
_CODAS = "n r s t l m nd st rk".split()
_CHARACTERS = "实验室温度预算设备团队量子芯片会议报告合同项目城市交通能源市场价格研究数据系统网络安全教育医院"
_VOCABULARY = 6_000
_ZIPF = 1.1  # how much more frequent a frequent word is


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A vector, a text of a few words of the corpus, and two of them as keywords."""

    vector: bytes
    text: str
    keywords: tuple[str, ...]


class Corpus:
    """`count` nodes, and questions about them; the same for the same seed.

    `dimension`: of an embedder whose vectors are longer; what they have more is zero.
    """

    def __init__(self, count: int, seed: int = SEED, *, dimension: int = DIMENSION) -> None:
        self._seed, self._dimension = seed, dimension
        vectors = made(count, np.random.default_rng(seed))
        self.vectors = np.pad(vectors, ((0, 0), (0, dimension - DIMENSION)))
        self._english, self._chinese = _vocabularies(seed)
        self._shares = 1.0 / np.arange(1, _VOCABULARY + 1) ** _ZIPF
        self._shares /= self._shares.sum()

    def __len__(self) -> int:
        return len(self.vectors)

    def node(self, number: int) -> query_graph_pb2.NewNode:
        """The node `n<number>`. Numbers beyond the corpus make more of the kind, with vectors of their own."""
        rng = np.random.default_rng((self._seed, number))
        words = self._words(rng, 78, number)
        space = " " if number % 2 == 0 else ""
        related = (
            {int(r) for r in rng.integers(min(number, len(self)), size=1 + number % 2)} if number else set()
        )
        return query_graph_pb2.NewNode(
            node_id=f"n{number}",
            summary=space.join(words[:62]),
            context=space.join(words[62:74]),
            keywords=words[74:],
            embedding=types_pb2.Vector(f32=self._vector(number, rng)),
            related_node_ids=[f"n{r}" for r in sorted(related)],
            source="bench",
        )

    def questions(self, count: int) -> list[Question]:
        rng = np.random.default_rng((self._seed, 1, count))
        vectors = between(self.vectors, count, rng)
        return [
            Question(
                vector=vector.tobytes(),
                text=(" " if number % 2 == 0 else "").join(words := self._words(rng, 7, number)),
                keywords=tuple(words[:2]),
            )
            for number, vector in enumerate(vectors)
        ]

    def text(self, number: int, length: int, *, is_chinese: bool) -> str:
        """Returns a text of so many characters, of sentences, another one for each number. An English one has a Chinese
        word in each sentence."""
        rng = np.random.default_rng((self._seed, 2, number))
        sentences: list[str] = []
        while sum(map(len, sentences)) < length:
            words = self._words(rng, int(rng.integers(8, 16)), int(is_chinese))
            if is_chinese:
                sentences.append("".join(words) + "。")
            else:
                words.insert(len(words) // 2, *self._words(rng, 1, 1))
                sentences.append(" ".join(words).capitalize() + ". ")
        return "".join(sentences)[:length]

    def _vector(self, number: int, rng: np.random.Generator) -> bytes:
        if number < len(self.vectors):
            return bytes(self.vectors[number])
        return bytes(rng.normal(size=self._dimension).astype("<f4"))

    def _words(self, rng: np.random.Generator, count: int, number: int) -> list[str]:
        vocabulary = self._english if number % 2 == 0 else self._chinese
        return [vocabulary[place] for place in rng.choice(_VOCABULARY, size=count, p=self._shares)]


def _vocabularies(seed: int) -> tuple[list[str], list[str]]:
    """English-like words, and Chinese-like ones of two or three characters."""
    rng = np.random.default_rng((seed, 2))
    english = [
        "".join(
            str(rng.choice(_ONSETS)) + str(rng.choice(_VOWELS)) + str(rng.choice(_CODAS))
            for _ in range(rng.integers(1, 4))
        )
        for _ in range(_VOCABULARY)
    ]
    chinese = ["".join(rng.choice(list(_CHARACTERS), size=rng.integers(2, 4))) for _ in range(_VOCABULARY)]
    return english, chinese


def create_bank(bank_id: str) -> memory_bank_pb2.CreateBankRequest:
    """A bank of the server's own embedding space, so that it is asked by text as well as by vector."""
    return memory_bank_pb2.CreateBankRequest(bank_id=bank_id, goal="measure")


def batches(bank_id: str, corpus: Corpus) -> Iterator[query_graph_pb2.BatchAddNodesRequest]:
    """What fills a bank with the corpus."""
    for start in range(0, len(corpus), BATCH):
        nodes = [corpus.node(n) for n in range(start, min(start + BATCH, len(corpus)))]
        yield query_graph_pb2.BatchAddNodesRequest(bank_id=bank_id, nodes=nodes)


async def fill(channel: grpc.aio.Channel, bank_id: str, corpus: Corpus) -> float:
    """Create a bank and add the corpus to it, a batch after another; the seconds that adding took."""
    await memory_bank_pb2_grpc.MemoryBankStub(channel).CreateBank(create_bank(bank_id))
    graph = query_graph_pb2_grpc.QueryGraphStub(channel)
    taken = 0.0
    for request in batches(bank_id, corpus):
        start = time.perf_counter()
        await graph.BatchAddNodes(request)
        taken += time.perf_counter() - start
    return taken


def by_vector(bank_id: str, question: Question, **options: Any) -> retrieval_pb2.SearchRequest:
    """The ten nearest to the question's vector; `options` are further fields of the request."""
    vector = types_pb2.Vector(f32=question.vector)
    return retrieval_pb2.SearchRequest(bank_id=bank_id, embedding=vector, top_k=10, **options)


def by_text(bank_id: str, question: Question, **options: Any) -> retrieval_pb2.SearchRequest:
    """The ten best for the question's text, which the service embeds."""
    return retrieval_pb2.SearchRequest(bank_id=bank_id, text=question.text, top_k=10, **options)
