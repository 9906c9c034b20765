"""The contract's methods, as their descriptors tell of them."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message

from memorybank.v1.calls_pb2 import deadline_seconds

READ, WRITE = 10.0, 30.0
"""Seconds for a call whose method states none: one that is harmless to repeat, and any other."""
BYTES_A_SECOND = 16_384
"""Bytes of a request for which its call is given a second more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One RPC. `header` is the message that names the bank: the request, or the first part of a streamed one."""

    service: str
    name: str
    request: type[Message]
    response: type[Message]
    header: type[Message]
    streams_up: bool
    streams_down: bool
    seconds: float | None

    @property
    def path(self) -> str:
        return f"/{self.service}/{self.name}"

    @property
    def kind(self) -> str:
        """gRPC's word for it, e.g. `unary_stream`."""
        return f"{_streamed(self.streams_up)}_{_streamed(self.streams_down)}"

    def first(self, header: Message) -> Message:
        """Returns the first message of a streamed request: the one that carries the header."""
        fields = self.request.DESCRIPTOR.fields
        (name,) = [field.name for field in fields if field.message_type is header.DESCRIPTOR]
        return self.request(**{name: header})

    def seconds_for(self, header: Message) -> float | None:
        """Returns the time that a call is given, longer for one with much content: it is read and embedded."""
        return None if self.seconds is None else self.seconds + header.ByteSize() // BYTES_A_SECOND

    @property
    def takes_request_id(self) -> bool:
        return "request_id" in self.header.DESCRIPTOR.fields_by_name


def method_of(request: type[Message], response: type[Message], header: type[Message]) -> Method:
    """Returns the method that takes this request: each has a request type of its own."""
    services: dict[str, Any] = dict(request.DESCRIPTOR.file.services_by_name)
    found = [
        method
        for service in services.values()
        for method in service.methods
        if method.input_type is request.DESCRIPTOR and method.output_type is response.DESCRIPTOR
    ]
    (method,) = found
    return Method(
        service=method.containing_service.full_name,
        name=method.name,
        request=request,
        response=response,
        header=header,
        streams_up=method.client_streaming,
        streams_down=method.server_streaming,
        seconds=_seconds(method.GetOptions()),
    )


def _seconds(options: MethodOptions) -> float | None:
    """Returns the time that the contract gives a call; None: it has no end."""
    if options.HasExtension(deadline_seconds):
        return float(options.Extensions[deadline_seconds]) or None
    return WRITE if options.idempotency_level == MethodOptions.IDEMPOTENCY_UNKNOWN else READ


def _streamed(streams: bool) -> str:
    return "stream" if streams else "unary"
