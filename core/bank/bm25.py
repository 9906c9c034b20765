"""What the terms of a query are worth to every document: BM25 summed over postings that lie in arrays.

Law: pure. A document's score is the sum over the terms in the order they are given, to the bit, however the
postings lie and whatever else is in them.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_PORTION = 8_192
"""Entries scored in one go: their intermediate arrays stay in the processor's cache, and with the allocator."""


_FEW = 16
"""Where a sixteenth of the documents at most is hit, the others are not looked at."""


class Posting(NamedTuple):
    """Who says a term, how often, and what the term is worth: weight × idf × (k1 + 1)."""

    slots: NDArray[np.intc]
    counts: NDArray[np.single]
    worth: float


class Sums(NamedTuple):
    """What the documents score, by slot, and the highest of it.

    `hits`: the slots of all that score, ascending; None where they are so many that a look at all costs less.
    """

    scores: NDArray[np.float64]
    best: float
    hits: NDArray[np.intc] | None


def summed(postings: Iterable[Posting], norms: NDArray[np.float64]) -> Sums:
    """Of each document the sum of worth × count / (count + norm); `norms` by slot, of the same shape."""
    scores = np.zeros(len(norms))
    said: list[NDArray[np.intc]] = []
    for portion in _portions(postings):
        said += [part.slots for part in portion]
        slots = np.concatenate([part.slots for part in portion], dtype=np.intp)
        counts = np.concatenate([part.counts for part in portion], dtype=np.float64)
        bounded = norms[slots]
        bounded += counts
        counts *= np.repeat([part.worth for part in portion], [len(part.slots) for part in portion])
        counts /= bounded
        np.add.at(scores, slots, counts)
    if _FEW * sum(map(len, said)) >= len(scores):
        return Sums(scores, float(scores.max(initial=0.0)), None)
    hits = _each_once(said)
    return Sums(scores, float(scores[hits].max(initial=0.0)), hits)


def _each_once(said: list[NDArray[np.intc]]) -> NDArray[np.intc]:
    slots = np.concatenate([np.empty(0, np.intc), *said])
    slots.sort()
    new = np.ones(len(slots), np.bool_)
    np.not_equal(slots[1:], slots[:-1], out=new[1:])
    return slots[new]


def _portions(postings: Iterable[Posting]) -> Iterator[list[Posting]]:
    """The same entries in the same order, together as many as a portion holds."""
    portion: list[Posting] = []
    room = _PORTION
    for posting in postings:
        for part in _parts(posting):
            if len(part.slots) > room:
                yield portion
                portion, room = [], _PORTION
            portion.append(part)
            room -= len(part.slots)
    if portion:
        yield portion


def _parts(posting: Posting) -> Iterable[Posting]:
    if len(posting.slots) <= _PORTION:
        return (posting,)
    pieces = (slice(start, start + _PORTION) for start in range(0, len(posting.slots), _PORTION))
    return (Posting(posting.slots[piece], posting.counts[piece], posting.worth) for piece in pieces)
