"""Which consecutive pieces of a text belong to one topic, and which stretches of it come back to one.

Law: pure and deterministic; sees vectors and sections, never words. Cost is bounded by
`LONGEST_STRETCH` × pieces for the cuts and pieces² for the rest (4,000 pieces: under two seconds).

The measure is the same throughout: two pieces belong together by how far their similarity lies
above a line. A stretch's worth is the sum over its pairs (correlation clustering, Bansal, Blum and
Chawla 2004, restricted to stretches), the best cuts are found exactly by dynamic programming, and
stretches are joined while the mean over their pairs stays above the line (average linkage).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

# Similarities, bonuses and lines are on the embedder's calibrated scale.
LONGEST_STRETCH = 48  # pieces
SMOOTHING = 0.5  # weight of either neighbour in the vector of a piece that says nothing alone
NEAR = 0.12  # added to the similarity of neighbours: text goes on more often than not
NEAR_REACH = 2.0  # pieces over which that fades to 1/e
SAME_SECTION = 0.20  # added within a section of up to `SECTION_SIZE` pieces, less in longer ones
SECTION_SIZE = 8
OTHER_SECTION = 0.10  # taken away across sections
STRETCH_REACH = 8.0  # pieces over which a pair's weight in a stretch fades to 1/e: digressions are no part
STRETCH_COST = 0.25  # taken off for every stretch: a greeting is no topic of its own
SPREAD = 0.5  # standard deviations above the text's own mean that the line lies at least
SAMPLE_WANTED = 12  # pieces from which the text's own mean counts
RETURN = 0.08  # what joining stretches that are not neighbours asks above the line


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What is known of pieces beside their vectors: the section of each, and how much it says in [0, 1]."""

    sections: Sequence[int]
    weights: Sequence[float]


def group(vectors: Matrix, layout: Layout, floor: float, ceiling: float, topic: float) -> list[list[int]]:
    """Returns the topics of pieces in text order, as lists of their indexes, in order of their first piece.

    `vectors`: shape (pieces, dimension), unit rows; `floor` and `ceiling` calibrate cosines to
    [0, 1]; `topic` is the line on that scale.
    """
    if len(vectors) < 2:
        return [[index] for index in range(len(vectors))]
    similarity = _similarity(_smoothed(vectors, layout), floor, ceiling)
    line = _line(similarity, topic)
    worth = similarity - line + _layout_bonus(layout)
    stretches = _stretches(worth)
    return sorted(_joined(stretches, worth))


def _smoothed(vectors: Matrix, layout: Layout) -> Matrix:
    """Returns each vector mixed with its neighbours' in the section, the more the less informative its own text is."""
    weights = np.asarray(layout.weights, dtype=np.float32)[:, None]
    sections = np.asarray(layout.sections)
    same = (sections[1:] == sections[:-1])[:, None]
    mixed = vectors * np.maximum(weights, 0.05)
    smooth = mixed.copy()
    share = SMOOTHING * (1.0 - weights)
    smooth[1:] += np.where(same, share[1:] * mixed[:-1], 0)
    smooth[:-1] += np.where(same, share[:-1] * mixed[1:], 0)
    norms = np.linalg.norm(smooth, axis=1, keepdims=True)
    return np.asarray(smooth / np.maximum(norms, 1e-9), dtype=np.float32)


def _similarity(vectors: Matrix, floor: float, ceiling: float) -> Matrix:
    cosines = vectors @ vectors.T
    return np.asarray(np.clip((cosines - floor) / (ceiling - floor), 0.0, 1.0), dtype=np.float32)


def _line(similarity: Matrix, topic: float) -> float:
    """Returns the embedder's threshold, or the text's own if that is higher: all of a monograph is on one subject."""
    count = len(similarity)
    if count < SAMPLE_WANTED:
        return topic
    pairs = similarity[np.triu_indices(count, 1)]
    return max(topic, float(pairs.mean() + SPREAD * pairs.std()))


def _layout_bonus(layout: Layout) -> Matrix:
    places = np.arange(len(layout.sections))
    sections = np.asarray(layout.sections)
    near = NEAR * np.exp(-(np.abs(places[:, None] - places) - 1) / NEAR_REACH)
    same = sections[:, None] == sections
    tied = SAME_SECTION * np.minimum(1.0, SECTION_SIZE / same.sum(axis=1)) if not same.all() else np.zeros(1)
    bonus = np.where(same, near + tied[:, None], -OTHER_SECTION)
    return np.asarray(bonus, dtype=np.float32)


def _stretches(worth: Matrix) -> list[range]:
    """Returns the cuts with the greatest sum of worth over the pairs inside stretches."""
    count = len(worth)
    places = np.arange(count)
    fading = np.exp(-np.abs(places[:, None] - places) / STRETCH_REACH)
    gains = np.triu(worth * fading, 1).cumsum(axis=0).cumsum(axis=1)
    sums = np.zeros((count + 1, count + 1), dtype=np.float64)
    sums[1:, 1:] = gains
    best = np.zeros(count + 1)
    came_from = np.zeros(count + 1, dtype=np.int64)
    for end in range(1, count + 1):
        starts = np.arange(max(0, end - LONGEST_STRETCH), end)
        inside = sums[end, end] - sums[starts, end] - sums[end, starts] + sums[starts, starts]
        totals = best[starts] + inside - STRETCH_COST
        chosen = int(np.argmax(totals))
        best[end], came_from[end] = totals[chosen], starts[chosen]
    cuts: list[range] = []
    end = count
    while end:
        cuts.append(range(int(came_from[end]), end))
        end = int(came_from[end])
    return cuts[::-1]


def _joined(stretches: Sequence[range], worth: Matrix) -> list[list[int]]:
    """Stretches that come back to one topic, joined while the mean worth between two stays above nothing."""
    starts = [stretch.start for stretch in stretches]
    sums = np.add.reduceat(np.add.reduceat(worth.astype(np.float64), starts, axis=0), starts, axis=1)
    linkage = _Linkage([list(stretch) for stretch in stretches], sums)
    for first in range(len(stretches)):
        linkage.follow(first)
    return [sorted(found) for found in linkage.members if found]


class _Linkage:
    """Average linkage by nearest-neighbour chains (Murtagh 1983): pieces² in all, in whatever order."""

    def __init__(self, members: list[list[int]], sums: NDArray[np.float64]) -> None:
        self.members = members
        self._sizes = np.array([len(member) for member in members], dtype=np.float64)
        self._means = sums / np.outer(self._sizes, self._sizes) - RETURN
        np.fill_diagonal(self._means, -np.inf)

    def follow(self, first: int) -> None:
        """Joins what the chain from `first` meets, until it ends at a stretch that belongs with none."""
        chain = [first]
        while chain:
            last = chain[-1]
            nearest = int(np.argmax(self._means[last]))
            if self._means[last, nearest] <= 0:
                chain.pop()
                self._set_apart(last)
            elif len(chain) > 1 and self._means[last, chain[-2]] >= self._means[last, nearest]:
                self._join(chain.pop(), chain[-1])
            else:
                chain.append(nearest)

    def _set_apart(self, one: int) -> None:
        self._means[one], self._means[:, one] = -np.inf, -np.inf

    def _join(self, one: int, other: int) -> None:
        sizes = self._sizes
        merged = (self._means[one] * sizes[one] + self._means[other] * sizes[other]) / (
            sizes[one] + sizes[other]
        )
        self.members[other] += self.members[one]
        self.members[one] = []
        sizes[other] += sizes[one]
        self._means[other], self._means[:, other] = merged, merged
        self._means[other, other] = -np.inf
        self._set_apart(one)
