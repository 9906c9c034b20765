"""A bank's queries and answers.

Law: values; they know a bank's nodes and segments, and nothing of how these are found. `Query` is
`core.verbatim.query`'s, exported here for callers of a bank.
"""

from datetime import datetime
from typing import NamedTuple

from core.ids import NodeId, SegmentRef
from core.index.scoring import Why
from core.model.interaction import Segment
from core.model.node import Node
from core.verbatim.query import ADMITS_ALL, Filter, Fusion, Query, Target

__all__ = ["ADMITS_ALL", "Filter", "QueryResult", "Fusion", "Hit", "Query", "Target"]


class Hit(NamedTuple):
    """One hit: a node or a segment. `neighbor_ids` are a node's own; `unstructured` marks a segment that
    stands in for the summary still to come; `best_segment` is what lifted a node's score (target BOTH);
    `why` is what made the score where it is not the plain formula's, adding up to it.

    A tuple, as it is made by the dozen in every search, in a third of a dataclass's time.
    """

    score: float
    attribute_score: float
    embedding_score: float
    node: Node | None = None
    segment: Segment | None = None
    neighbor_ids: tuple[NodeId, ...] = ()
    unstructured: bool = False
    best_segment: SegmentRef | None = None
    why: Why = ()

    @property
    def time(self) -> datetime:
        shown = self.node or self.segment
        assert shown is not None, "a hit is a node or a segment"
        return shown.event_time


class QueryResult(NamedTuple):
    """Hits in score order; their neighbourhood, each node once, hits left out.

    `by_words` and `by_meaning` tell which sides were searched: the score of another side is 0 throughout.
    """

    hits: tuple[Hit, ...]
    neighbors: tuple[Node, ...]
    neighbors_truncated: bool
    revision: int
    by_words: bool = True
    by_meaning: bool = True
