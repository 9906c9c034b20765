"""Something between a client and a PostgreSQL server, that loses what they say to one another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PIECE = 65_536
COMMIT = b"COMMIT\0"


class Relay:
    """Passes all on, but the next `swallows` answers to a COMMIT, and nothing while it `is_down`."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.spares = 0  # answers to a COMMIT that are passed on before that
        self.swallows = 0
        self.swallowed = 0
        self.messages = 0  # the client's: what it sent until it waits for an answer
        self.is_down = False
        self.is_deaf = False  # takes what is sent, and passes nothing on

    def down(self) -> None:
        """Cut all connections, and refuse new ones."""
        self.is_down = True
        self.cut()

    def cut(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_down:
            writer.transport.abort()
            return
        to_read, to_write = await asyncio.open_connection("127.0.0.1", self._server_port)
        self._open |= {writer, to_write}
        with suppress(OSError):
            await asyncio.gather(self._sent(reader, to_write), self._answered(to_read, writer))
        self._open -= {writer, to_write}
        for each in (writer, to_write):
            each.transport.abort()

    async def _sent(self, reader: asyncio.StreamReader, to_write: asyncio.StreamWriter) -> None:
        frames = _Frames()
        while piece := await reader.read(PIECE):
            self.messages += frames.ends(piece)
            if self.is_deaf:
                continue
            to_write.write(piece)
            await to_write.drain()
        to_write.transport.abort()

    async def _answered(self, to_read: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await to_read.read(PIECE):
            if COMMIT in piece and self._takes():  # the tag by which the server says that it is stored
                break
            writer.write(piece)
            await writer.drain()
        writer.transport.abort()

    def _takes(self) -> bool:
        if self.spares:
            self.spares -= 1
            return False
        if not self.swallows:
            return False
        self.swallows -= 1
        self.swallowed += 1
        return True


class _Frames:
    """A client's stream, taken apart: each frame has a type of one byte and its length, but the first has no type."""

    def __init__(self) -> None:
        self._left = b""
        self._type_bytes = 0

    def ends(self, piece: bytes) -> int:
        """How many messages end in the next piece: each by a Sync, or a simple Query."""
        self._left += piece
        count = 0
        while len(self._left) >= self._type_bytes + 4:
            size = self._type_bytes + int.from_bytes(self._left[self._type_bytes : self._type_bytes + 4])
            if len(self._left) < size:
                break
            count += self._type_bytes == 1 and self._left[:1] in b"SQ"
            self._left, self._type_bytes = self._left[size:], 1
        return count


@asynccontextmanager
async def relayed(port: int) -> AsyncIterator[Relay]:
    relay = Relay(port)
    listening = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    relay.port = listening.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        relay.down()
        listening.close()
