"""How many of the nearest vectors HNSW finds among those of real texts, and where it overtakes a scan.

    python -m tests.bench.bench_recall [mixes]
    python -m tests.bench.bench_recall --corpus 10000 30000 100000

The local embedder's vectors of dialogue turns, their sentences and Chinese sentences, asked by real questions about
the dialogues; and as many more as wanted that lie between two of them. HNSW is measured as it is compiled, with a
third of it dead, and taken down and up again like that. Needs the conversations beside the checkout.

`--corpus`: vectors made up, of all benches, and questions between their topics, which lie further out than any middle.
The same graph is searched as far as its trial alone asks, and as far as its size asks (`least_ef`), in turns.

What the defaults of `VectorSettings` were chosen by, processor time of the 11 nearest, scan against HNSW (ef 80): 32
and 22 µs among 1,000 vectors, 55 and 31 among 2,000, 109 and 38 among 4,000. Below 2,000 a scan costs little more,
is exact, and needs no build.

Recall of ten and processor time by ef, of real questions: among 5,762 real vectors 0.992 and 47 µs (80), 0.996 and 56
(128); among 10,000, the others mixes, 0.992 and 59 (96), 0.996 and 73 (128); among 100,000, nearly all of them mixes,
0.968 and 94 (80), 0.991 and 153 (160), 0.994 and 226 (224). Trials of the graphs chose 80, 96 and 192. m 16 and 24 and
ef_construction 400 and 800 found more only in as much more time.
"""

import argparse
import asyncio
import json
import re
import time
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from core.index.compiled_vectors import VectorSettings, least_ef
from core.index.vector_index import VectorIndex
from service.adapters.local_embedder import LocalEmbedder
from tests.bench.bench_vector_index import DIMENSION, between, compiled, filled, made, milliseconds, recall
from tests.support import real_texts

CONVERSATIONS = Path(__file__).parents[3] / "shared/data/locomo_dev.json"
SEED = 7
QUESTIONS = 500  # of made-up vectors
TURNS = 5  # after which the least time of each counts

Vectors = NDArray[np.float32]


async def embedded() -> tuple[Vectors, Vectors]:
    """Passages, each once and in an order of no meaning, and questions."""
    turns = real_texts.dialogue_turns()
    sentences = [sentence for turn in turns for sentence in re.split(r"(?<=[.!?])\s+", turn)]
    texts = list(dict.fromkeys((*turns, *sentences, *real_texts.chinese_sentences())))
    questions = [qa["question"] for each in json.loads(CONVERSATIONS.read_text()) for qa in each["qa"]]
    embedder = LocalEmbedder.open(passage_threads=2)
    passages = await embedder.embed_passages(texts)
    asked = await embedder.embed_queries(questions)
    embedder.close()
    return np.random.default_rng(SEED).permutation(np.unique(passages, axis=0)), asked


def mixed(vectors: Vectors, count: int) -> Vectors:
    """Vectors that each lie between two of those given."""
    rng = np.random.default_rng(SEED)
    one, other = vectors[rng.integers(len(vectors), size=(2, count))]
    share = rng.uniform(0.3, 0.7, size=(count, 1))
    between = share * one + (1 - share) * other
    units: Vectors = (between / np.linalg.norm(between, axis=1, keepdims=True)).astype(np.float32)
    return units


def measure(vectors: Vectors, queries: Vectors) -> None:
    settings = VectorSettings(exact_up_to=1)
    linked = filled(vectors, settings)
    print(f"{len(vectors):,} vectors, {len(queries)} questions  {compiled(linked)}", flush=True)
    show("scan", filled(vectors, VectorSettings(exact_up_to=len(vectors) + 1)), vectors, queries)
    show("HNSW", linked, vectors, queries)
    for asked in (0.95, 0.99):
        other = filled(vectors, VectorSettings(exact_up_to=1, recall=asked))
        compiled(other)
        show(f"asked for {asked}", other, vectors, queries)
    living = [key for key in range(len(vectors)) if key % 3]
    for key in range(0, len(vectors), 3):
        linked.drop(key)
    show("a third dead", linked, vectors[living], queries)
    loaded: VectorIndex[int] = VectorIndex(DIMENSION, settings)
    loaded.restore(b"".join(linked.snapshot().blob(str)), int, living, vectors[living])
    show("loaded again", loaded, vectors[living], queries)


def show(name: str, index: VectorIndex[int], vectors: Vectors, queries: Vectors) -> None:
    for k in (10, 50):
        if k <= VectorSettings().scan_share * len(vectors):  # more than that are scanned for anyway
            exact = [float(np.partition(vectors @ query, -k)[-k]) - 1e-6 for query in queries]
            took = milliseconds(partial(index.search, k=k), queries)
            found = recall(index, queries, k, exact)
            print(f"  {name:14} k {k:2}   {took}   recall {found:.4f}", flush=True)


def by_size(count: int) -> None:
    rng = np.random.default_rng(SEED)
    vectors = made(count, rng)
    queries = between(vectors, QUESTIONS, rng)
    settings = VectorSettings(exact_up_to=1)
    tried = filled(vectors, settings)
    with patch("core.index.compiled_vectors.least_ef", lambda _: least_ef(1)):
        print(f"{count:,} vectors, {QUESTIONS} questions  {compiled(tried)}", flush=True)
    grown: VectorIndex[int] = VectorIndex(DIMENSION, settings)
    grown.restore(b"".join(tried.snapshot().blob(str)), int, range(count), vectors)
    exact = [float(np.partition(vectors @ query, -10)[-10]) - 1e-6 for query in queries]
    both = {"by its trial": tried, f"at least {least_ef(count)}": grown}
    taken: dict[str, list[float]] = {name: [] for name in both}
    for _ in range(TURNS):
        for name, index in both.items():
            start = time.process_time()
            for query in queries:
                index.search(query, 10)
            taken[name].append((time.process_time() - start) / QUESTIONS * 1e6)
    for name, index in both.items():
        found = recall(index, queries, 10, exact)
        print(f"  {name:14} {min(taken[name]):7.0f} µs of processor   recall@10 {found:.4f}", flush=True)


def main(mixes: int) -> None:
    if not CONVERSATIONS.is_file():
        print("no conversations beside the checkout: nothing to measure on")
        return
    vectors, queries = asyncio.run(embedded())
    for size in (1_000, 2_000, 3_000):
        measure(vectors[:size], queries)
    measure(np.concatenate([vectors, mixed(vectors, mixes)]), queries)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mixes", type=int, nargs="?", default=0)
    parser.add_argument(
        "--corpus", type=int, nargs="+", default=[], help="sizes; then nothing else is measured"
    )
    given = parser.parse_args()
    for size in given.corpus:
        by_size(size)
    if not given.corpus:
        main(given.mixes)
