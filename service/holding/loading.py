"""Loading an aggregate: its rows from the store, and beside them what is cached of its indexes."""

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog

from core.aggregate.aggregate import Aggregate, Tuning
from core.aggregate.kind import Kind
from core.errors import StoreUnavailable
from core.index.restoring import Cached, opened
from core.keys import Key
from core.ports.index_cache import IndexCache
from core.ports.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.banks")


async def load(
    kind: Kind[Any, Any],
    key: Key,
    store: Store,
    cache: IndexCache | None,
    tuning: Tuning,
    uid: str | None = None,
) -> Aggregate[Any] | None:
    """Returns the aggregate that the store has, made off the loop; None if it has none, or not the one of this uid.

    While its rows are read, so is what is cached of its indexes.
    """
    reading = store.load(key, tuning.space)
    state, snapshots = await asyncio.gather(reading, _snapshots(key, store, cache, uid))
    if state is None or uid not in (None, state.head.uid):
        return None
    loaded: Aggregate[Any] = await asyncio.to_thread(kind.load, state, tuning, snapshots.get(state.head.uid))
    return loaded


async def _snapshots(
    key: Key, store: Store, cache: IndexCache | None, uid: str | None
) -> Mapping[str, Mapping[str, Cached]]:
    """Returns cached index snapshots by the uid of their aggregate: this one, or the one that has the key now."""
    if cache is None:
        return {}
    try:
        if uid is None:
            if (head := (await store.heads([key])).get(key)) is None:
                return {}
            uid = head.uid
        blobs = await cache.get(key, uid)
    except StoreUnavailable as failure:  # then it takes longer
        log.warning("index snapshots not read", error=str(failure))
        return {}
    return {uid: await asyncio.to_thread(opened, blobs, unused)} if blobs else {}


def unused(reason: str) -> None:
    """Logs that a load did without a snapshot: of another edition, as a rule."""
    log.info("index snapshot not used", reason=reason)
