"""Files in this process's memory: for tests."""

import secrets
from collections.abc import AsyncIterator

from core.errors import AttachmentNotFound
from core.keys import Key


class MemoryBlobs:
    """Implements `core.ports.Blobs`."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Key, str, str, bytes]] = {}

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        content = b"".join([chunk async for chunk in chunks])
        uri = f"blob:{secrets.token_hex(16)}"
        self._files[uri] = (key, uid, attachment_id, content)
        return uri, len(content)

    async def read(self, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        if uri not in self._files:
            raise AttachmentNotFound(uri)
        *_, content = self._files[uri]
        asked = content[offset:] if limit is None else content[offset : offset + limit]
        if asked:
            yield asked

    async def delete_all(self, key: Key, uid: str) -> int:
        of_bank = [uri for uri, (owner, its_uid, *_) in self._files.items() if (owner, its_uid) == (key, uid)]
        for uri in of_bank:
            del self._files[uri]
        return len(of_bank)
