"""Several queues on one port, so that a caller waits for the others' turns, but not behind all of their calls.

Law: the system gives each new connection to one of the servers that share the port; the calls of a connection wait to
be accepted in its server's queue. The loop takes one call of each queue in turn. Within a server gRPC has no turns:
a call waits there behind all that came before, a hundred of one connection perhaps.
"""

import asyncio
import socket
import sys
from collections.abc import Sequence

import grpc

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
            self._claim = _claimed(f"{host}:{port}")
        for server in self.servers:
            port = server.add_insecure_port(f"{host}:{port}")
        return port

    async def start(self) -> None:
        for server in self.servers:
            await server.start()

    async def stop(self, grace: float | None) -> None:
        """Takes no more calls, and ends those at work after so many seconds (None: at once)."""
        await asyncio.gather(*(server.stop(grace) for server in self.servers))
        if self._claim is not None:
            self._claim.close()


def _claimed(address: str) -> socket.socket:
    """Takes a name of Linux's that one process has at a time, as long as it lives: two that try a shared port at once
    would both find it free. Raises RuntimeError."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0memorybank {address}")
    except OSError:
        claim.close()
        raise RuntimeError("another memory bank listens there, or is about to") from None
    return claim
