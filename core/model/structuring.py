"""The work of structuring one interaction: planned once, done cluster by cluster, resumable.

A structuring is part of the bank, so any process that opens the bank can finish it; each cluster is
marked done in the same change that adds its node, so it is done once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.ids import ConflictId, InteractionId, NodeId
from core.model.conflict import VerdictType
from core.model.insight import Insight
from core.model.usage import Usage


class StructuringState(StrEnum):
    PENDING = "pending"  # stored; not all of it is clustered and judged yet
    DONE = "done"
    FAILED = "failed"  # an agent failed; `problem` says how; can be resumed


class Purpose(StrEnum):
    """Which call the interaction came by, and how: it decides how nodes enter, and what happens after structuring."""

    MEMORIZE = "memorize"  # nothing more
    START = "start"  # the first plan is made
    ADVANCE = "advance"  # the task is recorded as completed and the next one planned
    RESOLVE = "resolve"  # the text is a verdict: the conflict is consolidated, then as ADVANCE
    REFERENCE = "reference"  # as MEMORIZE; its new nodes are not judged for conflicts and merges


@dataclass(frozen=True, slots=True, kw_only=True)
class Structuring:
    """How far an interaction has been structured.

    `next_segment` is the first one not clustered yet (chunks go in order); `planned` is true when
    all are. `conflict_id` is the conflict a verdict speaks to, `verdict_type` how the caller says that it settles it
    (None: its words say). Once the work is done, `insight` is the document as it
    was then (its completed tasks apart: they were the bank's first `completed_tasks`), `usage` what the call that
    finished the work cost, and `revision` the bank's.
    """

    interaction_id: InteractionId
    purpose: Purpose
    state: StructuringState
    update_time: datetime
    planned: bool = False
    next_segment: int = 0
    conflict_id: ConflictId | None = None
    problem: str = ""
    insight: Insight | None = None
    completed_tasks: int = 0
    usage: Usage | None = None
    revision: int = 0
    verdict_type: VerdictType | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeMade:
    into_node_id: NodeId
    absorbed_node_ids: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one new node came to: the node that stands for it, and what its round did.

    `joined`: there was no new node. The segments have the same words as evidence of this one, and became copies of it.
    `reworded`: nodes that were to be embedded later, with a checksum of the vector that each had. It stays when they
    are. `uncompared_pairs`: pairs of sentences that its judgements did not compare, because of their bounds.
    """

    node_id: NodeId
    merges: tuple[MergeMade, ...] = ()
    related: tuple[tuple[NodeId, NodeId], ...] = ()
    conflict_id: ConflictId | None = None
    joined: bool = False
    uncompared_pairs: int = 0
    reworded: Mapping[NodeId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWork:
    """One topic of an interaction: which of its segments, the Clusterer's words for it, and its outcome once done.

    `number` counts the clusters of the interaction from 0. A verdict's consolidation is cluster 0
    of its interaction. Copies are clusters, too, by the node that they join: no agent is asked about them, and their
    context is that of the node.
    """

    interaction_id: InteractionId
    number: int
    segments: tuple[int, ...]
    context: str
    keywords: tuple[str, ...]
    outcome: Outcome | None = None
