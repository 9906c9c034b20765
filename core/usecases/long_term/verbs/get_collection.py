"""GetCollection: a collection's settings, and how much it holds."""

from dataclasses import dataclass

from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.model.collection import CollectionRecord
from core.model.record import RecordKind, RecordState
from core.usecases.ports import HasCollections


@dataclass(frozen=True, slots=True, kw_only=True)
class GetCollection:
    key: CollectionKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionCounts:
    facts: int = 0
    episodes: int = 0
    memories: int = 0
    reflections: int = 0
    feedback: int = 0
    tombstones: int = 0
    contested: int = 0
    unjudged: int = 0
    awaiting_review: int = 0
    without_room: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSeen:
    record: CollectionRecord
    counts: CollectionCounts
    revision: int


async def get_collection(ports: HasCollections, command: GetCollection) -> CollectionSeen:
    """Raises CollectionNotFound, RevisionNotReached."""
    async with ports.collections.reading(command.key, command.min_revision) as collection:
        return CollectionSeen(
            record=collection.record, counts=counts_of(collection), revision=collection.revision
        )


def counts_of(collection: Collection) -> CollectionCounts:
    kinds = [record.kind for record in collection.records.values()]
    contested = sum(r.state is RecordState.CONTESTED for r in collection.records.values())
    return CollectionCounts(
        facts=kinds.count(RecordKind.FACT),
        episodes=kinds.count(RecordKind.EPISODE),
        memories=kinds.count(RecordKind.MEMORY),
        reflections=sum(bool(reflection.text) for reflection in collection.reflections.values()),
        feedback=len(collection.feedback),
        tombstones=len(collection.tombstones),
        contested=contested,
        unjudged=len(collection.unjudged),
        awaiting_review=len(collection.proposals),
        without_room=collection.record.without_room,
    )
