"""The Instructions service, row by row."""

from core.usecases.instructions.delete_source import delete_source
from core.usecases.instructions.edit_source import edit_source
from core.usecases.instructions.get_source import get_source
from core.usecases.instructions.list_sources import list_sources
from core.usecases.instructions.list_versions import list_versions
from core.usecases.instructions.load_sources import load_sources
from core.usecases.instructions.put_source import put_source
from memorybank.v1 import instructions_pb2 as pb
from service.api.from_proto import instructions as read
from service.api.rows import rpc
from service.api.to_proto import instructions as render

SERVICE = pb.DESCRIPTOR.services_by_name["Instructions"]
ROWS = (
    rpc("PutSource", put_source, read.put_source, render.put_source),
    rpc("GetSource", get_source, read.get_source, render.get_source),
    rpc("ListSources", list_sources, read.list_sources, render.list_sources),
    rpc("ListVersions", list_versions, read.list_versions, render.list_versions),
    rpc("EditSource", edit_source, read.edit_source, render.edit_source),
    rpc("DeleteSource", delete_source, read.delete_source),
    rpc("LoadSources", load_sources, read.load_sources, render.load_sources),
)
