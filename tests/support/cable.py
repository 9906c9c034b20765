"""A cable between two processes, which can be cut: what is sent meanwhile waits in it, as it would with TCP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PIECE = 65_536


class Cable:
    """Passes bytes on to a port of this machine, and back. While it is cut, new connections hear nothing."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._whole = asyncio.Event()
        self._whole.set()
        self._open: set[asyncio.Task[None]] = set()
        self.port = 0

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        with suppress(OSError, asyncio.CancelledError):
            await self._connected(reader, writer)
        self._open.discard(task)
        writer.transport.abort()

    async def close(self) -> None:
        """Ends all connections."""
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._whole.wait()
        to_read, to_write = await asyncio.open_connection("127.0.0.1", self._to_port)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._passed(reader, to_write))
                both.create_task(self._passed(to_read, writer))
        except* (OSError, RuntimeError):  # one end is closed, or is being closed
            pass
        finally:
            to_write.transport.abort()

    async def _passed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes bytes on to their end, and the end."""
        while piece := await reader.read(PIECE):
            await self._whole.wait()
            writer.write(piece)
            await writer.drain()
        await self._whole.wait()
        writer.close()


@asynccontextmanager
async def cable(to_port: int) -> AsyncIterator[Cable]:
    """A cable to the port, listening on another."""
    laid = Cable(to_port)
    listening = await asyncio.start_server(laid.serve, "127.0.0.1", 0)
    laid.port = listening.sockets[0].getsockname()[1]
    try:
        yield laid
    finally:
        listening.close()
        await laid.close()
