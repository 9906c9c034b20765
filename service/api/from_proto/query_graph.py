"""Requests of QueryGraph: what does not follow from name and type, and what binds several fields."""

from core.caller import Caller
from core.errors import LimitReached
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode
from core.usecases.bank.verbs.merge_nodes import MergeNodes
from core.usecases.bank.verbs.update_node import UpdateNode
from memorybank.v1 import query_graph_pb2 as pb
from service.api.from_proto.checks import Checks
from service.api.mapping.lines import Const, Within
from service.api.mapping.reading import reading

MOST_BYTES = 4_000_000  # of one batch: its answer, which says a little more of each node, stays below 4 MiB


def _one_record(check: Checks, new: pb.AddNodeRequest | pb.NewNode) -> None:
    if new.verbatim and new.interaction_ids:
        check.wrong("verbatim", "must be empty where interaction_ids are given")


add_node = reading(
    AddNodes, pb.AddNodeRequest, _one_record, nodes=Within(NewNode, alone=True), alone=Const(value=True)
)
new_node = reading(NewNode, pb.NewNode, _one_record)
_add_nodes = reading(AddNodes, pb.BatchAddNodesRequest)


def batch_add_nodes(request: pb.BatchAddNodesRequest, caller: Caller) -> AddNodes:
    """Raises LimitReached for more than 4,000,000 bytes."""
    if request.ByteSize() > MOST_BYTES:
        raise LimitReached("bytes of a batch", MOST_BYTES, "send the nodes in smaller batches")
    return _add_nodes(request, caller)


def _named_fields(check: Checks, request: pb.UpdateNodeRequest) -> None:
    named, node = set(request.update_mask.paths), request.node
    if "embedding" in named and not node.HasField("embedding"):  # what a node always has cannot be cleared
        check.wrong("node.embedding", "must be given where update_mask names it")
    if "event_time" in named and not node.HasField("event_time"):
        check.wrong("node.event_time", "must be given where update_mask names it")
    if "summary" in named:
        check.text("node.summary", node.summary, least=1)


update_node = reading(
    UpdateNode,
    pb.UpdateNodeRequest,
    _named_fields,
    named=("summary", "context", "keywords", "embedding", "event_time", "labels", "source"),
)


def _summary_with_the_rest(check: Checks, request: pb.MergeNodesRequest) -> None:
    for field in ("context", "keywords"):
        if getattr(request, field) and not request.summary:
            check.wrong(field, "must be empty where summary is")
    if request.HasField("embedding") and not request.summary:
        check.wrong("embedding", "must be absent where summary is empty")


merge_nodes = reading(MergeNodes, pb.MergeNodesRequest, _summary_with_the_rest)
