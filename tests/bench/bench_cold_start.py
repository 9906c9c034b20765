"""What a bank's first search waits for after a cold start, part by part, without snapshots of its indexes and with.

    python -m tests.bench.bench_cold_start [--segments] [nodes]

Nodes of 384 dimensions with a summary, a context and keywords of some 30 words, English and Chinese by
turns, each related to two others; with `--segments` each has a segment of its own, with a vector. The file
has just been written, so the machine's page cache is warm: it is the program that is measured. `held` is
the longest that the load kept another thread waiting: a watcher that wants to wake every half millisecond.
"""

import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.fields import NODE_WEIGHTS, node_fields
from core.bank.graph import QueryGraph
from core.bank.loading import load as load_bank
from core.bank.loading import ref_of
from core.bank.query import Query
from core.bank.rows import NodeRows
from core.bank.search import search
from core.bank.state import BankState
from core.bank.steps import EdgePut, InteractionAdd, NodePut, Step
from core.ids import InteractionId, NodeId
from core.index.keyword_index import KeywordIndex
from core.index.restoring import IndexSnapshot, restore_vectors, restore_words
from core.index.rows import VectorRows
from core.index.vector_index import VectorIndex
from core.kinds import KINDS
from core.model.bank import EmbeddingSpace, SpaceSource
from core.model.vector import Vector
from core.verbatim.verbatim import SEGMENT_WEIGHTS, segment_fields
from service.adapters.local_index_cache import LocalIndexCache
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from service.process.collector import Collector
from service.process.turns import TURN
from tests.bench.bench_vector_index import DIMENSION, made
from tests.support import changes as a
from tests.support.no_blobs import NoBlobs

GROUP = 1_000  # nodes in one change
VOCABULARY = 20_000
WAKE = 0.0005  # seconds
Text = tuple[str, str, tuple[str, ...]]  # summary, context, keywords


def texts(rng: np.random.Generator) -> Iterator[Text]:
    """Texts over two vocabularies, their words as unevenly frequent as words are."""
    syllables = [c + v for c in "bcdfghklmnprstvw" for v in ("a", "e", "i", "o", "u", "ai", "or", "en")]
    english = ["".join(rng.choice(syllables, size=rng.integers(1, 5))) for _ in range(VOCABULARY)]
    han = [chr(code) for code in rng.choice(np.arange(0x4E00, 0x7000), size=2_000, replace=False)]
    chinese = ["".join(han[int(2_000 * place**3)] for place in rng.random(2)) for _ in range(VOCABULARY)]
    while True:
        for words, space, stop in ((english, " ", "."), (chinese, "", "。")):
            said = [words[int(VOCABULARY * place**5)] for place in rng.random(34)]
            yield space.join(said[:22]) + stop, space.join(said[22:30]), tuple(said[30:])


def group_of(first: int, written: list[Text], vectors: Mapping[int, Vector], segments: bool) -> list[Step]:
    name = f"i{first:08}"
    steps: list[Step] = []
    if segments:
        interaction = a.interaction(name, *(summary for summary, _, _ in written))
        steps.append(InteractionAdd(interaction=interaction))
    for place, (summary, context, keywords) in enumerate(written):
        said = {"summary": summary, "context": context, "keywords": keywords}
        base = {"base_context": context, "base_keywords": keywords}
        evidence = (
            {"interaction_ids": (InteractionId(name),), "segments": (a.ref(name, place),)} if segments else {}
        )
        node = a.node(node_id(first + place), **said, **base, **evidence)
        steps.append(NodePut(node=node, vector=vectors[first + place]))
    steps += [
        EdgePut(node_id=node_id(number - back), other_node_id=node_id(number))
        for number in range(first, first + len(written))
        for back in (1, 7)
        if number >= back
    ]
    return steps


def node_id(number: int) -> NodeId:
    return NodeId(f"n-01m80bj5qg3ktk71998{number:08}")


async def fill(store: SqliteStore, nodes: int, segments: bool) -> None:
    rng = np.random.default_rng(3)
    vectors, told, story = made(nodes, rng), texts(rng), a.Story()
    space = EmbeddingSpace(name="bench", dimension=DIMENSION, source=SpaceSource.CLIENT)
    await store.append(a.KEY, "u1", [story.founding(space=space)])
    for first in range(0, nodes, GROUP):
        written = [next(told) for _ in range(min(GROUP, nodes - first))]
        steps = group_of(first, written, dict(enumerate(vectors)), segments)
        await store.append(a.KEY, "u1", [story.change(*steps)])
        if segments:
            refs = [a.ref(f"i{first:08}", place) for place in range(len(written))]
            await store.put_vectors(
                a.KEY,
                "u1",
                "segments",
                "",
                dict(zip(refs, vectors[first : first + GROUP][::-1], strict=True)),
            )


@dataclass(slots=True)
class Watch:
    """What an act took, and how long it kept another thread waiting at the most."""

    wall: float = 0.0
    cpu: float = 0.0
    held: float = 0.0
    _stop: bool = False
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Watch":
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        self.wall, self.cpu = -time.perf_counter(), -time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter()
        self.cpu += time.process_time()
        self._stop = True
        if self._thread is not None:
            self._thread.join()

    def _look(self) -> None:
        last = time.perf_counter()
        while not self._stop:
            time.sleep(WAKE)
            now = time.perf_counter()
            self.held, last = max(self.held, now - last - WAKE), now

    def __str__(self) -> str:
        return f"{self.wall:8.2f} s {self.cpu:8.2f} s {self.held * 1e3:8.0f} ms"


def row(name: str, *watches: Watch) -> None:
    print(f"  {name:<26}" + "   ".join(str(watch) for watch in watches))


def watched(act: Callable[[], object]) -> Watch:
    with Collector().held_off(), Watch() as watch:
        act()
    return watch


def parts(state: BankState, cached: Mapping[str, bytes]) -> None:
    """Each part on its own, without and with its snapshot."""
    nodes = {put.node.node_id: put.node for put in state.nodes}
    node_texts = {key: node_fields(node) for key, node in nodes.items()}
    segment_texts = {key: fields for i in state.interactions for key, fields in segment_fields(i).items()}
    node_vectors = NodeRows.of(state.nodes, DIMENSION).vectors
    segment_vectors = VectorRows.of(state.segment_vectors or {}, DIMENSION)
    settings = Tuning().vectors

    def words(part: str) -> Callable[[Mapping[str, bytes]], None]:
        if part == "node_words":
            return lambda c: restore_words(KeywordIndex(NODE_WEIGHTS), c.get(part), node_texts, NodeId)
        return lambda c: restore_words(KeywordIndex(SEGMENT_WEIGHTS), c.get(part), segment_texts, ref_of)

    def vectors(part: str) -> Callable[[Mapping[str, bytes]], None]:
        if part == "node_vectors":
            return lambda c: restore_vectors(
                VectorIndex(DIMENSION, settings), c.get(part), node_vectors, NodeId
            )
        return lambda c: restore_vectors(
            VectorIndex(DIMENSION, settings), c.get(part), segment_vectors, ref_of
        )

    row("graph", *2 * [watched(lambda: QueryGraph.compiled(nodes, state.edges))])
    parts = ("node_words", "node_vectors", "segment_words", "segment_vectors")
    for part in parts if segment_texts else parts[:2]:
        load = words(part) if part.endswith("words") else vectors(part)
        row(part, watched(lambda load=load: load({})), watched(lambda load=load: load(cached)))  # type: ignore[misc]


async def first_search(store: SqliteStore, cache: LocalIndexCache | None) -> Watch:
    """As a process does that has just started."""
    banks = OpenAggregates(KINDS, store, NoBlobs(), SystemClock(), UlidIds(), Holding(), cache)
    query = Query(text="预算 budget", vector=a.vector(1, DIMENSION), top_k=10, alpha=0.5)
    with Watch() as watch:
        async with banks.reading(a.KEY) as bank:
            search(bank, query)
    await banks.close()  # waits for what was begun in the background
    return watch


def compiled(bank: Bank) -> Watch:
    """What a load without snapshots leaves to be done in the background."""
    with Watch() as watch:
        for job in bank.indexes.compactions(at_rest=True):
            job.build()
            bank.indexes.adopt(job)
    return watch


async def measure(nodes: int, segments: bool, folder: Path) -> None:
    store, cache = await SqliteStore.open(folder / "bank.db"), LocalIndexCache(folder / "indexes")
    await fill(store, nodes, segments)
    print(f"{nodes:,} nodes{' with a segment each' if segments else ''}")
    print(
        f"  {'':<26}{'without: wall':>10}{'cpu':>11}{'held':>12}   {'with: wall':>10}{'cpu':>11}{'held':>12}"
    )
    with Collector().held_off(), Watch() as rows:  # as the service does
        state = await store.load(a.KEY)
    assert state is not None, "it was filled"
    row("rows to values", rows, rows)
    bank = load_bank(state, Tuning())
    building = compiled(bank)
    with Watch() as taking:
        snapshots = [
            IndexSnapshot(part=part, taken=index.snapshot())
            for part, index in bank.indexes.saved.items()
            if len(index) and (part.endswith("words") or index.worth_saving)
        ]
    with Watch() as keeping:
        for snapshot in snapshots:
            await cache.put(a.KEY, "u1", snapshot.part, await asyncio.to_thread(snapshot.blob))
    del bank, snapshots
    parts(state, await cache.get(a.KEY, "u1"))
    del state
    without = await first_search(store, None)
    row("first search answered", without, await first_search(store, cache))
    print(f"  background: HNSW {building}, snapshots taken on the loop {taking}, written {keeping}")
    print(f"  snapshots: {sum(map(len, (await cache.get(a.KEY, 'u1')).values())) / 1e6:.1f} MB")
    await store.close()


if __name__ == "__main__":
    sys.setswitchinterval(TURN)  # as the server does
    sizes = [int(size) for size in sys.argv[1:] if size.isdigit()] or [1_000, 10_000]
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            asyncio.run(measure(size, "--segments" in sys.argv, Path(place)))
