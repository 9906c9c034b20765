"""Finding turns: the search of a bank's segments, over a conversation's.

Law: reads only, by `core.verbatim.placed` alone. A turn scores as its best segment; the topic of a segment is the
cluster that its turn lies in.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.conversation.conversation import Conversation
from core.conversation.mid import Fit, likeness
from core.conversation.telling import REPLY, id_of
from core.ids import SegmentRef
from core.index.scoring import ScoredCandidate, Why
from core.model.bank import EmbeddingSpace
from core.model.conversation import Turn
from core.verbatim.placed import Ranking, ranking
from core.verbatim.plan import Plan, planned
from core.verbatim.query import Query
from core.verbatim.segment_order import Positions

DOUBT = 0.1
"""Of a turn's score, what one loses that surely tells nothing that lasts; others lose in proportion."""
UNREAD = 0.25
"""What a turn counts as worth that was not read."""
PER_TURN = 2  # segments looked for of each turn wanted, at most: as a rule it has an input and a reply


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit:
    """A turn found, by the segment of it that fits best."""

    turn: Turn
    cluster_id: str
    segment: str
    in_reply: bool
    score: float
    attribute_score: float
    embedding_score: float
    why: Why = ()


class SegmentHits(NamedTuple):
    """Of each of the best turns of a conversation the segment that fits best, best first; arrays by their place.
    `times`: seconds since 1970."""

    refs: Sequence[SegmentRef]
    attribute: NDArray[np.float64]
    embedding: NDArray[np.float64]
    times: NDArray[np.float64]


class OwnerOfTurns:
    """A conversation as the owner of its segments. `like`: the likeness of its clusters, where it is known."""

    def __init__(
        self, conversation: Conversation, space: EmbeddingSpace, like: NDArray[np.float64] | None = None
    ) -> None:
        self._conversation, self._space, self._like = conversation, space, like

    def quoting(self, refs: Sequence[SegmentRef], quotation: str) -> list[bool]:
        conversation = self._conversation
        said = conversation.turns.saying(quotation, [ref.interaction_id for ref in refs])
        return [may and quotation in conversation.text(ref) for may, ref in zip(said, refs, strict=True)]

    def credibility(self, refs: Sequence[SegmentRef]) -> NDArray[np.float64] | None:
        """Returns the factors by what turns are worth; None where none was read. Nothing refutes a turn."""
        if not self._conversation.worths:
            return None
        worths = self._conversation.worths_of(refs)
        return 1.0 - DOUBT * (1.0 - np.where(np.isnan(worths), UNREAD, worths))

    def topics(self, plan: Plan, positions: Positions) -> NDArray[np.float64]:
        """Returns how like the query the centroid of each one's cluster is."""
        conversation, like = self._conversation, self._like
        if not conversation.clusters:
            return np.zeros(len(positions))
        like = likeness(conversation, plan.query, self._space) if like is None else like
        scores = np.append(like, 0.0)  # of NONE
        return scores[conversation.clustered.numbers[positions]]


def search_turns(
    conversation: Conversation, query: Query, space: EmbeddingSpace, clusters: Collection[str] = ()
) -> list[TurnHit]:
    """Returns the best `top_k` turns, best first; only of some `clusters`, if any are named."""
    return [hit_of(conversation, each) for each in best_segments(conversation, query, space, clusters)]


def best_turns(conversation: Conversation, query: Query, space: EmbeddingSpace, fit: Fit) -> list[SegmentRef]:
    """Returns of each of the best `top_k` turns the segment that fits best, best first. `fit`: how well all fit the
    query."""
    found, first = _ranked(conversation, planned(query, space), space, fit)
    return [found.refs[place] for place in first]


def best_segments(
    conversation: Conversation, query: Query, space: EmbeddingSpace, clusters: Collection[str] = ()
) -> list[ScoredCandidate[SegmentRef]]:
    """Returns of each of the best `top_k` turns the segment that fits best, best first."""
    found, first = _ranked(conversation, planned(query, space), space, clusters=clusters)
    return found.scored(first)


def segment_hits(conversation: Conversation, plan: Plan, space: EmbeddingSpace) -> SegmentHits:
    """Returns what `best_segments` does, without what made the scores."""
    found, first = _ranked(conversation, plan, space)
    refs, order = [found.refs[place] for place in first], conversation.verbatim.order
    sides = found.sides.at(np.array(first, dtype=np.int64))
    return SegmentHits(refs, sides.attribute, sides.embedding, order.times[order.positions(refs)])


def _ranked(
    conversation: Conversation,
    plan: Plan,
    space: EmbeddingSpace,
    fit: Fit | None = None,
    clusters: Collection[str] = (),
) -> tuple[Ranking, list[int]]:
    """Ranks segments; returns with them the places of the best one of each of the best turns."""
    query = plan.query
    held = len(conversation.verbatim.order) / max(1, len(conversation.turns))
    asked = ceil(min(PER_TURN, max(1.0, held)) * query.top_k)
    verbatim, known = conversation.verbatim, fit.known if fit else None
    owner = OwnerOfTurns(conversation, space, fit.like if fit else None)
    wanted = min(query.top_k, len(conversation.turns))
    source = verbatim.source._replace(allowed=_allowed(conversation, query, clusters))
    while True:
        found = ranking(plan.wanting(asked), source, verbatim.order, owner, known)
        first: dict[str, int] = {}
        for place in found.best:
            first.setdefault(found.refs[place].interaction_id, place)
        if len(first) >= wanted or len(found.best) < asked:
            return found, list(first.values())[: query.top_k]
        asked *= 4


def _allowed(
    conversation: Conversation, query: Query, clusters: Collection[str]
) -> Callable[[SegmentRef], bool] | None:
    chosen, turns = query.filter, conversation.turns
    if not clusters:
        return None if chosen.admits_all else lambda ref: chosen.is_in_time(turns.time_of(ref.interaction_id))
    found = (conversation.clusters.get(name) for name in clusters)
    within = {id_of(step) for cluster in found if cluster for step in cluster.steps}
    return lambda ref: ref.interaction_id in within and chosen.is_in_time(turns.time_of(ref.interaction_id))


def hit_of(conversation: Conversation, found: ScoredCandidate[SegmentRef]) -> TurnHit:
    """Returns the turn of a segment that was found."""
    segment = conversation.segment(found.key)
    turn = conversation.turns[found.key.interaction_id]
    return TurnHit(
        turn=turn,
        cluster_id=conversation.clustered.at(conversation.verbatim.order.position(found.key)),
        segment=segment.text,
        in_reply=segment.role == REPLY,
        score=found.score,
        attribute_score=found.attribute_score,
        embedding_score=found.embedding_score,
        why=found.why,
    )
