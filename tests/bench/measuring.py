"""What measurements have in common: another process's processor time and memory, calls in a closed loop, tables."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.holding.held import REST_SECONDS

Call = Callable[[bytes], Awaitable[bytes]]

CALM = 0.05  # of a processor: a server that takes less is idle,
WAITING = 0.5  # if its threads also wait less for one: on a busy machine each wakes late
WINDOW = 0.5  # seconds over which that is looked at


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has taken, all of its threads, to the nanosecond (Linux: clock_getcpuclockid)."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1e9


def resident_bytes(pid: int) -> int:
    """What of a process lies in memory (Linux: RSS)."""
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


async def calm(pid: int, *, within: float = 120.0) -> bool:
    """Wait until a process has nothing to do; whether that was so within the seconds."""
    until = time.perf_counter() + within
    while time.perf_counter() < until:
        before, waited = cpu_seconds(pid), waiting_seconds(pid)
        await asyncio.sleep(WINDOW)
        took, late = cpu_seconds(pid) - before, waiting_seconds(pid) - waited
        if took < CALM * WINDOW and late < WAITING * WINDOW:
            return True
    return False


def waiting_seconds(pid: int) -> float:
    """How long a process's threads could have run but had no processor, together (Linux: schedstat)."""
    waited = 0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            waited += int(task.read_text("ascii").split()[1])
    return waited / 1e9


async def rests(pid: int, *, within: float = 600.0) -> None:
    """Wait until a service has compiled what it compiles of banks that are left alone, and has nothing to do."""
    await calm(pid, within=within)
    await asyncio.sleep(REST_SECONDS + 1.0)
    await calm(pid, within=within)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Some calls: each one's latency, and what they took together, of the clock and of the server's processor."""

    latencies: NDArray[np.float64]
    seconds: float
    cpu: float

    @property
    def cpu_per_call(self) -> float:
        return self.cpu / len(self.latencies)

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds


def together(samples: Sequence[Sample]) -> Sample:
    return Sample(
        latencies=np.concatenate([sample.latencies for sample in samples]),
        seconds=sum(sample.seconds for sample in samples),
        cpu=sum(sample.cpu for sample in samples),
    )


async def closed_loop(
    call: Call, requests: Iterator[bytes], pid: int, *, calls: int, in_flight: int
) -> Sample:
    """So many calls, each sent when one before it has been answered: never more than `in_flight` at once."""
    latencies: list[float] = []
    left = iter(range(calls))

    async def ask() -> None:
        for _ in left:
            request = next(requests)
            start = time.perf_counter()
            await call(request)
            latencies.append(time.perf_counter() - start)

    start, before = time.perf_counter(), cpu_seconds(pid)
    await asyncio.gather(*(ask() for _ in range(in_flight)))
    return Sample(
        latencies=np.array(latencies), seconds=time.perf_counter() - start, cpu=cpu_seconds(pid) - before
    )


async def open_loop(
    call: Call, requests: Iterator[bytes], *, rate: float, seconds: float
) -> NDArray[np.float64]:
    """Calls sent when they are due, answered or not: `rate` a second. Each one's seconds since it was due."""
    latencies: list[float] = []

    async def ask(request: bytes, due: float) -> None:
        await call(request)
        latencies.append(time.perf_counter() - due)

    start = time.perf_counter()
    async with asyncio.TaskGroup() as calls:
        for number in range(max(1, round(rate * seconds))):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            calls.create_task(ask(next(requests), due))
    return np.array(latencies)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they must be: the first to the left, the others to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    laid = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([laid[0], rule, *laid[1:]])
