"""One peer, measured in its own environment: `python one_peer.py NAME DATA.npz NODES FOLDER` prints a line of JSON.

Law: imports nothing of ours, and each peer only where it is measured. Every peer is set up as its own
documentation starts, over a folder, and gets vectors, an id and the same payload; none makes any.
"""

import json
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

K = 10
BATCH = 100
SINGLE = 200  # adds one by one
SECONDS = 3.0  # of searches
THREADS = 16


class Chroma:
    """Its HTTP server, in a process of its own, and its client."""

    package = "chromadb"
    sync = "SQLite WAL and a log of its own"

    def __init__(self, folder: Path, dimension: int) -> None:
        import chromadb  # type: ignore[import-not-found]

        port = "18765"
        program = str(Path(sys.executable).parent / "chroma")
        self._server = subprocess.Popen(
            [program, "run", "--path", str(folder), "--port", port],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(100):
            try:
                self._client = chromadb.HttpClient(host="127.0.0.1", port=int(port))
                break
            except ValueError:  # not up yet
                time.sleep(0.2)
        self._set = self._client.create_collection("bench", metadata={"hnsw:space": "cosine"})

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        self._set.add(ids=[str(n) for n in numbers], embeddings=vectors, documents=list(texts))

    def search(self, vector: Any) -> list[int]:
        found = self._set.query(query_embeddings=vector[None], n_results=K, include=["documents"])
        return [int(one) for one in found["ids"][0]]

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()


class MilvusLite:
    package = "milvus-lite"
    sync = "never synced"

    def __init__(self, folder: Path, dimension: int) -> None:
        from pymilvus import MilvusClient  # type: ignore[import-not-found]

        self._client = MilvusClient(str(folder / "milvus.db"))
        self._client.create_collection("bench", dimension=dimension, metric_type="COSINE")

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = zip(numbers, vectors, texts, strict=True)
        self._client.insert("bench", [{"id": n, "vector": v.tolist(), "text": t} for n, v, t in rows])

    def search(self, vector: Any) -> list[int]:
        found = self._client.search("bench", [vector.tolist()], limit=K, output_fields=["text"])
        return [one["id"] for one in found[0]]

    def close(self) -> None:
        self._client.close()


class LanceDB:
    package = "lancedb"
    sync = "files, never synced"

    def __init__(self, folder: Path, dimension: int) -> None:
        import lancedb  # type: ignore[import-not-found]
        import pyarrow as pa  # type: ignore[import-not-found]

        fields = [("id", pa.int64()), ("vector", pa.list_(pa.float32(), dimension)), ("text", pa.string())]
        self._table = lancedb.connect(str(folder)).create_table("bench", schema=pa.schema(fields))

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = zip(numbers, vectors, texts, strict=True)
        self._table.add([{"id": n, "vector": v, "text": t} for n, v, t in rows])

    def search(self, vector: Any) -> list[int]:
        found = self._table.search(vector).distance_type("cosine").limit(K).to_list()
        return [one["id"] for one in found]

    def close(self) -> None:
        return


class QdrantLocal:
    package = "qdrant-client"
    sync = "SQLite, as it is set by default"

    def __init__(self, folder: Path, dimension: int) -> None:
        from qdrant_client import QdrantClient, models  # type: ignore[import-not-found]

        self._models = models
        self._client = QdrantClient(path=str(folder), force_disable_check_same_thread=True)
        params = models.VectorParams(size=dimension, distance=models.Distance.COSINE)
        self._client.create_collection("bench", vectors_config=params)

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = zip(numbers, vectors, texts, strict=True)
        make = self._models.PointStruct
        self._client.upsert("bench", [make(id=n, vector=v.tolist(), payload={"text": t}) for n, v, t in rows])

    def search(self, vector: Any) -> list[int]:
        return [one.id for one in self._client.query_points("bench", query=vector.tolist(), limit=K).points]

    def close(self) -> None:
        self._client.close()


class Mem0:
    """A memory system: `infer=False`, its local Qdrant, the vectors given by a stand-in for its embedder."""

    package = "mem0ai"
    sync = "SQLite twice, as they are set by default"

    def __init__(self, folder: Path, dimension: int) -> None:
        import os

        os.environ |= {"MEM0_TELEMETRY": "false", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
        from mem0 import Memory  # type: ignore[import-not-found]

        store = {"path": str(folder / "qdrant"), "embedding_model_dims": dimension, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._vectors: dict[str, list[float]] = {}
        self._memory.embedding_model = self  # its own would ask a service
        self._numbers: dict[str, int] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._vectors[text]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self._vectors[text] for text in texts]

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        for number, vector, text in zip(numbers, vectors, texts, strict=True):
            self._vectors[text], self._numbers[text] = vector.tolist(), number
            self._memory.add(text, user_id="bench", infer=False)

    def search(self, vector: Any) -> list[int]:
        query = str(uuid.uuid4())
        self._vectors[query] = vector.tolist()
        found = self._memory.search(query, filters={"user_id": "bench"}, top_k=K)["results"]
        return [self._numbers[one["memory"]] for one in found]

    def close(self) -> None:
        return


PEERS: dict[str, Any] = {
    "chroma": Chroma,
    "milvus-lite": MilvusLite,
    "lancedb": LanceDB,
    "qdrant-local": QdrantLocal,
    "mem0": Mem0,
}


def measured(name: str, data: Path, nodes: int, folder: Path) -> dict[str, Any]:
    given = np.load(data)
    vectors, queries = given["vectors"], given["queries"]
    texts = [f"{n} " + "x" * 1_000 for n in range(nodes + SINGLE)]
    peer: Any = PEERS[name](folder, vectors.shape[1])
    with closing(peer):
        start = time.perf_counter()
        for first in range(0, nodes, BATCH):
            numbers = range(first, min(first + BATCH, nodes))
            peer.add(numbers, vectors[first : numbers.stop], texts[first : numbers.stop])
        filled = time.perf_counter() - start
        found = [peer.search(query) for query in queries]
        taken, one = searching(peer, queries, 1)
        _, many = searching(peer, queries, THREADS)
        start = time.perf_counter()
        for number in range(nodes, nodes + SINGLE):
            peer.add([number], queries[number % len(queries)][None], [texts[number]])
        single = SINGLE / (time.perf_counter() - start)
    return {
        "name": name,
        "version": version(peer.package),
        "recall": recall(found, vectors, queries, given["least"]),
        "p50": float(np.median(taken)) * 1e3,
        "one": one,
        "many": many,
        "batch": nodes / filled,
        "single": single,
        "sync": peer.sync,
    }


@contextmanager
def closing(peer: Any) -> Iterator[None]:
    try:
        yield
    finally:
        peer.close()


def recall(found: Sequence[Sequence[int]], vectors: Any, queries: Any, least: Any) -> float:
    """The share of the K nearest that was found. Nearest is what is as near as the K-th (`least`, a cosine for
    each query): which of several equal vectors is found makes no difference."""
    near = [vectors[list(f)] @ q >= bar - 1e-5 for f, q, bar in zip(found, queries, least, strict=True)]
    return float(np.mean([min(K, int(one.sum())) / K for one in near]))


def searching(peer: Any, queries: Any, threads: int) -> tuple[list[float], float]:
    """Latencies, and searches a second, of so many threads that each search again and again."""
    taken: list[float] = []
    until = time.perf_counter() + SECONDS
    lock = threading.Lock()

    def search(offset: int) -> None:
        place = offset
        while time.perf_counter() < until:
            start = time.perf_counter()
            peer.search(queries[place % len(queries)])
            with lock:
                taken.append(time.perf_counter() - start)
            place += threads

    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        list(pool.map(search, range(threads)))
        return taken, len(taken) / (time.perf_counter() - start)


if __name__ == "__main__":
    _, chosen, path, count, where = sys.argv
    print(json.dumps(measured(chosen, Path(path), int(count), Path(where))))
