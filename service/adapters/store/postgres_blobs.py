"""Files in the database, for processes that share no disk: in chunks, each a row.

Law: a file is whole or not there: its size and digest are written last. Its row is written before its first chunk, so
that what is never finished is found. A URI is `blob:` and opaque. Reading a file to its end from its beginning checks
its bytes against its digest.
"""

import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from core.aggregate.codec import micros
from core.errors import AttachmentNotFound, BlobCorrupt, MemoryBankError, StoreUnavailable
from core.ids import Tenant
from core.keys import Key
from core.ports.blobs import UnclaimedFile
from service.adapters.store.database import Database, GuardedStatement, WriteRefused
from service.adapters.store.owned import owner_row
from service.adapters.store.rows import Row

CHUNK = 256 * 1024  # bytes to a row
WRITTEN_AT_ONCE = 16  # rows to a transaction
READ_AT_ONCE = 4  # rows


class PostgresBlobs:
    """Implements `core.ports.Blobs`. Raises StoreUnavailable."""

    def __init__(self, database: Database, queries: Mapping[str, str]) -> None:
        self._database, self._sql = database, queries

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        uri = f"blob:{secrets.token_hex(16)}"
        row: Row = {**owner_row(key), "uri": uri, "uid": uid, "attachment_id": attachment_id}
        await self._database.write([GuardedStatement(self._sql["begin_blob"], [row])])
        try:
            return uri, await self._write(uri, chunks)
        except WriteRefused:
            raise StoreUnavailable("the bank was purged while its file was being stored") from None
        except BaseException:
            with suppress(MemoryBankError):  # then `sweep` finds what was written
                await self._drop(uri)
            raise

    async def claim(self, uri: str) -> None:
        await self._database.write([GuardedStatement(self._sql["claim_blob"], [{"uri": uri}])])

    async def sweep(self, before: datetime, is_named: Callable[[UnclaimedFile], Awaitable[bool]]) -> int:
        removed = 0
        row: Row = {"before": micros(before)}
        for tenant, kind, name, uid, attachment_id, uri in await self._fetch("unclaimed_blobs", row):
            unclaimed = UnclaimedFile(
                tenant=Tenant(tenant), kind=kind, name=name, uid=uid, attachment_id=attachment_id, uri=uri
            )
            if await is_named(unclaimed):
                await self.claim(uri)
            else:
                await self._drop(uri)
                removed += 1
        for (uri,) in await self._fetch("unfinished_blobs", row):
            await self._drop(uri)
        return removed

    async def read(
        self, key: Key, uid: str, uri: str, offset: int, limit: int | None
    ) -> AsyncIterator[bytes]:
        found = await self._fetch("blob", {**owner_row(key), "uid": uid, "uri": uri})
        if not found:
            raise AttachmentNotFound(uri)
        ((size, digest),) = found
        end = size if limit is None else min(size, offset + limit)
        seen = hashlib.sha256()
        at = offset
        while at < end:
            first = at // CHUNK
            rows = await self._fetch("chunks", {"uri": uri, "first": first, "end": first + READ_AT_ONCE})
            content = b"".join(content for (content,) in rows)[at - first * CHUNK : end - first * CHUNK]
            if len(content) != min(end, (first + READ_AT_ONCE) * CHUNK) - at:
                raise BlobCorrupt(uri)
            at += len(content)
            seen.update(content)
            if (offset, at) == (0, size) and seen.hexdigest() != digest:
                raise BlobCorrupt(uri)
            yield content

    async def delete_all(self, key: Key, uid: str) -> int:
        owner: Row = {**owner_row(key), "uid": uid}
        names = ("drop_chunks_of", "drop_unfinished_of", "drop_blobs_of")
        *_, removed = await self._database.write(
            [GuardedStatement(self._sql[name], [owner]) for name in names]
        )
        return removed

    async def _write(self, uri: str, chunks: AsyncIterator[bytes]) -> int:
        """Stores the chunks and, last, the row that completes the file. Returns its size in bytes."""
        digest, size, number = hashlib.sha256(), 0, 0
        waiting = bytearray()
        async for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
            waiting += chunk
            if len(waiting) >= CHUNK * WRITTEN_AT_ONCE:
                number += await self._add(uri, number, waiting, len(waiting) // CHUNK * CHUNK)
        await self._add(uri, number, waiting, len(waiting))
        end: Row = {"uri": uri, "size": size, "sha256": digest.hexdigest()}
        await self._database.write([GuardedStatement(self._sql["end_blob"], [end], must_touch=1)])
        return size

    async def _add(self, uri: str, number: int, waiting: bytearray, length: int) -> int:
        """Stores the first `length` bytes of those that wait. Returns how many rows they are."""
        pieces = [bytes(waiting[at : min(at + CHUNK, length)]) for at in range(0, length, CHUNK)]
        del waiting[:length]
        is_begun = GuardedStatement(self._sql["blob_is_begun"], [{"uri": uri}], finds=True)
        rows = [(uri, place, piece) for place, piece in enumerate(pieces, start=number)]
        if rows:
            await self._database.write([is_begun, GuardedStatement(self._sql["add_chunk"], rows)])
        return len(rows)

    async def _drop(self, uri: str) -> None:
        names = ("drop_chunks", "drop_blob")
        await self._database.write([GuardedStatement(self._sql[name], [{"uri": uri}]) for name in names])

    async def _fetch(self, name: str, row: Row) -> Sequence[Any]:
        return await self._database.fetch(self._sql[name], row)
