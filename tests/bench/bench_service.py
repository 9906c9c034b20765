"""The whole service by a client in another process, beside the floor: a bare echo of the same bytes.

    python -m tests.bench.bench_service [--nodes 1000 10000] [--seconds 1] [--rounds 4] [--only search]

Service and floor take turns, a slice each, for as many rounds: a machine that is slow for a while is slow for
both, and it is the ratios that count. A call's latency is the client's; the processor time is the server
process's, all of its threads. The client is Python too, and takes a processor of its own: with 16 calls in
flight it is often the client that is full, which `calls/s` of the floor shows.
"""

import argparse
import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Any

import grpc
import numpy as np

from memorybank.v1 import memory_bank_pb2, memory_bank_pb2_grpc, query_graph_pb2, retrieval_pb2
from tests.bench.corpus import BATCH, Corpus, Question, by_text, by_vector, create_bank, fill
from tests.bench.floor import teach
from tests.bench.measuring import Sample, closed_loop, rests, table, together
from tests.support.process import Settings, server_process

BANK = "bench"
QUESTIONS = 1_000
CACHED = 50  # texts asked again and again
WARM = 40  # calls before it counts, at least, whose answers the floor then gives
MANY = 16  # in flight
SEARCH = "/memorybank.v1.Retrieval/Search"
GET_NODE = "/memorybank.v1.QueryGraph/GetNode"
ADD_NODE = "/memorybank.v1.QueryGraph/AddNode"
BATCH_ADD = "/memorybank.v1.QueryGraph/BatchAddNodes"
MEMORIZE = "/memorybank.v1.MemoryBank/Memorize"
LARGEST = [("grpc.max_receive_message_length", -1)]
HEADER = (
    "{nodes:,} nodes",
    "bytes",
    "p50 ms",
    "p95",
    "p99",
    "floor p50",
    "CPU µs",
    "floor",
    "ratio",
    f"CPU µs, {MANY} at once",
    "floor",
    "ratio",
    "calls/s",
    f"{MANY} at once",
    "floor",
)

Requests = Iterator[bytes]


def room_for(nodes: int) -> Settings:
    """A service that takes so many nodes in a bank, and what is added to them."""
    return {"limits.nodes_per_bank": str(2 * nodes + 100_000)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A kind of call, and its requests without end. `before` it counts so many are asked: once all that come again."""

    name: str
    method: str
    requests: Requests
    before: int = WARM


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Service and floor, with one call in flight and with many."""

    answer_bytes: float
    one: Sample
    many: Sample
    floor_one: Sample
    floor_many: Sample


class Bench:
    """A filled service and a floor, each a process with a channel of the same kind."""

    def __init__(
        self, service: Any, pid: int, floor: Any, floor_pid: int, seconds: float, rounds: int
    ) -> None:
        self._service, self._pid = service, pid
        self._floor, self._floor_pid = floor, floor_pid
        self._seconds, self._rounds = seconds, rounds

    async def measure(self, case: Case) -> Measured:
        call = self._service.unary_unary(case.method)
        floor = self._floor.unary_unary(case.method)
        start = time.perf_counter()
        answers = [await call(next(case.requests)) for _ in range(WARM)]
        each = (time.perf_counter() - start) / WARM
        await closed_loop(call, case.requests, self._pid, calls=case.before - WARM, in_flight=1)
        await teach(self._floor, case.method, answers)
        calls = max(MANY, min(2_000, round(self._seconds / each)))
        sides: dict[tuple[bool, int], list[Sample]] = {(s, n): [] for s in (True, False) for n in (1, MANY)}
        for _ in range(self._rounds):
            for (is_service, in_flight), taken in sides.items():
                ask, pid = (call, self._pid) if is_service else (floor, self._floor_pid)
                loop = closed_loop(ask, case.requests, pid, calls=calls, in_flight=in_flight)
                taken.append(await loop)
        return Measured(
            answer_bytes=float(np.mean([len(answer) for answer in answers])),
            one=together(sides[True, 1]),
            many=together(sides[True, MANY]),
            floor_one=together(sides[False, 1]),
            floor_many=together(sides[False, MANY]),
        )


def row(name: str, measured: Measured) -> tuple[str, ...]:
    one, many = measured.one, measured.many
    floor, floor_many = measured.floor_one, measured.floor_many
    p50, p95, p99 = np.percentile(one.latencies, [50, 95, 99]) * 1e3
    return (
        name,
        f"{measured.answer_bytes:,.0f}",
        *(f"{value:.2f}" for value in (p50, p95, p99, np.median(floor.latencies) * 1e3)),
        *_cpu(one, floor),
        *_cpu(many, floor_many),
        *(f"{sample.rate:,.0f}" for sample in (one, many, floor_many)),
    )


def _cpu(service: Sample, floor: Sample) -> tuple[str, str, str]:
    ratio = service.cpu_per_call / floor.cpu_per_call
    return f"{service.cpu_per_call * 1e6:,.0f}", f"{floor.cpu_per_call * 1e6:,.0f}", f"{ratio:.2f}"


# ---- what is asked ----


def reads(corpus: Corpus) -> list[Case]:
    questions = corpus.questions(QUESTIONS)
    cached = questions[:CACHED]
    only_meaning = retrieval_pb2.SEARCH_MODE_EMBEDDING

    def asked(make: Callable[[Question], retrieval_pb2.SearchRequest], of: list[Question]) -> Requests:
        return cycle([make(question).SerializeToString() for question in of])

    def search(
        name: str, make: Callable[[Question], retrieval_pb2.SearchRequest], of: list[Question]
    ) -> Case:
        return Case(name=f"Search {name}", method=SEARCH, requests=asked(make, of), before=len(of))

    return [
        search("vector, EMBEDDING", lambda q: by_vector(BANK, q, mode=only_meaning), questions),
        search("vector, no neighbours", lambda q: by_vector(BANK, q, mode=only_meaning, hops=0), questions),
        search("vector + keywords, HYBRID", lambda q: by_vector(BANK, q, keywords=q.keywords), questions),
        search("text seen, HYBRID", lambda q: by_text(BANK, q), cached),
        search("text seen, no neighbours", lambda q: by_text(BANK, q, hops=0), cached),
        Case(name="Search text unseen, HYBRID", method=SEARCH, requests=unseen(questions)),
        Case(name="GetNode", method=GET_NODE, requests=nodes_asked(len(corpus))),
    ]


def unseen(questions: list[Question]) -> Requests:
    for number in count():
        question = questions[number % len(questions)]
        request = by_text(BANK, question)
        request.text = f"{question.text} {number}"
        yield request.SerializeToString()


def nodes_asked(nodes: int) -> Requests:
    rng = np.random.default_rng(3)
    while True:
        node_id = f"n{rng.integers(nodes)}"
        yield query_graph_pb2.GetNodeRequest(bank_id=BANK, node_id=node_id).SerializeToString()


def writes(corpus: Corpus) -> list[Case]:
    numbers = count(len(corpus))
    return [
        Case(name="AddNode, vector given", method=ADD_NODE, requests=added(corpus, numbers)),
        Case(
            name=f"BatchAddNodes({BATCH}), vectors",
            method=BATCH_ADD,
            requests=added_together(corpus, numbers),
        ),
        Case(name="Memorize, a sentence", method=MEMORIZE, requests=memorized(corpus)),
    ]


def added(corpus: Corpus, numbers: Iterator[int]) -> Requests:
    for number in numbers:
        node = corpus.node(number)
        yield query_graph_pb2.AddNodeRequest(
            bank_id=BANK,
            node_id=node.node_id,
            summary=node.summary,
            context=node.context,
            keywords=node.keywords,
            embedding=node.embedding,
            related_node_ids=node.related_node_ids,
        ).SerializeToString()


def added_together(corpus: Corpus, numbers: Iterator[int], bank_id: str = BANK) -> Requests:
    while True:
        nodes = [corpus.node(next(numbers)) for _ in range(BATCH)]
        yield query_graph_pb2.BatchAddNodesRequest(bank_id=bank_id, nodes=nodes).SerializeToString()


def memorized(corpus: Corpus) -> Requests:
    for number in count():
        text = f"{corpus.node(number % len(corpus)).context}: {number}."
        yield memory_bank_pb2.MemorizeRequest(bank_id="memories", text=text).SerializeToString()


# ---- the disk's own floor ----


def raw_commits(path: Path, rows: int, size: int) -> float:
    """Median seconds of a durable SQLite commit of one row of `size` bytes, as the store sets SQLite up."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, content BLOB)")
    taken = []
    for _ in range(rows):
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (content) VALUES (?)", (b"x" * size,))
        connection.execute("COMMIT")
        taken.append(time.perf_counter() - start)
    connection.close()
    return float(np.median(taken))


# ---- all of it ----


async def one_size(nodes: int, given: argparse.Namespace, folder: Path) -> None:
    corpus = Corpus(nodes)
    async with (
        server_process(folder / "service", room_for(nodes)) as service,
        server_process(folder / "floor", program=("-m", "tests.bench.floor")) as floor,
        grpc.aio.insecure_channel(service.address, options=LARGEST) as channel,
        grpc.aio.insecure_channel(floor.address, options=LARGEST) as floor_channel,
    ):
        filled = await fill(channel, BANK, corpus)
        await rests(service.pid)
        print(f"\nfilled with {nodes:,} nodes: {nodes / filled:,.0f} a second, durable, {BATCH} a call")
        await memory_bank_pb2_grpc.MemoryBankStub(channel).CreateBank(create_bank("memories"))
        bench = Bench(channel, service.pid, floor_channel, floor.pid, given.seconds, given.rounds)
        rows, commits = [], []
        for case in (*reads(corpus), *writes(corpus)):
            if given.only not in case.name:
                continue
            if case.method == ADD_NODE:
                commits.append(await asyncio.to_thread(raw_commits, folder / "raw.db", 500, 4_096))
            rows.append(row(case.name, await bench.measure(case)))
            if case.method == ADD_NODE:
                commits.append(await asyncio.to_thread(raw_commits, folder / "raw.db", 500, 4_096))
        print(table([name.format(nodes=nodes) for name in HEADER], rows))
        if commits:
            shown = " and ".join(f"{seconds * 1e3:.3f}" for seconds in commits)
            print(f"a raw SQLite commit of 4 kB just before and after AddNode: p50 {shown} ms")


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=0.7, help="of a slice")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    given = parser.parse_args()
    for nodes in given.nodes:
        with tempfile.TemporaryDirectory() as folder:
            await one_size(nodes, given, Path(folder))


if __name__ == "__main__":
    asyncio.run(main())
