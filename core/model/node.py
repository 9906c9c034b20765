"""A node of the query graph: one topic's summary, and what is remembered about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.ids import InteractionId, NodeId, SegmentRef
from core.model.bearing import WireSlot


class NodeState(StrEnum):
    ACTIVE = "active"
    CONTESTED = "contested"  # a side of an open conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(WireSlot):
    """One topic's summary. The embedding is kept beside it (see `NodePut`), never in it.

    `context` and `keywords` are what is shown and searched; `base_context` and `base_keywords`
    are the node's own words before relations to neighbours reworded them, so that rewordings
    do not pile up. `revision` is the bank's revision at which this node last changed: callers that
    decided something from a node's text compares it to see whether the text still stands. `writer` is the subject of
    the API key that wrote its words.
    """

    node_id: NodeId
    summary: str
    context: str
    keywords: tuple[str, ...]
    base_context: str
    base_keywords: tuple[str, ...]
    event_time: datetime
    create_time: datetime
    update_time: datetime
    state: NodeState = NodeState.ACTIVE
    labels: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    interaction_ids: tuple[InteractionId, ...] = ()
    segments: tuple[SegmentRef, ...] = ()  # the evidence it was made from, in order
    revision: int = 0
    writer: str = ""
