"""Several queues on one port, so that a caller waits for the others' turns, but not behind all of their calls.

Law: the system gives each new connection to one of the servers that share the port; the calls of a connection wait to
be accepted in its server's queue. The loop takes one call of each queue in turn. Within a server gRPC has no turns:
a call waits there behind all that came before, a hundred of one connection perhaps.
"""

import asyncio
import errno
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import sleep

import grpc

from service.process.listening import ANOTHER_PORT, cannot_listen

SPREADS = sys.platform == "linux"
"""Whether connections are spread over the sockets that share a port: elsewhere one of them may get all."""

Credentials = Callable[[], grpc.ServerCredentials]
"""Makes credentials for one server."""

TRIES, PAUSE = 100, 0.01  # for a turn at a port; seconds between them. A turn takes milliseconds


class Listeners:
    """gRPC servers on one port, `queues` of them where the system spreads connections, else one."""

    def __init__(self, queues: int, options: Sequence[tuple[str, int]]) -> None:
        count = queues if SPREADS else 1
        # A second process could join a port that is shared, and would get some of the calls: whoever binds tries first.
        shared = [("grpc.so_reuseport", int(count > 1)), *options]
        self.servers = [grpc.aio.server(options=shared) for _ in range(count)]
        self._unstarted = list(self.servers)

    def bind(self, host: str, port: int, credentials: Credentials | None = None) -> int:
        """Binds all servers to the address and returns its port, a free one for 0. Raises RuntimeError; what was bound
        before is then free after `stop`. With `credentials` calls come by TLS alone.

        The address is tried and bound in one turn: two servers that start at once would both find a shared port free.
        Once one of them is bound, the system tells the other, also where one address is all of the machine's (0.0.0.0).
        """
        with _turn(host, port) if port and SPREADS else nullcontext():
            if problem := cannot_listen(host, port):  # gRPC would log lines of its own
                raise RuntimeError(problem)
            try:
                for server in self.servers:
                    port = _added(server, f"{host}:{port}", credentials)
            except RuntimeError as refused:
                raise RuntimeError(f"cannot listen on {host}:{port}: {refused}") from None
        return port

    async def start(self) -> None:
        while self._unstarted:
            await self._unstarted.pop().start()

    async def stop(self, grace: float | None) -> None:
        """Takes no more calls, and ends those at work after so many seconds (None: at once). Whoever tries the port may
        have it as soon as the last socket has closed, while calls are still at work here."""
        await self.start()  # gRPC closes the sockets of those alone that were started
        await asyncio.gather(*(server.stop(grace) for server in self.servers))


def _added(server: grpc.aio.Server, address: str, credentials: Credentials | None) -> int:
    if credentials is None:
        return server.add_insecure_port(address)
    return server.add_secure_port(address, credentials())


def _turn(host: str, port: int) -> AbstractContextManager[object]:
    """Waits for the turn at a port, and returns what holds it: a name of Linux's that one process has at a time.

    Raises RuntimeError where another keeps it. Where the system gives no such name, only the trying keeps two apart.
    """
    for _ in range(TRIES):
        try:
            return _named(f"\0memorybank {port}")
        except OSError as failure:
            if failure.errno != errno.EADDRINUSE:
                return nullcontext()
        sleep(PAUSE)
    remedy = ANOTHER_PORT.format(host=host)
    raise RuntimeError(f"cannot listen on {host}:{port}: another memory bank is about to. {remedy}")


def _named(name: str) -> socket.socket:
    """Returns a socket that has this name until it is closed. Raises OSError."""
    held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        held.bind(name)
    except OSError:
        held.close()
        raise
    return held
