"""Callers through the proxy that write and read all the time, and what became of their calls."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from statistics import quantiles
from typing import Any

from memorybank_client import MemoryBankClient, MemoryBankError
from tests.support.process import vector
from tests.support.scale import scaled

CALLERS = 12  # each writes and reads in turn; every second one by a client that tries nothing again
PACE = (
    0.16 if scaled(1) > 1 else 0.4
)  # seconds for a write and a read: in soak 150 calls a second of all callers
PAUSE = 0.05  # before a call that failed is made again
LONG = 5.0  # seconds after which a call is told of by itself


@dataclass(slots=True, kw_only=True)
class Load:
    """Calls by phase and by whether the client tries again; what was acknowledged, by bank and node."""

    patient: MemoryBankClient
    impatient: MemoryBankClient
    phase: str = "before"
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[tuple[str, bool]] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    acknowledged: dict[str, dict[str, int]] = field(default_factory=dict)
    is_over: bool = False

    async def call(self, caller: int) -> None:
        """Write and read, again and again; what fails is made again under the same request id."""
        bank, now = f"b{caller}", asyncio.get_running_loop().time
        tries_again = caller % 2 == 0
        client = self.patient if tries_again else self.impatient
        written = self.acknowledged[bank] = {}
        turn = now()
        while not self.is_over:
            name = f"n{len(written)}"
            node: dict[str, Any] = {"node_id": name, "summary": name, "embedding": vector(1)}
            write = partial(client.add_node, bank_id=bank, request_id=name, **node)
            added = await self.made(tries_again, write)
            written[name] = added.revision
            found = await self.made(tries_again, partial(client.get_node, bank_id=bank, node_id=name))
            assert found.node.revision == added.revision, "a read below what was written"
            turn = max(turn + PACE, now() - 1.0)  # what a fault held up is not made up for at once
            await asyncio.sleep(max(0.0, turn - now()))

    async def made(self, tries_again: bool, call: Callable[[], Awaitable[Any]]) -> Any:
        """Returns the answer; the time that it took is of the phase in which it came, failures before it included."""
        now = asyncio.get_running_loop().time
        start = now()
        while True:
            try:
                answer = await call()
            except MemoryBankError as failure:
                self.failed[self.phase, tries_again] += 1
                self.kinds[type(failure).__name__] += 1
                print(f"{self.phase}: {failure}")
                await asyncio.sleep(PAUSE)
            else:
                taken = now() - start
                self.seconds[self.phase].append(taken)
                if taken > LONG:
                    print(f"{self.phase}: {taken:.1f} s for {call}, tried again by its client: {tries_again}")
                return answer

    async def goes_on(self, phase: str, seconds: float) -> None:
        """Let it go on for a while, all calls counted under the phase from now on."""
        self.phase = phase
        await asyncio.sleep(seconds)

    def table(self) -> Iterator[str]:
        """A line for each phase, in Markdown."""
        yield "| | calls | failed, without retries | failed, with them | p50 | p99 | longest |"
        yield "|---|---:|---:|---:|---:|---:|---:|"
        for phase, taken in self.seconds.items():
            cuts = quantiles(taken, n=100) if len(taken) > 1 else taken * 99
            told = (
                f"{len(taken):,}",
                self.failed[phase, False],
                self.failed[phase, True],
                f"{1000 * cuts[49]:.0f} ms",
                f"{1000 * cuts[98]:.0f} ms",
                f"{max(taken):.1f} s",
            )
            yield f"| {phase} | {' | '.join(map(str, told))} |"
