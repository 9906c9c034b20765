"""What reads of one bank feel of everything else that the process does.

    python -m tests.bench.bench_beside [--nodes 10000] [--seconds 5] [--rates 100 250 500] [--texts 100]

Searches by vector at one rate after another, and then by texts not seen before, come at a rate of their own
(open-loop: each when it is due, answered or not; a latency counts from when it was due) to a bank of 10,000 nodes,
while the process

- has nothing else to do,
- stores nodes in another bank as fast as one writer can send them, a hundred a call,
- compiles that bank's index, which it does once a bank rests,
- reads other banks from the disk, with the snapshots of their indexes, again and again, since it has no room to keep
  them.

Who writes and who asks are processes of their own; on two processors they wait for one another, too, which the floor
shows: the same calls at the same rate, beside the same work, to a bare echo of the same bytes. At a rate that the
machine has room for, what is left above the floor is what work in the service makes its reads wait for; where both
processors are full (CPU: of the service, of one processor), it is the machine. "x alone": the 99th percentile, beside
that of the same searches while there is nothing else to do.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Any

import grpc
import numpy as np
from numpy.typing import NDArray

from memorybank.v1 import query_graph_pb2, query_graph_pb2_grpc, retrieval_pb2
from service.holding.held import REST_SECONDS
from tests.bench.bench_service import BANK, BATCH_ADD, LARGEST, SEARCH, WARM, added_together, unseen
from tests.bench.corpus import Corpus, by_vector, fill
from tests.bench.floor import teach
from tests.bench.measuring import calm, cpu_seconds, open_loop, rests, table
from tests.support.process import Server, Settings, server_process

QUESTIONS = 1_000
OTHERS = ("one", "another")  # banks that take each other's room
FILLED = "filled"
RECKONED = 6_100  # bytes that the service takes a node of the corpus for (`Bank.size`)
ENOUGH = {"limits.nodes_per_bank": "10000000", "banks.memory_budget_bytes": "16000000000"}
ROOM = 2.5  # banks that there is room for, where three are read
FIGURES = ("p99", "x alone", "longest")
HEADER = ("beside", "rate", "p50 ms", *FIGURES, "floor p50", *FIGURES, "CPU")

Row = tuple[str, ...]
Alone = list[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of search: how it is asked for, how often a second."""

    name: str
    requests: Iterator[bytes]
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The service or the floor: who answers."""

    channel: Any
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Felt:
    """What the calls took, and the processor time that the process took meanwhile, as a share of one processor."""

    latencies: NDArray[np.float64]
    cpu: float

    @property
    def last(self) -> float:
        """The 99th percentile."""
        return float(np.percentile(self.latencies, 99))


class Bench:
    """A service with a bank to ask, and a floor that knows some of its answers."""

    def __init__(
        self, service: Side, floor: Side, kinds: list[Kind], seconds: float, alone: "Alone | None" = None
    ) -> None:
        """`alone`: what the same kinds took beside nothing; without it, the first rows are that."""
        self._service, self._floor = service, floor
        self._kinds, self._seconds = kinds, seconds
        self._alone = alone

    async def prepare(self) -> None:
        call = self._service.channel.unary_unary(SEARCH)
        answers = [await call(next(kind.requests)) for _ in range(WARM) for kind in self._kinds]
        await teach(self._floor.channel, SEARCH, answers)

    @property
    def alone(self) -> "Alone":
        """Each kind's 99th percentiles beside nothing, of the service and of the floor."""
        assert self._alone is not None, "nothing was measured yet"
        return self._alone

    async def rows(self, beside: str) -> list[Row]:
        """Each kind alone, by the service and right after it by the floor."""
        pairs = [
            [await felt(side, kind, self._seconds) for side in (self._service, self._floor)]
            for kind in self._kinds
        ]
        if self._alone is None:
            self._alone = [(ours.last, bare.last) for ours, bare in pairs]
        return [
            (
                f"{beside}: {kind.name}",
                f"{kind.rate:,.0f}/s",
                *figures(ours, alone),
                *figures(bare, bare_alone),
                f"{ours.cpu:.0%}",
            )
            for kind, (ours, bare), (alone, bare_alone) in zip(self._kinds, pairs, self._alone, strict=True)
        ]


async def felt(side: Side, kind: Kind, seconds: float) -> Felt:
    call = side.channel.unary_unary(SEARCH)
    # While the other side had its turn nobody asked: the bank may have left memory.
    await call(next(kind.requests))
    before, start = cpu_seconds(side.pid), time.perf_counter()
    latencies = await open_loop(call, kind.requests, rate=kind.rate, seconds=seconds)
    return Felt(latencies=latencies, cpu=(cpu_seconds(side.pid) - before) / (time.perf_counter() - start))


def figures(felt: Felt, alone: float) -> Row:
    """Milliseconds: the median, the 99th percentile, how many times that of the same kind alone, the longest."""
    middle, last, longest = np.percentile(felt.latencies, [50, 99, 100])
    return f"{1e3 * middle:.2f}", f"{1e3 * last:.2f}", f"{last / alone:.1f}", f"{1e3 * longest:.2f}"


# ---- what goes on beside ----


@asynccontextmanager
async def writer(address: str) -> AsyncIterator[None]:
    """A process that fills a bank for as long as this lasts."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.bench_beside", "--fill", address, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        yield
    finally:
        process.kill()
        await process.wait()


async def fill_on(address: str) -> None:
    """What that process does."""
    corpus = Corpus(1_000)
    channel: Any
    async with grpc.aio.insecure_channel(address, options=LARGEST) as channel:
        await fill(channel, FILLED, corpus)
        print("filling", flush=True)
        add = channel.unary_unary(BATCH_ADD)
        for request in added_together(corpus, count(len(corpus)), FILLED):
            await add(request)


@asynccontextmanager
async def loading(channel: Any) -> AsyncIterator[None]:
    """Reads, by turns, of banks of which the process keeps one at most."""

    async def read() -> None:
        graph = query_graph_pb2_grpc.QueryGraphStub(channel)
        for bank_id in cycle(OTHERS):
            await graph.GetNode(query_graph_pb2.GetNodeRequest(bank_id=bank_id, node_id="n1"))

    task = asyncio.create_task(read())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


# ---- all of it ----


@asynccontextmanager
async def serving(folder: Path, settings: Settings | None = None) -> AsyncIterator[tuple[Server, Side]]:
    async with (
        server_process(folder, settings) as server,
        grpc.aio.insecure_channel(server.address, options=LARGEST) as channel,
    ):
        yield server, Side(channel=channel, pid=server.pid)
        await server.stop()  # not killed: the next one finds the snapshots of its indexes


async def measure(given: argparse.Namespace, folder: Path) -> None:
    corpus = Corpus(given.nodes)
    kinds = [
        *(Kind(name="by vector", requests=vectors(corpus), rate=rate) for rate in given.rates),
        Kind(name="by text", requests=unseen(corpus.questions(QUESTIONS)), rate=given.texts),
    ]
    rows: list[Row] = []
    async with (
        server_process(folder / "floor", program=("-m", "tests.bench.floor")) as floor_server,
        grpc.aio.insecure_channel(floor_server.address, options=LARGEST) as floor_channel,
    ):
        floor = Side(channel=floor_channel, pid=floor_server.pid)
        async with serving(folder / "service", ENOUGH) as (server, service):
            for bank_id in (BANK, *OTHERS):
                await fill(service.channel, bank_id, corpus)
            await rests(service.pid)
            bench = Bench(service, floor, kinds, given.seconds)
            await bench.prepare()
            rows += await bench.rows("nothing")
            alone = bench.alone
            async with writer(server.address):
                rows += await bench.rows("a bank being filled")
            await asyncio.sleep(REST_SECONDS)
            rows += await bench.rows("its index being compiled")
            await calm(service.pid)
        room = {"banks.memory_budget_bytes": str(int(ROOM * RECKONED * given.nodes))}
        async with serving(folder / "service", room) as (_, service):
            bench = Bench(service, floor, kinds, given.seconds, alone)
            await bench.prepare()
            async with loading(service.channel):
                rows += await bench.rows("banks read from the disk")
    print(f"searches of a bank of {given.nodes:,} nodes, due at a rate")
    print(table(HEADER, rows))


def vectors(corpus: Corpus) -> Iterator[bytes]:
    only_meaning = retrieval_pb2.SEARCH_MODE_EMBEDDING
    questions = corpus.questions(QUESTIONS)
    return cycle([by_vector(BANK, q, mode=only_meaning).SerializeToString() for q in questions])


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each row")
    parser.add_argument(
        "--rates", type=float, nargs="+", default=[100.0, 250.0, 500.0], help="searches by vector a second"
    )
    parser.add_argument("--texts", type=float, default=100.0, help="searches by text a second")
    parser.add_argument("--fill", metavar="ADDRESS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fill:
        await fill_on(given.fill)
        return
    with tempfile.TemporaryDirectory() as folder:
        await measure(given, Path(folder))


if __name__ == "__main__":
    asyncio.run(main())
