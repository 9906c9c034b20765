"""Blobs for banks that keep no files."""

from collections.abc import AsyncIterator

from core.errors import AttachmentNotFound
from core.keys import Key


class NoBlobs:
    """Holds nothing and is asked to purge it."""

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        raise NotImplementedError("this test keeps no files")

    def read(self, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        raise AttachmentNotFound(uri)

    async def delete_all(self, key: Key, uid: str) -> int:
        return 0
