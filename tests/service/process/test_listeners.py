"""Queues on one port: connections are spread over them, and what listens there keeps others off."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
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


async def a_free_port() -> int:
    async with listening(1) as port:
        return port


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


LONG = f"127.{'0' * 50}.{'0' * 50}.1"


@pytest.mark.parametrize("queues", [1, 2])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (HOST, HOST),
        (HOST, "127.1"),
        (HOST, "[127.0.0.1]"),
        (HOST, LONG),
        (HOST, "0.0.0.0"),
        ("0.0.0.0", HOST),
    ],
)
async def test_of_two_that_want_a_port_at_once_one_gets_it(one: str, other: str, queues: int) -> None:
    port = await a_free_port()
    first, second, third = (Listeners(queues, []) for _ in range(3))

    first.bind(one, port)
    with pytest.raises(RuntimeError, match=r"another program listens there\. Choose another port: --listen"):
        second.bind(other, port)
    await first.stop(None)

    assert third.bind(HOST, port) == port
    await third.stop(None)


async def test_addresses_that_do_not_overlap_may_have_one_port() -> None:
    port = await a_free_port()
    first, second = Listeners(2, []), Listeners(2, [])

    assert [first.bind(HOST, port), second.bind("127.0.0.2", port)] == [port, port]

    await first.stop(None)
    await second.stop(None)


@pytest.mark.skipif(not SPREADS, reason="a port is not shared")
async def test_a_port_that_another_is_binding_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    port = await a_free_port()
    rival = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    rival.bind(f"\0memorybank {port}")
    waited = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            rival.close()

    monkeypatch.setattr("service.process.listeners.sleep", sleep)
    listeners = Listeners(2, [])

    assert (listeners.bind(HOST, port), len(waited)) == (port, 3)
    await listeners.stop(None)


@pytest.mark.skipif(not SPREADS, reason="a port is not shared")
async def test_a_port_that_another_never_comes_to_bind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    port = await a_free_port()
    monkeypatch.setattr("service.process.listeners.PAUSE", 0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as rival:
        rival.bind(f"\0memorybank {port}")

        with pytest.raises(RuntimeError, match=r"another memory bank is about to.*--listen 127\.0\.0\.1:0"):
            Listeners(2, []).bind(HOST, port)


@pytest.mark.skipif(not SPREADS, reason="a port is not shared")
@pytest.mark.parametrize("step", ["made", "bound"])
@pytest.mark.parametrize("number", [errno.EAFNOSUPPORT, errno.EPERM, errno.EACCES])
async def test_where_the_system_gives_no_turn_the_port_is_had_without_one(
    monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    class Barred(socket.socket):
        def __init__(self, *kind: int) -> None:
            if step == "made":
                raise OSError(number, "not permitted")
            super().__init__(*kind)

        def bind(self, _address: Any) -> None:
            raise OSError(number, "not permitted")

    known = SimpleNamespace(socket=Barred, AF_UNIX=socket.AF_UNIX, SOCK_DGRAM=socket.SOCK_DGRAM)
    port = await a_free_port()
    monkeypatch.setattr("service.process.listeners.socket", known)
    listeners = Listeners(2, [])

    assert listeners.bind(HOST, port) == port
    await listeners.start()
    await listeners.stop(None)


@pytest.mark.skipif(not SPREADS, reason="a port is not shared")
async def test_a_port_that_could_not_be_had_is_free_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_address: str) -> int:
        raise RuntimeError("Failed to bind")

    port = await a_free_port()
    first, second = Listeners(2, []), Listeners(2, [])
    monkeypatch.setattr(first.servers[1], "add_insecure_port", refused)

    with pytest.raises(RuntimeError, match=r"cannot listen on 127\.0\.0\.1:.*Failed to bind"):
        first.bind(HOST, port)
    await first.stop(None)

    assert second.bind(HOST, port) == port
    await second.stop(None)


@pytest.mark.skipif(not SPREADS, reason="a port is not shared")
async def test_a_successor_has_the_port_while_the_last_calls_are_still_at_work() -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def slow(_request: bytes, _context: Any) -> bytes:
        begun.set()
        await over.wait()
        return b"done"

    port = await a_free_port()
    first, second = Listeners(2, []), Listeners(2, [])
    for server in first.servers:
        methods = {"Slow": grpc.unary_unary_rpc_method_handler(slow)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test", methods),))
    first.bind(HOST, port)
    await first.start()
    channel: Any
    async with grpc.aio.insecure_channel(f"{HOST}:{port}", options=OWN) as channel:
        answer = asyncio.ensure_future(channel.unary_unary("/test/Slow")(b""))
        await begun.wait()

        stopping = asyncio.create_task(first.stop(60))
        while cannot_listen(HOST, port):  # noqa: ASYNC110 - until its sockets have closed; nothing tells
            await asyncio.sleep(0)
        had = second.bind(HOST, port)
        was_at_work = not stopping.done()
        over.set()

        assert (had, was_at_work, await answer) == (port, True, b"done")
    await stopping
    await second.start()
    await second.stop(None)


def test_a_name_no_host_can_have_cannot_be_listened_on() -> None:
    assert "no such address" in cannot_listen("a" * 64, 7700)
