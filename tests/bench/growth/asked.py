"""Calls of a service as it grows: what each takes, one at a time."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any

import numpy as np

from tests.bench.growth.curves import Measures
from tests.bench.growth.started import Started
from tests.bench.measuring import Sample, closed_loop

CALLS = 60  # of each, unless its requests are fewer
WARM = 5  # before they count


async def asked(started: Started, name: str, method: str, requests: Iterable[Any]) -> Measures:
    """Latency and the server's processor time of a read; its requests come again and again."""
    encoded = cycle([request.SerializeToString() for request in requests])
    call = started.channel.unary_unary(method)
    await closed_loop(call, encoded, started.pid, calls=WARM, in_flight=1)
    sample = await closed_loop(call, encoded, started.pid, calls=CALLS, in_flight=1)
    return _measures(name, sample)


async def written(started: Started, name: str, method: str, requests: Iterable[Any]) -> Measures:
    """The same of writes, each made once; what follows from one goes on beside the next."""
    encoded = [request.SerializeToString() for request in requests]
    call = started.channel.unary_unary(method)
    sample = await closed_loop(call, iter(encoded), started.pid, calls=len(encoded), in_flight=1)
    return _measures(name, sample)


def _measures(name: str, sample: Sample) -> Measures:
    return {
        f"{name}: CPU µs": sample.cpu_per_call * 1e6,
        f"{name}: p50 ms": float(np.median(sample.latencies)) * 1e3,
    }
