"""Files in a folder: attachments that the service keeps for banks.

Law: a file is whole or not there: it is written beside its place, synced, then renamed. A URI is
`blob:` and opaque; only a URI of the form that `put` gives resolves, and never outside the root.
Reading a file to its end from its beginning checks its bytes against the digest in its name.
IO runs in threads.
"""

import asyncio
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from core.errors import AttachmentNotFound, BlobCorrupt, StoreUnavailable
from core.keys import Key

CHUNK = 256 * 1024  # bytes read at a time

_URI = re.compile(
    r"blob:([0-9a-f]{32}/[0-9a-f]{32}/[0-9a-f]{32}/[0-9a-f]{32}-[0-9a-f]{16}-([0-9a-f]{64})-([0-9]+))"
)


class LocalBlobs:
    """Implements `core.ports.Blobs`. A full or failing disk raises StoreUnavailable.

    A file lies at root/<tenant>/<bank>/<uid>/<attachment>-<random>-<sha256>-<size>, the first four hashed:
    no name that a caller gave is ever part of a path.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        folder = self._folder(key, uid)
        partial = folder / f"{secrets.token_hex(16)}.part"
        try:
            try:
                digest, size = await self._write(partial, chunks)
                name = f"{_hashed(attachment_id)}-{secrets.token_hex(8)}-{digest}-{size}"
                await asyncio.to_thread(_settle, partial, folder / name)
            finally:
                await asyncio.to_thread(partial.unlink, missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error
        return f"blob:{(folder / name).relative_to(self._root).as_posix()}", size

    async def read(self, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        path, digest, size = self._resolve(uri)
        whole = offset == 0 and (limit is None or limit >= size)
        left = max(size - offset, 0) if limit is None else min(limit, max(size - offset, 0))
        seen = hashlib.sha256()
        try:
            file = await asyncio.to_thread(_open_at, path, offset, size, uri)
        except FileNotFoundError:
            raise AttachmentNotFound(uri) from None
        except OSError as error:
            raise StoreUnavailable(str(error)) from error
        try:
            while left > 0:
                chunk = await asyncio.to_thread(file.read, min(left, CHUNK))
                if not chunk:
                    raise BlobCorrupt(uri)
                left -= len(chunk)
                seen.update(chunk)
                if whole and left == 0 and seen.hexdigest() != digest:
                    raise BlobCorrupt(uri)
                yield chunk
        except OSError as error:
            raise StoreUnavailable(str(error)) from error
        finally:
            await asyncio.to_thread(file.close)

    async def delete_all(self, key: Key, uid: str) -> int:
        try:
            return await asyncio.to_thread(self._delete, self._folder(key, uid))
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def _write(self, path: Path, chunks: AsyncIterator[bytes]) -> tuple[str, int]:
        """Write and sync the chunks; their digest and how many bytes they are."""
        digest, size = hashlib.sha256(), 0
        file = await asyncio.to_thread(_create, path)
        try:
            async for chunk in chunks:
                await asyncio.to_thread(file.write, chunk)
                digest.update(chunk)
                size += len(chunk)
            await asyncio.to_thread(_sync, file)
        finally:
            await asyncio.to_thread(file.close)
        return digest.hexdigest(), size

    def _folder(self, key: Key, uid: str) -> Path:
        return self._root / _hashed(key.tenant) / _hashed(key.tenant, key.kind, key.name) / _hashed(uid)

    def _resolve(self, uri: str) -> tuple[Path, str, int]:
        known = _URI.fullmatch(uri)
        if known is None:
            raise AttachmentNotFound(uri)
        return self._root / known[1], known[2], int(known[3])

    def _delete(self, folder: Path) -> int:
        if not folder.is_dir():
            return 0
        count = sum(1 for file in folder.iterdir() if file.suffix != ".part")
        shutil.rmtree(folder)
        _sync_folder(folder.parent)
        with suppress(OSError):  # not empty: another bank of that id or tenant is there
            folder.parent.rmdir()
            folder.parent.parent.rmdir()
        return count


def _hashed(*names: str) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:32]


def _create(path: Path) -> BinaryIO:
    while True:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return path.open("xb")
        except FileNotFoundError:  # a purge took the empty folder away again
            continue


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _settle(partial: Path, place: Path) -> None:
    partial.rename(place)
    for folder in (place.parent, *list(place.parents)[1:4]):  # new folders up to the root are entries too
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_at(path: Path, offset: int, size: int, uri: str) -> BinaryIO:
    file = path.open("rb")
    if os.fstat(file.fileno()).st_size != size:
        file.close()
        raise BlobCorrupt(uri)
    file.seek(offset)
    return file
