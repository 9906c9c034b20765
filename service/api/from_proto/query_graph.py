"""Requests of QueryGraph."""

from core.caller import Caller
from core.errors import LimitReached
from core.ids import InteractionId, NodeId
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode
from core.usecases.bank.verbs.delete_node import DeleteNode
from core.usecases.bank.verbs.get_node import GetNode
from core.usecases.bank.verbs.list_neighbors import ListNeighbors
from core.usecases.bank.verbs.list_nodes import ListNodes
from core.usecases.bank.verbs.merge_nodes import MergeNodes
from core.usecases.bank.verbs.relate import Relate
from core.usecases.bank.verbs.unrelate import Unrelate
from core.usecases.bank.verbs.update_node import UpdateNode
from memorybank.v1 import query_graph_pb2 as pb
from service.api.from_proto.checks import MOST_RESULTS, SENTENCE, SOURCE, SUMMARY, Checks, checking
from service.api.from_proto.retrieval import FARTHEST, chosen

NODE_FIELDS = ("summary", "context", "keywords", "embedding", "event_time", "labels", "source")
MOST_NODES = 100  # of one batch, or one merge
MOST_BYTES = 4_000_000  # of one batch: its answer, which says a little more of each node, stays below 4 MiB
MOST_INTERACTIONS = 100


def add_node(request: pb.AddNodeRequest, caller: Caller) -> AddNodes:
    with checking(caller, request) as check:
        return AddNodes(
            key=check.key(caller, request.bank_id),
            nodes=(_new_node(check, request),),
            alone=True,
            writer=caller.subject,
            request=check.request(request),
        )


def batch_add_nodes(request: pb.BatchAddNodesRequest, caller: Caller) -> AddNodes:
    """Raises LimitReached for more than 4,000,000 bytes."""
    if request.ByteSize() > MOST_BYTES:
        raise LimitReached("bytes of a batch", MOST_BYTES, "send the nodes in smaller batches")
    nodes = request.nodes
    with checking(caller, request) as check:
        check.amount("nodes", nodes, MOST_NODES, least=1)
        return AddNodes(
            key=check.key(caller, request.bank_id),
            nodes=tuple(
                [_new_node(check.within(f"nodes[{i}]."), new) for i, new in enumerate(nodes[:MOST_NODES])]
            ),
            writer=caller.subject,
            request=check.request(request),
        )


def _new_node(check: Checks, new: pb.AddNodeRequest | pb.NewNode) -> NewNode:
    interaction_ids, verbatim = new.interaction_ids, new.verbatim
    node_id = check.id_or_none("node_id", new.node_id)
    if verbatim and interaction_ids:
        check.wrong("verbatim", "must be empty where interaction_ids are given")
    records = check.ids("interaction_ids", interaction_ids, MOST_INTERACTIONS)
    related = check.ids("related_node_ids", new.related_node_ids, MOST_RESULTS)
    return NewNode(
        node_id=NodeId(node_id) if node_id else None,
        summary=check.text("summary", new.summary, SUMMARY, least=1),
        context=check.text("context", new.context, SENTENCE),
        keywords=check.keywords("keywords", new.keywords),
        embedding=check.optional_vector(new, "embedding"),
        event_time=check.optional_time(new, "event_time"),
        labels=check.labels("labels", new.labels),
        related_node_ids=tuple(map(NodeId, related)),
        interaction_ids=tuple(map(InteractionId, records)),
        verbatim=check.text("verbatim", verbatim, least=int(bool(verbatim))),
        source=check.text("source", new.source, SOURCE),
    )


def get_node(request: pb.GetNodeRequest, caller: Caller) -> GetNode:
    with checking(caller, request) as check:
        return GetNode(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(check.id("node_id", request.node_id)),
            include_embedding=request.include_embedding,
            min_revision=check.min_revision(request),
        )


def list_nodes(request: pb.ListNodesRequest, caller: Caller) -> ListNodes:
    with checking(caller, request) as check:
        return ListNodes(
            key=check.key(caller, request.bank_id),
            filter=chosen(check, "filter", request.filter),
            include_embedding=request.include_embedding,
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def update_node(request: pb.UpdateNodeRequest, caller: Caller) -> UpdateNode:
    with checking(caller, request) as check:
        named, node = check.mask("update_mask", request.update_mask, NODE_FIELDS), request.node
        for field in ("embedding", "event_time"):  # what a node always has cannot be cleared
            if field in named and not node.HasField(field):
                check.wrong(f"node.{field}", "must be given where update_mask names it")
        summary = check.text("node.summary", node.summary, SUMMARY, least=int("summary" in named))
        context = check.text("node.context", node.context, SENTENCE)
        keywords = check.keywords("node.keywords", node.keywords)
        embedding = check.optional_vector(node, "embedding", "node.embedding")
        event_time = check.optional_time(node, "event_time", "node.event_time")
        labels = check.labels("node.labels", node.labels)
        source = check.text("node.source", node.source, SOURCE)
        return UpdateNode(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(check.id("node.node_id", node.node_id)),
            summary=summary if "summary" in named else None,
            context=context if "context" in named else None,
            keywords=keywords if "keywords" in named else None,
            embedding=embedding if "embedding" in named else None,
            event_time=event_time if "event_time" in named else None,
            labels=labels if "labels" in named else None,
            source=source if "source" in named else None,
            if_revision=check.revision(request, "if_revision"),
            writer=caller.subject,
            request=check.request(request),
        )


def delete_node(request: pb.DeleteNodeRequest, caller: Caller) -> DeleteNode:
    with checking(caller, request) as check:
        return DeleteNode(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(check.id("node_id", request.node_id)),
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def relate(request: pb.RelateRequest, caller: Caller) -> Relate:
    with checking(caller, request) as check:
        one, other = _two_nodes(check, request)
        return Relate(
            key=check.key(caller, request.bank_id),
            node_id=one,
            other_node_id=other,
            request=check.request(request),
        )


def unrelate(request: pb.UnrelateRequest, caller: Caller) -> Unrelate:
    with checking(caller, request) as check:
        one, other = _two_nodes(check, request)
        return Unrelate(
            key=check.key(caller, request.bank_id),
            node_id=one,
            other_node_id=other,
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def _two_nodes(check: Checks, request: pb.RelateRequest | pb.UnrelateRequest) -> tuple[NodeId, NodeId]:
    one = check.id("node_id", request.node_id)
    other = check.id("other_node_id", request.other_node_id)
    return NodeId(one), NodeId(other)


def list_neighbors(request: pb.ListNeighborsRequest, caller: Caller) -> ListNeighbors:
    with checking(caller, request) as check:
        return ListNeighbors(
            key=check.key(caller, request.bank_id),
            node_id=NodeId(check.id("node_id", request.node_id)),
            hops=check.int_or(request, "hops", 1, 1, FARTHEST),
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
            min_revision=check.min_revision(request),
        )


def merge_nodes(request: pb.MergeNodesRequest, caller: Caller) -> MergeNodes:
    with checking(caller, request) as check:
        new_node_id = check.id_or_none("new_node_id", request.new_node_id)
        for field in ("context", "keywords"):
            if getattr(request, field) and not request.summary:
                check.wrong(field, "must be empty where summary is")
        if request.HasField("embedding") and not request.summary:
            check.wrong("embedding", "must be absent where summary is empty")
        return MergeNodes(
            key=check.key(caller, request.bank_id),
            node_ids=tuple(map(NodeId, check.ids("node_ids", request.node_ids, MOST_NODES, least=2))),
            new_node_id=NodeId(new_node_id) if new_node_id else None,
            summary=check.text("summary", request.summary, SUMMARY, least=int(bool(request.summary))),
            context=check.text("context", request.context, SENTENCE),
            keywords=check.keywords("keywords", request.keywords),
            embedding=check.optional_vector(request, "embedding"),
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )
