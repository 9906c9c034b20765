"""Blobs for banks that keep no files."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime

from core.errors import AttachmentNotFound
from core.keys import Key
from core.ports.blobs import UnclaimedFile


class NoBlobs:
    """Holds nothing and is asked to purge it."""

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        raise NotImplementedError("this test keeps no files")

    def read(self, key: Key, uid: str, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        raise AttachmentNotFound(uri)

    async def claim(self, uri: str) -> None:
        """There is none."""

    async def sweep(self, before: datetime, is_named: Callable[[UnclaimedFile], Awaitable[bool]]) -> int:
        return 0

    async def delete_all(self, key: Key, uid: str) -> int:
        return 0
