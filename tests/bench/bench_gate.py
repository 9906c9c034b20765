"""What all that a call passes on its way in and out costs, beside a bare echo.

    python -m tests.bench.bench_gate

The gate (admission, deadline, errors, the record of the call), without and with Prometheus' metrics, around a method
that does nothing; in microseconds of processor time, the least of several rounds.
"""

import asyncio
import tempfile
import time
from itertools import repeat
from pathlib import Path
from typing import Any

import grpc
import uvloop

from service.adapters.prometheus import PrometheusMetrics
from service.api.gate import Behaviour, Gate
from tests.bench.floor import teach
from tests.bench.measuring import closed_loop, table
from tests.support.process import server_process

METHOD = "/memorybank.v1.QueryGraph/GetNode"
CALLS = 2_000
ROUNDS = 9


class Call:
    """As much of gRPC's context as the gate asks for."""

    def __init__(self, remaining: float | None) -> None:
        self._remaining = remaining

    def time_remaining(self) -> float | None:
        return self._remaining

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"


async def nothing(request: Any, context: Any) -> bytes:
    return b""


async def seconds(behaviour: Behaviour, remaining: float | None) -> float:
    """Of a call."""
    context: Any = Call(remaining)

    async def several() -> float:
        start = time.thread_time()
        for _ in range(CALLS):
            await behaviour(b"", context)
        return (time.thread_time() - start) / CALLS

    return min([await asyncio.create_task(several()) for _ in range(ROUNDS)])


async def echo() -> float:
    """Seconds of the floor's processor for a call."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            server_process(Path(folder), program=("-m", "tests.bench.floor")) as server,
            grpc.aio.insecure_channel(server.address) as channel,
        ):
            await teach(channel, METHOD, [b"x" * 700])
            bare: Any = channel  # whose types know no calls of bare bytes
            loops = [
                await closed_loop(
                    bare.unary_unary(METHOD), repeat(b"?"), server.pid, calls=CALLS, in_flight=16
                )
                for _ in range(ROUNDS)
            ]
            return min(loop.cpu_per_call for loop in loops)


async def main() -> None:
    whole = await echo()
    bare = await seconds(nothing, None)
    gate = Gate().guard(METHOD, nothing)
    counted = Gate((PrometheusMetrics().called,)).guard(METHOD, nothing)
    found = {
        "the gate": await seconds(gate, None) - bare,
        "with a deadline": await seconds(gate, 20.0) - bare,
        "with a deadline, and metrics": await seconds(counted, 20.0) - bare,
    }
    rows = [(name, f"{cost * 1e6:.1f}", f"{cost / whole:.1%}") for name, cost in found.items()]
    print(table(("on each call", "µs", "of an echo"), [*rows, ("a bare echo", f"{whole * 1e6:.0f}", "")]))


if __name__ == "__main__":
    uvloop.run(main())
