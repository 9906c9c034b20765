"""Erases once more what had been erased before a store was set back to an earlier state.

Law: what is erased is told by its uid, which no other memory ever has: a memory that was made anew under the same name
stays.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import suppress

from core.errors import AggregateNotFound
from core.keys import Key
from core.ports.blobs import Blobs
from core.ports.store import Store

PAGE = 200  # keys asked for at once


async def repeat_erasures(store: Store, blobs: Blobs, uids: Collection[str]) -> int:
    """Erases the memories with these uids, rows and files; returns how many there were."""
    erased = 0
    async for key, uid in standing(store):
        if uid in uids:
            await blobs.delete_all(key, uid)
            with suppress(AggregateNotFound):
                await store.delete(key, uid)
            erased += 1
    return erased


async def standing(store: Store) -> AsyncIterator[tuple[Key, str]]:
    """Yields all that is there, each with its uid."""
    after: Key | None = None
    while keys := await store.keys(after, PAGE):
        for key, head in (await store.heads(keys)).items():
            yield key, head.uid
        after = keys[-1]
