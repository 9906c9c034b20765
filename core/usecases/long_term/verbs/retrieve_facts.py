"""RetrieveFacts: the facts that answer a query, by similarity × weight × decay."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.keys import CollectionKey
from core.long_term.ranking import Admits, RankedRecord, RecordQuery, admitting, ranked
from core.model.record import Record, RecordKind, RecordState, Uses
from core.model.vector import Vector
from core.usecases.long_term.ports import RetrievalPorts
from core.usecases.long_term.reading import OpenCollection, retrieving
from core.usecases.long_term.verbs.list_records import ALL, RecordFilter
from core.usecases.ports import HasEmbedder, HasUses
from core.usecases.room import fitting
from core.usecases.vectors import unit


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RetrieveFacts:
    """`embedding` in place of a text. Empty `categories` admit all."""

    key: CollectionKey
    query: str = ""
    embedding: Vector | None = None
    top_k: int | None = None
    categories: frozenset[str] = frozenset()
    as_of: datetime | None = None
    include_superseded: bool = False
    min_similarity: float = 0.0
    observe: bool = False
    filter: RecordFilter = ALL
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsFound:
    """Best first, each with its uses. `truncated`: one message does not hold all. `revision` 0: there is nothing to be
    found."""

    found: tuple[tuple[RankedRecord, Uses | None], ...]
    revision: int
    truncated: bool = False


NOTHING = RecordsFound(found=(), revision=0)


async def retrieve_facts(ports: RetrievalPorts, command: RetrieveFacts) -> RecordsFound:
    """Raises EmbeddingSpaceMismatch, InvalidField (embedding), EmbedderUnavailable, RevisionNotReached."""
    vector = await _vector(ports, command)
    async with retrieving(ports, command.key, command.min_revision) as opened:
        if opened is None:
            return NOTHING
        sought = RecordQuery(
            top_k=command.top_k or ports.settings.long_term.top_facts,
            alpha=ports.settings.retrieval.alpha,
            now=opened.now,
            text=command.query,
            vector=vector,
            min_similarity=command.min_similarity,
            as_of=command.as_of,
        )
        allowed = _admits(command, opened)
        best = ranked(opened.collection, sought, allowed, ports.embedder.space, ports.settings.long_term)
        return used(ports, opened, None if command.observe else command.key, best)


def used(
    ports: HasUses, opened: OpenCollection, key: CollectionKey | None, best: list[RankedRecord]
) -> RecordsFound:
    """Returns as much of what was found as one message holds, counted as used; without a key it is only looked at."""
    shown = fitting(best)
    if key is not None:
        ports.uses.count(key, [one.record.record_id for one in shown], opened.now)
    uses = opened.collection.uses
    return RecordsFound(
        found=tuple((one, uses.get(one.record.record_id)) for one in shown),
        revision=opened.collection.revision,
        truncated=len(shown) < len(best),
    )


async def _vector(ports: HasEmbedder, command: RetrieveFacts) -> Vector:
    if command.embedding is not None:
        return unit(command.embedding, ports.embedder.space, "embedding")
    vector: Vector = (await ports.embedder.embed_queries([command.query]))[0]
    return vector


def _admits(command: RetrieveFacts, opened: OpenCollection) -> Admits:
    """Returns which facts may be found; as a rule those that stand, and nothing more is asked of them."""
    asks = command.categories or command.as_of or command.include_superseded or not command.filter.admits_all
    if opened.endless and not asks:
        return opened.collection.standing.__contains__
    return admitting(opened.collection, _allowed(command, opened))


def _allowed(command: RetrieveFacts, opened: OpenCollection) -> Callable[[Record], bool]:
    chosen = command.filter.chosen(opened.collection)

    def allowed(record: Record) -> bool:
        if chosen is not None and record.record_id not in chosen:
            return False
        if record.kind is not RecordKind.FACT or not opened.lasts(record):
            return False
        if command.categories and record.category not in command.categories:
            return False
        if command.as_of is not None:
            return record.held_at(command.as_of)
        return record.state is not RecordState.SUPERSEDED or command.include_superseded

    return allowed
