"""Files in a folder: attachments that the service keeps for banks.

Law: a file is whole or not there: it is written beside its place, synced, then renamed. Beside one that is unclaimed
lies a note that says for whom it was put, which goes when it is claimed. A URI is
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
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from core.aggregate.codec import decode, encode
from core.errors import AttachmentNotFound, BlobCorrupt, StoreUnavailable
from core.keys import Key
from core.ports.blobs import UnclaimedFile

CHUNK = 256 * 1024  # bytes read at a time
PART, NOTE = ".part", ".new"

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
        partial = folder / f"{secrets.token_hex(16)}{PART}"
        try:
            try:
                digest, size = await self._write(partial, chunks)
                name = f"{_hashed(attachment_id)}-{secrets.token_hex(8)}-{digest}-{size}"
                uri = f"blob:{(folder / name).relative_to(self._root).as_posix()}"
                note = UnclaimedFile(
                    tenant=key.tenant,
                    kind=key.kind,
                    name=key.name,
                    uid=uid,
                    attachment_id=attachment_id,
                    uri=uri,
                )
                await asyncio.to_thread(_settle, partial, folder / name, encode(note))
            finally:
                await asyncio.to_thread(partial.unlink, missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error
        return uri, size

    async def claim(self, uri: str) -> None:
        path, _, _ = self._resolve(uri)
        try:
            await asyncio.to_thread(_note_of(path).unlink, missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def sweep(self, before: datetime, is_named: Callable[[UnclaimedFile], Awaitable[bool]]) -> int:
        try:
            notes = await asyncio.to_thread(self._left, before)
            removed = 0
            for note, said in notes:
                if not await is_named(said):
                    await asyncio.to_thread(note.with_suffix("").unlink, missing_ok=True)
                    removed += 1
                await asyncio.to_thread(note.unlink, missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error
        return removed

    async def read(
        self, key: Key, uid: str, uri: str, offset: int, limit: int | None
    ) -> AsyncIterator[bytes]:
        path, digest, size = self._resolve(uri)
        if path.parent != self._folder(key, uid):
            raise AttachmentNotFound(uri)
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
        """Writes and syncs the chunks; returns their digest and how many bytes they are."""
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
        place, digest, size = place_of(uri)
        return self._root / place, digest, size

    def _left(self, before: datetime) -> list[tuple[Path, UnclaimedFile]]:
        """Returns the notes older than that, with their content; of files never finished, what was written is
        removed. A note that a crash cut short is passed over: the file beside it, if there is one, stays."""
        notes = []
        for path in self._root.glob("*/*/*/*.*"):
            with suppress(FileNotFoundError):  # claimed, or purged, meanwhile
                if path.stat().st_mtime >= before.timestamp():
                    continue
                if path.suffix == NOTE:
                    notes += _read(path)
                elif path.suffix == PART:
                    path.unlink()
        return notes

    def _delete(self, folder: Path) -> int:
        if not folder.is_dir():
            return 0
        count = sum(1 for file in folder.iterdir() if not file.suffix)
        shutil.rmtree(folder)
        _sync_folder(folder.parent)
        with suppress(OSError):  # not empty: another bank of that id or tenant is there
            folder.parent.rmdir()
            folder.parent.parent.rmdir()
        return count


def place_of(uri: str) -> tuple[str, str, int]:
    """Returns where a file lies below the root, the SHA-256 of its bytes, and how many they are. Raises
    AttachmentNotFound."""
    known = _URI.fullmatch(uri)
    if known is None:
        raise AttachmentNotFound(uri)
    return known[1], known[2], int(known[3])


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


def _read(note: Path) -> list[tuple[Path, UnclaimedFile]]:
    """Returns a note with its content; nothing of one that cannot be read, which goes where it is alone."""
    try:
        return [(note, decode(UnclaimedFile, note.read_bytes()))]
    except (ValueError, TypeError):
        if not note.with_suffix("").exists():
            note.unlink()
        return []


def _note_of(path: Path) -> Path:
    return path.with_suffix(NOTE)


def _settle(partial: Path, place: Path, note: bytes) -> None:
    with _note_of(place).open("xb") as file:  # first, so that no file is without
        file.write(note)
        _sync(file)
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
