"""Files the service keeps.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import AsyncIterator
from typing import Protocol

from core.keys import Key


class Blobs(Protocol):
    """Files the service keeps for banks. A URI it gives is stable and names one file.

    Raises AttachmentNotFound, BlobCorrupt.
    """

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        """Store the chunks durably under a new name; (uri, size in bytes). Nothing remains if it fails."""
        ...

    def read(self, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        """Bytes from `offset`, at most `limit` of them, in chunks."""
        ...

    async def delete_all(self, key: Key, uid: str) -> int:
        """Remove every file of the aggregate; how many. Removing what is gone removes nothing."""
        ...
