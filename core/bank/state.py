"""All of a bank as plain values: what a store loads and an export carries.

Law: two equal banks have equal states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.aggregate.change import Head
from core.bank.steps import (
    AttachmentPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgePut,
    InteractionAdd,
    MergeAdd,
    NodePut,
    PairSettle,
    RetractionPut,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.ids import NodeId, SegmentRef
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.copies import Copies
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction
from core.model.interaction_retraction import InteractionRetraction
from core.model.lineage import MergeRecord
from core.model.structuring import ClusterWork, Structuring
from core.model.vector import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class BankState:
    """All of a bank as plain values, in a defined order: what a store loads and an export carries.

    `settled` pairs are sorted within and among themselves; nodes, edges, interactions and all
    else come in the order of their ids, so that two equal banks have equal states.
    """

    head: Head
    record: BankRecord
    insight: Insight
    nodes: Sequence[NodePut] = ()  # from a store: `core.bank.rows.NodeRows`
    copies: tuple[Copies, ...] = ()  # by node
    edges: tuple[tuple[NodeId, NodeId], ...] = ()
    interactions: tuple[Interaction, ...] = ()
    attachments: tuple[Attachment, ...] = ()  # uploaded, by id
    structurings: tuple[Structuring, ...] = ()
    clusters: tuple[ClusterWork, ...] = ()  # by interaction, then number
    merges: tuple[MergeRecord, ...] = ()  # in the order they happened
    conflicts: tuple[Conflict, ...] = ()
    settled: tuple[tuple[NodeId, NodeId], ...] = ()
    refuted: tuple[SegmentRefute, ...] = ()  # by segment, then place
    retractions: tuple[InteractionRetraction, ...] = ()  # by id
    segment_vectors: Mapping[SegmentRef, Vector] | None = None  # from a store: `core.bank.rows.VectorRows`


def steps_of(state: BankState) -> list[Step]:
    """Returns the state's rows as the steps that would make them in a bank that has its record and insight."""
    return [
        *(InteractionAdd(interaction=i) for i in state.interactions),
        *state.nodes,
        *(EdgePut(node_id=a, other_node_id=b) for a, b in state.edges),
        *other_steps_of(state),
    ]


def other_steps_of(state: BankState) -> list[Step]:
    """Returns those of `steps_of` but for interactions, nodes and edges, which come before them."""
    return [
        *(CopiesPut(copies=c) for c in state.copies),
        *(AttachmentPut(attachment=a) for a in state.attachments),
        *(MergeAdd(record=m) for m in state.merges),
        *(ConflictPut(conflict=c) for c in state.conflicts),
        *(PairSettle(node_id=a, other_node_id=b) for a, b in state.settled),
        *state.refuted,
        *(StructuringPut(structuring=s) for s in state.structurings),
        *(ClusterPut(cluster=c) for c in state.clusters),
        *(RetractionPut(retraction=r) for r in state.retractions),
    ]
