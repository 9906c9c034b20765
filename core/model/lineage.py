"""Merge records: what a node absorbed, when, why, on whose verdict. They join the interaction tree."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import ConflictId, NodeId
from core.model.node import Node


class MergeReason(StrEnum):
    MERGE = "merge"  # the judge found the same topic
    CONFLICT = "conflict"  # a cross-validation's verdict
    REQUEST = "request"  # a caller asked for it (MergeNodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRecord:
    """`absorbed` are the nodes as they were at the end; `description` is the Consolidator's own account."""

    into: NodeId
    absorbed: tuple[Node, ...]
    reason: MergeReason
    description: str
    time: datetime
    conflict_id: ConflictId | None = None
    verdict: str = ""
