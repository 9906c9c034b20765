"""What a conversation of many turns takes of the processor and of memory: one process, no server, no store.

    OPENBLAS_NUM_THREADS=1 python -m tests.bench.bench_long_conversation [turns …] [--graph]

Turns of some 75 words, English and Chinese by turns, two segments each, their vectors (384 dimensions) made up; the
last 100 clusters of 64 turns are there, as folding leaves them. Times are of the processor, so that a busy machine
shows less. "clusters": how well each fits a query; "recall": what of it a context is made of; "after a turn": the first
recall after one was added, when places of segments are looked up anew. Memory is what the process grew by (RSS, free
memory given back first). `--graph`: with a graph of the vectors, as a server at rest has; without one they are scanned.
"""

import argparse
import ctypes
import gc
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from core.conversation.due import due
from core.conversation.mid import fitting
from core.conversation.recalling import recall
from core.conversation.search import search_turns
from core.conversation.steps import ConversationPut, MidDrop, MidPut
from core.model.conversation import Turn, TurnCluster
from core.verbatim.query import Query
from core.verbatim.structure import Structure
from tests.bench.corpus import Corpus
from tests.bench.measuring import resident_bytes, table
from tests.support import conversations
from tests.support.conversations import Talk, turn
from tests.support.hashing_embedder import HashingEmbedder

CLUSTERS, CLUSTER_TURNS, SHORT = 100, 64, 20
AT_ONCE = 100
QUERIES = 10
EMBEDDER = HashingEmbedder(dimension=384)


class Long:
    """A conversation that grows."""

    def __init__(self) -> None:
        conversations.SPACE = EMBEDDER.space  # Talk's own is smaller
        self.talk = Talk()
        self._corpus = Corpus(1_000)
        self._said = [self._corpus.node(number) for number in range(len(self._corpus))]
        self._rng = np.random.default_rng(1)
        self._topics = self._rng.normal(size=(1_000, EMBEDDER.space.dimension)).astype(np.float32)
        self.turns = 0

    def say(self, count: int) -> None:
        self.talk.say(*(self._turn(self.turns + number) for number in range(1, count + 1)))
        self.turns += count
        verbatim = self.talk.conversation.verbatim
        wanting = list(verbatim.wanting)
        vectors = self._topics[self._rng.integers(len(self._topics), size=len(wanting))]
        vectors = vectors + 0.6 * self._rng.normal(size=vectors.shape).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        verbatim.put_vectors(dict(zip(wanting, vectors, strict=True)))

    def _turn(self, step: int) -> Turn:
        said = self._said[step % len(self._said)]
        return turn(step, f"{step} {said.context}", said.summary)

    def place(self) -> None:
        """Puts all but the newest turns where the tiers would have them."""
        last = self.turns - SHORT
        first = max(1, last - CLUSTERS * CLUSTER_TURNS + 1)
        starts = range(first, last + 1, CLUSTER_TURNS)
        made = [
            TurnCluster(cluster_id=f"c{n}", steps=tuple(range(n, min(n + CLUSTER_TURNS, last + 1))))
            for n in starts
        ]
        at_hand = self.talk.conversation
        record = replace(
            at_hand.record, last_step=self.turns, placed_to=last, summarised_to=last, extracted_to=last
        )
        gone = at_hand.clusters.keys() - {each.cluster_id for each in made}
        self.talk.change(
            ConversationPut(record=record),
            *(MidDrop(cluster_id=name) for name in gone),
            *(MidPut(cluster=each) for each in made),
        )

    def queries(self) -> list[Query]:
        structure = Structure(near=0.4, reply=0.2, topic=0.3, quote=0.5)
        return [
            Query(top_k=10, alpha=0.5, text=q.text, vector=EMBEDDER.vector(q.text), structure=structure)
            for q in self._corpus.questions(QUERIES)
        ]


def milliseconds(act: Callable[[Query], object], queries: Sequence[Query]) -> float:
    start = time.process_time()
    for query in queries:
        act(query)
    return (time.process_time() - start) / len(queries) * 1e3


def held() -> int:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return resident_bytes(os.getpid())


def compiled(long: Long) -> None:
    vectors = long.talk.conversation.verbatim.vectors
    job = vectors.compaction(at_rest=True)
    if job is not None:
        job.build()
        vectors.adopt(job)


def measured(long: Long, turns: int, empty: int, *, graph: bool) -> list[str]:
    """Grows to so many turns; a row of the table."""
    before, start = long.turns, time.process_time()
    while long.turns < turns:
        long.say(min(AT_ONCE, turns - long.turns))
    grown = (time.process_time() - start) / (turns - before) * 1e3
    long.place()
    if graph:
        compiled(long)
    size = (held() - empty) / turns
    at_hand, queries, space = long.talk.conversation, long.queries(), EMBEDDER.space
    search_turns(at_hand, queries[0], space)

    def recalled(query: Query) -> None:
        recall(at_hand, query, space, top_clusters=3, singles=10)

    def after_a_turn(query: Query) -> None:
        long.say(1)
        recalled(query)

    columns = [
        milliseconds(lambda query: search_turns(at_hand, query, space), queries),
        milliseconds(lambda query: fitting(at_hand, query, space), queries),
        milliseconds(recalled, queries),
        milliseconds(lambda query: due(at_hand, at_hand.record.update_time), queries),
        milliseconds(after_a_turn, queries[:3]),
    ]
    return [f"{turns:,}", f"{size:,.0f}", f"{grown:.2f}", *(f"{column:.2f}" for column in columns)]


def main(sizes: Sequence[int], *, graph: bool) -> None:
    long = Long()
    long.say(1)
    empty = held()
    header = (
        "turns",
        "bytes a turn",
        "add ms",
        "search ms",
        "clusters ms",
        "recall ms",
        "due ms",
        "after a turn",
    )
    rows = []
    for turns in sizes:
        rows.append(measured(long, turns, empty, graph=graph))
        print(table(header, rows), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("turns", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--graph", action="store_true")
    given = parser.parse_args()
    main(given.turns, graph=given.graph)
