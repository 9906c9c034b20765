"""A contradiction between nodes, from its discovery to its verdict."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import ConflictId, InteractionId, NodeId, SegmentRef
from core.model.bearing import PromptSlot


class ConflictStatus(StrEnum):
    OPEN = "open"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"
    MOOT = "moot"  # a side was deleted before a verdict came, or what was suspected is said no more
    SUSPECTED = "suspected"  # likely, not sure: nothing waits for it


class VerdictType(StrEnum):
    """How a verdict settles a conflict."""

    MERGE = "merge"  # the sides become one by what it found: one side's value, or a third
    DISMISS = "dismiss"  # there is no contradiction: the sides stay apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(PromptSlot):
    """One node's part in a conflict: the evidence it rests on, and the words at issue, quoted."""

    node_id: NodeId
    segments: tuple[SegmentRef, ...]
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(PromptSlot):
    """All partners of one round form one conflict; the new node is the first side. A later node that disputes a
    sentence at issue is one more side."""

    conflict_id: ConflictId
    sides: tuple[Side, ...]
    description: str
    confidence: float
    reasoning: str
    status: ConflictStatus
    create_time: datetime
    close_time: datetime | None = None
    verdict: str = ""
    verdict_interaction_id: InteractionId | None = None
    node_id: NodeId | None = None  # what the resolution merged the sides into

    @property
    def is_closed(self) -> bool:
        return self.status not in (ConflictStatus.OPEN, ConflictStatus.SUSPECTED)
