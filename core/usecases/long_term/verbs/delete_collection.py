"""DeleteCollection: a purge. Nothing of the collection remains."""

from dataclasses import dataclass

from core.errors import CollectionNotFound, StaleRevision
from core.keys import CollectionKey
from core.long_term.reviewing import require_approval
from core.usecases.long_term.verbs.get_collection import CollectionCounts, counts_of
from core.usecases.ports import HasCollections
from core.usecases.revisions import require_unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteCollection:
    """`if_revision`: only one that no call has changed since. `allow_missing`: one that is gone is a success.
    `approves`: its caller may approve what waits for a review."""

    key: CollectionKey
    allow_missing: bool = False
    if_revision: int | None = None
    approves: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPurged:
    """What was removed, and the revision of the purge (0: there was nothing)."""

    counts: CollectionCounts
    revision: int


async def delete_collection(ports: HasCollections, command: DeleteCollection) -> CollectionPurged:
    """Raises CollectionNotFound, StaleRevision, PermissionDenied."""
    while True:
        try:
            async with ports.collections.reading(command.key) as collection:
                does = "with the collection the setting would go"
                require_approval(collection.record, approves=command.approves, does=does)
                require_unchanged(command.if_revision, collection.edited)
                uid, counts, seen = collection.uid, counts_of(collection), collection.revision
            exact = None if command.if_revision is None else seen
            _, revision = await ports.collections.delete(command.key, uid, exact)
            return CollectionPurged(counts=counts, revision=revision)
        except CollectionNotFound:
            if not command.allow_missing:
                raise
            return CollectionPurged(counts=CollectionCounts(), revision=0)
        except StaleRevision as stale:
            if command.if_revision is not None and stale.expected == command.if_revision:
                raise
            continue  # background work moved it meanwhile: look again
