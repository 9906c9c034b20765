"""Segments in the order in which things were said: their places, words and vectors.

Law: one per aggregate that keeps a verbatim record. A segment's text is with its owner; here it is found by its words
as soon as it is there, and by its meaning as soon as its vector is made (`wanting` until then).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import SegmentRef
from core.index.compiled_vectors import VectorSettings
from core.index.keyword_index import KeywordIndex
from core.index.vector_index import VectorIndex
from core.model.interaction import Interaction
from core.model.vector import Vector
from core.verbatim.plan import NO_ROW, Plan, RowsOf, Source
from core.verbatim.segment_order import MASKED, Positions, SegmentOrder

SEGMENT_WEIGHTS: Mapping[str, float] = {"text": 1.0}


class Owner(Protocol):
    """What the owner of segments knows of them beside their places, words and vectors."""

    def quoting(self, refs: Sequence[SegmentRef], quotation: str, /) -> Sequence[bool]:
        """Returns of each segment whether it holds the quotation word for word."""
        ...

    def credibility(self, refs: Sequence[SegmentRef], /) -> NDArray[np.float64] | None:
        """Returns the factors of segments' scores, where verdicts speak against some; None where none does."""
        ...

    def topics(self, plan: Plan, positions: Positions, /) -> NDArray[np.float64]:
        """Returns of each position the plain score of what stands for its topic, 0 to 1; 0 where nothing does."""
        ...


class Verbatim:
    """The segments of one aggregate."""

    def __init__(self, dimension: int, settings: VectorSettings) -> None:
        self.order = SegmentOrder()
        self.words: KeywordIndex[SegmentRef] = KeywordIndex(SEGMENT_WEIGHTS)
        self.vectors: VectorIndex[SegmentRef] = VectorIndex(dimension, settings)
        self.wanting: dict[SegmentRef, None] = {}  # segments whose vectors are still to be made
        self._rows = RowsOf([], np.empty(0, np.int64))
        self._rows_at = (
            0,
            0,
            0,
        )  # how many positions there were, and the indexes' edits, when they were looked up
        self._moves = (0, 0)  # of the indexes then

    @property
    def source(self) -> Source[SegmentRef]:
        return Source(self.words, self.vectors)

    @property
    def rows(self) -> RowsOf:
        """Where every segment stands in the indexes, by position. What came since is looked up; all is, after an edit
        that may have moved a row. A position that was dropped has no row, though a segment that came back has its
        name."""
        at = (len(self.order), self.words.edits, self.vectors.edits)
        if self._rows_at != at:
            moves = (self.words.moves, self.vectors.moves)
            self._rows = self._looked_up(self._rows if moves == self._moves else None)
            self._rows_at, self._moves = at, moves
        return self._rows

    def _looked_up(self, known: RowsOf | None) -> RowsOf:
        """Returns all rows. `known`: those of the first positions, of which only what had none may have come by one."""
        first = len(known.words) if known else 0
        found = self.source.rows(self.order.every_ref[first:])
        masked = self.order.sittings == MASKED
        for place in np.flatnonzero(masked[first:]).tolist():
            found.words[place] = found.vectors[place] = NO_ROW
        if known is None:
            return found
        words, vectors = [*known.words, *found.words], np.concatenate((known.vectors, found.vectors))
        lacking = ((vectors[:first] == NO_ROW) & ~masked[:first]).nonzero()[0]
        refs = [self.order.every_ref[position] for position in lacking.tolist()]
        vectors[lacking] = self.vectors.rows(refs)
        return RowsOf(words, vectors)

    def want(self, refs: Iterable[SegmentRef]) -> None:
        """Notes that vectors of these segments are to be made."""
        self.wanting.update(dict.fromkeys(refs))

    def put_vectors(self, vectors: Mapping[SegmentRef, Vector]) -> None:
        """Indexes vectors of segments that are there."""
        self.vectors.put_many(list(vectors), list(vectors.values()))
        self.have(vectors)

    def have(self, refs: Iterable[SegmentRef]) -> None:
        """Notes that vectors of these segments are not to be made any more."""
        for ref in refs:
            self.wanting.pop(ref, None)
        if not self.wanting:
            self.wanting = {}  # an emptied dict keeps its memory


def segment_fields(interaction: Interaction) -> dict[SegmentRef, Mapping[str, str]]:
    """Returns the fields by which an interaction's segments are searched: the speaker belongs to the text."""
    fields: dict[SegmentRef, Mapping[str, str]] = {}
    for index, span in enumerate(interaction.spans):
        text = interaction.text[span.start : span.end]
        shown = f"{span.speaker}: {text}" if span.speaker else text
        fields[SegmentRef(interaction.interaction_id, index)] = {"text": shown}
    return fields
