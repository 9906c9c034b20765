"""Backups of a SQLite store: the database, the files that its banks name, and a manifest of all digests.

Law: what was acknowledged before the manifest's `create_time` is in the backup. The manifest is written last: a folder
without one is no backup. Nothing is written to a data folder before every byte of the backup was compared with its
digest; until all is there, the folder says that it is being restored, and no server starts on it.
"""

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from core.aggregate.codec import decode
from core.errors import AttachmentNotFound
from core.index.giving_way import at_once
from core.model.retraction import RetractionState
from core.usecases.restore.repeat_deletions import repeat_deletions
from core.usecases.restore.repeat_erasures import repeat_erasures
from core.usecases.restore.repeat_retractions import repeat_retractions
from core.usecases.retractions import RetractionNotice
from service.adapters.local_blobs import LocalBlobs, place_of
from service.adapters.store import sqlite_backup as sqlite
from service.adapters.store.named import migrations
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.system_clock import SystemClock
from service.assembly.stores import DATABASE, FILES, RESTORING, blobs_of, database_of, open_store
from service.config import Settings

MANIFEST = "manifest.json"
FORMAT = "memorybank-backup-1"
CHUNK = 2**20
UNNAMED = {"lost+found"}  # what a volume has of itself, before anything is written to it
ERASED, DELETED, RETRACTED = "erased", "deleted", "retracted"
"""Events of lines of the log: a whole memory went, some items of one did, or were taken back."""
POSTGRES = (
    "store.url is a PostgreSQL database: its own tools back it up and restore it (docs/backup.md says how)"
)


class BackupRefused(Exception):
    """A backup cannot be made, or not be restored. The message says why, and what to do."""


class Entry(BaseModel):
    """One file of a backup."""

    sha256: str
    bytes: int


class Manifest(BaseModel):
    """What a backup holds, and what made it."""

    format: str = FORMAT
    version: str
    """Of the program."""
    schema_: int = Field(alias="schema")
    """Of the database."""
    create_time: datetime
    """What was acknowledged before it is there; of what came later, some."""
    memories: Mapping[str, int]
    """How many, by kind."""
    files: Mapping[str, Entry]
    """By their paths in the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup that was made. `missing`: files that banks name and that are not there; they were missing or damaged
    before."""

    manifest: Manifest
    missing: Sequence[str]


# ---- making one ----


async def make_backup(settings: Settings, folder: Path) -> Backup:
    """Writes a backup into a folder that is new or empty, while a server may be at work.

    Raises BackupRefused, StoreUnavailable, OSError.
    """
    _refuse_other_stores(settings)
    began = SystemClock().now()
    files, missing = await asyncio.to_thread(_copy, settings, folder)
    left = await _without_erased(settings, folder, missing)
    await asyncio.to_thread(_close, folder, began, files)
    return Backup(manifest=_manifest(folder), missing=left)


def _copy(settings: Settings, folder: Path) -> tuple[dict[str, Entry], list[sqlite.NamedFile]]:
    """Copies the database, then the files that the copy names; returns those copied, and those that are missing or
    damaged."""
    _refuse_filled(folder, "back up into a new folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    sqlite.copy_database(database_of(settings), folder / DATABASE)
    entries, missing = dict[str, Entry](), list[sqlite.NamedFile]()
    for file in sqlite.files_of(folder / DATABASE):
        place, digest, _ = place_of(file.uri)
        path = f"{FILES}/{place}"
        try:
            entry = _copied(settings.data_dir / path, folder / path)
        except FileNotFoundError:
            missing.append(file)
            continue
        if entry.sha256 == digest:
            entries[path] = entry
        else:
            (folder / path).unlink()
            missing.append(file)
    return entries, missing


def _close(folder: Path, began: datetime, files: Mapping[str, Entry]) -> None:
    """Writes the manifest, with which the folder becomes a backup."""
    copy = folder / DATABASE
    manifest = Manifest(
        version=version("agentic-memory-bank"),
        schema=sqlite.schema_of(copy),
        create_time=began,
        memories=sqlite.memories_of(copy),
        files={DATABASE: _entry(copy), **files},
    )
    _write_synced(folder / MANIFEST, manifest.model_dump_json(by_alias=True, indent=2).encode())


async def _without_erased(settings: Settings, folder: Path, missing: Sequence[sqlite.NamedFile]) -> list[str]:
    """Erases in the copy what was erased while the files were copied. Returns the missing files of what is still
    there."""
    uids = {file.uid for file in missing}
    there = sqlite.living(database_of(settings), uids)
    if uids - there:
        store = await SqliteStore.open(folder / DATABASE)
        try:
            await repeat_erasures(store, LocalBlobs(folder / FILES), uids - there)
        finally:
            await store.close()
    return [file.uri for file in missing if file.uid in there]


# ---- restoring one ----


def checked(folder: Path) -> Manifest:
    """Returns the manifest of a backup whose every byte is as it was written. Raises BackupRefused, OSError."""
    manifest = _manifest(folder)
    for path, entry in manifest.files.items():
        _refuse_foreign(path, folder)
        try:
            found = _entry(folder / path)
        except FileNotFoundError:
            raise BackupRefused(f"{folder} is damaged: {path} is missing; take another backup") from None
        if found != entry:
            raise BackupRefused(f"{folder} is damaged: {path} is not what was written; take another backup")
    return manifest


def restore_backup(settings: Settings, folder: Path) -> Manifest:
    """Makes a data folder, new or empty, of a backup. Raises BackupRefused, OSError.

    Erasures that came after the backup are not repeated: that is `repeat`'s."""
    _refuse_other_stores(settings)
    database = database_of(settings)
    _refuse_filled(settings.data_dir, "restore into a new folder, or move away what is there")
    if database.exists():
        raise BackupRefused(f"{database} is there already: move it away, or name another in store.url")
    manifest = checked(folder)
    if manifest.schema_ > (known := len(migrations("sqlite"))):
        raise BackupRefused(
            f"{folder} has schema {manifest.schema_}, and this version knows {known}: restore it with "
            f"version {manifest.version}, or a newer one"
        )
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = settings.data_dir / RESTORING
    _write_synced(unfinished, f"of {folder}\n".encode())
    for path in manifest.files:
        _copied(folder / path, database if path == DATABASE else settings.data_dir / path)
    unfinished.unlink()
    _sync_folder(settings.data_dir)
    return manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What a server's log says was erased since: whole memories by their uids, and of others single items by part, and
    what was taken back, by retraction."""

    uids: set[str] = field(default_factory=set)
    items: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    retracted: dict[str, dict[str, RetractionNotice]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Returns how much is to go; what was released stands."""
        items = sum(len(ids) for parts in self.items.values() for ids in parts.values())
        notices = (notice for each in self.retracted.values() for notice in each.values())
        return len(self.uids) + items + sum(n.state is not RetractionState.RELEASED for n in notices)

    def retract(self, notice: RetractionNotice) -> None:
        """Notes a retraction, or what became of one: closed it stays closed, whatever line is read last."""
        of_memory = self.retracted.setdefault(notice.uid, {})
        if (before := of_memory.get(notice.retraction_id)) is not None:
            states = (n.state for n in (notice, before))
            state = next((one for one in states if one is not RetractionState.QUARANTINED), notice.state)
            notice = replace(max(notice, before, key=_says_what), state=state)
        of_memory[notice.retraction_id] = notice


def _says_what(notice: RetractionNotice) -> bool:
    return bool(
        notice.ids or notice.source or notice.conversation_id or notice.writer or notice.since or notice.until
    )


def gone_by(logs: Iterable[Path]) -> Gone:
    """Returns what was erased, by the lines of logs in JSON. Raises OSError, BackupRefused."""
    gone = Gone()
    for log in logs:
        try:
            with log.open(encoding="utf-8") as lines:
                for line in lines:
                    with suppress(ValueError, TypeError):  # a line of something else
                        _note(gone, json.loads(line))
        except UnicodeDecodeError:
            raise BackupRefused(f"{log} is no log of the service: it is not text") from None
    return gone


def _note(gone: Gone, told: Any) -> None:
    if not isinstance(told, dict) or "uid" not in told:
        return
    uid = str(told["uid"])
    if told.get("event") == RETRACTED:
        gone.retract(decode(RetractionNotice, json.dumps(told)))
    elif told.get("event") == ERASED:
        gone.uids.add(uid)
    elif told.get("event") == DELETED and isinstance(items := told.get("items"), dict):
        for part, ids in items.items():
            gone.items.setdefault(uid, {}).setdefault(part, set()).update(map(str, ids))


async def repeat(settings: Settings, gone: Gone) -> int:
    """Erases it again, with its files and all that rests on it; returns how much of it there was. No server may run.
    Raises StoreUnavailable, EmbedderUnavailable, ConfigurationError."""
    store = await open_store(settings, at_once)
    try:
        count = await repeat_erasures(store, blobs_of(settings, store), gone.uids)
    finally:
        await store.close()
    if not gone.items and not gone.retracted:
        return count
    from service.assembly.bootstrap import open_house  # the embedder: only where single items are to go

    async with open_house(settings) as house:
        # first: what they took is kept for a release
        count += await repeat_retractions(house, gone.retracted)
        return count + await repeat_deletions(house, gone.items)


def _manifest(folder: Path) -> Manifest:
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise BackupRefused(
            f"{folder} is no backup, or one that was cut short: it has no {MANIFEST}; name the folder that "
            "`memorybank backup` made"
        ) from None
    except ValidationError:
        raise BackupRefused(
            f"{folder} is damaged: its {MANIFEST} cannot be read; take another backup"
        ) from None
    if manifest.format != FORMAT or DATABASE not in manifest.files:
        raise BackupRefused(f"{folder} is no backup of this program: its {MANIFEST} is of another form")
    return manifest


def _refuse_foreign(path: str, folder: Path) -> None:
    """Lets paths through that a backup has: the database, and files as the service names them."""
    if path != DATABASE:
        try:
            place_of(f"blob:{path.removeprefix(f'{FILES}/')}")
        except AttachmentNotFound:
            raise BackupRefused(f"{folder} is no backup of this program: it names {path!r}") from None


def _refuse_other_stores(settings: Settings) -> None:
    if settings.store.kind == "postgres":
        raise BackupRefused(POSTGRES)
    if settings.store.kind == "memory":
        raise BackupRefused("store.kind is memory: there is nothing on the disk")


def _refuse_filled(folder: Path, remedy: str) -> None:
    if folder.exists() and (not folder.is_dir() or {each.name for each in folder.iterdir()} - UNNAMED):
        raise BackupRefused(f"{folder} is not empty: {remedy}")


# ---- files ----


def _copied(source: Path, target: Path) -> Entry:
    """Copies a file, synced to the disk; returns what was written."""
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as old:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with target.open("xb") as new:
            while chunk := old.read(CHUNK):
                digest.update(chunk)
                size += new.write(chunk)
            new.flush()
            os.fsync(new.fileno())
    target.chmod(0o600)
    _sync_folder(target.parent)
    return Entry(sha256=digest.hexdigest(), bytes=size)


def _entry(path: Path) -> Entry:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Entry(sha256=digest, bytes=path.stat().st_size)


def _write_synced(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
