"""The mid tier: clusters of older turns, by meaning; how turns join them, and which fit a query.

Law: pure over a conversation as it stands. Turns are placed in step order, each into the open cluster whose centroid is
most like it, if it is like enough, else into a new one; so the clusters follow from the turns and their order alone. A
cluster scores half by its centroid, half by the best segment of its turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from core.conversation.conversation import Conversation, unit
from core.conversation.telling import id_of
from core.index import scoring
from core.model.bank import EmbeddingSpace
from core.model.conversation import StepRange, TurnCluster
from core.model.vector import Vector
from core.verbatim.candidates import plain_scores
from core.verbatim.plan import Plan, Source, planned
from core.verbatim.query import Query

AT_ONCE = 32  # turns placed in one change
RECENT = 200  # newest turns: a cluster that holds one of them is never folded
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Open:
    """A cluster that takes turns: its steps and the sum of their vectors."""

    cluster: TurnCluster
    total: NDArray[np.float64]


def placings(
    conversation: Conversation, space: EmbeddingSpace, similarity: float
) -> tuple[list[TurnCluster], int]:
    """The clusters that change by placing the turns whose turn it is, and the last step placed: at most AT_ONCE, up to
    the first that has no vector yet."""
    limit = conversation.tiers.cluster_turns
    open_ = [o for c in conversation.clusters.values() if (o := _opened(conversation, c, limit)) is not None]
    changed: dict[str, TurnCluster] = {}
    placed_to = conversation.record.placed_to
    for turn in conversation.unplaced()[:AT_ONCE]:
        vector = conversation.vector_of(turn.step)
        if vector is None:
            break
        chosen = _nearest(open_, vector, space, similarity)
        if chosen is None:
            chosen = _Open(
                TurnCluster(cluster_id=f"c{turn.step}", steps=()), np.zeros(len(vector), np.float64)
            )
            open_.append(chosen)
        chosen.cluster = replace(chosen.cluster, steps=(*chosen.cluster.steps, turn.step))
        chosen.total = chosen.total + vector
        changed[chosen.cluster.cluster_id] = chosen.cluster
        if len(chosen.cluster.steps) >= limit:
            open_.remove(chosen)
        placed_to = turn.step
    return list(changed.values()), placed_to


def _opened(conversation: Conversation, cluster: TurnCluster, limit: int) -> _Open | None:
    total = conversation.total(cluster.cluster_id)
    return None if total is None or len(cluster.steps) >= limit else _Open(cluster, total)


def _nearest(
    open_: Sequence[_Open], vector: Vector, space: EmbeddingSpace, similarity: float
) -> _Open | None:
    """The most similar of the open clusters, if that is similar enough; of equals the older."""
    if not open_:
        return None
    centroids = np.array([unit(each.total) for each in open_])
    scaled = scoring.embedding_scores(centroids @ vector, space.cosine_floor, space.cosine_ceiling)
    best = int(np.argmax(scaled))
    return open_[best] if scaled[best] > similarity else None


def coldest(conversation: Conversation) -> TurnCluster | None:
    """The cluster to be folded next; None while there are no more than there may be, or all are of late."""
    if len(conversation.clusters) <= conversation.tiers.max_clusters:
        return None
    recent = frozenset(conversation.steps[-RECENT:])
    old = [c for c in conversation.clusters.values() if not recent.intersection(c.steps)]
    return min(old, key=lambda cluster: _warmth(conversation, cluster), default=None)


def _warmth(conversation: Conversation, cluster: TurnCluster) -> tuple[int, datetime, int]:
    hits = conversation.hits.get(cluster.cluster_id)
    last = hits.last_hit_time if hits else NEVER
    return (hits.hits if hits else 0, last, cluster.steps[0])


def ripe(conversation: Conversation) -> TurnCluster | None:
    """The next cluster to become a key: recalled often enough, and never made one before."""
    bar = conversation.tiers.hit_threshold
    often = (conversation.clusters[h.cluster_id] for h in conversation.hits.values() if h.hits > bar)
    return min((c for c in often if not c.promoted), key=lambda c: c.steps[0], default=None)


def ranges_of(steps: Sequence[int], known: Sequence[int]) -> tuple[StepRange, ...]:
    """Ascending steps as runs; a step that is not `known`, because its turn is gone, ends no run."""
    place = {step: number for number, step in enumerate(known)}
    runs: list[StepRange] = []
    for step in steps:
        if runs and place[step] == place[runs[-1].last_step] + 1:
            runs[-1] = replace(runs[-1], last_step=step)
        else:
            runs.append(StepRange(first_step=step, last_step=step))
    return tuple(runs)


def recalled(
    conversation: Conversation, query: Query, space: EmbeddingSpace, count: int
) -> list[tuple[TurnCluster, float]]:
    """The `count` clusters that fit a query best, best first, each with its score."""
    clusters = conversation.clusters_in_order()
    if not clusters or count <= 0:
        return []
    plain = best_of_turns(conversation, planned(query, space), clusters)
    scores = 0.5 * likeness(conversation, query, space, clusters) + 0.5 * plain
    order = np.argsort(-scores, kind="stable")[:count].tolist()
    return [(clusters[place], float(scores[place])) for place in order if scores[place] > 0.0]


def likeness(
    conversation: Conversation, query: Query, space: EmbeddingSpace, clusters: Sequence[TurnCluster]
) -> NDArray[np.float64]:
    """How like the query each cluster's centroid is, on the space's scale; 0 where either has no vector."""
    found = np.zeros(len(clusters))
    if query.vector is None:
        return found
    made = [(n, v) for n, c in enumerate(clusters) if (v := conversation.centroid(c.cluster_id)) is not None]
    if made:
        cosines = np.array([vector for _, vector in made]) @ query.vector
        places = [number for number, _ in made]
        found[places] = scoring.embedding_scores(cosines, space.cosine_floor, space.cosine_ceiling)
    return found


def best_of_turns(
    conversation: Conversation, plan: Plan, clusters: Sequence[TurnCluster]
) -> NDArray[np.float64]:
    """Of each cluster the plain score of its best segment."""
    verbatim = conversation.verbatim
    order = verbatim.order
    groups = [[ref for step in cluster.steps for ref in order.all_of(id_of(step))] for cluster in clusters]
    refs = [ref for group in groups for ref in group]
    plain = plain_scores(plan, Source(verbatim.words, verbatim.vectors), refs)
    starts = np.cumsum([0, *map(len, groups[:-1])])
    best: NDArray[np.float64] = np.maximum.reduceat(plain, starts)
    return best
