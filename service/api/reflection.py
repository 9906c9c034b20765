"""Reflection under both of its names: `grpc.reflection.v1`, which newer tools ask first, beside `v1alpha`.

Law: the messages of the two are the same bytes, so one servicer answers both.
"""

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha._async import (
    ReflectionServicer,  # as `reflection.aio`, which its types do not know
)

from service.api.starting import StartupGate

ALPHA = "grpc.reflection.v1alpha"
PACKAGE = "grpc.reflection.v1"
NAMES = (f"{PACKAGE}.ServerReflection", reflection.SERVICE_NAME)
FILE = "grpc/reflection/v1/reflection.proto"


def add_reflection(servicer: ReflectionServicer, entrance: StartupGate) -> None:
    """Lets reflection be found under both names."""
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(servicer, entrance)
    behaviour = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    handlers = {"ServerReflectionInfo": behaviour}
    entrance.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(NAMES[0], handlers),))


def described() -> descriptor_pool.DescriptorPool:
    """Returns a pool that knows reflection's own file by its newer name."""
    renamed, pool = FileDescriptorProto(), descriptor_pool.DescriptorPool()
    reflection_pb2.DESCRIPTOR.CopyToProto(renamed)
    renamed.name, renamed.package = FILE, PACKAGE
    for message in renamed.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = field.type_name.replace(f".{ALPHA}.", f".{PACKAGE}.")
    for method in renamed.service[0].method:
        method.input_type = method.input_type.replace(f".{ALPHA}.", f".{PACKAGE}.")
        method.output_type = method.output_type.replace(f".{ALPHA}.", f".{PACKAGE}.")
    pool.Add(renamed)
    return pool
