"""What a process costs as more clients are connected to it: calls a second, latency, memory per connection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import grpc
import numpy as np

from memorybank.v1 import retrieval_pb2
from tests.bench.bench_service import BANK, SEARCH, WARM
from tests.bench.corpus import Corpus, by_vector, fill
from tests.bench.floor import teach
from tests.bench.growth.curves import Curves, Figure, Measures
from tests.bench.growth.started import LARGEST, service
from tests.bench.measuring import Sample, calm, closed_loop, resident_bytes, together
from tests.support.process import server_process

NODES = 1_000  # in the bank that is searched
QUESTIONS = 200
OWN_CONNECTION = [*LARGEST, ("grpc.use_local_subchannel_pool", 1)]  # else channels to one address share one
CONNECTED_AT_ONCE = 50

FIGURES = (
    Figure(
        caption="Calls a second, one in flight on each connection",
        unit="/s",
        lines={"service": "calls/s", "floor": "floor calls/s"},
    ),
    Figure(
        caption="Latency, one call in flight on each connection",
        unit="ms",
        lines={
            "service p50": "p50 ms",
            "service p99": "p99 ms",
            "floor p50": "floor p50 ms",
            "floor p99": "floor p99 ms",
        },
    ),
    Figure(
        caption="Processor time of the server per call",
        unit="µs",
        lines={"service": "CPU µs", "floor": "floor CPU µs"},
    ),
    Figure(
        caption="Memory per connection",
        unit="kB",
        lines={"service": "memory, kB a connection", "floor": "floor memory, kB a connection"},
    ),
)
READING = (
    f"Search by vector in a bank of {NODES:,} nodes; the floor answers the same bytes. Each connection is a channel "
    "of its own, with one call in flight at a time: so many connections, so many calls at once. The client is one "
    "process of Python: where the floor's curve is flat, it is the client that is full. Memory is RSS after the "
    "calls, over that before anybody connected. Both scales are logarithmic."
)


def curves() -> Curves:
    return Curves(title="Connections", growing="connections", figures=FIGURES, reading=READING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The service or the floor, with all its connections."""

    pid: int
    calls: list[Any]
    unconnected: int  # bytes it held before them

    async def ask(self, requests: Iterator[bytes], calls: int) -> Sample:
        """One call in flight on each connection, until there were so many in all."""
        free = list(self.calls)

        async def call(request: bytes) -> bytes:
            one = free.pop()
            answer: bytes = await one(request)
            free.append(one)
            return answer

        return await closed_loop(call, requests, self.pid, calls=calls, in_flight=len(free))

    def held(self) -> float:
        """Kilobytes per connection."""
        return (resident_bytes(self.pid) - self.unconnected) / len(self.calls) / 1e3


async def measure(connections: int, seconds: float, rounds: int, folder: Path) -> Measures:
    """All measures of a service with so many connections."""
    corpus = Corpus(NODES)
    questions = corpus.questions(QUESTIONS)
    asked = [by_vector(BANK, q, mode=retrieval_pb2.SEARCH_MODE_EMBEDDING) for q in questions]
    requests = cycle([request.SerializeToString() for request in asked])
    async with (
        service(folder / "service") as started,
        server_process(folder / "floor", program=("-m", "tests.bench.floor")) as floor,
        grpc.aio.insecure_channel(floor.address, options=LARGEST) as floor_channel,
    ):
        await fill(started.channel, BANK, corpus)
        await calm(started.pid)
        search = started.channel.unary_unary(SEARCH)
        await teach(floor_channel, SEARCH, [await search(next(requests)) for _ in range(QUESTIONS)])
        await closed_loop(search, requests, started.pid, calls=WARM, in_flight=1)
        async with (
            _connected(started.server.address, started.pid, connections, requests) as one,
            _connected(floor.address, floor.pid, connections, requests) as other,
        ):
            samples = await _by_turns((one, other), requests, seconds, rounds)
            await calm(started.pid)
            return _measures(samples[0], samples[1]) | {
                "memory, kB a connection": one.held(),
                "floor memory, kB a connection": other.held(),
            }


@asynccontextmanager
async def _connected(address: str, pid: int, count: int, requests: Iterator[bytes]) -> AsyncIterator[Side]:
    before = resident_bytes(pid)
    async with AsyncExitStack() as stack:
        calls: list[Any] = []
        for start in range(0, count, CONNECTED_AT_ONCE):
            channels: list[Any] = [
                await stack.enter_async_context(grpc.aio.insecure_channel(address, options=OWN_CONNECTION))
                for _ in range(start, min(start + CONNECTED_AT_ONCE, count))
            ]
            some = [channel.unary_unary(SEARCH) for channel in channels]
            await asyncio.gather(*(call(next(requests)) for call in some))
            calls += some
        yield Side(pid=pid, calls=calls, unconnected=before)


async def _by_turns(
    sides: tuple[Side, Side], requests: Iterator[bytes], seconds: float, rounds: int
) -> list[Sample]:
    """A slice on the service, one on the floor, and so on."""
    connections = len(sides[0].calls)
    tried = await sides[0].ask(requests, max(WARM, connections))
    calls = max(2 * connections, WARM, round(tried.rate * seconds))
    taken: list[list[Sample]] = [[], []]
    for _ in range(rounds):
        for side, samples in zip(sides, taken, strict=True):
            samples.append(await side.ask(requests, calls))
    return [together(samples) for samples in taken]


def _measures(one: Sample, floor: Sample) -> Measures:
    measures: Measures = {}
    for prefix, sample in (("", one), ("floor ", floor)):
        p50, p99 = np.percentile(sample.latencies, [50, 99]) * 1e3
        measures |= {
            f"{prefix}calls/s": sample.rate,
            f"{prefix}p50 ms": p50,
            f"{prefix}p99 ms": p99,
            f"{prefix}CPU µs": sample.cpu_per_call * 1e6,
        }
    return measures | {"CPU / floor": one.cpu_per_call / floor.cpu_per_call}
