"""Where the bytes of a bank go: what the process takes for each part of it, one after another, as a load makes them.

    python -m tests.bench.growth.memory [nodes]

The corpus of the growth curves, read from a SQLite file. A part's bytes are what the process grew by (RSS, with
free memory given back first), so they hold what the allocator cannot give back, too. `×` is their share of the
least that could be held: the vectors, and the texts in UTF-8.
"""

import asyncio
import ctypes
import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.aggregate.aggregate import Tuning
from core.bank.fields import NODE_WEIGHTS, node_fields
from core.bank.graph import QueryGraph
from core.bank.rows import NodeRows
from core.bank.state import BankState
from core.bank.steps import EdgePut, NodePut, Step
from core.ids import NodeId
from core.index.keyword_index import KeywordIndex
from core.index.restoring import IndexSnapshot, restore_vectors, restore_words
from core.index.rows import VectorRows
from core.index.vector_index import VectorIndex
from core.model.bank import EmbeddingSpace, SpaceSource
from core.model.node import Node
from service.adapters.store.sqlite_store import SqliteStore
from service.api.to_proto import values
from tests.bench.bench_vector_index import DIMENSION
from tests.bench.corpus import Corpus
from tests.bench.growth.started import text_bytes
from tests.bench.measuring import resident_bytes, table
from tests.support import changes as a

GROUP = 1_000  # nodes in one change
WARM = 300  # nodes whose words are found before it counts: dictionaries are no bank's


class Weighed:
    """The rows of the table: what the process grew by since the row before."""

    def __init__(self, nodes: int, least: float) -> None:
        self._nodes, self._least = nodes, least
        self._before = self._now = self._resident()
        self.rows: list[tuple[str, str, str]] = []

    def note(self, part: str) -> None:
        self._before, self._now = self._now, self._resident()
        self._add(part, (self._now - self._before) / self._nodes)

    def skip(self) -> None:
        """What was made since is no part of a bank."""
        self._now = self._resident()

    def _add(self, part: str, each: float) -> None:
        self.rows.append((part, f"{each:,.0f}", f"{each / self._least:.2f}"))

    def _resident(self) -> int:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        return resident_bytes(os.getpid())


def changes(corpus: Corpus) -> Iterator[list[Step]]:
    """The corpus as steps, a group of nodes with their edges at a time."""
    for first in range(0, len(corpus), GROUP):
        steps: list[Step] = []
        for number in range(first, min(first + GROUP, len(corpus))):
            new = corpus.node(number)
            said = {"summary": new.summary, "context": new.context, "keywords": tuple(new.keywords)}
            base = {"base_context": new.context, "base_keywords": tuple(new.keywords)}
            steps.append(NodePut(node=a.node(new.node_id, **said, **base), vector=corpus.vectors[number]))
            steps += [
                EdgePut(node_id=NodeId(other), other_node_id=NodeId(new.node_id))
                for other in new.related_node_ids
                if other != new.node_id
            ]
        yield steps


async def fill(store: SqliteStore, corpus: Corpus) -> None:
    story = a.Story()
    space = EmbeddingSpace(name="bench", dimension=DIMENSION, source=SpaceSource.CLIENT)
    await store.append(a.KEY, "u1", [story.founding(space=space)])
    for steps in changes(corpus):
        await store.append(a.KEY, "u1", [story.change(*steps)])


async def loaded(store: SqliteStore) -> BankState:
    state = await store.load(a.KEY)
    assert isinstance(state, BankState), "it was filled"
    await asyncio.sleep(0)  # until then asyncio holds it too
    return state


async def weigh(nodes: int, folder: Path) -> None:
    corpus = Corpus(nodes)
    least = 4 * DIMENSION + text_bytes(corpus)
    store = await SqliteStore.open(folder / "bank.db")
    await fill(store, corpus)
    warm = {
        put.node.node_id: node_fields(put.node)
        for steps in changes(Corpus(WARM))
        for put in steps
        if isinstance(put, NodePut)
    }
    KeywordIndex[NodeId](NODE_WEIGHTS).prepare(warm)
    del corpus, warm
    weighed = Weighed(nodes, least)
    state = await loaded(store)
    weighed.note("rows as values: nodes, vectors, edges")
    rows = NodeRows.of(state.nodes, DIMENSION)
    known, stored = {node.node_id: node for node in rows.nodes}, [rows.vectors]
    edges = list(state.edges)
    del state, rows
    _parts(known, edges, stored, weighed)
    await store.close()
    print(f"{nodes:,} nodes; vector and text: {least:,.0f} bytes a node")
    print(table(("part", "bytes a node", "×"), weighed.rows))


def _parts(
    known: dict[NodeId, Node],
    edges: list[tuple[NodeId, NodeId]],
    stored: list[VectorRows[NodeId]],
    weighed: Weighed,
) -> None:
    """Make each part of a bank, and let go of what it was made from."""
    graph = QueryGraph.compiled(known, edges)
    edges.clear()
    weighed.note("graph")
    words: KeywordIndex[NodeId] = KeywordIndex(NODE_WEIGHTS)
    keys = list(known)
    for first in range(0, len(keys), 100):
        words.put(words.prepare({key: node_fields(known[key]) for key in keys[first : first + 100]}))
    weighed.note("words, put by the hundred")
    blob = b"".join(IndexSnapshot(part="node_words", taken=words.snapshot()).blob())
    words = KeywordIndex(NODE_WEIGHTS)
    weighed.skip()
    texts = {key: node_fields(node) for key, node in known.items()}
    restore_words(words, blob, texts, lambda name: known[NodeId(name)].node_id)
    del blob, texts
    weighed.note("words, restored from a snapshot")
    vectors: VectorIndex[NodeId] = VectorIndex(DIMENSION, Tuning().vectors)
    restore_vectors(vectors, None, stored.pop(), NodeId)
    weighed.note("vectors, as they were read")
    if (job := vectors.compaction(at_rest=True)) is not None:
        job.build()
        vectors.adopt(job)
        del job
        weighed.note("HNSW over them")
    for node in known.values():
        values.node_bytes(node)
    weighed.note("encodings, once all nodes were answers")
    assert len(graph) == len(words) == len(vectors), "all of it is still there"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(weigh(int(sys.argv[1]) if sys.argv[1:] else 10_000, Path(place)))
