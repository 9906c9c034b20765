"""The service beside vector stores and memory systems: the same data, the same questions, the same machine.

    python -m tests.bench.peers --python .venv/peers/bin/python [--nodes 1000 10000] [--only chroma lancedb]

Peers are measured in an environment of their own (`requirements.txt`), each by its own client, as its own
documentation starts it; the service by its client, from another process, over gRPC. All get the vectors.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import grpc
import numpy as np
from numpy.typing import NDArray

from memorybank.v1 import query_graph_pb2, query_graph_pb2_grpc, retrieval_pb2, retrieval_pb2_grpc
from tests.bench.bench_service import LARGEST, SEARCH, room_for
from tests.bench.corpus import Corpus, by_vector, fill
from tests.bench.measuring import closed_loop, rests, table
from tests.bench.peers.one_peer import PEERS, SECONDS, SINGLE, THREADS, K, recall
from tests.support.process import server_process

QUERIES = 200
PATIENCE = 240.0  # seconds for one peer
BANK = "peers"
HEADER = (
    "{nodes:,} nodes",
    "version",
    f"recall@{K}",
    "p50 ms",
    "searches/s",
    f"{THREADS} at once",
    "adds/s",
    "in hundreds",
    "what an add has synced",
)


def questions(corpus: Corpus) -> NDArray[np.float32]:
    """Their vectors, shape (QUERIES, dimension)."""
    return np.stack([np.frombuffer(one.vector, "<f4") for one in corpus.questions(QUERIES)])


async def ours(corpus: Corpus, least: NDArray[np.float32], folder: Path) -> dict[str, Any]:
    """The service, measured as the peers are: no neighbourhood, for they have none."""
    asked = corpus.questions(QUERIES)
    mode = retrieval_pb2.SEARCH_MODE_EMBEDDING
    requests = [by_vector(BANK, one, mode=mode, hops=0) for one in asked]
    async with (
        server_process(folder, room_for(len(corpus))) as service,
        grpc.aio.insecure_channel(service.address, options=LARGEST) as channel,
    ):
        filled = await fill(channel, BANK, corpus)
        await rests(service.pid)
        search = retrieval_pb2_grpc.RetrievalStub(channel).Search
        found = [[int(hit.node.node_id[1:]) for hit in (await search(one)).hits] for one in requests]
        rates, p50 = [], 0.0
        bare: Any = channel  # whose types know no calls of bare bytes
        call, encoded = bare.unary_unary(SEARCH), [request.SerializeToString() for request in requests]
        for in_flight in (1, THREADS):
            turn = (encoded[place % QUERIES] for place in range(sys.maxsize))
            tried = await closed_loop(call, turn, service.pid, calls=QUERIES, in_flight=in_flight)
            calls = max(QUERIES, round(tried.rate * SECONDS))
            sample = await closed_loop(call, turn, service.pid, calls=calls, in_flight=in_flight)
            rates.append(sample.rate)
            p50 = p50 or float(np.median(sample.latencies)) * 1e3
        return {
            "name": "this service",
            "version": version("agentic-memory-bank"),
            "recall": recall(found, corpus.vectors, questions(corpus), least),
            "p50": p50,
            "one": rates[0],
            "many": rates[1],
            "batch": len(corpus) / filled,
            "single": await _single_adds(channel, corpus),
            "sync": "SQLite WAL, FULL: all of it",
        }


async def _single_adds(channel: grpc.aio.Channel, corpus: Corpus) -> float:
    """AddNode calls a second, one after another."""
    add = query_graph_pb2_grpc.QueryGraphStub(channel).AddNode
    new = [corpus.node(len(corpus) + place) for place in range(SINGLE)]
    requests = [
        query_graph_pb2.AddNodeRequest(bank_id=BANK, summary=n.summary, embedding=n.embedding) for n in new
    ]
    start = time.perf_counter()
    for request in requests:
        await add(request)
    return SINGLE / (time.perf_counter() - start)


async def peer(python: Path, name: str, data: Path, nodes: int, folder: Path) -> dict[str, Any] | str:
    """What a peer's process found, or why it did not."""
    script = Path(__file__).with_name("one_peer.py")
    process = await asyncio.create_subprocess_exec(
        *(str(python), str(script), name, str(data), str(nodes), str(folder)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},  # nothing of ours
    )
    try:
        async with asyncio.timeout(PATIENCE):
            said, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.communicate()
        return f"left out: took more than {PATIENCE:.0f} s"
    if process.returncode:
        return f"left out: {(errors.decode(errors='replace').strip().splitlines() or ['it failed'])[-1]}"
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


def row(found: dict[str, Any]) -> tuple[str, ...]:
    rates = (f"{found[name]:,.0f}" for name in ("one", "many", "single", "batch"))
    return (
        found["name"],
        found["version"],
        f"{found['recall']:.3f}",
        f"{found['p50']:.2f}",
        *rates,
        found["sync"],
    )


async def one_size(nodes: int, given: argparse.Namespace, folder: Path) -> None:
    corpus = Corpus(nodes)
    queries = questions(corpus)
    least = np.sort(queries @ corpus.vectors.T, axis=1)[:, -K]
    data = folder / "data.npz"
    np.savez(data, vectors=corpus.vectors, queries=queries, least=least)
    rows, missing = [row(await ours(corpus, least, folder / "ours"))], []
    for name in given.only:
        own = folder / name
        own.mkdir()
        print(f"{name}, {nodes:,} nodes", file=sys.stderr)
        found = await peer(given.python, name, data, nodes, own)
        if isinstance(found, str):
            missing.append(f"{name}: {found}")
        else:
            rows.append(row(found))
    print(table([name.format(nodes=nodes) for name in HEADER], rows))
    print("\n".join(missing), flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", type=Path, required=True, help="of the peers' environment")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--only", nargs="+", default=list(PEERS), choices=list(PEERS), metavar="PEER")
    given = parser.parse_args()
    for nodes in given.nodes:
        with tempfile.TemporaryDirectory() as folder:
            await one_size(nodes, given, Path(folder))


if __name__ == "__main__":
    asyncio.run(main())
