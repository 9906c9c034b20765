"""Answers of QueryGraph."""

from core.model.node import Node
from core.ports.aggregates import CommitResult
from core.usecases.bank.verbs.add_nodes import NodesAdded
from core.usecases.bank.verbs.get_node import NodeSeen
from core.usecases.bank.verbs.list_neighbors import NeighborsListed
from core.usecases.bank.verbs.list_nodes import NodesListed
from core.usecases.bank.verbs.merge_nodes import NodesMerged
from memorybank.v1 import query_graph_pb2 as pb
from service.api.to_proto.encodings import delimited, field, fields
from service.api.to_proto.values import copies, merge_record, node_bytes, usage


def add_node(done: CommitResult[NodesAdded]) -> bytes:
    """Renders AddNodeResponse."""
    rest = pb.AddNodeResponse(revision=done.revision, replayed=done.replayed)
    return (
        field(pb.AddNodeResponse.NODE_FIELD_NUMBER, node_bytes(done.result.nodes[0]))
        + rest.SerializeToString()
    )


def batch_add_nodes(done: CommitResult[NodesAdded]) -> bytes:
    """Renders BatchAddNodesResponse."""
    rest = pb.BatchAddNodesResponse(revision=done.revision, replayed=done.replayed)
    nodes = fields(pb.BatchAddNodesResponse.NODES_FIELD_NUMBER, map(node_bytes, done.result.nodes))
    return nodes + rest.SerializeToString()


def get_node(seen: NodeSeen) -> bytes:
    """Renders GetNodeResponse."""
    rest = pb.GetNodeResponse(
        neighbor_ids=seen.neighbor_ids,
        conflict_ids=seen.conflict_ids,
        copies=copies(seen.copies) if seen.copies else None,
        revision=seen.revision,
    )
    node = node_bytes(seen.node, seen.embedding)
    return field(pb.GetNodeResponse.NODE_FIELD_NUMBER, node) + rest.SerializeToString()


def list_nodes(listed: NodesListed) -> bytes:
    """Renders ListNodesResponse."""
    nodes = [node_bytes(node, listed.embeddings.get(node.node_id)) for node in listed.nodes]
    rest = pb.ListNodesResponse(next_page_token=listed.next_page_token, revision=listed.revision)
    return fields(pb.ListNodesResponse.NODES_FIELD_NUMBER, nodes) + rest.SerializeToString()


def update_node(done: CommitResult[Node]) -> bytes:
    """Renders UpdateNodeResponse."""
    rest = pb.UpdateNodeResponse(revision=done.revision, replayed=done.replayed)
    return field(pb.UpdateNodeResponse.NODE_FIELD_NUMBER, node_bytes(done.result)) + rest.SerializeToString()


def list_neighbors(listed: NeighborsListed) -> bytes:
    """Renders ListNeighborsResponse."""
    near = [
        delimited(
            field(pb.Neighbor.NODE_FIELD_NUMBER, node_bytes(node))
            + pb.Neighbor(distance=hops).SerializeToString()
        )
        for node, hops in listed.neighbors
    ]
    rest = pb.ListNeighborsResponse(next_page_token=listed.next_page_token, revision=listed.revision)
    return fields(pb.ListNeighborsResponse.NEIGHBORS_FIELD_NUMBER, near) + rest.SerializeToString()


def merge_nodes(done: CommitResult[NodesMerged]) -> bytes:
    """Renders MergeNodesResponse."""
    merged = done.result
    rest = pb.MergeNodesResponse(usage=usage(merged.usage), revision=done.revision, replayed=done.replayed)
    return b"".join(
        (
            field(pb.MergeNodesResponse.NODE_FIELD_NUMBER, node_bytes(merged.node)),
            field(
                pb.MergeNodesResponse.LINEAGE_FIELD_NUMBER,
                delimited(merge_record(merged.lineage).SerializeToString()),
            ),
            fields(pb.MergeNodesResponse.NEIGHBORS_FIELD_NUMBER, map(node_bytes, merged.neighbors)),
            rest.SerializeToString(),
        )
    )
