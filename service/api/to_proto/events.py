"""Changes of a bank as a watcher sees them."""

from core.bank.steps import (
    AttachmentPut,
    BankChange,
    BankPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgeDrop,
    EdgePut,
    InsightPut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    NodePut,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.model.conflict import Conflict
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.usecases.bank.verbs.watch_bank import BankGone
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.to_proto import insights, scalars, values


def change(made: BankChange) -> pb.WatchBankResponse:
    """Renders one revision, with those of its steps that are shown."""
    events = (event(step, made.revision) for step in made.steps)
    return pb.WatchBankResponse(
        revision=made.revision, time=scalars.time(made.time), events=[e for e in events if e is not None]
    )


def gone(bank: BankGone, revision: int) -> pb.WatchBankResponse:
    """Renders the last message: the bank was purged after `revision`."""
    deleted = pb.ChangeEvent(bank_deleted=pb.BankDeleted(uid=bank.uid))
    return pb.WatchBankResponse(revision=revision, events=[deleted])


def event(step: Step, revision: int) -> pb.ChangeEvent | None:  # one case a step, read at a glance
    match step:
        case NodePut():
            return _node_event(step.node)
        case NodeDrop():
            return pb.ChangeEvent(node_removed=step.node_id)
        case CopiesPut():
            return pb.ChangeEvent(copies_updated=values.copies(step.copies))
        case EdgePut():
            return pb.ChangeEvent(edge_added=values.pair((step.node_id, step.other_node_id)))
        case EdgeDrop():
            return pb.ChangeEvent(edge_removed=values.pair((step.node_id, step.other_node_id)))
        case InteractionAdd():
            return pb.ChangeEvent(interaction_added=values.interaction(step.interaction))
        case AttachmentPut():
            return pb.ChangeEvent(attachment_added=values.attachment(step.attachment))
        case StructuringPut():
            return pb.ChangeEvent(structuring_updated=values.structuring(step.structuring))
        case ClusterPut():
            return pb.ChangeEvent(cluster_updated=values.cluster(step.cluster))
        case ConflictPut():
            return _conflict_event(step.conflict)
        case SegmentRefute():
            return pb.ChangeEvent(segment_refuted=values.refuted_segment(step))
        case MergeAdd():
            return pb.ChangeEvent(merge_made=_merge_made(step.record))
        case InsightPut():
            return pb.ChangeEvent(insight_updated=insights.insight(step.insight, before=step.kept))
        case BankPut():
            return pb.ChangeEvent(bank_updated=values.bank(step.record, revision))
        case _:
            return None  # which pairs are settled is of no use to a watcher


def _node_event(node: Node) -> pb.ChangeEvent:
    """Renders a node as new until its first update: every update moves its update_time."""
    shown = values.node(node)
    if node.create_time == node.update_time:
        return pb.ChangeEvent(node_added=shown)
    return pb.ChangeEvent(node_updated=shown)


def _conflict_event(conflict: Conflict) -> pb.ChangeEvent:
    shown = values.conflict(conflict)
    if not conflict.is_closed:
        return pb.ChangeEvent(conflict_opened=shown)
    return pb.ChangeEvent(conflict_closed=shown)


def _merge_made(record: MergeRecord) -> types_pb2.MergeMade:
    return types_pb2.MergeMade(
        into_node_id=record.into, absorbed_node_ids=[node.node_id for node in record.absorbed]
    )
