"""Queues on one port: connections are spread over them, and what listens there keeps others off."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from service.process.listeners import SPREADS, Listeners
from service.process.listening import cannot_listen

HOST = "127.0.0.1"
OWN = [("grpc.use_local_subchannel_pool", 1)]  # a connection of its own


@asynccontextmanager
async def listening(queues: int) -> AsyncIterator[int]:
    """The port of servers that answer with their place."""
    listeners = Listeners(queues, [])
    for place, server in enumerate(listeners.servers):
        server.add_generic_rpc_handlers((handler(place),))
    port = listeners.bind(HOST, 0)
    await listeners.start()
    yield port
    await listeners.stop(None)


def handler(place: int) -> "grpc.GenericRpcHandler[Any, Any]":
    async def answer(_request: bytes, _context: Any) -> bytes:
        return str(place).encode()

    return grpc.method_handlers_generic_handler(
        "test", {"Which": grpc.unary_unary_rpc_method_handler(answer)}
    )


async def asked(port: int, times: int) -> set[bytes]:
    """The places that answer one connection's calls."""
    channel: Any
    async with grpc.aio.insecure_channel(f"{HOST}:{port}", options=OWN) as channel:
        return {await channel.unary_unary("/test/Which")(b"") for _ in range(times)}


@pytest.mark.skipif(not SPREADS, reason="the system does not spread connections")
async def test_connections_are_spread_over_the_queues_and_each_stays_in_one() -> None:
    async with listening(3) as port:
        places = [await asked(port, 3) for _ in range(40)]  # all in one queue by chance: 1 in 3 to the 39

    assert all(len(each) == 1 for each in places)
    assert len(set.union(*places)) > 1


async def test_a_port_with_several_queues_is_taken() -> None:
    async with listening(3) as port:
        assert "another program listens there" in cannot_listen(HOST, port)

    assert not cannot_listen(HOST, port)


@pytest.mark.skipif(not SPREADS, reason="a port is not shared")
async def test_of_two_that_found_a_port_free_one_gets_it() -> None:
    async with listening(1) as port:
        pass
    first, second, third = (Listeners(2, []) for _ in range(3))
    assert not cannot_listen(HOST, port)  # both saw this

    first.bind(HOST, port)
    with pytest.raises(RuntimeError, match="another memory bank"):
        second.bind(HOST, port)
    await first.start()
    await first.stop(None)

    assert third.bind(HOST, port) == port
    await third.start()
    await third.stop(None)
