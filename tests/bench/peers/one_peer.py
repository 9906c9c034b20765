"""One peer in an environment of its own: `python one_peer.py NAME DATA.npz FOLDER BEGAN`, told line by line what to do.

Law: imports nothing of ours, and each peer only where it is measured. Every peer is set up as its own documentation
starts, over a folder, and gets vectors, an id and the same payload; none makes any. A line of standard input is a JSON
object: what to do (`act`: a method of `Measured`), and its arguments; its answer is a line of JSON.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

K = 10
BATCH = 100
GROUPS = 10  # what a filter admits is one of these


class Peer:
    """A store over a folder, new or with what was put there before. `began`: when a start began, by the clock."""

    package = ""
    sync = ""  # what an add has brought to the disk when it returns

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        self.began = began
        self.pid = os.getpid()  # of the process that holds the data

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        raise NotImplementedError

    def search(self, vector: Any, group: int | None) -> list[int]:
        """The numbers of the K nearest, their texts read too; of one group, if one is named."""
        raise NotImplementedError

    def close(self) -> None:
        return


class Chroma(Peer):
    """Its HTTP server, in a process of its own, and its client."""

    package = "chromadb"
    sync = "SQLite WAL and a log of its own"

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        import chromadb  # type: ignore[import-not-found]

        super().__init__(folder, dimension, began)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        program = str(Path(sys.executable).parent / "chroma")
        self.began = time.time()  # its client is no part of its start
        self._server = subprocess.Popen(
            [program, "run", "--path", str(folder), "--port", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.pid = self._server.pid
        while not _listens(port):
            time.sleep(0.01)
        self._client = chromadb.HttpClient(host="127.0.0.1", port=port)
        self._set = self._client.get_or_create_collection("bench", metadata={"hnsw:space": "cosine"})

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        groups = [{"grp": n % GROUPS} for n in numbers]
        self._set.add(
            ids=[str(n) for n in numbers], embeddings=vectors, documents=list(texts), metadatas=groups
        )

    def search(self, vector: Any, group: int | None) -> list[int]:
        only = None if group is None else {"grp": group}
        found = self._set.query(query_embeddings=vector[None], n_results=K, include=["documents"], where=only)
        return [int(one) for one in found["ids"][0]]

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()


class LanceDB(Peer):
    package = "lancedb"
    sync = "files, never synced"

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        import lancedb  # type: ignore[import-not-found]
        import pyarrow as pa  # type: ignore[import-not-found]

        super().__init__(folder, dimension, began)
        fields = [
            ("id", pa.int64()),
            ("vector", pa.list_(pa.float32(), dimension)),
            ("text", pa.string()),
            ("grp", pa.int64()),
        ]
        self._table = lancedb.connect(str(folder)).create_table(
            "bench", schema=pa.schema(fields), exist_ok=True
        )

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = zip(numbers, vectors, texts, strict=True)
        self._table.add([{"id": n, "vector": v, "text": t, "grp": n % GROUPS} for n, v, t in rows])

    def search(self, vector: Any, group: int | None) -> list[int]:
        query = self._table.search(vector).distance_type("cosine").limit(K)
        if group is not None:
            query = query.where(f"grp = {group}", prefilter=True)
        return [one["id"] for one in query.to_list()]


class QdrantLocal(Peer):
    package = "qdrant-client"
    sync = "SQLite, as it is set by default"

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        from qdrant_client import QdrantClient, models  # type: ignore[import-not-found]

        super().__init__(folder, dimension, began)
        self._models = models
        self._client = QdrantClient(path=str(folder), force_disable_check_same_thread=True)
        params = models.VectorParams(size=dimension, distance=models.Distance.COSINE)
        if not self._client.collection_exists("bench"):
            self._client.create_collection("bench", vectors_config=params)

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = zip(numbers, vectors, texts, strict=True)
        make = self._models.PointStruct
        points = [make(id=n, vector=v.tolist(), payload={"text": t, "grp": n % GROUPS}) for n, v, t in rows]
        self._client.upsert("bench", points)

    def search(self, vector: Any, group: int | None) -> list[int]:
        models, only = self._models, None
        if group is not None:
            wanted = models.FieldCondition(key="grp", match=models.MatchValue(value=group))
            only = models.Filter(must=[wanted])
        found = self._client.query_points("bench", query=vector.tolist(), query_filter=only, limit=K)
        return [one.id for one in found.points]

    def close(self) -> None:
        self._client.close()


class SqliteVec(Peer):
    """A table of vectors in SQLite, scanned; through apsw, as Python's own module may not load extensions."""

    package = "sqlite-vec"
    sync = "SQLite, as it is set by default"

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        super().__init__(folder, dimension, began)
        self._file = str(folder / "vectors.db")
        self._own = threading.local()
        columns = f"id INTEGER PRIMARY KEY, vector FLOAT[{dimension}] distance_metric=cosine, grp INTEGER, +text TEXT"
        self._opened.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS bench USING vec0({columns})")

    @property
    def _opened(self) -> Any:
        """A connection of this thread."""
        if not hasattr(self._own, "opened"):
            import apsw  # type: ignore[import-not-found]
            import sqlite_vec  # type: ignore[import-not-found]

            self._own.opened = apsw.Connection(self._file)
            self._own.opened.enable_load_extension(True)
            self._own.opened.load_extension(sqlite_vec.loadable_path())
        return self._own.opened

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = [(n, v.tobytes(), n % GROUPS, t) for n, v, t in zip(numbers, vectors, texts, strict=True)]
        with self._opened:
            self._opened.executemany("INSERT INTO bench (id, vector, grp, text) VALUES (?, ?, ?, ?)", rows)

    def search(self, vector: Any, group: int | None) -> list[int]:
        asked, given = "SELECT id, text FROM bench WHERE vector MATCH ? AND k = ?", [vector.tobytes(), K]
        if group is not None:
            asked, given = asked + " AND grp = ?", [*given, group]
        return [row[0] for row in self._opened.execute(asked, given)]


class MilvusLite(Peer):
    package = "milvus-lite"
    sync = "never synced"

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        from pymilvus import MilvusClient  # type: ignore[import-not-found]

        super().__init__(folder, dimension, began)
        self._client = MilvusClient(str(folder / "milvus.db"))
        if not self._client.has_collection("bench"):
            self._client.create_collection("bench", dimension=dimension, metric_type="COSINE")

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        rows = zip(numbers, vectors, texts, strict=True)
        told = [{"id": n, "vector": v.tolist(), "text": t, "grp": n % GROUPS} for n, v, t in rows]
        self._client.insert("bench", told)

    def search(self, vector: Any, group: int | None) -> list[int]:
        only = "" if group is None else f"grp == {group}"
        found = self._client.search("bench", [vector.tolist()], limit=K, filter=only, output_fields=["text"])
        return [one["id"] for one in found[0]]

    def close(self) -> None:
        self._client.close()


class Mem0(Peer):
    """A memory system: `infer=False`, its local Qdrant, the vectors given by a stand-in for its embedder."""

    package = "mem0ai"
    sync = "SQLite twice, as they are set by default"

    def __init__(self, folder: Path, dimension: int, began: float) -> None:
        os.environ |= {"MEM0_TELEMETRY": "false", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
        from mem0 import Memory  # type: ignore[import-not-found]

        super().__init__(folder, dimension, began)
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": dimension, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._vectors: dict[str, list[float]] = {}
        self._memory.embedding_model = self  # its own would ask a service

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._vectors[text]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self._vectors[text] for text in texts]

    def add(self, numbers: Sequence[int], vectors: Any, texts: Sequence[str]) -> None:
        for number, vector, text in zip(numbers, vectors, texts, strict=True):
            self._vectors[text] = vector.tolist()
            self._memory.add(text, user_id="bench", metadata={"grp": number % GROUPS}, infer=False)

    def search(self, vector: Any, group: int | None) -> list[int]:
        query = str(uuid.uuid4())
        self._vectors[query] = vector.tolist()
        only = {"user_id": "bench"} | ({} if group is None else {"grp": group})
        found = self._memory.search(query, filters=only, top_k=K)["results"]
        return [int(one["memory"].split()[0]) for one in found]


PEERS: dict[str, type[Peer]] = {
    "chroma": Chroma,
    "qdrant-local": QdrantLocal,
    "lancedb": LanceDB,
    "sqlite-vec": SqliteVec,
    "milvus-lite": MilvusLite,
    "mem0": Mem0,
}


class Measured:
    """A peer, and what it can be told to do. What is not in the data is made, a vector of a question for each."""

    def __init__(self, name: str, data: Path, folder: Path, began: float) -> None:
        self._data: Any = np.load(data)
        self._queries = self._data["queries"]
        self.peer = PEERS[name](folder, self._queries.shape[1], began)

    def opened(self) -> dict[str, Any]:
        """Answers the first search, if there is anything: seconds since the start began."""
        self.peer.search(self._queries[0], None)
        package = self.peer.package
        return {
            "seconds": time.time() - self.peer.began,
            "pid": self.peer.pid,
            "version": version(package),
            "sync": self.peer.sync,
        }

    def add(self, first: int, count: int, batch: int) -> dict[str, float]:
        """Adds `count` from the number `first` on, so many a call; adds a second."""
        vectors, queries = self._data["vectors"], self._queries
        seconds = 0.0
        for start in range(first, first + count, batch):
            numbers = range(start, min(start + batch, first + count))
            given = np.stack([vectors[n] if n < len(vectors) else queries[n % len(queries)] for n in numbers])
            texts = [f"{n} " + "x" * 1_000 for n in numbers]
            began = time.perf_counter()
            self.peer.add(numbers, given, texts)
            seconds += time.perf_counter() - began
        return {"rate": count / seconds}

    def found(self) -> dict[str, list[list[int]]]:
        return {"found": [self.peer.search(query, None) for query in self._queries]}

    def search(self, callers: int, seconds: float, filtered: bool) -> dict[str, float]:
        """So many threads that each search again and again: searches a second, and the median of their latencies."""
        taken: list[float] = []
        until = time.perf_counter() + seconds

        def searching(offset: int) -> None:
            place = offset
            while time.perf_counter() < until:
                start = time.perf_counter()
                group = place % GROUPS if filtered else None
                self.peer.search(self._queries[place % len(self._queries)], group)
                taken.append(time.perf_counter() - start)
                place += callers

        with ThreadPoolExecutor(callers) as pool:
            start = time.perf_counter()
            list(pool.map(searching, range(callers)))
            rate = len(taken) / (time.perf_counter() - start)
        return {"rate": rate, "p50": float(np.median(taken)) * 1e3, "calls": len(taken)}


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def main(name: str, data: str, folder: str, began: str) -> None:
    measured = Measured(name, Path(data), Path(folder), float(began))
    try:
        for line in sys.stdin:
            told = json.loads(line)
            print("answer", json.dumps(getattr(measured, told.pop("act"))(**told)), flush=True)
    finally:
        measured.peer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
