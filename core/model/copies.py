"""Copies: segments with the same words as a node's evidence. They stand under the node, and nothing was judged anew."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import NodeId, SegmentRef

MOST_REFS = 100
"""Copies of one node that are kept as evidence; all others are counted only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """The copies of one node. `refs` are those kept as evidence, in the order in which they came.

    `first_time` and `last_time` are the earliest and the latest event time of any copy.
    """

    node_id: NodeId
    count: int
    first_time: datetime
    last_time: datetime
    refs: tuple[SegmentRef, ...] = ()
