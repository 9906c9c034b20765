"""The QueryGraph service, method by method: message, parse, call, render."""

from collections.abc import Mapping
from functools import partial

from core.usecases.bank.verbs.add_nodes import add_nodes
from core.usecases.bank.verbs.delete_node import delete_node
from core.usecases.bank.verbs.get_node import get_node
from core.usecases.bank.verbs.list_neighbors import list_neighbors
from core.usecases.bank.verbs.list_nodes import list_nodes
from core.usecases.bank.verbs.merge_nodes import merge_nodes
from core.usecases.bank.verbs.relate import relate
from core.usecases.bank.verbs.unrelate import unrelate
from core.usecases.bank.verbs.update_node import update_node
from core.usecases.house import House
from memorybank.v1 import query_graph_pb2 as pb
from service.api.endpoint import Endpoint, unary
from service.api.from_proto import query_graph as parse
from service.api.to_proto import query_graph as render

SERVICE = pb.DESCRIPTOR.services_by_name["QueryGraph"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        "AddNode": unary(pb.AddNodeRequest, parse.add_node, partial(add_nodes, house), render.add_node),
        "BatchAddNodes": unary(
            pb.BatchAddNodesRequest, parse.batch_add_nodes, partial(add_nodes, house), render.batch_add_nodes
        ),
        "GetNode": unary(pb.GetNodeRequest, parse.get_node, partial(get_node, house), render.get_node),
        "ListNodes": unary(
            pb.ListNodesRequest, parse.list_nodes, partial(list_nodes, house), render.list_nodes
        ),
        "UpdateNode": unary(
            pb.UpdateNodeRequest, parse.update_node, partial(update_node, house), render.update_node
        ),
        "DeleteNode": unary(
            pb.DeleteNodeRequest, parse.delete_node, partial(delete_node, house), render.delete_node
        ),
        "Relate": unary(pb.RelateRequest, parse.relate, partial(relate, house), render.relate),
        "Unrelate": unary(pb.UnrelateRequest, parse.unrelate, partial(unrelate, house), render.unrelate),
        "ListNeighbors": unary(
            pb.ListNeighborsRequest,
            parse.list_neighbors,
            partial(list_neighbors, house),
            render.list_neighbors,
        ),
        "MergeNodes": unary(
            pb.MergeNodesRequest, parse.merge_nodes, partial(merge_nodes, house), render.merge_nodes
        ),
    }
