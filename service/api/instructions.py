"""The Instructions service, method by method: message, parse, call, render."""

from collections.abc import Mapping
from functools import partial

from core.usecases.house import House
from core.usecases.instructions.delete_source import delete_source
from core.usecases.instructions.edit_source import edit_source
from core.usecases.instructions.get_source import get_source
from core.usecases.instructions.list_sources import list_sources
from core.usecases.instructions.list_versions import list_versions
from core.usecases.instructions.load_sources import load_sources
from core.usecases.instructions.put_source import put_source
from memorybank.v1 import instructions_pb2 as pb
from service.api.endpoint import Endpoint, unary
from service.api.from_proto import instructions as parse
from service.api.to_proto import instructions as render

SERVICE = pb.DESCRIPTOR.services_by_name["Instructions"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        "PutSource": unary(
            pb.PutSourceRequest, parse.put_source, partial(put_source, house), render.put_source
        ),
        "GetSource": unary(
            pb.GetSourceRequest, parse.get_source, partial(get_source, house), render.get_source
        ),
        "ListSources": unary(
            pb.ListSourcesRequest, parse.list_sources, partial(list_sources, house), render.list_sources
        ),
        "ListVersions": unary(
            pb.ListVersionsRequest, parse.list_versions, partial(list_versions, house), render.list_versions
        ),
        "EditSource": unary(
            pb.EditSourceRequest, parse.edit_source, partial(edit_source, house), render.edit_source
        ),
        "DeleteSource": unary(
            pb.DeleteSourceRequest, parse.delete_source, partial(delete_source, house), render.delete_source
        ),
        "LoadSources": unary(
            pb.LoadSourcesRequest, parse.load_sources, partial(load_sources, house), render.load_sources
        ),
    }
