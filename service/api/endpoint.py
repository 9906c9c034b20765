"""A method as parse, call, render: bytes in, bytes out.

Law: gRPC's own (de)serialisers are not used, so that bytes which are no message are answered as the
caller's mistake, and so that an answer may be joined from parts that are encoded already.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

import grpc
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message
from grpc.aio import ServicerContext

from core.caller import EVERYONE, Caller
from core.errors import InvalidField
from core.index.giving_way import yield_to_loop
from core.model.access import OPEN, Binding
from core.ports.aggregates import Aggregates
from service.api.access.audited import named_in
from service.api.access.naming import held
from service.api.access.needs import needs_of
from service.api.admission import Load, MemoryQuota, writes
from service.api.errors.transport import MessageTooLarge, UndecodableRequest
from service.api.gate import Behaviour, Gate
from service.process.current_call import CURRENT

M = TypeVar("M", bound=Message)
Command = TypeVar("Command")
Result = TypeVar("Result")

Reply = Message | bytes
"""An answer: a message, or one that is encoded already."""

NO_REQUEST_ID = (
    "must be given: this service has grpc.require_request_id, so that no repetition changes memory twice"
)
MOST_BINDINGS = 256  # whose endpoints are kept
LARGE = 32_000  # bytes of a request that takes long to read, and to answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """What reading requests depends on: the largest message taken (bytes), and what all calls hold together; and the
    memory whose state calls that write are refused by. `requires_request_id`: of each change."""

    max_message_bytes: int
    hold: MemoryQuota = field(default_factory=MemoryQuota)
    aggregates: Aggregates[Any] | None = None
    requires_request_id: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A method, its name still to come. `bind` makes it gRPC's behaviour."""

    bind: Callable[[str, RequestLimits], Behaviour]
    streams_in: bool = False
    streams_out: bool = False
    endless: bool = False


def caller_now() -> Caller:
    """Returns who calls: everyone is the same caller as long as no credential is asked for."""
    call = CURRENT.get()
    return EVERYONE if call is None else call.caller


def unary(
    message: type[M],
    parse: Callable[[M, Caller], Command],
    call: Callable[[Command], Awaitable[Result]],
    render: Callable[[Result], Reply],
) -> Endpoint:
    """Makes an endpoint of one message in, one out."""

    def bind(method: str, desk: RequestLimits) -> Behaviour:
        async def behave(request: bytes, context: ServicerContext[Any, Any]) -> bytes:
            if len(request) < LARGE:
                command = parse(decoded(message, request, method, desk), caller_now())
                return encoded(render(await call(command)))
            with desk.hold.load() as load:
                load.add(len(request))
                command = parse(decoded(message, request, method, desk), caller_now())
                await yield_to_loop()
                result = await call(command)
                await yield_to_loop()
                return encoded(render(result))

        return behave

    return Endpoint(bind=bind)


def server_stream(
    message: type[M],
    parse: Callable[[M, Caller], Command],
    call: Callable[[Command], AsyncGenerator[Result, None]],
    render: Callable[[Result], Reply],
    *,
    endless: bool = False,
) -> Endpoint:
    """Makes an endpoint of one message in, many out, each sent as soon as there is one."""

    def bind(method: str, desk: RequestLimits) -> Behaviour:
        async def behave(request: bytes, context: ServicerContext[Any, Any]) -> None:
            command = parse(decoded(message, request, method, desk), caller_now())
            await _write_all(context, call(command), render, desk.hold)

        return behave

    return Endpoint(bind=bind, streams_out=True, endless=endless)


def client_stream(
    message: type[M],
    call: Callable[[AsyncIterator[M], Caller], Awaitable[Result]],
    render: Callable[[Result], Reply],
    *,
    passes_on: Callable[[M], bool] = lambda _: False,
) -> Endpoint:
    """Makes an endpoint of many messages in, one out. `call` reads them one by one, and parses what it reads.

    `passes_on`: whether it does not keep a message once it has read the next."""

    def bind(method: str, desk: RequestLimits) -> Behaviour:
        async def behave(requests: AsyncIterator[bytes], context: ServicerContext[Any, Any]) -> bytes:
            with desk.hold.load() as load:
                messages = _decoded_all(message, requests, method, desk, load, passes_on)
                return encoded(render(await call(messages, caller_now())))

        return behave

    return Endpoint(bind=bind, streams_in=True)


def bidi_stream(
    message: type[M],
    call: Callable[[AsyncIterator[M], Caller], AsyncGenerator[Result, None]],
    render: Callable[[Result], Reply],
) -> Endpoint:
    """Makes an endpoint of many messages in, many out."""

    def bind(method: str, desk: RequestLimits) -> Behaviour:
        async def behave(requests: AsyncIterator[bytes], context: ServicerContext[Any, Any]) -> None:
            with desk.hold.load() as load:
                messages = _decoded_all(message, requests, method, desk, load)
                await _write_all(context, call(messages, caller_now()), render, desk.hold)

        return behave

    return Endpoint(bind=bind, streams_in=True, streams_out=True)


def handlers(
    service: str,
    endpoints: Mapping[str, Endpoint],
    gate: Gate,
    desk: RequestLimits,
    bound: "BoundEndpoints | None" = None,
) -> "grpc.GenericRpcHandler[Any, Any]":
    """Makes a service's methods, guarded, ready to be added to a server. `bound` has them for callers that are bound to
    a part of the memory."""
    return grpc.method_handlers_generic_handler(
        service,
        {
            name: _handler(endpoint, _guarded(f"{service}/{name}", endpoint, gate, desk, bound))
            for name, endpoint in endpoints.items()
        },
    )


def decoded(
    message: type[M], request: bytes, method: str, desk: RequestLimits, *, goes_on: bool = False
) -> M:
    """Decodes a request, held to what its caller is bound to. Raises MessageTooLarge, UndecodableRequest,
    PermissionDenied, InvalidField. `goes_on`: it is not the first of its stream."""
    if len(request) > desk.max_message_bytes:
        raise MessageTooLarge(
            len(request),
            desk.max_message_bytes,
            "send a long context through MemorizeStream, or send less at once",
        )
    try:
        read = message.FromString(request)
    except DecodeError:
        raise UndecodableRequest(method) from None
    if desk.requires_request_id and not goes_on:
        _require_request_id(read)
    if (call := CURRENT.get()) is None:
        return read
    if request_id := getattr(read, "request_id", ""):
        call.request_id = request_id
    if call.is_audited and not call.named:
        call.named = named_in(read)
    if call.is_recorded and call.request is None:
        call.request = read
    return held(read, call.caller) if call.caller.is_held else read


def _require_request_id(read: Message) -> None:
    """Raises InvalidField where a change has none: in the request, or in the part that begins a stream."""
    for place in _identities(read.DESCRIPTOR):
        part: Any = getattr(read, place) if place else read
        if not part.request_id:
            raise InvalidField(f"{place}.request_id" if place else "request_id", NO_REQUEST_ID)


@cache
def _identities(message: Descriptor) -> tuple[str, ...]:
    """Names the parts of a request that hold a request_id; the empty name is the request itself."""
    fields = message.fields_by_name
    if "request_id" in fields:
        return ("",)
    parts = ((name, field.message_type) for name, field in fields.items())
    return tuple(name for name, part in parts if part is not None and "request_id" in part.fields_by_name)


def identity(reply: Reply) -> Reply:
    """Renders what is an answer already."""
    return reply


def encoded(reply: Reply) -> bytes:
    return reply if isinstance(reply, bytes) else reply.SerializeToString()


async def _decoded_all(
    message: type[M],
    requests: AsyncIterator[bytes],
    method: str,
    desk: RequestLimits,
    load: Load,
    passes_on: Callable[[M], bool] = lambda _: False,
) -> AsyncIterator[M]:
    kept, goes_on = 0, False
    async for request in requests:
        load.replace(kept + len(request))
        read = decoded(message, request, method, desk, goes_on=goes_on)
        goes_on = True
        kept += 0 if passes_on(read) else len(request)
        yield read


async def _write_all(
    context: ServicerContext[Any, Any],
    results: AsyncGenerator[Result, None],
    render: Callable[[Result], Reply],
    hold: MemoryQuota,
) -> None:
    """Writes the answers one by one: the next is made when the last has left for its reader."""
    with hold.load() as load:
        async with aclosing(results) as closing:
            async for result in closing:
                answer = encoded(render(result))
                load.replace(len(answer))
                await context.write(answer)
                load.replace(0)


class BoundEndpoints:
    """The methods as callers have them that are bound to a part of the memory."""

    def __init__(
        self, offered: Callable[[Binding], Mapping[str, Mapping[str, Endpoint]]], desk: RequestLimits
    ) -> None:
        """`offered` makes all endpoints over what a binding admits."""
        self._of = lru_cache(maxsize=MOST_BINDINGS)(
            lambda binding: (offered(binding), dict[str, Behaviour]())
        )
        self._desk = desk

    def behaviour(self, method: str, binding: Binding) -> Behaviour:
        endpoints, bound = self._of(binding)
        if method not in bound:
            service, _, name = method.rpartition("/")
            bound[method] = endpoints[service][name].bind(method, self._desk)
        return bound[method]


def _within(method: str, plain: Behaviour, bound: BoundEndpoints) -> Behaviour:
    async def behave(request: Any, context: ServicerContext[Any, Any]) -> bytes | None:
        if (binding := caller_now().binding) is OPEN:
            return await plain(request, context)
        return await bound.behaviour(method, binding)(request, context)

    return behave


def _guarded(
    method: str, endpoint: Endpoint, gate: Gate, desk: RequestLimits, bound: BoundEndpoints | None
) -> Behaviour:
    streams = endpoint.streams_in or endpoint.streams_out
    needs = needs_of(method)
    behaviour = endpoint.bind(method, desk)
    if bound is not None and not needs.whole_user:  # which its names alone decide
        behaviour = _within(method, behaviour, bound)
    if desk.aggregates is not None and writes(method):
        behaviour = _validated(behaviour, desk.aggregates, streams=streams)
    return gate.guard(method, behaviour, streams=streams, endless=endpoint.endless, needs=needs)


def _validated(behaviour: Behaviour, aggregates: Aggregates[Any], *, streams: bool) -> Behaviour:
    """Has a refusal rest on the store's state, not on an older one in memory."""

    async def once(request: Any, context: ServicerContext[Any, Any]) -> bytes | None:
        aggregates.confirm_reads()  # what a stream brought cannot be read again
        return await behaviour(request, context)

    async def again(request: bytes, context: ServicerContext[Any, Any]) -> bytes | None:
        return await aggregates.validated(lambda: behaviour(request, context))

    return once if streams else again


def _handler(endpoint: Endpoint, behaviour: Behaviour) -> Any:
    make = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }[endpoint.streams_in, endpoint.streams_out]
    return make(behaviour, request_deserializer=None, response_serializer=None)
