"""What was taken back of a bank: which records, and all that a release needs."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import InteractionId, SegmentRef
from core.model.retraction import RetractionState


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionRetraction:
    """The records that went, with how many nodes and conflicts. What it was asked for: ids, or by `source`, `writer`
    and time of writing from `since` until before `until`.

    `held` is the written form of the steps that bring everything back; empty once it is closed. `waiting`: clusters of
    other records that stood in nodes that went, as interaction and number; they are structured anew when it is erased.
    """

    retraction_id: str
    state: RetractionState
    create_time: datetime
    interaction_ids: tuple[InteractionId, ...]
    nodes: int
    conflicts: int
    source: str = ""
    since: datetime | None = None
    until: datetime | None = None
    reason: str = ""
    close_time: datetime | None = None
    waiting: tuple[SegmentRef, ...] = ()
    held: str = ""
    writer: str = ""
