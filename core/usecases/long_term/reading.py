"""Reading a collection for retrieval: what is off, or not there, holds nothing; what has expired is not found."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from typing import NamedTuple

from core.errors import CollectionNotFound
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.due import expiry
from core.model.record import Record
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.user.permission import Permission, permission_of

Lasts = Callable[[Record], bool]


class OpenCollection(NamedTuple):
    """A collection, the moment, and which records of it have not expired by then; `endless`: none ever does."""

    collection: Collection
    now: datetime
    lasts: Lasts
    endless: bool


@asynccontextmanager
async def retrieving(
    ports: CollectionPorts, key: CollectionKey, min_revision: int = 0
) -> AsyncIterator[OpenCollection | None]:
    """Yields the collection for as long as the context lasts; None where nothing is to be found. Raises
    RevisionNotReached."""
    permission = await permission_of(ports, key)
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(looking(ports, key, min_revision, permission))
        except CollectionNotFound:
            opened = None
        is_on = opened is not None and permission.is_on and opened.collection.record.enabled
        yield opened if is_on else None


@asynccontextmanager
async def looking(
    ports: CollectionPorts, key: CollectionKey, min_revision: int = 0, permission: Permission | None = None
) -> AsyncIterator[OpenCollection]:
    """Yields the collection for calls that read what is there, also where memory is off. `permission`: the user's,
    where the call has asked for it. Raises CollectionNotFound, RevisionNotReached."""
    retention = (permission or await permission_of(ports, key)).retention
    async with ports.collections.reading(key, min_revision) as collection:
        now = ports.clock.now()
        endless = not collection.mortal and collection.record.retention is None and retention is None
        yield OpenCollection(collection, now, lasting(collection, now, retention), endless)


def lasting(collection: Collection, now: datetime, retention: timedelta | None) -> Lasts:
    """Whether a record has not expired."""
    of_collection = collection.record

    def lasts(record: Record) -> bool:
        if record.ttl is None and of_collection.retention is None and retention is None:
            return True  # as a rule
        end = expiry(record, of_collection, retention)
        return end is None or now < end

    return lasts
