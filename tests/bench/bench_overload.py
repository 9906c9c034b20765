"""What the service still answers in time when far more is asked for than it can do, and a short search beside that.

    python -m tests.bench.bench_overload [--kinds search text add batch] [--nodes 1000] [--seconds 4] [--connections 4]

Kinds: `search` by vector, `text` (searches of new texts), `add` (a node with its vector), `batch` (a hundred of them),
`texts` (BatchAddNodes of texts alone), `searches` (BatchSearch of new texts), `fact` (StoreFact), `context`
(AssembleContext of the bank for a new input).

For each kind of call the load is raised step by step, which shows the peak: most calls a second answered within their
deadline. Then five times the peak is asked for. Calls are sent when they are due, by a process of its own
(`tests.bench.open_load`; a client in Go that sends the same found the same). "by one": what one connection alone that
asks for five times the peak is answered in time. "beside": short searches by text, twenty a second on a connection of
their own, meanwhile. "next ÷ before": a short search right after an overload beside the same before it, medians of a
few.
"""

import argparse
import asyncio
import base64
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import grpc
import numpy as np

from memorybank.v1 import long_term_pb2, query_graph_pb2, retrieval_pb2
from tests.bench.bench_service import (
    ADD_NODE,
    BANK,
    BATCH_ADD,
    LARGEST,
    SEARCH,
    added,
    added_together,
    unseen,
)
from tests.bench.corpus import Corpus, by_vector, fill
from tests.bench.measuring import calm, table
from tests.support.process import server_process

QUESTIONS = 1_000
TEXTS = 20  # of a batch of texts
BY_ONE = (0.5, 0.8, 1.1, 1.5)
FEW = 5  # short searches of which the median counts, before an overload and after it
BATCH_SEARCH = "/memorybank.v1.Retrieval/BatchSearch"
ASSEMBLE_CONTEXT = "/memorybank.v1.Retrieval/AssembleContext"
STORE_FACT = "/memorybank.v1.LongTerm/StoreFact"
MOST_REQUESTS = 20_000  # different ones of a step
BESIDE = 20.0  # short searches a second
HEADER = (
    "kind",
    "asked/s",
    "in time/s",
    "of peak",
    "refused",
    "cancelled",
    "too late",
    "p99 ms",
    "by one",
    "beside p99 ms",
    "next ÷ before",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of call: its requests, its deadline in seconds, the loads of its steps (calls a second). `by_one`: both
    are multiples of what one call takes alone, and of how many one caller gets done a second: texts take what the
    machine has."""

    name: str
    method: str
    requests: Iterator[bytes]
    timeout: float
    steps: tuple[float, ...]
    by_one: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a load."""

    asked: float
    seconds: float
    statuses: dict[str, int]
    latencies: list[float]

    @property
    def in_time(self) -> float:
        return self.statuses.get("0", 0) / self.seconds

    @property
    def last(self) -> float:
        """The 99th percentile of what was answered, in milliseconds."""
        return float(np.percentile(self.latencies, 99)) * 1e3 if self.latencies else float("nan")


class Bench:
    """A filled service and the processes that ask it."""

    def __init__(
        self, channel: grpc.aio.Channel, address: str, pid: int, folder: Path, given: argparse.Namespace
    ) -> None:
        self._channel, self._address, self._pid = channel, address, pid
        self._folder, self._given = folder, given

    async def rows(self, kind: Kind, short: Kind) -> list[tuple[str, ...]]:
        if kind.by_one:
            alone = await self.alone(kind)
            paces = tuple(step / alone for step in kind.steps)
            kind = replace(kind, timeout=kind.timeout * alone, steps=paces)
        steps = [await self.load(kind, rate, self._given.connections) for rate in kind.steps]
        peak = max(outcome.in_time for outcome in steps)
        before = await self.alone(short)
        over = await self.load(kind, 5 * peak, self._given.connections, rests=False)
        after = await self.alone(short)
        await calm(self._pid, within=10)
        by_one, beside = await asyncio.gather(self.load(kind, 5 * peak, 1), self.load(short, BESIDE, 1))
        last = (
            f"{by_one.in_time / peak:.0%}",
            f"{beside.last:,.0f} ({beside.statuses.get('0', 0)} of {round(BESIDE * beside.seconds)} answered)",
            f"{after / before:.1f}",
        )
        return [row(kind.name, outcome, peak) for outcome in steps] + [row(kind.name, over, peak, last)]

    async def alone(self, kind: Kind) -> float:
        """Seconds of a call, one at a time."""
        channel: Any = self._channel  # its types know no calls of bare bytes
        call, took = channel.unary_unary(kind.method), []
        for _ in range(FEW):
            start = time.perf_counter()
            await call(next(kind.requests), timeout=60.0)
            took.append(time.perf_counter() - start)
        return float(np.median(took))

    async def load(self, kind: Kind, rate: float, connections: int, *, rests: bool = True) -> Outcome:
        seconds, requests = self._given.seconds, self._folder / f"{kind.name}.{rate:.0f}.{connections}"
        asked = islice(kind.requests, min(MOST_REQUESTS, round(rate * seconds)))
        requests.write_bytes(b"\n".join(base64.b64encode(request) for request in asked))
        options = {"rate": rate, "seconds": seconds, "timeout": kind.timeout, "connections": connections}
        client = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench.open_load", self._address, kind.method, str(requests)),
            *(word for name, value in options.items() for word in (f"--{name}", str(value))),
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await client.communicate()
        if rests:
            await calm(self._pid, within=10)
        found = json.loads(said)
        return Outcome(asked=rate, seconds=seconds, statuses=found["statuses"], latencies=found["latencies"])


def row(name: str, outcome: Outcome, peak: float, last: tuple[str, ...] = ("", "", "")) -> tuple[str, ...]:
    statuses = outcome.statuses
    late = sum(many for status, many in statuses.items() if status not in ("0", "1", "8"))
    return (
        name,
        f"{outcome.asked:,.0f}",
        f"{outcome.in_time:,.0f}",
        f"{outcome.in_time / peak:.0%}",
        f"{statuses.get('8', 0):,}",
        f"{statuses.get('1', 0):,}",
        f"{late:,}",
        f"{outcome.last:,.0f}",
        *last,
    )


def kinds(corpus: Corpus) -> dict[str, Kind]:
    numbers = count(len(corpus))
    return {
        "search": Kind(
            name="search",
            method=SEARCH,
            requests=vectors(corpus),
            timeout=0.5,
            steps=(500.0, 750.0, 1_000.0, 1_500.0, 2_000.0),
        ),
        "text": Kind(
            name="text",
            method=SEARCH,
            requests=unseen(corpus.questions(QUESTIONS)),
            timeout=1.0,
            steps=(50.0, 75.0, 100.0, 150.0),
        ),
        "add": Kind(
            name="add",
            method=ADD_NODE,
            requests=added(corpus, numbers),
            timeout=1.0,
            steps=(300.0, 500.0, 700.0, 1_000.0),
        ),
        "batch": Kind(
            name="batch",
            method=BATCH_ADD,
            requests=added_together(corpus, numbers),
            timeout=3.0,
            steps=(10.0, 20.0, 30.0, 40.0),
        ),
        "texts": Kind(
            name="texts",
            method=BATCH_ADD,
            requests=texts_added(corpus, numbers),
            timeout=6.0,
            steps=BY_ONE,
            by_one=True,
        ),
        "searches": Kind(
            name="searches",
            method=BATCH_SEARCH,
            requests=searched_together(corpus),
            timeout=6.0,
            steps=BY_ONE,
            by_one=True,
        ),
        "fact": Kind(
            name="fact",
            method=STORE_FACT,
            requests=facts(corpus),
            timeout=50.0,
            steps=BY_ONE,
            by_one=True,
        ),
        "context": Kind(
            name="context",
            method=ASSEMBLE_CONTEXT,
            requests=contexts(corpus),
            timeout=50.0,
            steps=BY_ONE,
            by_one=True,
        ),
    }


def vectors(corpus: Corpus) -> Iterator[bytes]:
    questions = corpus.questions(QUESTIONS)
    for number in count():
        yield by_vector(BANK, questions[number % QUESTIONS]).SerializeToString()


def asked_anew(corpus: Corpus) -> Iterator[str]:
    """Yields short texts, none of them twice."""
    questions = corpus.questions(QUESTIONS)
    for number in count():
        yield f"{questions[number % QUESTIONS].text} {number}"


def texts_added(corpus: Corpus, numbers: Iterator[int]) -> Iterator[bytes]:
    texts = asked_anew(corpus)
    while True:
        nodes = [
            query_graph_pb2.NewNode(node_id=f"t{next(numbers)}", summary=next(texts)) for _ in range(TEXTS)
        ]
        yield query_graph_pb2.BatchAddNodesRequest(bank_id=BANK, nodes=nodes).SerializeToString()


def searched_together(corpus: Corpus) -> Iterator[bytes]:
    texts = asked_anew(corpus)
    while True:
        asked = [retrieval_pb2.SearchRequest(text=next(texts)) for _ in range(TEXTS)]
        yield retrieval_pb2.BatchSearchRequest(bank_id=BANK, searches=asked).SerializeToString()


def facts(corpus: Corpus) -> Iterator[bytes]:
    for text in asked_anew(corpus):
        yield long_term_pb2.StoreFactRequest(user="ada", content=text).SerializeToString()


def contexts(corpus: Corpus) -> Iterator[bytes]:
    for text in asked_anew(corpus):
        yield retrieval_pb2.AssembleContextRequest(bank_id=BANK, input=text).SerializeToString()


def short_searches(corpus: Corpus) -> Kind:
    asked = unseen(corpus.questions(QUESTIONS + 1))
    return Kind(name="short", method=SEARCH, requests=asked, timeout=1.0, steps=())


async def measure(given: argparse.Namespace, folder: Path) -> list[tuple[str, ...]]:
    corpus = Corpus(given.nodes)
    settings = {"limits.nodes_per_bank": "10000000"}
    async with (
        server_process(folder / "service", settings) as server,
        grpc.aio.insecure_channel(server.address, options=LARGEST) as channel,
    ):
        await fill(channel, BANK, corpus)
        await calm(server.pid)
        bench = Bench(channel, server.address, server.pid, folder, given)
        offered, short = kinds(corpus), short_searches(corpus)
        return [row for name in given.kinds for row in await bench.rows(offered[name], short)]


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", nargs="+", default=["search", "text", "add", "batch"])
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each load")
    parser.add_argument("--connections", type=int, default=4, help="over which a load comes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(table(HEADER, await measure(given, Path(folder))))


if __name__ == "__main__":
    asyncio.run(main())
