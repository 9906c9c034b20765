"""The QueryGraph service, row by row."""

from core.usecases.bank.verbs.add_nodes import add_nodes
from core.usecases.bank.verbs.delete_node import delete_node
from core.usecases.bank.verbs.get_node import get_node
from core.usecases.bank.verbs.list_neighbors import list_neighbors
from core.usecases.bank.verbs.list_nodes import list_nodes
from core.usecases.bank.verbs.merge_nodes import merge_nodes
from core.usecases.bank.verbs.relate import relate
from core.usecases.bank.verbs.unrelate import unrelate
from core.usecases.bank.verbs.update_node import update_node
from memorybank.v1 import query_graph_pb2 as pb
from service.api.from_proto import query_graph as read
from service.api.rows import rpc
from service.api.to_proto import query_graph as render

SERVICE = pb.DESCRIPTOR.services_by_name["QueryGraph"]
ROWS = (
    rpc("AddNode", add_nodes, read.add_node, render.add_node),
    rpc("BatchAddNodes", add_nodes, read.batch_add_nodes, render.batch_add_nodes),
    rpc("GetNode", get_node, render=render.get_node),
    rpc("ListNodes", list_nodes, render=render.list_nodes),
    rpc("UpdateNode", update_node, read.update_node, render.update_node),
    rpc("DeleteNode", delete_node),
    rpc("Relate", relate),
    rpc("Unrelate", unrelate),
    rpc("ListNeighbors", list_neighbors, render=render.list_neighbors),
    rpc("MergeNodes", merge_nodes, read.merge_nodes, render.merge_nodes),
)
