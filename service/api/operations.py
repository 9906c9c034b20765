"""The Operations service, row by row."""

from core.usecases.get_server_info import COUNTED_TO, ServerInfo, get_server_info
from memorybank.v1 import operations_pb2 as pb
from service.api.rows import rpc
from service.api.to_proto.values import time, time_or_none


def _rendered(info: ServerInfo) -> pb.GetServerInfoResponse:
    process, store = info.process, info.store
    return pb.GetServerInfoResponse(
        version=process.version,
        store=store.kind,
        schema=store.schema,
        start_time=time(process.start_time),
        server_time=time(info.time),
        counted_to=COUNTED_TO,
        memories=dict(info.memories),
        open_memories=dict(process.held),
        open_bytes=process.held_bytes,
        memory_budget_bytes=process.memory_budget,
        database_bytes=store.size,
        disk_free_bytes=process.disk_free,
        purged_by_tomorrow=info.purged_by_tomorrow,
        due_chores=info.due_chores,
        oldest_due_time=time_or_none(info.oldest_due_time),
        unstructured_interactions=info.unstructured_interactions,
        oldest_unstructured_time=time_or_none(info.oldest_unstructured_time),
        open_conflicts=process.open_conflicts,
        unused_api_keys=info.unused_api_keys,
        overdue_reviews=process.overdue_reviews,
        overdue_retractions=process.overdue_retractions,
        unshown_keys=process.unshown_keys,
    )


SERVICE = pb.DESCRIPTOR.services_by_name["Operations"]
ROWS = (rpc("GetServerInfo", get_server_info, render=_rendered),)
