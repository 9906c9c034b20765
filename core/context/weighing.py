"""How well every turn of a conversation fits a query, beside those of other conversations: one look at all segments.

Law: reads only, and asks an index once for a word and not once for a segment. What a turn is worth is by the Reader;
of turns that were not read questions are worth nothing: they tell nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.context.evidence import Source, idf_of, unordered
from core.conversation.conversation import Conversation
from core.conversation.search import UNREAD
from core.ids import SegmentRef
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.verbatim.measuring import scaled
from core.verbatim.segment_order import MASKED

WORTH = 0.2
"""What is taken from the fit of a turn that surely tells nothing that lasts; of others in proportion."""


class Weighable(NamedTuple):
    """The segments of a conversation: which words of the query they hold, their cosines, and what they are worth."""

    refs: Sequence[SegmentRef]
    holds: NDArray[np.bool_]
    cosines: NDArray[np.float64]
    worths: NDArray[np.float64]


class Fitting(NamedTuple):
    """A segment that fits best of its turn: the place of its conversation among all, its name and its weights."""

    place: int
    ref: SegmentRef
    holds: NDArray[np.bool_]
    cosine: float
    doubt: float
    fit: float

    @property
    def has_in_common(self) -> bool:
        """Whether it has a word of the query, or is like it beyond what chance and doubt explain."""
        return bool(self.holds.any()) or self.fit > 0.0


def weighable(
    conversation: Conversation, words: Sequence[str], vector: Vector, space: EmbeddingSpace
) -> Weighable:
    """Returns what weighs the segments of a conversation."""
    verbatim = conversation.verbatim
    order, rows = verbatim.order, verbatim.rows
    positions = np.flatnonzero(order.sittings != MASKED)
    of_words = np.asarray(rows.words)[positions].tolist()
    columns = [verbatim.words.scores_at({word: 1.0}, of_words) > 0.0 for word in words]
    cosines = verbatim.vectors.cosines(vector.astype(np.float32), rows.vectors[positions])
    refs = order.refs(positions)
    return Weighable(
        refs=refs,
        holds=np.array(columns, dtype=np.bool_).T if columns else np.zeros((len(positions), 0), np.bool_),
        cosines=scaled(cosines, space),
        worths=_worths(conversation.worths_of(refs), order.asking[positions] > 0),
    )


def _worths(read: NDArray[np.float64], asking: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(np.isnan(read), np.where(asking, 0.0, UNREAD), read)


def best_of(found: Sequence[Weighable], count: int) -> list[Fitting]:
    """Returns of the `count` turns that fit best the segment that does, best first."""
    sizes = [len(one.refs) for one in found]
    holds = np.concatenate([one.holds for one in found])
    cosines = np.concatenate([one.cosines for one in found])
    doubts = WORTH * (1.0 - np.concatenate([one.worths for one in found]))
    fits = unordered(Source([], holds, cosines, doubts), idf_of(holds))
    places = np.repeat(np.arange(len(found)), sizes)
    starts = np.cumsum([0, *sizes])
    best: dict[tuple[int, str], Fitting] = {}
    for row in np.argsort(-fits, kind="stable").tolist():
        place = int(places[row])
        ref = found[place].refs[row - starts[place]]
        best.setdefault(
            (place, ref.interaction_id),
            Fitting(place, ref, holds[row], cosines[row], doubts[row], float(fits[row])),
        )
        if len(best) == count:
            break
    return list(best.values())
