"""What a purge removes beside the store's rows: files, what is in memory, snapshots of indexes, texts in caches.

Law: once the store has purged an aggregate, no call finds it in memory, whatever fails from there on.
"""

from collections.abc import Callable
from dataclasses import replace

import structlog

from core.errors import StoreUnavailable
from core.keys import Key
from core.ports.blobs import Blobs
from core.ports.index_cache import IndexCache
from core.ports.store import PurgeCounts, Store
from service.holding.pool import Pool

log = structlog.get_logger(__name__)


class Purger:
    """Purges aggregates. `forget` clears other caches that may hold their texts."""

    def __init__(
        self, store: Store, blobs: Blobs, pool: Pool, cache: IndexCache | None, forget: Callable[[], None]
    ) -> None:
        self._store, self._blobs, self._pool, self._cache = store, blobs, pool, cache
        self._forget_texts = forget

    async def purge(self, key: Key, uid: str, revision: int | None) -> PurgeCounts:
        """Removes an aggregate, at a `revision` if one is given. Raises HeadMoved, not found."""
        # Files go first, so that a purge cut short leaves none without a record; unless it can still be refused.
        files = 0 if revision is not None else await self._blobs.delete_all(key, uid)
        counts = await self._store.delete(key, uid, revision)
        self._pool.outdate_load(key)
        self._forget_texts()
        held = self._pool.find(key)
        if held is not None and held.aggregate.head.uid == uid:
            held.leave()
            self._pool.drop(key)
            await held.saved()
        await self._forget_indexes(key, uid)
        files += await self._blobs.delete_all(key, uid)  # those that came meanwhile
        return replace(counts, files_removed=files)

    async def _forget_indexes(self, key: Key, uid: str) -> None:
        if self._cache is not None:
            try:
                await self._cache.delete(key, uid)
            except StoreUnavailable as failure:  # the next sweep tries again
                log.warning("index snapshots of what was purged not removed", error=str(failure))

    async def sweep(self) -> None:
        """Removes snapshots of aggregates that no longer exist: purged elsewhere, or while a process died."""
        if self._cache is None:
            return
        owners = await self._cache.owners()
        heads = await self._store.heads([key for key, _ in owners])
        for key, uid in owners:
            if (head := heads.get(key)) is None or head.uid != uid:
                await self._cache.delete(key, uid)
