"""SearchTurns: turns of every tier, found as segments of a bank are."""

from dataclasses import dataclass
from datetime import datetime

from core.conversation.search import TurnHit
from core.conversation.search import search_turns as found_in
from core.keys import ConversationKey
from core.model.vector import Vector
from core.usecases.bank.search import query_vector
from core.usecases.house import House
from core.usecases.room import fitting
from core.usecases.vectors import unit
from core.verbatim.query import Filter, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTurns:
    """A `text`, or an `embedding` as it came. No number: as configured."""

    key: ConversationKey
    text: str = ""
    embedding: Vector | None = None
    top_k: int | None = None
    alpha: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsFound:
    """`by_words`: whether the text had any to look for. `truncated`: one message does not hold all hits."""

    hits: tuple[TurnHit, ...]
    by_words: bool
    revision: int
    truncated: bool = False


async def search_turns(house: House, command: SearchTurns) -> TurnsFound:
    """Raises ConversationNotFound, RevisionNotReached, EmbedderUnavailable, InvalidField or EmbeddingSpaceMismatch
    (`embedding`)."""
    given = command.embedding
    space = house.embedder.space
    if given is None:
        async with house.conversations.reading(command.key, command.min_revision):
            pass  # before a model is asked: it may not be there
        vector = await query_vector(house, command.text)
    else:
        vector = unit(given, space, "embedding")
    chosen = Filter(since=command.since, until=command.until)
    query = turn_query(house, command.text, vector, command.top_k, command.alpha)._replace(filter=chosen)
    async with house.conversations.reading(command.key, command.min_revision) as conversation:
        found = tuple(found_in(conversation, query, space))
        hits = fitting(found)
        return TurnsFound(
            hits=hits,
            by_words=bool(command.text),
            revision=conversation.revision,
            truncated=len(hits) < len(found),
        )


def turn_query(
    house: House, text: str, vector: Vector | None, top_k: int | None = None, alpha: float | None = None
) -> Query:
    """Returns a search of turns with what the configuration has to add."""
    retrieval = house.retrieval
    return Query(
        text=text,
        vector=vector,
        top_k=top_k or retrieval.top_k,
        alpha=retrieval.alpha if alpha is None else alpha,
        structure=retrieval.structure,
        now=house.clock.now(),
    )
