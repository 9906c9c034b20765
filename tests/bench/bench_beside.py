"""What reads of one bank feel of everything else that the process does.

    python -m tests.bench.bench_beside [--beside fill load facts texts] [--embedders local light]
                                       [--against CHECKOUT] [--nodes 10000] [--seconds 5] [--rates 100] [--texts 50]

Searches by vector at one rate after another, and then by texts not seen before, come at a rate of their own
(open-loop: each when it is due, answered or not; a latency counts from when it was due) to a bank of 10,000 nodes,
while the process has nothing else to do, and then (`--beside`; all, unless some are named)

- fill: stores nodes in another bank as fast as one writer can send them, a hundred a call; and then compiles that
  bank's index, which it does once a bank rests,
- load: reads other banks from the disk, with the snapshots of their indexes, again and again, since it has no room to
  keep them,
- facts: memorizes short facts in another bank, one after the other,
- texts: memorizes texts of 2,000 characters there, one after the other: English ones with Chinese words among them,
  then Chinese ones.

Who writes and who asks are processes of their own; on two processors they wait for one another, too, which the floor
shows: the same calls at the same rate, beside the same work, to a bare echo of the same bytes. At a rate that the
machine has room for, what is left above the floor is what work in the service makes its reads wait for; where both
processors are full (CPU: of the service, of one processor), it is the machine. "x alone": the 99th percentile, beside
that of the same searches while there is nothing else to do. With `--against` a server of that checkout does the same
beside work of its own, row by row in turns.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import grpc
import numpy as np
from numpy.typing import NDArray

from memorybank.v1 import (
    memory_bank_pb2,
    memory_bank_pb2_grpc,
    query_graph_pb2,
    query_graph_pb2_grpc,
    retrieval_pb2,
)
from service.holding.held import REST_SECONDS
from tests.bench.bench_service import BANK, BATCH_ADD, LARGEST, SEARCH, WARM, added_together, unseen
from tests.bench.bench_short_facts import facts
from tests.bench.corpus import Corpus, by_vector, create_bank, fill
from tests.bench.floor import teach
from tests.bench.measuring import calm, cpu_seconds, open_loop, rests, table
from tests.support.process import CHECKOUT, Settings, server_process

BESIDE = ("fill", "load", "facts", "texts")
QUESTIONS = 1_000
LONG = 2_000  # characters
REST = 20.0  # seconds that what was begun beside may take to its end, at the most
FILLED = "a bank being filled"
OTHERS = ("one", "another")  # banks that take each other's room
RECKONED = 6_100  # bytes that the service takes a node of the corpus for (`Bank.size`)
ENOUGH = {"limits.nodes_per_bank": "10000000", "banks.memory_budget_bytes": "16000000000"}
ROOM = 2.5  # banks that there is room for, where three are read
DIMENSIONS = {"local": 384, "light": 512}  # of the embedders that need no endpoint
FIGURES = ("p99", "x alone", "longest")
HEADER = ("beside", "of", "rate", "p50 ms", *FIGURES, "floor p50", *FIGURES, "CPU")

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

    name: str
    address: str
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
    """Services with a bank to ask, and a floor that knows some of the first one's answers."""

    def __init__(self, floor: Side, kinds: list[Kind], seconds: float) -> None:
        self._floor, self._kinds, self._seconds = floor, kinds, seconds
        self._alone: dict[
            str, Alone
        ] = {}  # 99th percentiles beside nothing: of a service by name, and of the floor
        self.rows: list[Row] = []

    async def prepare(self, service: Side) -> None:
        call = service.channel.unary_unary(SEARCH)
        answers = [await call(next(kind.requests)) for _ in range(WARM) for kind in self._kinds]
        await teach(self._floor.channel, SEARCH, answers)

    async def measure(self, beside: str, service: Side) -> None:
        """Adds a row of each kind, asked of the service and right after it of the floor. What is measured of a service
        first is what it takes beside nothing."""
        pairs = [
            [await felt(side, kind, self._seconds) for side in (service, self._floor)] for kind in self._kinds
        ]
        alone = self._alone.setdefault(service.name, [(ours.last, bare.last) for ours, bare in pairs])
        self.rows += [
            (
                f"{beside}: {kind.name}",
                service.name,
                f"{kind.rate:,.0f}/s",
                *figures(ours, by_itself),
                *figures(bare, bare_by_itself),
                f"{ours.cpu:.0%}",
            )
            for kind, (ours, bare), (by_itself, bare_by_itself) in zip(self._kinds, pairs, alone, strict=True)
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


async def measure(embedder: str, given: argparse.Namespace, folder: Path) -> list[Row]:
    corpus = Corpus(given.nodes, dimension=DIMENSIONS[embedder])
    kinds = [
        *(Kind(name="by vector", requests=vectors(corpus), rate=rate) for rate in given.rates),
        Kind(name="by text", requests=unseen(corpus.questions(QUESTIONS)), rate=given.texts),
    ]
    checkouts = {"here": CHECKOUT} | ({"there": given.against.resolve()} if given.against else {})
    own = {"embedder.kind": embedder}
    async with serving("floor", folder / "floor", program=("-m", "tests.bench.floor")) as floor:
        bench = Bench(floor, kinds, given.seconds)
        async with AsyncExitStack() as stack:
            services = [
                await stack.enter_async_context(serving(name, folder / name, own | ENOUGH, checkout))
                for name, checkout in checkouts.items()
            ]
            for service in services:
                for bank_id in (BANK, *OTHERS) if "load" in given.beside else (BANK,):
                    await fill(service.channel, bank_id, corpus)
                await rests(service.pid)
                await bench.prepare(service)
            for service in services:
                await bench.measure("nothing", service)
            for beside, work in works(given.beside):
                for service in services:
                    async with work(service):
                        await bench.measure(beside, service)
                    if beside == FILLED:
                        await asyncio.sleep(REST_SECONDS)
                        await bench.measure("its index being compiled", service)
                    await calm(service.pid, within=REST)
        if "load" in given.beside:
            room = own | {"banks.memory_budget_bytes": str(int(ROOM * RECKONED * given.nodes))}
            for name, checkout in checkouts.items():
                async with serving(name, folder / name, room, checkout) as service:
                    await bench.prepare(service)
                    async with loading(service):
                        await bench.measure("banks read from the disk", service)
    return bench.rows


@asynccontextmanager
async def serving(
    name: str,
    folder: Path,
    settings: Settings | None = None,
    checkout: Path = CHECKOUT,
    program: Sequence[str] = ("-m", "service"),
) -> AsyncIterator[Side]:
    of = ("env", "-C", str(checkout), f"PYTHONPATH={checkout}:{checkout}/protos")
    async with (
        server_process(folder, settings, of, program) as server,
        grpc.aio.insecure_channel(server.address, options=LARGEST) as channel,
    ):
        yield Side(name=name, address=server.address, channel=channel, pid=server.pid)
        await server.stop()  # not killed: the next one finds the snapshots of its indexes


def vectors(corpus: Corpus) -> Iterator[bytes]:
    only_meaning = retrieval_pb2.SEARCH_MODE_EMBEDDING
    questions = corpus.questions(QUESTIONS)
    return cycle([by_vector(BANK, q, mode=only_meaning).SerializeToString() for q in questions])


# ---- what goes on beside ----


def works(chosen: Sequence[str]) -> Iterator[tuple[str, Callable[[Side], AbstractAsyncContextManager[None]]]]:
    """Yields the names of what is to go on, and what does it; all but loading, which has a server of its own."""
    if "fill" in chosen:
        yield FILLED, filling
    if "facts" in chosen:
        yield "short facts", partial(memorizing, facts())
    if "texts" in chosen:
        corpus = Corpus(1_000)
        for name, is_chinese in (("long texts with Chinese words", False), ("long Chinese texts", True)):
            texts = map(partial(corpus.text, length=LONG, is_chinese=is_chinese), count())
            yield name, partial(memorizing, texts)


@asynccontextmanager
async def filling(service: Side) -> AsyncIterator[None]:
    """A process that fills a bank for as long as this lasts."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.bench_beside", "--fill", service.address),
        stdout=asyncio.subprocess.PIPE,
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
        await fill(channel, "filled", corpus)
        print("filling", flush=True)
        add = channel.unary_unary(BATCH_ADD)
        for request in added_together(corpus, count(len(corpus)), "filled"):
            await add(request)


@asynccontextmanager
async def loading(service: Side) -> AsyncIterator[None]:
    """Reads, by turns, of banks of which the process keeps one at most."""

    async def read() -> None:
        graph = query_graph_pb2_grpc.QueryGraphStub(service.channel)
        for bank_id in cycle(OTHERS):
            await graph.GetNode(query_graph_pb2.GetNodeRequest(bank_id=bank_id, node_id="n1"))

    async with meanwhile(read()):
        yield


@asynccontextmanager
async def memorizing(texts: Iterator[str], service: Side) -> AsyncIterator[None]:
    """Texts memorized in a bank of their own, each once the one before is structured."""
    bank = memory_bank_pb2_grpc.MemoryBankStub(service.channel)
    created = create_bank("memories")
    created.allow_existing = True
    await bank.CreateBank(created)

    async def memorize() -> None:
        for text in texts:
            await bank.Memorize(memory_bank_pb2.MemorizeRequest(bank_id="memories", text=text))

    async with meanwhile(memorize()):
        yield


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        assert not task.done() or task.result() is None, "it ended by itself"
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", nargs="+", choices=BESIDE, default=BESIDE)
    parser.add_argument("--embedders", nargs="+", choices=DIMENSIONS, default=["local"])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each row")
    parser.add_argument("--rates", type=float, nargs="+", default=[100.0], help="searches by vector a second")
    parser.add_argument("--texts", type=float, default=50.0, help="searches by text a second")
    parser.add_argument("--fill", metavar="ADDRESS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fill:
        await fill_on(given.fill)
        return
    for embedder in given.embedders:
        with tempfile.TemporaryDirectory() as folder:
            rows = await measure(embedder, given, Path(folder))
        print(f"searches of a bank of {given.nodes:,} nodes, due at a rate, by the {embedder} embedder")
        print(table(HEADER, rows))


if __name__ == "__main__":
    asyncio.run(main())
