"""The mid tier: clusters of older turns, by meaning; how turns join them, and which fit a query.

Law: pure over a conversation as it stands. Turns are placed in step order, each into the open cluster whose topic is
most like its own (`core.conversation.topics`), if it is like enough, else into a new one. For a query a cluster scores
half by its centroid, half by the best segment of its turns.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.conversation.clustered import NONE, ClusterShares
from core.conversation.conversation import Conversation
from core.conversation.topics import topics_of
from core.index import scoring
from core.model.bank import EmbeddingSpace
from core.model.conversation import KeyType, StepRange, TurnCluster
from core.model.vector import Vector
from core.verbatim.candidates import SegmentSides, sides
from core.verbatim.plan import planned
from core.verbatim.query import Query
from core.verbatim.segment_order import Positions

AT_ONCE = 32  # turns placed in one change
RECENT = 200  # newest turns: a cluster that holds one of them is never folded
LARGE = 20_000  # segments: of more, to look at all takes longer than to ask the indexes for the best ones
NEVER = datetime.min.replace(tzinfo=UTC)


def placings(
    conversation: Conversation, space: EmbeddingSpace, similarity: float
) -> tuple[list[TurnCluster], int]:
    """Returns the clusters that change by placing the turns that are next, and the last step placed: at most AT_ONCE,
    up to the first that has no vector yet."""
    embedded = takewhile(conversation.is_embedded, conversation.unplaced(AT_ONCE))
    steps = [turn.step for turn in embedded]
    changed = placed(conversation, steps, conversation.clusters.values(), space, similarity)
    return changed, steps[-1] if steps else conversation.record.placed_to


def placed(
    conversation: Conversation,
    steps: Sequence[int],
    clusters: Iterable[TurnCluster],
    space: EmbeddingSpace,
    similarity: float,
) -> list[TurnCluster]:
    """Returns those of the clusters that change by placing these turns in them, in step order, and those founded."""
    limit, verbatim = conversation.tiers.cluster_turns, conversation.verbatim
    open_ = {each.cluster_id: each for each in clusters if len(each.steps) < limit}
    sums = dict(zip(open_, conversation.topics.sums(open_.values(), verbatim), strict=True))
    changed: dict[str, TurnCluster] = {}
    for step, topic in zip(steps, topics_of(steps, verbatim), strict=True):
        name = _nearest(sums, topic, space, similarity) or f"c{step}"
        before = open_.get(name) or TurnCluster(cluster_id=name, steps=())
        sums[name] = sums[name] + topic if name in sums else topic
        open_[name] = changed[name] = replace(before, steps=tuple(sorted((*before.steps, step))))
        if len(open_[name].steps) >= limit:
            del open_[name], sums[name]
    return list(changed.values())


def _nearest(
    sums: Mapping[str, NDArray[np.float64]],
    topic: NDArray[np.float64],
    space: EmbeddingSpace,
    similarity: float,
) -> str | None:
    """Returns the cluster whose turns' topics sum up to what is most like the topic, if that is similar enough; of
    equals the older."""
    if not sums:
        return None
    cosines = np.array([unit(each) @ topic for each in sums.values()])
    scaled = scoring.embedding_scores(cosines, space.cosine_floor, space.cosine_ceiling)
    best = int(np.argmax(scaled))
    return list(sums)[best] if scaled[best] > similarity else None


def same_matter(
    conversation: Conversation, names: Collection[str], space: EmbeddingSpace, similarity: float
) -> set[str]:
    """Returns the other clusters whose topic is that of one of these: nearer than half way from what a turn needs to
    join to the same. Between means chance is less than between a turn and a mean."""
    clusters = list(conversation.clusters.values())
    numbers = {cluster.cluster_id: number for number, cluster in enumerate(clusters)}
    chosen = [numbers[name] for name in names]
    if not chosen or len(clusters) == len(chosen):
        return set()
    topics = np.array([unit(each) for each in conversation.topics.sums(clusters, conversation.verbatim)])
    scaled = scoring.embedding_scores(topics[chosen] @ topics.T, space.cosine_floor, space.cosine_ceiling)
    near = np.flatnonzero((scaled >= (1.0 + similarity) / 2).any(axis=0)).tolist()
    return {clusters[number].cluster_id for number in near} - set(names)


def coldest(conversation: Conversation) -> TurnCluster | None:
    """Returns the cluster to be folded next; None while there are no more than there may be, or all are of late."""
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
    """Returns the next cluster to become a key: recalled often enough, and never made one before."""
    bar = conversation.tiers.hit_threshold
    often = (conversation.clusters[h.cluster_id] for h in conversation.hits.values() if h.hits > bar)
    return min((c for c in often if not c.promoted), key=lambda c: c.steps[0], default=None)


def overtaken(conversation: Conversation) -> TurnCluster | None:
    """Returns the next cluster that has turns which its key was made without."""
    found = (
        conversation.clusters[key.cluster_id]
        for key in conversation.keys.values()
        if key.type is KeyType.SYSTEM
        and key.cluster_id in conversation.clusters
        and conversation.clusters[key.cluster_id].steps[-1] > key.seen_to
    )
    return min(found, key=lambda cluster: cluster.steps[0], default=None)


def ranges_of(steps: Sequence[int], known: Sequence[int]) -> tuple[StepRange, ...]:
    """Returns ascending steps as runs; a step that is not `known`, because its turn is gone, ends no run. The known
    ascend, too."""
    runs: list[StepRange] = []
    for step in steps:
        if runs and bisect_left(known, step) == bisect_left(known, runs[-1].last_step) + 1:
            runs[-1] = replace(runs[-1], last_step=step)
        else:
            runs.append(StepRange(first_step=step, last_step=step))
    return tuple(runs)


class Fit(NamedTuple):
    """Of each cluster, by its number: how like a query its centroid is on the space's scale, 0 where either has no
    vector; and the plain score of its best segment. `known`: how well each segment fits; None in a large
    conversation."""

    like: NDArray[np.float64]
    best: NDArray[np.float64]
    known: SegmentSides | None


def recalled(
    conversation: Conversation, query: Query, space: EmbeddingSpace, count: int, fit: Fit | None = None
) -> list[tuple[TurnCluster, float]]:
    """Returns the `count` clusters that fit a query best, best first, each with its score. `fit`: where it is known."""
    clusters = conversation.clusters_in_order()
    if not clusters or count <= 0:
        return []
    number_of = conversation.clustered.number_of
    numbers = [number_of[each.cluster_id] for each in clusters]
    fit = fit or fitting(conversation, query, space)
    scores = (0.5 * fit.like + 0.5 * fit.best)[numbers]
    order = np.argsort(-scores, kind="stable")[:count].tolist()
    return [(clusters[place], float(scores[place])) for place in order if scores[place] > 0.0]


def fitting(conversation: Conversation, query: Query, space: EmbeddingSpace) -> Fit:
    """Returns how well each cluster fits: one look at all segments, which finds the turns that fit by themselves, too.
    Of a large conversation one look at those in clusters, which are no more however long it is."""
    clustered, verbatim, cosines = conversation.clustered, conversation.verbatim, None
    positions, is_large = _placed(clustered), len(verbatim.order) > LARGE
    rows, placed = (verbatim.rows.at(positions), slice(None)) if is_large else (verbatim.rows, positions)
    like, best = np.zeros(clustered.count), np.zeros(clustered.count)
    if query.vector is not None:
        cosines = verbatim.vectors.cosines(query.vector.astype(np.float32), rows.vectors)
        like = _scaled(_of_centroids(clustered, positions, cosines[placed]), space)
    found = sides(planned(query, space), verbatim.source, rows, cosines)
    np.maximum.at(best, clustered.numbers[positions], found.plain[placed])
    return Fit(like, best, None if is_large else SegmentSides(found, cosines))


def likeness(conversation: Conversation, query: Query, space: EmbeddingSpace) -> NDArray[np.float64]:
    """`Fit.like` alone."""
    if query.vector is None:
        return np.zeros(conversation.clustered.count)
    return _scaled(centroid_cosines(conversation, query.vector), space)


def centroid_cosines(conversation: Conversation, vector: Vector | NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the cosine of each cluster's centroid, by its number; 0 where none of its turns has a vector."""
    clustered, verbatim = conversation.clustered, conversation.verbatim
    positions = _placed(clustered)
    cosines = verbatim.vectors.cosines(vector.astype(np.float32), verbatim.rows.vectors[positions])
    return _of_centroids(clustered, positions, cosines)


def _placed(clustered: ClusterShares) -> Positions:
    """Returns the segments that lie in a cluster."""
    return np.flatnonzero(clustered.numbers != NONE)


def _of_centroids(
    clustered: ClusterShares, positions: Positions, cosines: NDArray[np.float32]
) -> NDArray[np.float64]:
    shares = clustered.shares[positions] * cosines
    found = np.bincount(clustered.numbers[positions], shares, minlength=clustered.count)
    return found.astype(np.float64, copy=False)


def _scaled(cosines: NDArray[np.float64], space: EmbeddingSpace) -> NDArray[np.float64]:
    return scoring.embedding_scores(cosines, space.cosine_floor, space.cosine_ceiling)


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the vector at length 1; zero stays zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector
