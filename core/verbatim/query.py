"""What is asked of segments, and of nodes where there are some.

Law: values; they know nothing of how anything is found.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from core.ids import NodeId
from core.index.scoring import Mode
from core.model.node import Node, NodeState
from core.model.vector import Vector
from core.verbatim.structure import Structure


class Target(StrEnum):
    NODES = "nodes"
    SEGMENTS = "segments"
    BOTH = "both"


class Fusion(StrEnum):
    WEIGHTED = "weighted"
    RECIPROCAL_RANK = "reciprocal_rank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What may be found. Times are of the event, `since` inclusive and `until` exclusive; empty admits all.

    `keywords` and `labels` must all be there (keywords of nodes compare without case; segments
    have neither and are found by their nodes'); one of `states` and one of `sources` must fit.
    """

    since: datetime | None = None
    until: datetime | None = None
    keywords: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    states: frozenset[NodeState] = frozenset()
    sources: frozenset[str] = frozenset()

    @property
    def admits_all(self) -> bool:
        return self is ADMITS_ALL or self == ADMITS_ALL

    def is_in_time(self, time: datetime) -> bool:
        return (self.since is None or time >= self.since) and (self.until is None or time < self.until)

    def admits(self, node: Node) -> bool:
        return (
            self.is_in_time(node.event_time)
            and (not self.states or node.state in self.states)
            and (not self.sources or node.source in self.sources)
            and self.labels.items() <= node.labels.items()
            and (not self.keywords or _folded(self.keywords) <= _folded(node.keywords))
        )


ADMITS_ALL = Filter()


class Query(NamedTuple):
    """A search. `text` and `vector` may both be there, or either; α weighs them. A tuple, as an `Ask` is."""

    top_k: int
    alpha: float
    text: str = ""
    vector: Vector | None = None
    keywords: tuple[str, ...] = ()
    mode: Mode = Mode.HYBRID
    target: Target = Target.NODES
    fusion: Fusion = Fusion.WEIGHTED
    hops: int = 1
    max_neighbors: int = 100
    min_score: float = 0.0
    exclude: frozenset[NodeId] = frozenset()
    filter: Filter = ADMITS_ALL
    structure: Structure = Structure()
    now: datetime | None = None  # what "yesterday" in the text goes by


def _folded(words: Iterable[str]) -> set[str]:
    return {word.casefold() for word in words}
