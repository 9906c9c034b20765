"""Files in this process's memory: for tests."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime

from core.errors import AttachmentNotFound
from core.keys import Key
from core.ports.blobs import UnclaimedFile


class MemoryBlobs:
    """Implements `core.ports.Blobs`."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Key, str, str, bytes]] = {}
        self._unclaimed: dict[str, datetime] = {}  # since when

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        content = b"".join([chunk async for chunk in chunks])
        uri = f"blob:{secrets.token_hex(16)}"
        self._files[uri] = (key, uid, attachment_id, content)
        self._unclaimed[uri] = datetime.now(UTC)
        return uri, len(content)

    async def claim(self, uri: str) -> None:
        self._unclaimed.pop(uri, None)

    async def sweep(self, before: datetime, is_named: Callable[[UnclaimedFile], Awaitable[bool]]) -> int:
        removed = 0
        for uri in [uri for uri, since in self._unclaimed.items() if since < before]:
            key, uid, attachment_id, _ = self._files[uri]
            named = UnclaimedFile(
                tenant=key.tenant, kind=key.kind, name=key.name, uid=uid, attachment_id=attachment_id, uri=uri
            )
            if not await is_named(named):
                del self._files[uri]
                removed += 1
            await self.claim(uri)
        return removed

    async def read(
        self, key: Key, uid: str, uri: str, offset: int, limit: int | None
    ) -> AsyncIterator[bytes]:
        known = self._files.get(uri)
        if known is None or known[:2] != (key, uid):
            raise AttachmentNotFound(uri)
        *_, content = known
        asked = content[offset:] if limit is None else content[offset : offset + limit]
        if asked:
            yield asked

    async def delete_all(self, key: Key, uid: str) -> int:
        of_bank = [uri for uri, (owner, its_uid, *_) in self._files.items() if (owner, its_uid) == (key, uid)]
        for uri in of_bank:
            del self._files[uri]
            self._unclaimed.pop(uri, None)
        return len(of_bank)
