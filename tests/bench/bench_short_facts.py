"""What a short fact costs that is memorized one by one, and a turn with all that follows, beside the searches between.

    python -m tests.bench.bench_short_facts [--facts 20] [--beside CHECKOUT]

A bank of 45 facts, one caller. Facts, searches of words not seen before, and turns are called in turns; `--beside` does
the same in the server of another checkout (built, with an environment of its own in `.venv`), call by call in turns,
and the last row is the ratio. Processor time is the server's, without what it takes when idle; "until rest" counts what
follows from the call, too. Runs are the encoder's.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.usecases.bank.structuring.reworded import REST_SECONDS
from memorybank.v1.conversation_pb2 import Turn
from memorybank_client import MemoryBankClient
from tests.bench.counting_server import COUNTS
from tests.bench.measuring import calm, cpu_seconds, table
from tests.support.process import CHECKOUT

Call = Callable[[MemoryBankClient], Awaitable[object]]

BANK, KNOWN = "facts", 45
AFTER = 8  # facts after a restart
IDLE_SECONDS = 3.0
UNTIL_EMBEDDED = 3 * REST_SECONDS  # after a change: then the bank is seen to rest
PEOPLE = ("Mara Lind", "Jonas Weber", "Aiko Tanaka", "Priya Rao", "Tom Becker", "Lena Fox", "Idris Cole")
THINGS = ("the harbour crane", "the museum archive", "the river ferry", "the solar roof", "the north bridge")
TOLD = (
    "{person} has been in charge of {thing} since {year}.",
    "{thing} was repaired by {person} in {year} at a cost of {year} euros.",
    "{person} moved from Oslo to Lisbon in {year} to work on {thing}.",
    "Inspections of {thing} take place every {n} months, says {person}.",
    "{thing} lost power for {n} hours when {person} was away.",
    "A new door for {thing} was approved by {person} and costs {year} euros.",
)


def facts() -> Iterator[str]:
    """Yields facts about the same few people and things without end, none of them twice in the first thousands."""
    every = (
        len(TOLD) * len(THINGS) * len(PEOPLE)
    )  # their numbers have no common divisor: each is told of each
    for n in count():
        said = TOLD[n % len(TOLD)].format(
            person=PEOPLE[n % len(PEOPLE)],
            thing=THINGS[n % len(THINGS)],
            year=1990 + (n + n // every) % 35,
            n=2 + n % 17,
        )
        yield said[0].upper() + said[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of a call: seconds at the client, seconds of the server's processor until the answer and until it rests, runs."""

    seconds: float
    cpu: float
    until_rest: float
    runs: float


class Service:
    """A server of a checkout over one folder, started anew at will."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self._checkout, self._folder = checkout, folder
        self._runs = folder / "runs"
        self._runs.write_bytes(bytes(8 * COUNTS))
        self.client: MemoryBankClient
        self._pid = 0
        self._idle = 0.0  # of a processor

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYBANK_")}
        paths = (self._checkout / part for part in (".", "protos", "clients/python"))
        own |= {"PYTHONPATH": os.pathsep.join(map(str, paths)), "RUNS": str(self._runs)}
        python = self._checkout / ".venv/bin/python"
        server = CHECKOUT / "tests/bench/counting_server.py"
        serve = ("serve", "--listen", "127.0.0.1:0", "--data", str(self._folder / "data"))
        with (self._folder / "log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(str(python if python.exists() else sys.executable), str(server), *serve),
                cwd=self._checkout,
                env=own,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        try:
            assert process.stdout is not None
            said = (await process.stdout.readline()).decode()
            assert said.startswith("listening on "), f"not ready: see {self._folder / 'log'}"
            self._pid = process.pid
            async with MemoryBankClient(said.removeprefix("listening on ").strip()).within(180) as client:
                self.client = client
                await client.create_bank(bank_id=BANK, allow_existing=True)
                await client.search(bank_id=BANK, text="is anything there?")
                await self._look_idle()
                yield
        finally:
            process.terminate()
            await process.wait()

    async def cost(self, call: Callable[[], Awaitable[object]]) -> Cost:
        before, start = self._counts(), time.perf_counter()
        cpu = cpu_seconds(self._pid)
        await call()
        seconds, answered = time.perf_counter() - start, cpu_seconds(self._pid)
        await self.rests()
        until_rest = cpu_seconds(self._pid) - cpu - self._idle * (time.perf_counter() - start)
        runs = self._counts()[0] - before[0]
        return Cost(seconds=seconds, cpu=answered - cpu, until_rest=until_rest, runs=float(runs))

    async def rests(self) -> None:
        """Waits until nothing is left to do, nor to embed once the bank rests."""
        await asyncio.sleep(UNTIL_EMBEDDED)
        await calm(self._pid)

    @property
    def run_seconds(self) -> float:
        """Processor time of a run, the mean of all so far."""
        runs, seconds, _ = self._counts()
        return float(seconds / runs)

    async def _look_idle(self) -> None:
        await self.rests()
        before = cpu_seconds(self._pid)
        await asyncio.sleep(IDLE_SECONDS)
        self._idle = (cpu_seconds(self._pid) - before) / IDLE_SECONDS

    def _counts(self) -> NDArray[np.float64]:
        return np.frombuffer(self._runs.read_bytes(), dtype=np.float64)


def memorized(text: str) -> Call:
    return lambda client: client.memorize(bank_id=BANK, text=text)


def searched(text: str) -> Call:
    return lambda client: client.search(bank_id=BANK, text=text)


def said(text: str) -> Call:
    turn = Turn(input=text, reply="Noted.")
    return lambda client: client.add_turns(user="ada", conversation_id="talk", turns=[turn])


async def measured(services: Sequence[Service], calls: int) -> Iterator[tuple[str, list[list[Cost]]]]:
    """Returns what each kind of call cost each service."""
    told, found = facts(), dict[str, list[list[Cost]]]()

    async def each(kind: str, call: Call) -> None:
        costs = found.setdefault(kind, [[] for _ in services])
        for service, own in zip(services, costs, strict=True):
            own.append(await service.cost(partial(call, service.client)))

    async with AsyncExitStack() as running:
        for service in services:
            await running.enter_async_context(service.running())
        for text in [next(told) for _ in range(KNOWN)]:
            for service in services:
                await service.client.memorize(bank_id=BANK, text=text)
        for service in services:
            await service.rests()
        for number in range(calls):
            text = next(told)
            asked = f"who looked after {number} boats near pier {number * 7 + 3}?"
            await each("Memorize of a short fact", memorized(text))
            await each("Search of new words", searched(asked))
            await each("AddTurns of a turn", said(text))
    async with AsyncExitStack() as running:
        for service in services:
            await running.enter_async_context(service.running())
        for text in [next(told) for _ in range(AFTER)]:
            await each("Memorize after a restart", memorized(text))
    return iter(found.items())


def rows(name: str, kinds: Sequence[tuple[str, list[Cost]]]) -> Iterator[tuple[str, ...]]:
    for kind, costs in kinds:
        yield (
            f"{name}: {kind}",
            f"{1e3 * float(np.median([each.seconds for each in costs])):.1f}",
            *(
                f"{1e3 * float(np.mean(part)):.1f}"
                for part in ([c.cpu for c in costs], [c.until_rest for c in costs])
            ),
            f"{float(np.mean([each.runs for each in costs])):.1f}",
        )


async def main(calls: int, beside: Path | None) -> None:
    checkouts = [CHECKOUT, *([beside] if beside else [])]
    with tempfile.TemporaryDirectory() as folder:
        services = []
        for number, checkout in enumerate(checkouts):
            own = Path(folder) / str(number)
            own.mkdir()
            services.append(Service(checkout.resolve(), own))
        found = list(await measured(services, calls))
        names = ["here", "beside"]
        shown = [
            row
            for n, name in enumerate(names[: len(services)])
            for row in rows(name, [(kind, costs[n]) for kind, costs in found])
        ]
        print(table(("call", "p50 ms", "CPU ms", "until rest", "runs"), shown))
        of = dict(found)
        for n, name in enumerate(names[: len(services)]):
            fact, search, turn = (list(of.values())[place][n] for place in range(3))
            ratio = np.median([c.seconds for c in fact]) / np.median([c.seconds for c in search])
            follows = np.mean([c.until_rest for c in turn]) / services[n].run_seconds
            print(
                f"{name}: a fact ÷ a search {ratio:.1f}; a turn with all that follows ÷ a run {follows:.1f}"
            )
        if beside:
            ours, theirs = ([c.cpu for c in each] for each in next(iter(of.values())))
            print(f"processor of a fact, here ÷ beside: {float(np.mean(ours) / np.mean(theirs)):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, default=20)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    asyncio.run(main(options.facts, options.beside))
