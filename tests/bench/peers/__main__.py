"""The service beside vector stores and memory systems: the same data, the same questions, the same machine, in turns.

    python -m tests.bench.peers --python .venv/peers/bin/python [--nodes 10000] [--only chroma lancedb]
        [--rounds 10] [--seconds 0.5] [--starts 3]

Peers are measured in an environment of their own (`requirements.txt`), each by its own client, as its own
documentation starts it; the service by its stubs, from another process, over gRPC. All get the vectors. All run at
once, and take turns, a slice each, in another order each round: a machine that is slow for a while is slow for all,
and it is the ratios that count. "×" is the service's rate over the peer's, the median of all rounds.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.bench.corpus import Corpus
from tests.bench.measuring import table
from tests.bench.peers.one_peer import BATCH, PEERS, K
from tests.bench.peers.sides import PeerProcess, Service, Side, Turn

QUERIES = 200
MANY = 16  # callers at once
SINGLE = 20  # adds one by one in a turn
PATIENCE = 1_200.0  # seconds for a peer to be filled, and for what it is told afterwards
DEFAULT = ("chroma", "qdrant-local", "lancedb", "sqlite-vec")
SEARCHES = {
    "search": (1, False),
    f"search, {MANY} at once": (MANY, False),
    "filtered": (1, True),
}
ADDS = {"adds": (SINGLE, 1), "adds in hundreds": (2 * BATCH, BATCH)}  # in a turn, in a call


@dataclass(slots=True)
class Found:
    """What was measured of a side, a value for each round."""

    recall: float = 0.0
    turns: dict[str, list[Turn]] = field(default_factory=dict)
    rates: dict[str, list[float]] = field(default_factory=dict)
    starts: list[float] = field(default_factory=list)
    empty: int = 0  # bytes in memory: before it was filled,
    filled: int = 0  # when all was asked and added,
    started: int = 0  # and in a new process, after its first answer
    disk: int = 0


Measured = dict[Side, Found]


def recall(
    found: Sequence[Sequence[int]], vectors: NDArray[np.float32], queries: NDArray[np.float32]
) -> float:
    """The share of the K nearest that was found. What is as near as the K-th counts: which of several equal vectors
    is found makes no difference."""
    least = np.sort(queries @ vectors.T, axis=1)[:, -K]
    near = [vectors[list(f)] @ q >= bar - 1e-5 for f, q, bar in zip(found, queries, least, strict=True)]
    return float(np.mean([min(K, int(one.sum())) / K for one in near]))


async def each(measured: Measured, missing: list[str], act: Callable[[Side, Found], Awaitable[None]]) -> None:
    """Lets each side do it, one after another, in any order. One that fails or takes too long is left out, and said."""
    for side in random.sample(list(measured), len(measured)):
        try:
            async with asyncio.timeout(PATIENCE):
                await act(side, measured[side])
        except (RuntimeError, TimeoutError) as error:
            if isinstance(side, Service):
                raise
            await side.stop()
            missing.append(f"{side.name} is left out: {error or f'more than {PATIENCE:.0f} s'}")
            del measured[side]


async def measure(
    sides: Sequence[Side], corpus: Corpus, queries: NDArray[np.float32], given: argparse.Namespace
) -> tuple[Measured, list[str]]:
    measured: Measured = {side: Found() for side in sides}
    missing: list[str] = []
    nodes, added = len(corpus), len(corpus)

    async def filled(side: Side, found: Found) -> None:
        print(f"filling {side.name}", file=sys.stderr)
        await side.start()
        found.empty = side.resident()
        await side.add(0, nodes, BATCH)
        await side.rest()
        found.recall = recall(await side.found(), corpus.vectors, queries)

    async def searched(side: Side, found: Found) -> None:
        for name, (callers, filtered) in SEARCHES.items():
            found.turns.setdefault(name, []).append(await side.search(callers, given.seconds, filtered))

    async def written(side: Side, found: Found) -> None:
        first = added
        for name, (count, batch) in ADDS.items():
            found.rates.setdefault(name, []).append(await side.add(first, count, batch))
            first += count

    async def stopped(side: Side, found: Found) -> None:
        found.filled = side.resident()
        await side.stop()
        found.disk = side.disk()

    async def started(side: Side, found: Found) -> None:
        found.starts.append(await side.start())
        found.started = side.resident()
        await side.stop()

    await each(measured, missing, filled)
    print("measuring", file=sys.stderr)
    for _ in range(given.rounds):
        await each(measured, missing, searched)
    for _ in range(given.rounds):
        await each(measured, missing, written)
        added += sum(count for count, _ in ADDS.values())
    await each(measured, missing, stopped)
    for _ in range(given.starts):
        await each(measured, missing, started)
    return measured, missing


# ---- what is shown ----


def rates(found: Found) -> dict[str, list[float]]:
    return {name: [turn.rate for turn in turns] for name, turns in found.turns.items()} | found.rates


def show(nodes: int, measured: Measured, missing: Sequence[str]) -> None:
    ours = rates(next(found for side, found in measured.items() if isinstance(side, Service)))
    names = [*SEARCHES, *ADDS]
    fast = [
        [_named(side), f"{found.recall:.3f}", *_beside(rates(found), ours)]
        for side, found in measured.items()
    ]
    header = [
        f"{nodes:,} vectors, a second",
        f"recall@{K}",
        *(cell for name in names for cell in (name, "×")),
    ]
    print(table(header, fast))
    print()
    rest = [
        [
            _named(side),
            f"{np.median([turn.p50_ms for turn in found.turns['search']]):.2f}",
            f"{np.median([turn.cpu_us for turn in found.turns['search']]):,.0f}",
            *(
                f"{np.median([turn.cpu_with_caller_us for turn in found.turns[name]]):,.0f}"
                for name in SEARCHES
            ),
            *(f"{size / 1e6:,.0f}" for size in (found.empty, found.filled, found.started, found.disk)),
            f"{np.median(found.starts):.2f}",
            side.sync,
        ]
        for side, found in measured.items()
    ]
    header = ["", "p50 ms", "CPU µs a search", "with caller", "16 at once", "filtered"]
    header += ["MB empty", "filled", "started", "on disk", "first answer s", "an add has synced"]
    print(table(header, rest))
    print("\n".join(missing), flush=True)


def _named(side: Side) -> str:
    return f"{side.name} {side.version}"


def _beside(theirs: dict[str, list[float]], ours: dict[str, list[float]]) -> list[str]:
    """For each rate its median, and the median of ours over theirs, with the quartiles of the rounds."""
    cells = []
    for name, values in theirs.items():
        low, middle, high = np.percentile(np.array(ours[name]) / np.array(values), [25, 50, 75])
        cells += [f"{np.median(values):,.0f}", f"{middle:.2f} ({low:.1f}–{high:.1f})"]
    return cells


async def one_size(nodes: int, given: argparse.Namespace, folder: Path) -> None:
    corpus = Corpus(nodes)
    questions = corpus.questions(QUERIES)
    queries = np.stack([np.frombuffer(question.vector, "<f4") for question in questions])
    data = folder / "data.npz"
    np.savez(data, vectors=corpus.vectors, queries=queries)
    sides: list[Side] = [Service(corpus, questions, folder / "ours")]
    for name in given.only:
        (folder / name).mkdir()
        sides.append(PeerProcess(name, given.python, data, folder / name))
    load = os.getloadavg()[0]
    try:
        measured, missing = await measure(sides, corpus, queries, given)
    finally:
        for side in sides:
            await side.stop()
    show(nodes, measured, missing)
    print(f"load of the machine before and after: {load:.1f}, {os.getloadavg()[0]:.1f}", flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", type=Path, required=True, help="of the peers' environment")
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--only", nargs="+", default=DEFAULT, choices=list(PEERS), metavar="PEER")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a slice of searches")
    parser.add_argument("--starts", type=int, default=3, help="of a cold start")
    given = parser.parse_args()
    for nodes in given.nodes:
        with tempfile.TemporaryDirectory() as folder:
            await one_size(nodes, given, Path(folder))


if __name__ == "__main__":
    asyncio.run(main())
