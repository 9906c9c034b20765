"""The vector that is kept for a turn: those of its segments, one behind the other."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.ids import SegmentRef
from core.model.vector import Vector

if TYPE_CHECKING:
    from core.conversation.conversation import Conversation


def joined(rows: Sequence[Vector]) -> Vector:
    """Joins the vectors of a turn's segments into the one that is kept for the turn."""
    return np.concatenate(rows)


def by_segment(conversation: "Conversation", kept: Mapping[str, Vector]) -> dict[SegmentRef, Vector]:
    """Returns vectors of turns as vectors of their segments; those that do not fit their turn are passed over."""
    found: dict[SegmentRef, Vector] = {}
    for item, vector in kept.items():
        turn = conversation.turns.get(item)
        refs = conversation.refs(turn) if turn else []
        if refs and vector.size == len(refs) * conversation.tuning.dimension:
            found.update(zip(refs, vector.reshape(len(refs), -1), strict=True))
    return found
