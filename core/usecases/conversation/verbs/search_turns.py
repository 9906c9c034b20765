"""SearchTurns: turns of every tier, found as segments of a bank are; in one conversation, or in all of a user's.

Law: what is found does not depend on which conversations happen to be in memory. Of several each keeps its own order;
one measure over all of them says what comes first (`core.context.evidence`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np

from core.context.evidence import Source, measured
from core.conversation.conversation import Conversation
from core.conversation.search import SegmentHits, TurnHit, hit_of, segment_hits
from core.conversation.search import search_turns as found_in
from core.ids import ConversationId, SegmentRef
from core.index.scoring import ScoredCandidate
from core.keys import ConversationKey
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.usecases.conversation.across import AllConversations, newest, read_each
from core.usecases.conversation.ports import TurnSearchPorts
from core.usecases.ports import CommonPorts, HasConversations, MomentPorts
from core.usecases.room import fitting
from core.usecases.user.permission import permission_of
from core.usecases.vectors import query_vector, unit
from core.verbatim.measuring import cosines, holding, words_of
from core.verbatim.plan import planned
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


async def search_turns(ports: TurnSearchPorts, command: SearchTurns) -> TurnsFound:
    """Raises ConversationNotFound, RevisionNotReached, EmbedderUnavailable, InvalidField or EmbeddingSpaceMismatch
    (`embedding`)."""
    if isinstance(command.among, AllConversations):
        return await _in_all(ports, command, command.among)
    key = command.among
    if command.embedding is None:
        async with ports.conversations.reading(key, command.min_revision):
            pass  # before a model is asked: it may not be there
    query = await _query(ports, command)
    async with ports.conversations.reading(key, command.min_revision) as conversation:
        found = found_in(conversation, query, ports.embedder.space, frozenset(command.cluster_ids))
        return _answer(command, [FoundTurn(key.conversation_id, hit) for hit in found], conversation.revision)


def turn_query(
    ports: CommonPorts, text: str, vector: Vector | None, top_k: int | None = None, alpha: float | None = None
) -> Query:
    """Returns a search of turns with what the configuration has to add."""
    retrieval = ports.settings.retrieval
    return Query(
        text=text,
        vector=vector,
        top_k=top_k or retrieval.top_k,
        alpha=retrieval.alpha if alpha is None else alpha,
        structure=retrieval.structure,
        now=ports.clock.now(),
    )


async def _query(ports: MomentPorts, command: SearchTurns) -> Query:
    given = command.embedding
    if given is None:
        vector = await query_vector(ports, command.text)
    else:
        vector = unit(given, ports.embedder.space, "embedding")
    chosen = Filter(since=command.since, until=command.until)
    return turn_query(ports, command.text, vector, command.top_k, command.alpha)._replace(filter=chosen)


def _answer(command: SearchTurns, found: Sequence[FoundTurn], revision: int) -> TurnsFound:
    hits = fitting(found)
    return TurnsFound(
        hits=hits, by_words=bool(command.text), revision=revision, truncated=len(hits) < len(found)
    )


# ---- all conversations of a user ----


class _Candidates(NamedTuple):
    """The best segments of one conversation, and what measures them beside those of others."""

    hits: SegmentHits
    source: Source


class _BestSegment(NamedTuple):
    """One of the best of all, with its scores: its turn is still to be read."""

    key: ConversationKey
    scored: ScoredCandidate[SegmentRef]


async def _in_all(ports: TurnSearchPorts, command: SearchTurns, among: AllConversations) -> TurnsFound:
    """Searches the conversations with the newest turns, a few at a time."""
    chosen, more = await newest(ports, among, await permission_of(ports, among))
    query = await _query(ports, command)
    words, space = words_of(command.text), ports.embedder.space
    plan = planned(query, space)

    def look(conversation: Conversation) -> _Candidates:
        hits = segment_hits(conversation, plan, space)
        return _Candidates(hits, measured_by(conversation, hits.refs, words, query.vector, space))

    looked = await read_each(ports, [one.key for one in chosen], look)
    found = await _read(ports, _merged(looked, query.top_k))
    return replace(_answer(command, found, 0), conversations=len(looked), more=more)


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


def _merged(looked: Sequence[tuple[ConversationKey, _Candidates]], top_k: int) -> list[_BestSegment]:
    """Returns the best of all: by the measure, ties by the newer turn."""
    if not looked:
        return []
    weights = np.concatenate(measured([one.source for _, one in looked]))
    scores = np.minimum(np.maximum(weights, 0.0), 1.0)
    times = np.concatenate([one.hits.times for _, one in looked])
    ends = np.cumsum([len(one.hits.refs) for _, one in looked])
    best = []
    for place in np.lexsort((-times, -scores))[:top_k].tolist():
        number = int(np.searchsorted(ends, place, side="right"))
        key, (hits, _) = looked[number]
        own = place - int(ends[number]) + len(hits.refs)
        sides = float(hits.attribute[own]), float(hits.embedding[own])
        best.append(_BestSegment(key, ScoredCandidate(hits.refs[own], float(scores[place]), *sides)))
    return best


async def _read(ports: HasConversations, best: Sequence[_BestSegment]) -> list[FoundTurn]:
    """Reads the turns of these, in their order; one that was deleted meanwhile is passed over."""
    wanted: dict[ConversationKey, list[ScoredCandidate[SegmentRef]]] = {}
    for one in best:
        wanted.setdefault(one.key, []).append(one.scored)

    def read(conversation: Conversation) -> dict[SegmentRef, TurnHit]:
        order = conversation.verbatim.order
        found = (one for one in wanted[conversation.record.key] if one.key in order)
        return {one.key: hit_of(conversation, one) for one in found}

    found = dict(await read_each(ports, list(wanted), read))
    hits = ((one.key, found.get(one.key, {}).get(one.scored.key)) for one in best)
    return [FoundTurn(key.conversation_id, hit) for key, hit in hits if hit is not None]
