"""Several queues on one port, so that a caller waits for the others' turns, but not behind all of their calls.

Law: the system gives each new connection to one of the servers that share the port; the calls of a connection wait to
be accepted in its server's queue. The loop takes one call of each queue in turn. Within a server gRPC has no turns:
a call waits there behind all that came before, a hundred of one connection perhaps.
"""

import asyncio
import errno
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import grpc

from service.process.listening import ANOTHER_PORT, first_address

SPREADS = sys.platform == "linux"
"""Whether connections are spread over the sockets that share a port: elsewhere one of them may get all."""


class Listeners:
    """gRPC servers on one port, `queues` of them where the system spreads connections, else one."""

    def __init__(self, queues: int, options: Sequence[tuple[str, int]]) -> None:
        count = queues if SPREADS else 1
        # A second process could join a port that is shared, and would get some of the calls: whoever binds tries first.
        shared = [("grpc.so_reuseport", int(count > 1)), *options]
        self.servers = [grpc.aio.server(options=shared) for _ in range(count)]
        self._claim: socket.socket | None = None

    def bind(self, host: str, port: int) -> int:
        """Binds all servers to the address and returns its port, a free one for 0. Raises RuntimeError."""
        if port and len(self.servers) > 1:
            self._claim = _claimed(host, port)
        with self._claim_ends_with_a_failure():
            for server in self.servers:
                port = server.add_insecure_port(f"{host}:{port}")
        return port

    async def start(self) -> None:
        with self._claim_ends_with_a_failure():
            for server in self.servers:
                await server.start()

    async def stop(self, grace: float | None) -> None:
        """Takes no more calls, and ends those at work after so many seconds (None: at once).

        The claim ends first: whoever tries the port finds it taken until the last socket has closed, and from then on
        may have it, while calls are still at work here.
        """
        self._end_claim()
        await asyncio.gather(*(server.stop(grace) for server in self.servers))

    @contextmanager
    def _claim_ends_with_a_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._end_claim()
            raise

    def _end_claim(self) -> None:
        if self._claim is not None:
            self._claim.close()


def _claimed(host: str, port: int) -> socket.socket | None:
    """Takes a name of Linux's that one process has at a time, as long as it lives: two that try a shared port at once
    would both find it free. Raises RuntimeError where another has it.

    The name is the address's, of several the first: two names of a host are one. All addresses of the machine (0.0.0.0)
    and one of them are two. None where the system gives no such name: then only the trying keeps two apart.
    """
    claim: socket.socket | None = None
    try:
        _, (address, *_) = first_address(host, port)
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        claim.bind(f"\0memorybank {address} {port}")
    except OSError as failure:
        if claim is not None:
            claim.close()
        if failure.errno == errno.EADDRINUSE:
            remedy = ANOTHER_PORT.format(host=host)
            raise RuntimeError(f"another memory bank listens there, or is about to. {remedy}") from None
        return None
    return claim
