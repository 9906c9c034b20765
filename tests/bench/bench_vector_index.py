"""What the vector index costs and finds: build, search by size, the exact scan beside HNSW, recall found and asked for.
Where hnswlib is installed (`pip install hnswlib`), its graph of the same vectors stands beside ours.

    python -m tests.bench.bench_vector_index [vectors]

Vectors of 384 dimensions, in topics within one cone, a tenth of them twins; queries lie between topics. Vectors of an
embedder are harder to find: `bench_recall`, by which the defaults of `VectorSettings` were chosen, has them.
"""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.index.compiled_vectors import ROUNDING, VectorSettings
from core.index.vector_index import VectorIndex
from core.model.vector import Vector

DIMENSION = 384


def made(count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    topics = rng.normal(size=(count // 40, DIMENSION)) + 2 * rng.normal(size=DIMENSION)
    vectors = topics[rng.integers(len(topics), size=count)] + 1.2 * rng.normal(size=(count, DIMENSION))
    vectors[::10] = vectors[rng.integers(count, size=len(vectors[::10]))]
    units: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return units


def between(vectors: NDArray[np.float32], count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    one, other = vectors[rng.integers(len(vectors), size=(2, count))]
    middle = one + 0.5 * other
    units: NDArray[np.float32] = middle / np.linalg.norm(middle, axis=1, keepdims=True)
    return units


def filled(vectors: NDArray[np.float32], settings: VectorSettings) -> VectorIndex[int]:
    index: VectorIndex[int] = VectorIndex(DIMENSION, settings)
    index.put_many(range(len(vectors)), vectors)
    return index


def milliseconds(act: Callable[[Vector], object], queries: NDArray[np.float32]) -> str:
    taken = []
    for query in queries:
        start = time.perf_counter()
        act(query)
        taken.append((time.perf_counter() - start) * 1e3)
    return f"{np.median(taken):7.2f} ms median {np.percentile(taken, 99):7.2f} ms p99"


def compiled(index: VectorIndex[int]) -> str:
    """Compile what lives in the index now; tells how long it took."""
    job = index.compaction(at_rest=True)
    if job is None:
        raise RuntimeError("an index above its threshold is worth compiling")
    start = time.perf_counter()
    job.build()
    built = time.perf_counter() - start
    start = time.perf_counter()
    index.adopt(job)
    return f"build {built:.1f} s  adopt {(time.perf_counter() - start) * 1e3:.1f} ms"


def recall(index: VectorIndex[int], queries: NDArray[np.float32], k: int, exact: Sequence[float]) -> float:
    """The share of the found ones that are as near as the exact k-th, so that twins count alike."""
    found = [np.array([cosine for _, cosine in index.search(query, k)]) for query in queries]
    return float(np.mean([cosines >= bar for cosines, bar in zip(found, exact, strict=True)]))


def measure(count: int) -> None:
    rng = np.random.default_rng(7)
    vectors = made(count, rng)
    queries = between(vectors, 200, rng)
    scanned = filled(vectors, VectorSettings(exact_up_to=count + 1))
    exact = [scanned.search(query, 10)[-1][1] for query in queries]
    print(f"{count:,} vectors")
    print(f"  scan                 {milliseconds(lambda q: scanned.search(q, 10), queries)}")
    for asked in (0.9, VectorSettings().recall, 0.995):
        settings = VectorSettings(exact_up_to=min(count, 1_000), recall=asked)
        index = filled(vectors, settings)
        took = compiled(index)
        print(
            f"  HNSW, asked for {asked:.3f} {milliseconds(partial(index.search, k=10), queries)}"
            f"  recall@10 {recall(index, queries, 10, exact):.4f}  {took}"
        )
        filtered = milliseconds(partial(index.search, k=10, allowed=lambda key: key % 8 == 0), queries)
        print(f"    an eighth allowed  {filtered}")
    with suppress(ModuleNotFoundError):
        _measure_hnswlib(np.unique(vectors, axis=0), queries)
    spare = iter(made(400, rng))
    print(
        f"  put one              {milliseconds(lambda q: index.put(int(rng.integers(count)), next(spare)), queries)}"
    )


def _measure_hnswlib(distinct: NDArray[np.float32], queries: NDArray[np.float32]) -> None:
    """Of vectors without twins, which it does not find its way out of."""
    import hnswlib

    tenth = np.sort(queries @ distinct.T, axis=1)[:, [-10]]
    settings = VectorSettings()
    graph: Any = hnswlib.Index("ip", DIMENSION)
    graph.init_index(len(distinct), M=settings.m, ef_construction=settings.ef_construction, random_seed=1)
    start = time.perf_counter()
    graph.add_items(np.random.default_rng(1).permutation(distinct), num_threads=1)
    built = time.perf_counter() - start
    for ef in (80, 128, 224):
        graph.set_ef(ef)
        _, distances = graph.knn_query(queries, k=10, num_threads=1)
        found = np.mean(1.0 - distances >= tenth - ROUNDING)
        print(
            f"  hnswlib, ef {ef:3}      {milliseconds(partial(graph.knn_query, k=10, num_threads=1), queries)}"
            f"  recall@10 {found:.4f}  build {built:.1f} s"
        )


if __name__ == "__main__":
    for size in [int(size) for size in sys.argv[1:]] or [1_000, 5_000, 20_000]:
        measure(size)
