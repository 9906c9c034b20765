"""What a client takes for the service: it passes bytes on to one replica, and at a word to another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PIECE = 65_536


class Forwarder:
    """Connections to the replica at one of two `ports`; of those that come next so many are refused as `refusals`."""

    def __init__(self, *ports: int) -> None:
        self._ports = list(ports)
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self.refusals = 0
        self.port = 0

    async def turn(self) -> None:
        """Goes on with the next replica, once the client has seen that its connections are closed."""
        self._ports.append(self._ports.pop(0))
        for writer in self._open:
            writer.write_eof()
        await self.closed()

    async def closed(self) -> None:
        """Returns once the client has no connection."""
        while self._open:
            await asyncio.wait(self._open.values())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusals:
            self.refusals -= 1
            writer.transport.abort()
            return
        to_read, to_write = await asyncio.open_connection("127.0.0.1", self._ports[0])
        coming = asyncio.create_task(_passed(to_read, writer))
        self._open[writer] = asyncio.create_task(_passed(reader, to_write))
        await self._open[writer]
        del self._open[writer]
        for each in (writer, to_write):
            each.transport.abort()
        await coming


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes bytes on to their end, and the end."""
    with suppress(OSError, RuntimeError):  # the other end is closed, or is being closed
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()


@asynccontextmanager
async def forwarding(*ports: int) -> AsyncIterator[Forwarder]:
    forwarder = Forwarder(*ports)
    listening = await asyncio.start_server(forwarder.serve, "127.0.0.1", 0)
    forwarder.port = listening.sockets[0].getsockname()[1]
    try:
        yield forwarder
    finally:
        listening.close()
        await forwarder.closed()
