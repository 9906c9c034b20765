"""What a process costs as it holds more banks: memory, idling, listing, opening one, evicting one for another."""

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memorybank.v1 import (
    memory_bank_pb2,
    memory_bank_pb2_grpc,
    query_graph_pb2,
    query_graph_pb2_grpc,
)
from tests.bench.corpus import Corpus
from tests.bench.growth.curves import Curves, Figure, Measures
from tests.bench.growth.started import Started, service, text_bytes
from tests.bench.measuring import calm, cpu_seconds

NODES = 20  # in each bank
DIMENSION = 384
SAMPLED = 200  # banks that are opened and read one by one
IDLE = 5.0  # seconds over which the idling process is watched
AT_ONCE = 8  # banks made at once
PAGE = 1_000  # the largest
KEPT = 0.5  # share of the banks that the budget leaves room for, about
RECKONED = 185_000  # bytes that the service takes such a bank for (`Bank.size`)

FIGURES = (
    Figure(
        caption="Memory per idle open bank",
        unit="kB",
        lines={
            "filled": "memory as filled, kB a bank",
            "loaded": "memory as loaded, kB a bank",
            "floor: vectors and text": "vectors and text, kB a bank",
        },
    ),
    Figure(
        caption="Reading a bank for the first time",
        unit="ms",
        lines={
            "first p50": "first read: p50 ms",
            "first p99": "first read: p99 ms",
            "evicting p50": "first read that evicts: p50 ms",
            "open p50": "read of an open bank: p50 ms",
        },
    ),
    Figure(
        caption="Processor time of a first read, and of a write with all open",
        unit="µs",
        lines={
            "first": "first read: CPU µs",
            "evicting": "first read that evicts: CPU µs",
            "AddNode": "AddNode, all open: CPU µs",
        },
    ),
    Figure(
        caption="Listing",
        unit="ms",
        lines={"page of 1,000 p50": "ListBanks, page of 1,000: p50 ms", "all": "ListBanks, all pages: ms"},
    ),
    Figure(
        caption="Processor time of the process while nobody asks",
        unit="ms/s",
        lines={"all open": "idle, all open: CPU ms/s"},
    ),
)
READING = (
    f"Banks of {NODES} nodes with vectors. Memory is the server process's (RSS) beyond what it held empty, over the "
    "number of banks, all of them open: as they were filled, and in a new process that read each once. First reads "
    f"are GetNode, of at most {SAMPLED} banks; where they evict, the process has room for about half of the banks "
    "and reads those that it let go. Both scales are logarithmic."
)


def curves() -> Curves:
    return Curves(title="Banks in a process", growing="banks", figures=FIGURES, reading=READING)


async def measure(banks: int, folder: Path) -> Measures:
    """All measures of a process with so many banks."""
    corpus = Corpus(max(NODES, 40))
    least = NODES * (4 * DIMENSION + text_bytes(corpus, NODES)) / 1e3
    measures: Measures = {"vectors and text, kB a bank": least}
    roomy = {"banks.memory_budget_bytes": str(1 << 40)}
    async with service(folder, roomy) as started:
        start = time.perf_counter()
        await _make(started.channel, banks, corpus)
        measures["made and filled, banks/s"] = banks / (time.perf_counter() - start)
        await calm(started.pid)
        measures["memory as filled, kB a bank"] = started.held() / banks / 1e3
        await started.server.stop()
    async with service(folder, roomy) as started:
        measures |= await _opened(started, banks)
        measures |= await _listed(started)
    if banks > 1:
        measures |= await _evicting(folder, banks)
    return measures


async def _make(channel: Any, banks: int, corpus: Corpus) -> None:
    memory = memory_bank_pb2_grpc.MemoryBankStub(channel)
    graph = query_graph_pb2_grpc.QueryGraphStub(channel)
    nodes = [corpus.node(number) for number in range(NODES)]
    left = iter(range(banks))

    async def make() -> None:
        for number in left:
            await memory.CreateBank(memory_bank_pb2.CreateBankRequest(bank_id=_name(number)))
            await graph.BatchAddNodes(
                query_graph_pb2.BatchAddNodesRequest(bank_id=_name(number), nodes=nodes)
            )

    await asyncio.gather(*(make() for _ in range(AT_ONCE)))


async def _opened(started: Started, banks: int) -> Measures:
    """First reads with more and more banks open, then all of them open: memory, idling, another read."""
    sample = set(_spread(banks))
    await _read(started, (number for number in range(banks) if number not in sample))
    first, cpu = await _read(started, sample)
    again, _ = await _read(started, sample)
    await calm(started.pid)
    held = started.held()
    added, cpu_added = await _add(started, sample)
    measures = {
        **_percentiles("first read", first),
        "first read: CPU µs": cpu * 1e6,
        "read of an open bank: p50 ms": float(np.median(again)) * 1e3,
        "memory as loaded, kB a bank": held / banks / 1e3,
        **_percentiles("AddNode, all open", added),
        "AddNode, all open: CPU µs": cpu_added * 1e6,
    }
    await asyncio.sleep(2.0)  # longer than heads are confirmed after a read
    before = cpu_seconds(started.pid)
    await asyncio.sleep(IDLE)
    return measures | {"idle, all open: CPU ms/s": (cpu_seconds(started.pid) - before) / IDLE * 1e3}


async def _evicting(folder: Path, banks: int) -> Measures:
    """First reads in a process whose budget is full: each lets go of the bank that was longest unused."""
    kept = max(1, int(banks * KEPT))
    budget = {"banks.memory_budget_bytes": str(kept * RECKONED)}
    async with service(folder, budget) as started:
        await _read(started, range(banks))
        taken, cpu = await _read(started, range(min(SAMPLED, banks - kept)))
    return {
        **_percentiles("first read that evicts", taken),
        "first read that evicts: CPU µs": cpu * 1e6,
    }


async def _listed(started: Started) -> Measures:
    memory = memory_bank_pb2_grpc.MemoryBankStub(started.channel)
    pages: list[float] = []
    token = ""
    while token or not pages:
        start = time.perf_counter()
        page = await memory.ListBanks(memory_bank_pb2.ListBanksRequest(page_size=PAGE, page_token=token))
        pages.append(time.perf_counter() - start)
        token = page.next_page_token
    return {
        f"ListBanks, page of {PAGE:,}: p50 ms": float(np.median(pages)) * 1e3,
        "ListBanks, all pages: ms": sum(pages) * 1e3,
    }


async def _read(started: Started, numbers: Iterable[int]) -> tuple[NDArray[np.float64], float]:
    """GetNode of each bank, one after another: the latencies, and the server's processor seconds per call."""
    graph = query_graph_pb2_grpc.QueryGraphStub(started.channel)
    taken, before = [], cpu_seconds(started.pid)
    for number in numbers:
        start = time.perf_counter()
        await graph.GetNode(query_graph_pb2.GetNodeRequest(bank_id=_name(number), node_id="n0"))
        taken.append(time.perf_counter() - start)
    return np.array(taken), (cpu_seconds(started.pid) - before) / max(1, len(taken))


async def _add(started: Started, numbers: Iterable[int]) -> tuple[NDArray[np.float64], float]:
    """AddNode to each bank: the latencies, and the server's processor seconds per call."""
    graph = query_graph_pb2_grpc.QueryGraphStub(started.channel)
    corpus, taken, before = Corpus(40), [], cpu_seconds(started.pid)
    for place, number in enumerate(numbers, start=NODES):
        made = corpus.node(place)
        request = query_graph_pb2.AddNodeRequest(
            bank_id=_name(number), node_id="another", summary=made.summary, embedding=made.embedding
        )
        start = time.perf_counter()
        await graph.AddNode(request)
        taken.append(time.perf_counter() - start)
    return np.array(taken), (cpu_seconds(started.pid) - before) / max(1, len(taken))


def _percentiles(name: str, taken: NDArray[np.float64]) -> Measures:
    p50, p99 = np.percentile(taken, [50, 99]) * 1e3
    return {f"{name}: p50 ms": p50, f"{name}: p99 ms": p99}


def _spread(banks: int) -> list[int]:
    """Numbers of at most SAMPLED banks, evenly over all."""
    return sorted({int(number) for number in np.linspace(0, banks - 1, min(banks, SAMPLED))})


def _name(number: int) -> str:
    return f"bank-{number:06}"
