"""SearchTurns: turns of every tier, found as segments of a bank are; in one conversation, or in all of a user's.

Law: what is found does not depend on which conversations happen to be in memory. Of several each keeps its own order;
one measure over all of them says what comes first (`core.context.evidence`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nlargest
from typing import NamedTuple

from core.context.evidence import Source, measured
from core.conversation.conversation import Conversation
from core.conversation.search import TurnHit, best_segments, hit_of
from core.conversation.search import search_turns as found_in
from core.ids import ConversationId, SegmentRef
from core.keys import ConversationKey
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.usecases.conversation.across import AllConversations, newest, read_each
from core.usecases.house import House
from core.usecases.room import fitting
from core.usecases.vectors import query_vector, unit
from core.verbatim.measuring import cosines, holding, words_of
from core.verbatim.query import Filter, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTurns:
    """A `text`, or an `embedding` as it came. No number: as configured. `cluster_ids`: only turns in these, if
    any are named."""

    among: ConversationKey | AllConversations
    text: str = ""
    embedding: Vector | None = None
    top_k: int | None = None
    alpha: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_revision: int = 0
    cluster_ids: tuple[str, ...] = ()


class FoundTurn(NamedTuple):
    """A hit, and the conversation that it is of."""

    conversation_id: ConversationId
    hit: TurnHit


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsFound:
    """`by_words`: whether the text had any to look for. `truncated`: one message does not hold all hits.
    `conversations`: how many were searched; `more`: the user has others. `revision`: of one conversation, else 0."""

    hits: tuple[FoundTurn, ...]
    by_words: bool
    revision: int
    truncated: bool = False
    conversations: int = 1
    more: bool = False


async def search_turns(house: House, command: SearchTurns) -> TurnsFound:
    """Raises ConversationNotFound, RevisionNotReached, EmbedderUnavailable, InvalidField or EmbeddingSpaceMismatch
    (`embedding`)."""
    if isinstance(command.among, AllConversations):
        return await _in_all(house, command, command.among)
    key = command.among
    if command.embedding is None:
        async with house.conversations.reading(key, command.min_revision):
            pass  # before a model is asked: it may not be there
    query = await _query(house, command)
    async with house.conversations.reading(key, command.min_revision) as conversation:
        found = found_in(conversation, query, house.embedder.space, frozenset(command.cluster_ids))
        return _answer(command, [FoundTurn(key.conversation_id, hit) for hit in found], conversation.revision)


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


async def _query(house: House, command: SearchTurns) -> Query:
    given = command.embedding
    if given is None:
        vector = await query_vector(house, command.text)
    else:
        vector = unit(given, house.embedder.space, "embedding")
    chosen = Filter(since=command.since, until=command.until)
    return turn_query(house, command.text, vector, command.top_k, command.alpha)._replace(filter=chosen)


def _answer(command: SearchTurns, found: Sequence[FoundTurn], revision: int) -> TurnsFound:
    hits = fitting(found)
    return TurnsFound(
        hits=hits, by_words=bool(command.text), revision=revision, truncated=len(hits) < len(found)
    )


# ---- all conversations of a user ----


class _ConversationHits(NamedTuple):
    """The hits of one conversation, best first, and what measures them beside those of others."""

    conversation_id: ConversationId
    hits: Sequence[TurnHit]
    source: Source


async def _in_all(house: House, command: SearchTurns, among: AllConversations) -> TurnsFound:
    """Searches the conversations with the newest turns, a few at a time."""
    chosen, more = await newest(house, among)
    query = await _query(house, command)
    words, space = words_of(command.text), house.embedder.space

    def look(conversation: Conversation) -> tuple[list[TurnHit], Source]:
        best = best_segments(conversation, query, space)
        source = measured_by(conversation, [one.key for one in best], words, query.vector, space)
        return [hit_of(conversation, one) for one in best], source

    found = await read_each(house, [record.key for record in chosen], look)
    searches = [_ConversationHits(key.conversation_id, *looked) for key, looked in found]
    merged = _merged(searches, query.top_k)
    return replace(_answer(command, merged, 0), conversations=len(searches), more=more)


def measured_by(
    conversation: Conversation,
    refs: Sequence[SegmentRef],
    words: Sequence[str],
    vector: Vector | None,
    space: EmbeddingSpace,
) -> Source:
    """Returns what measures segments beside those of other conversations; no candidates."""
    verbatim = conversation.verbatim
    return Source(
        candidates=[],
        holds=holding(verbatim.words, refs, words),
        cosines=cosines(verbatim.vectors, refs, vector, space),
    )


def _merged(searches: Sequence[_ConversationHits], top_k: int) -> list[FoundTurn]:
    """Returns the best of all: by the measure, ties by the newer turn."""
    weights = measured([one.source for one in searches])
    all_found = [
        FoundTurn(one.conversation_id, replace(hit, score=float(min(1.0, max(0.0, weight))), why=()))
        for one, own in zip(searches, weights, strict=True)
        for hit, weight in zip(one.hits, own, strict=True)
    ]
    return nlargest(top_k, all_found, key=lambda one: (one.hit.score, one.hit.turn.event_time))
