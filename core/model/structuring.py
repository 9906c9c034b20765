"""The work of structuring one interaction: planned once, done cluster by cluster, resumable.

A structuring is part of the bank, so whoever opens the bank can finish it; each cluster is
marked done in the same change that adds its node, so it is done once.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import ConflictId, InteractionId, NodeId


class StructuringState(StrEnum):
    PENDING = "pending"  # stored; nothing clustered yet
    RUNNING = "running"  # clustered; some clusters are not nodes yet
    DONE = "done"
    FAILED = "failed"  # an agent failed; `problem` says how; can be resumed


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """One topic of an interaction: which of its segments, and the Clusterer's words for it."""

    segments: tuple[int, ...]
    context: str
    keywords: tuple[str, ...]
    node_id: NodeId | None = None  # the node it became; set in the change that added it


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeMade:
    into_node_id: NodeId
    absorbed_node_ids: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Structuring:
    """How far an interaction has been structured, and what came of it so far.

    `chunks_done` counts the chunks (window × ratio) already clustered; `planned` is true when
    all are. `pending_nodes` are nodes added but not yet judged to the end (none between changes).
    """

    interaction_id: InteractionId
    state: StructuringState
    update_time: datetime
    planned: bool = False
    chunks_done: int = 0
    clusters: tuple[ClusterPlan, ...] = ()
    merges: tuple[MergeMade, ...] = ()
    related: tuple[tuple[NodeId, NodeId], ...] = ()
    conflict_ids: tuple[ConflictId, ...] = ()
    problem: str = ""
