"""What a conversation keeps of its segments while it is not read: their vectors, as one matrix.

Law: all else of a `Verbatim` follows from the turns, so it is let go of, and made again for the next reader: what is
made again finds what was let go of.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.conversation.telling import id_of, told
from core.conversation.turn_rows import TurnRows
from core.ids import SegmentRef
from core.index.compiled_vectors import VectorSettings
from core.index.giving_way import GiveWay, in_turns
from core.index.keyword_index import SnapshotState
from core.model.conversation import Turn
from core.verbatim.segment_order import SegmentMarks
from core.verbatim.verbatim import Verbatim, segment_fields


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Resting:
    """`matrix`: a row for each segment that has a vector; `places`: which ones, of all segments in their order."""

    matrix: NDArray[np.float32]
    places: NDArray[np.int32]
    words: SnapshotState

    @classmethod
    def of(cls, verbatim: Verbatim, turns: TurnRows) -> "Resting":
        places, matrix = verbatim.vectors.matrix(_refs(verbatim, turns.steps))
        return cls(matrix=matrix, places=np.array(places, dtype=np.int32), words=verbatim.words.saved)

    def made_again(self, turns: TurnRows, settings: VectorSettings, give_way: GiveWay) -> Verbatim:
        """Returns the segments, their words and vectors. Reads only: may run in another thread."""
        dimension = self.matrix.shape[1]
        made = Verbatim(dimension, settings)
        for turn in in_turns(turns.values(), give_way):
            enter(made, turn)
            made.words.put(made.words.prepare(segment_fields(told(turn))))
        refs = _refs(made, turns.steps)
        having = [refs[place] for place in self.places.tolist()]
        made.vectors.put_many(having, self.matrix)
        made.have(having)
        made.words.stand_by(self.words)
        return made


def enter(verbatim: Verbatim, turn: Turn, marks: SegmentMarks | None = None) -> None:
    """Puts a turn's segments behind all others; their vectors are wanting. `marks`: of the segments, if they are known
    already."""
    interaction = told(turn)
    verbatim.order.add(interaction, after=id_of(turn.step - 1), marks=marks)
    verbatim.want(verbatim.order.all_of(interaction.interaction_id))


def _refs(verbatim: Verbatim, steps: Iterable[int]) -> list[SegmentRef]:
    return [ref for step in steps for ref in verbatim.order.all_of(id_of(step))]
