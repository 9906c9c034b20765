"""Snapshots of indexes as files in a folder.

Law: a file is written beside its place, synced, then renamed; what a crash leaves besides is removed
when owners are asked for, other files there are left alone. No name that a caller gave is part of a
path. IO runs in threads.
"""

import asyncio
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import structlog

from core.errors import StoreUnavailable
from core.ids import Tenant
from core.keys import Key
from core.kinds import KINDS

OWNER = "owner.json"  # whose folder it is: tenant, kind, name, uid
ENDING = ".index"
NAME = 32  # hexadecimal digits of a folder's name
CHUNK = 1 << 22  # bytes written in one go
STALE_SECONDS = 3_600.0  # no snapshot takes so long to write
LARGEST = 2_000_000_000
TRIES = 5  # at removing a folder into which another process writes

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.banks")

_OURS = re.compile(f"[0-9a-f]{{{NAME}}}")


class LocalIndexCache:
    """Implements `core.ports.IndexCache`. Parts lie in root/<digest of tenant, kind, name and uid>."""

    def __init__(self, root: Path, largest: int = LARGEST) -> None:
        """`largest`: bytes of a snapshot that is read at all. One beyond has been damaged, or fits in no memory."""
        self._root = root
        self._largest = largest

    async def put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        try:
            await asyncio.to_thread(self._put, key, uid, part, pieces)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def get(self, key: Key, uid: str) -> Mapping[str, bytes]:
        try:
            return await asyncio.to_thread(self._get, self._folder(key, uid))
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def delete(self, key: Key, uid: str) -> None:
        try:
            await asyncio.to_thread(self._delete, self._folder(key, uid))
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def owners(self) -> Sequence[tuple[Key, str]]:
        try:
            return await asyncio.to_thread(self._owners)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    def _folder(self, key: Key, uid: str) -> Path:
        named = f"{key.tenant}\n{key.kind}\n{key.name}\n{uid}"
        return self._root / hashlib.sha256(named.encode()).hexdigest()[:NAME]

    def _put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        folder = self._folder(key, uid)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / OWNER).exists():
            _settle(folder / OWNER, [json.dumps([key.tenant, key.kind, key.name, uid]).encode()])
        _settle(folder / (part + ENDING), pieces)

    def _get(self, folder: Path) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        with suppress(FileNotFoundError):
            for path in folder.glob("*" + ENDING):
                if (size := path.stat().st_size) > self._largest:
                    log.warning("index snapshot not read", part=path.name, bytes=size, most=self._largest)
                    continue
                found[path.name.removesuffix(ENDING)] = path.read_bytes()
        return found

    def _delete(self, folder: Path) -> None:
        for tried in range(TRIES):
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                if not folder.exists():
                    return
            except OSError:  # another process has just put something there
                if tried == TRIES - 1:
                    raise
            else:
                _sync_folder(self._root)
                return

    def _owners(self) -> list[tuple[Key, str]]:
        found: list[tuple[Key, str]] = []
        if not self._root.is_dir():
            return found
        for folder in self._root.iterdir():
            if not _OURS.fullmatch(folder.name):
                continue  # of another program: not ours to remove
            owner = _owner(folder)
            if owner is not None and self._folder(*owner) == folder:
                found.append(owner)
                _clear(folder)
            else:  # damaged
                self._delete(folder)
        return found


def _owner(folder: Path) -> tuple[Key, str] | None:
    """Returns the owner that the folder's file names; None where it names none."""
    with suppress(FileNotFoundError, ValueError, TypeError, KeyError):
        tenant, kind, name, uid = json.loads((folder / OWNER).read_bytes())
        return KINDS[kind].key_of(Tenant(tenant), name), uid
    return None


def _clear(folder: Path) -> None:
    """Removes what was half written by a process that is no more."""
    for partial in folder.glob("*.part"):
        with suppress(FileNotFoundError):  # settled, or removed by another process
            if time.time() - partial.stat().st_mtime > STALE_SECONDS:
                partial.unlink()


def _settle(place: Path, pieces: Sequence[bytes]) -> None:
    partial = place.with_name(f"{secrets.token_hex(8)}.part")
    try:
        with partial.open("xb") as file:
            for piece in pieces:
                for start in range(0, len(piece), CHUNK):
                    file.write(memoryview(piece)[start : start + CHUNK])
            file.flush()
            os.fsync(file.fileno())
        partial.rename(place)
    finally:
        partial.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
