"""What a client takes for the service: it passes bytes on to one replica, and at a word to another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PIECE = 65_536


class Forwarder:
    """Connections to the replica at one of two `ports`. Those of the other are cut as it turns."""

    def __init__(self, *ports: int) -> None:
        self._ports = list(ports)
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0

    def turn(self) -> None:
        """Goes on with the next replica."""
        self._ports.append(self._ports.pop(0))
        for writer in list(self._open):
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_read, to_write = await asyncio.open_connection("127.0.0.1", self._ports[0])
        except OSError:  # it is being restarted
            writer.transport.abort()
            return
        self._open |= {writer, to_write}
        with suppress(OSError):
            await asyncio.gather(_passed(reader, to_write), _passed(to_read, writer))
        self._open -= {writer, to_write}


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.transport.abort()


@asynccontextmanager
async def forwarding(*ports: int) -> AsyncIterator[Forwarder]:
    forwarder = Forwarder(*ports)
    listening = await asyncio.start_server(forwarder.serve, "127.0.0.1", 0)
    forwarder.port = listening.sockets[0].getsockname()[1]
    try:
        yield forwarder
    finally:
        listening.close()
        forwarder.turn()
