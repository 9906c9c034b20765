"""The Operations service, row by row."""

from core.usecases.get_server_info import COUNTED_TO, ServerInfo, get_server_info
from memorybank.v1 import operations_pb2 as pb
from service.api.mapping.rendering import rendering
from service.api.rows import rpc

_rendered = rendering(
    ServerInfo,
    pb.GetServerInfoResponse,
    store="store.kind",
    server_time="time",
    counted_to=lambda _: COUNTED_TO,
    open_memories="process.held",
    open_bytes="process.held_bytes",
    memory_budget_bytes="process.memory_budget",
    database_bytes="store.size",
    disk_free_bytes="process.disk_free",
)


SERVICE = pb.DESCRIPTOR.services_by_name["Operations"]
ROWS = (rpc("GetServerInfo", get_server_info, render=_rendered),)
