"""Random and mutated bytes at every method: never INTERNAL or UNKNOWN, never a write, the server alive."""

import asyncio
import random
import time
from collections import Counter
from typing import Any

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from tests.service.api.every_violation import METHODS, RIGHT, WRONG
from tests.service.api.violations import put
from tests.support.scale import scaled
from tests.support.server import Service

STRINGS = scaled(20)  # to each method
AT_ONCE = 20
NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED}
ABSENT = (
    "absent"  # the bank that mutated requests speak of: what is still right after all finds nothing to change
)


@pytest.mark.slow
async def test_no_bytes_shake_the_service(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", node_id="n1", summary="s"))
    before, start = await service.revision("b1"), time.perf_counter()
    counts: Counter[grpc.StatusCode] = Counter()

    for method in METHODS:
        answers = await hammer(service, method)
        counts += answers
        assert not NEVER & set(answers), (method, answers)
        assert await service.revision("b1") == before
        if grpc.StatusCode.OK not in answers:  # what turned out to be right may do what it says
            assert await service.bank_ids() == ["b1"]
        await keep_only(service, "b1")

    seconds = time.perf_counter() - start
    print(f"\n{sum(counts.values()):,} strings at {len(METHODS)} methods in {seconds:.0f} s")
    print(", ".join(f"{code.name} {count:,}" for code, count in counts.most_common()))


async def keep_only(service: Service, bank_id: str) -> None:
    for other in await service.bank_ids():
        if other != bank_id:
            await service.bank.DeleteBank(bank.DeleteBankRequest(bank_id=other))


async def hammer(service: Service, method: str) -> Counter[grpc.StatusCode]:
    random_ = random.Random(method)
    full = METHODS[method].containing_service.full_name
    streams = METHODS[method].client_streaming or METHODS[method].server_streaming
    kind = service.channel.stream_stream if streams else service.channel.unary_unary
    stub = kind(f"/{full}/{method}")
    seed = right(method)
    counts: Counter[grpc.StatusCode] = Counter()
    for _ in range(0, STRINGS, AT_ONCE):
        strings = [a_string(random_, method, seed) for _ in range(AT_ONCE)]
        counts.update(await asyncio.gather(*(status(stub, string, streams) for string in strings)))
    return counts


async def status(stub: Any, string: bytes, streams: bool) -> grpc.StatusCode:
    try:
        if streams:
            async for _ in stub(iter([string]), timeout=20):
                pass
        else:
            await stub(string, timeout=20)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def right(method: str) -> bytes:
    """A right request, but for the bank, which is not there."""
    request = type(RIGHT[method])()
    request.CopyFrom(RIGHT[method])
    for path in ("bank_id", "header.bank_id"):
        if path in WRONG[method]:
            put(request, path, ABSENT)
    return request.SerializeToString()


def a_string(random_: random.Random, method: str, seed: bytes) -> bytes:
    """Noise, or the right request with some bytes changed, or a request with a wrong field and bytes changed."""
    kind = random_.random()
    if kind < 0.3:
        return random_.randbytes(random_.randrange(200))
    if kind < 0.6 or not WRONG[method]:
        return mutated(random_, seed)
    request = type(RIGHT[method]).FromString(seed)
    path = random_.choice(sorted(WRONG[method]))
    put(request, path, random_.choice(WRONG[method][path]))
    written = request.SerializeToString()
    return written[:5_000] if random_.random() < 0.5 else mutated(random_, written[:5_000])


def mutated(random_: random.Random, string: bytes) -> bytes:
    """Some bytes changed, put in, or taken out."""
    mutant = bytearray(string)
    for _ in range(random_.choice((1, 1, 1, 2, 4))):
        place = random_.randrange(len(mutant) + 1)
        match random_.randrange(5):
            case 0 | 1:
                mutant[place : place + 1] = random_.randbytes(1)
            case 2:
                mutant[place:place] = random_.randbytes(random_.randint(1, 4))
            case _:
                del mutant[place : place + random_.randint(1, 4)]
    return bytes(mutant)
