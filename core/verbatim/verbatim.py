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
        self._rows: tuple[tuple[int, ...], RowsOf] | None = None  # with the edits until which they hold

    @property
    def source(self) -> Source[SegmentRef]:
        return Source(self.words, self.vectors)

    @property
    def rows(self) -> RowsOf:
        """Where every segment stands in the indexes, by position; looked up anew after an edit. A position that was
        dropped has no row, though a segment that came back has its name."""
        edits = (len(self.order), self.words.edits, self.vectors.edits)
        if self._rows is None or self._rows[0] != edits:
            rows = self.source.rows(self.order.every_ref)
            for position in np.flatnonzero(self.order.sittings == MASKED).tolist():
                rows.words[position] = rows.vectors[position] = NO_ROW
            self._rows = edits, rows
        return self._rows[1]

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
