"""What a bank costs as it grows: filling, searching, writing, memory, disk, and loading it again."""

import shutil
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import grpc
import numpy as np

from core.index.compiled_vectors import ROUNDING
from memorybank.v1 import query_graph_pb2, retrieval_pb2
from tests.bench.bench_service import ADD_NODE, BANK, SEARCH, Bench, added, raw_commits, reads
from tests.bench.bench_vector_index import DIMENSION
from tests.bench.corpus import Corpus, by_vector, fill
from tests.bench.growth.curves import Curves, Figure, Measures
from tests.bench.growth.importing import import_corpus
from tests.bench.growth.started import LARGEST, Started, disk_bytes, service, text_bytes
from tests.bench.measuring import closed_loop
from tests.support.process import server_process

ADDED_UP_TO = 100_000  # nodes; a larger bank is imported
RECALLED = 200  # questions, each compared with a scan
K = 10
WRITES = 200  # at most half as many as the bank has nodes
RELATE = "/memorybank.v1.QueryGraph/Relate"
SEARCHES = {  # by the name of the case
    "Search vector, EMBEDDING": "vector",
    "Search vector + keywords, HYBRID": "hybrid",
    "Search text seen, HYBRID": "text seen",
    "GetNode": "GetNode",
}
FIGURES = (
    Figure(
        caption="Processor time of the server per call",
        unit="µs",
        lines={f"{name}": f"{name}: CPU µs" for name in SEARCHES.values()}
        | {"floor (vector)": "vector: floor CPU µs"},
    ),
    Figure(
        caption="Latency of one call at a time",
        unit="ms",
        lines={f"{n} p{p}": f"{n}: p{p} ms" for n in ("vector", "hybrid") for p in (50, 99)}
        | {"floor p50": "vector: floor p50 ms"},
    ),
    Figure(
        caption="Memory per node",
        unit="B",
        lines={
            "filled": "memory as filled, bytes a node",
            "loaded": "memory as loaded, bytes a node",
            "floor: vector and text": "vector and text, bytes a node",
        },
    ),
    Figure(
        caption="Disk per node",
        unit="B",
        lines={
            "store": "store on disk, bytes a node",
            "snapshots": "snapshots on disk, bytes a node",
            "floor: vector and text": "vector and text, bytes a node",
        },
    ),
    Figure(
        caption="From a cold start to the first answer",
        unit="s",
        lines={"with": "load with snapshot s", "without": "load without snapshot s"},
    ),
    Figure(
        caption="Writing, durable, one call at a time",
        unit="ms",
        lines={
            "AddNode p50": "AddNode: p50 ms",
            "Relate p50": "Relate: p50 ms",
            "floor: a raw SQLite commit p50": "raw SQLite commit: p50 ms",
        },
    ),
    Figure(caption="Filling", unit="/s", lines={"nodes": "filled, nodes/s"}),
)
READING = (
    "Calls are those of bench_service. The floor is a bare gRPC echo in Python of the same answers; of writes it is a "
    "raw commit of SQLite. Memory is the server process's (RSS) beyond what it held when it was awake and empty: "
    "`filled` counts what the allocator keeps from filling, `searched` also what was encoded for answers, `loaded` is "
    "a new process after its first search. What waking left free, some 20 MB, is used first: small banks seem to "
    "take less for it. Loading is from the machine's page cache: the program is measured, not "
    "the disk. Both scales are logarithmic."
)


def curves() -> Curves:
    return Curves(title="Nodes in a bank", growing="nodes", figures=FIGURES, reading=READING)


async def measure(nodes: int, seconds: float, rounds: int, folder: Path) -> Measures:
    """All measures of a bank of so many nodes, each by its name."""
    corpus = Corpus(nodes)
    settings = {"limits.nodes_per_bank": str(2 * nodes + 10_000), "banks.memory_budget_bytes": str(1 << 40)}
    least = 4 * DIMENSION + text_bytes(corpus)
    measures: Measures = {"vector and text, bytes a node": least}
    data = folder / "service"
    async with service(data, settings) as started:
        measures["filled, nodes/s"] = nodes / await _fill(started, corpus)
        await started.rests()
        measures["memory as filled, bytes a node"] = started.held() / nodes
        measures[f"recall@{K}"] = await _recall(started, corpus)
        measures |= await _searches(started, corpus, seconds, rounds, folder)
        measures["memory as searched, bytes a node"] = started.held() / nodes
        measures |= await _writes(started, corpus, folder)
        await started.rests()
        await started.server.stop()  # takes down what snapshots are due
    measures["store on disk, bytes a node"] = disk_bytes(data / "memorybank.sqlite") / nodes
    measures["snapshots on disk, bytes a node"] = disk_bytes(data / "indexes") / nodes
    taken, held = await _first_answer(data, settings, corpus)
    measures |= {
        "load with snapshot s": taken,
        "memory as loaded, bytes a node": held / nodes,
        "memory as loaded / vector and text": held / nodes / least,
    }
    shutil.rmtree(data / "indexes", ignore_errors=True)
    async with service(data, settings) as started:
        measures["load without snapshot s"] = await _first_search(started, corpus)
    return measures


async def _fill(started: Started, corpus: Corpus) -> float:
    """Seconds that it took; of an import, with making what is imported."""
    if len(corpus) <= ADDED_UP_TO:
        return await fill(started.channel, BANK, corpus)
    start = time.perf_counter()
    await import_corpus(started.channel, BANK, corpus)
    return time.perf_counter() - start


async def _recall(started: Started, corpus: Corpus) -> float:
    """The share of the ten nearest that a search by vector finds; what is as near as the tenth counts."""
    search = started.channel.unary_unary(
        SEARCH, response_deserializer=retrieval_pb2.SearchResponse.FromString
    )
    shares = []
    for question in corpus.questions(RECALLED):
        request = by_vector(BANK, question, mode=retrieval_pb2.SEARCH_MODE_EMBEDDING, hops=0)
        numbers = [int(hit.node.node_id[1:]) for hit in (await search(request.SerializeToString())).hits]
        cosines = corpus.vectors @ np.frombuffer(question.vector, "<f4")
        shares.append(np.mean(cosines[numbers] >= np.partition(cosines, -K)[-K] - ROUNDING))
    return float(np.mean(shares))


async def _searches(started: Started, corpus: Corpus, seconds: float, rounds: int, folder: Path) -> Measures:
    measures: Measures = {}
    async with (
        server_process(folder / "floor", program=("-m", "tests.bench.floor")) as floor,
        grpc.aio.insecure_channel(floor.address, options=LARGEST) as floor_channel,
    ):
        bench = Bench(started.channel, started.pid, floor_channel, floor.pid, seconds, rounds)
        for case in reads(corpus):
            if (name := SEARCHES.get(case.name)) is None:
                continue
            found = await bench.measure(case)
            p50, p99 = np.percentile(found.one.latencies, [50, 99]) * 1e3
            measures |= {
                f"{name}: CPU µs": found.one.cpu_per_call * 1e6,
                f"{name}: floor CPU µs": found.floor_one.cpu_per_call * 1e6,
                f"{name}: CPU / floor": found.one.cpu_per_call / found.floor_one.cpu_per_call,
                f"{name}: p50 ms": p50,
                f"{name}: p99 ms": p99,
                f"{name}: floor p50 ms": float(np.median(found.floor_one.latencies)) * 1e3,
                f"{name}: calls/s, 16 at once": found.many.rate,
            }
    return measures


async def _writes(started: Started, corpus: Corpus, folder: Path) -> Measures:
    calls = max(1, min(WRITES, len(corpus) // 2))
    measures: Measures = {"raw SQLite commit: p50 ms": raw_commits(folder / "raw.db", 200, 4_096) * 1e3}
    kinds = {
        "Relate": (RELATE, _related(len(corpus))),
        "AddNode": (ADD_NODE, added(corpus, count(len(corpus)))),
    }
    for name, (method, requests) in kinds.items():
        call = started.channel.unary_unary(method)
        sample = await closed_loop(call, requests, started.pid, calls=calls, in_flight=1)
        p50, p99 = np.percentile(sample.latencies, [50, 99]) * 1e3
        measures |= {
            f"{name}: CPU µs": sample.cpu_per_call * 1e6,
            f"{name}: p50 ms": p50,
            f"{name}: p99 ms": p99,
        }
    return measures


def _related(nodes: int) -> Iterator[bytes]:
    rng = np.random.default_rng(5)
    while True:
        one, other = rng.choice(nodes, size=2, replace=False)
        yield query_graph_pb2.RelateRequest(
            bank_id=BANK, node_id=f"n{one}", other_node_id=f"n{other}"
        ).SerializeToString()


async def _first_answer(data: Path, settings: dict[str, str], corpus: Corpus) -> tuple[float, int]:
    """Seconds that a new process takes to answer its first search, and the bytes that it holds once it rests."""
    async with service(data, settings) as started:
        taken = await _first_search(started, corpus)
        await started.rests()
        return taken, started.held()


async def _first_search(started: Started, corpus: Corpus) -> float:
    (question,) = corpus.questions(1)
    request = by_vector(BANK, question, mode=retrieval_pb2.SEARCH_MODE_EMBEDDING).SerializeToString()
    start = time.perf_counter()
    await started.channel.unary_unary(SEARCH)(request)
    return time.perf_counter() - start
