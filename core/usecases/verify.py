"""Reads everything that is kept, and says what is not as it was written."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from core.bank.state import BankState
from core.errors import AttachmentNotFound, BlobCorrupt, MemoryDamaged
from core.keys import Key
from core.ports.blobs import Blobs
from core.ports.store import Store

PAGE = 200  # keys asked for at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Of one memory; of the database itself, without a key."""

    key: Key | None
    what: str


@dataclass(slots=True, kw_only=True)
class VerifyProgress:
    """How much was read by now."""

    memories: int = 0
    files: int = 0


async def verify(store: Store, blobs: Blobs, verified: VerifyProgress) -> AsyncIterator[Damage]:
    """Yields all damage there is, as it is found."""
    for problem in await store.check_database():
        yield Damage(key=None, what=problem)
    after: Key | None = None
    while keys := await store.keys(after, PAGE):
        for key in keys:
            verified.memories += 1
            try:
                state = await store.verify(key)
            except MemoryDamaged as damaged:
                yield Damage(key=key, what=damaged.what)
                continue
            for uid, uri in _files(state):
                verified.files += 1
                if problem := await _problem(blobs, key, uid, uri):
                    yield Damage(key=key, what=f"{problem}: {uri}")
        after = keys[-1]


def _files(state: Any) -> set[tuple[str, str]]:
    """Returns what the service keeps as files for it: the uid of their owner, and each's URI."""
    if not isinstance(state, BankState):
        return set()
    enclosed = (attachment for interaction in state.interactions for attachment in interaction.attachments)
    return {
        (state.head.uid, attachment.uri)
        for attachment in (*state.attachments, *enclosed)
        if attachment.stored
    }


async def _problem(blobs: Blobs, key: Key, uid: str, uri: str) -> str:
    try:
        async for _ in blobs.read(key, uid, uri, 0, None):
            pass
    except AttachmentNotFound:
        return "a file is missing"
    except BlobCorrupt:
        return "a file is not what was written"
    return ""
