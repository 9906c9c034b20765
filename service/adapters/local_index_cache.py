"""Snapshots of indexes as files in a folder.

Law: a file is written beside its place, synced, then renamed; what a crash leaves besides is removed
when owners are asked for, what somebody else put there is left alone. No name that a caller gave is part of a
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

from core.errors import StoreUnavailable
from core.ids import BankId, BankKey, Tenant

OWNER = "owner.json"  # whose folder it is: tenant, bank_id, uid
ENDING = ".index"
NAME = 32  # hexadecimal digits of a folder's name
CHUNK = 1 << 22  # bytes written in one go
STALE_SECONDS = 3_600.0  # no snapshot takes so long to write
TRIES = 5  # at removing a folder into which another process writes

_OURS = re.compile(f"[0-9a-f]{{{NAME}}}")


class LocalIndexCache:
    """Implements `core.ports.IndexCache`. The parts of a bank lie in root/<digest of tenant, bank_id and uid>."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, key: BankKey, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        try:
            await asyncio.to_thread(self._put, key, uid, part, pieces)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def get(self, key: BankKey, uid: str) -> Mapping[str, bytes]:
        try:
            return await asyncio.to_thread(self._get, self._folder(key, uid))
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def delete_bank(self, key: BankKey, uid: str) -> None:
        try:
            await asyncio.to_thread(self._delete, self._folder(key, uid))
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    async def owners(self) -> Sequence[tuple[BankKey, str]]:
        try:
            return await asyncio.to_thread(self._owners)
        except OSError as error:
            raise StoreUnavailable(str(error)) from error

    def _folder(self, key: BankKey, uid: str) -> Path:
        named = f"{key.tenant}\n{key.bank_id}\n{uid}"
        return self._root / hashlib.sha256(named.encode()).hexdigest()[:NAME]

    def _put(self, key: BankKey, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        folder = self._folder(key, uid)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / OWNER).exists():
            _settle(folder / OWNER, [json.dumps([key.tenant, key.bank_id, uid]).encode()])
        _settle(folder / (part + ENDING), pieces)

    def _get(self, folder: Path) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        with suppress(FileNotFoundError):
            for path in folder.glob("*" + ENDING):
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

    def _owners(self) -> list[tuple[BankKey, str]]:
        found: list[tuple[BankKey, str]] = []
        if not self._root.is_dir():
            return found
        for folder in self._root.iterdir():
            if not _OURS.fullmatch(folder.name):
                continue  # somebody put it here: not ours to remove
            key, uid = _owner(folder)
            if self._folder(key, uid) == folder:
                found.append((key, uid))
                _clear(folder)
            else:  # damaged
                self._delete(folder)
        return found


def _owner(folder: Path) -> tuple[BankKey, str]:
    """Whose the folder says it is; nobody's where it does not say."""
    with suppress(FileNotFoundError, ValueError, TypeError):
        tenant, bank_id, uid = json.loads((folder / OWNER).read_bytes())
        return BankKey(tenant=Tenant(tenant), bank_id=BankId(bank_id)), uid
    return BankKey(tenant=Tenant(""), bank_id=BankId("")), ""


def _clear(folder: Path) -> None:
    """Remove what was half written by a process that is no more."""
    for partial in folder.glob("*.part"):
        with suppress(FileNotFoundError):  # settled, or removed by somebody else
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
