"""The floor: a bare grpc.aio server on uvloop that answers with bytes it was given, and does nothing else.

    python -m tests.bench.floor

Any method can be given answers, those of the service too, so that a load tester asks the floor what it
asks the service. What a call costs here, gRPC in Python costs: no service written in it is quicker.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any

import grpc
import uvloop

KEEP = "/floor/Keep"  # one more answer of a method: its name, a line break, the bytes
FORGET = "/floor/Forget"  # all of them

Behaviour = Callable[[bytes, Any], Awaitable[bytes]]


class Floor(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # takes arguments in its stubs alone
    """Answers a method's calls with its bytes, in turn."""

    def __init__(self) -> None:
        self._kept: dict[str, list[bytes]] = {}
        self._handlers = {KEEP: _handler(self._keep), FORGET: _handler(self._forget)}

    def service(self, handler_call_details: Any) -> Any:
        return self._handlers.get(handler_call_details.method)

    async def _keep(self, request: bytes, context: Any) -> bytes:
        name, _, answer = request.partition(b"\n")
        kept = self._kept.setdefault(name.decode(), [])
        kept.append(answer)
        self._handlers[name.decode()] = _handler(_echo(kept))
        return b""

    async def _forget(self, request: bytes, context: Any) -> bytes:
        for name in self._kept:
            del self._handlers[name]
        self._kept.clear()
        return b""


async def teach(channel: Any, method: str, answers: Sequence[bytes]) -> None:
    """Have the floor on this channel answer a method with these, instead of what it knew of it."""
    await channel.unary_unary(FORGET)(b"")
    keep = channel.unary_unary(KEEP)
    for answer in answers:
        await keep(method.encode() + b"\n" + answer)


def _echo(answers: Sequence[bytes]) -> Behaviour:
    turn = cycle(tuple(answers))

    async def echo(request: bytes, context: Any) -> bytes:
        return next(turn)

    return echo


def _handler(behaviour: Behaviour) -> Any:
    return grpc.unary_unary_rpc_method_handler(behaviour)


async def main() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)])
    server.add_generic_rpc_handlers((Floor(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await stop.wait()
    await server.stop(None)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        uvloop.run(main())
