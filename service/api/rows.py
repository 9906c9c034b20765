"""One row an RPC: its name, and its verb.

Law: what a row leaves out follows. The messages are the contract's; what the verb takes is read from the request, and
what it returns is rendered as the answer, by the verb's annotations (`mapping`). A row names a reader or a renderer
where one was declared with lines, or written by hand.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from core.caller import Caller
from core.usecases.house import House
from service.api.endpoint import Endpoint, Reply, bidi_stream, client_stream, server_stream, unary
from service.api.mapping.reading import reader_of
from service.api.mapping.rendering import renderer_of

Command = TypeVar("Command")
Result = TypeVar("Result")
Made = TypeVar("Made")


class OfHouse(NamedTuple):
    """A reader or a renderer that depends on the house: what makes it."""

    made: Callable[[House], Callable[..., Any]]


Read = Callable[[Any, Caller], Command] | OfHouse
Render = Callable[[Result], Reply] | OfHouse


class Row(NamedTuple):
    """An RPC by its name; `endpoint` makes it over a house."""

    name: str
    endpoint: Callable[[House, MethodDescriptor], Endpoint]


def rpc(
    name: str,
    verb: Callable[[House, Command], Awaitable[Result]],
    read: Read[Command] | None = None,
    render: Render[Result] | None = None,
) -> Row:
    """A message in, a message out."""

    def endpoint(house: House, method: MethodDescriptor) -> Endpoint:
        reads = _of(house, read or _reader(verb, method))
        renders = _of(house, render or _renderer(verb, method))
        return unary(GetMessageClass(method.input_type), reads, partial(verb, house), renders)

    return Row(name, endpoint)


def rpc_out(
    name: str,
    verb: Callable[[House, Command], AsyncGenerator[Result, None]],
    read: Read[Command] | None = None,
    render: Render[Result] | None = None,
    *,
    endless: bool = False,
) -> Row:
    """A message in, many out."""

    def endpoint(house: House, method: MethodDescriptor) -> Endpoint:
        reads = _of(house, read or _reader(verb, method))
        renders = _of(house, render or _renderer(verb, method))
        message = GetMessageClass(method.input_type)
        return server_stream(message, reads, partial(verb, house), renders, endless=endless)

    return Row(name, endpoint)


def rpc_in(
    name: str,
    verb: Callable[[House, AsyncIterator[Any], Caller], Awaitable[Result]],
    render: Render[Result] | None = None,
    *,
    passes_on: Callable[[Any], bool] = lambda _: False,
) -> Row:
    """Many messages in, one out; the verb reads them."""

    def endpoint(house: House, method: MethodDescriptor) -> Endpoint:
        renders = _of(house, render or _renderer(verb, method))
        message = GetMessageClass(method.input_type)
        return client_stream(message, partial(verb, house), renders, passes_on=passes_on)

    return Row(name, endpoint)


def rpc_both(
    name: str,
    verb: Callable[[House, AsyncIterator[Any], Caller], AsyncGenerator[Result, None]],
    render: Render[Result],
) -> Row:
    """Many messages in, many out."""

    def endpoint(house: House, method: MethodDescriptor) -> Endpoint:
        message = GetMessageClass(method.input_type)
        return bidi_stream(message, partial(verb, house), _of(house, render))

    return Row(name, endpoint)


def endpoints(service: Any, rows: Iterable[Row], house: House) -> Mapping[str, Endpoint]:
    """Makes a service's methods over a house."""
    return {row.name: row.endpoint(house, service.methods_by_name[row.name]) for row in rows}


def _of(house: House, made: Callable[..., Any] | OfHouse) -> Callable[..., Any]:
    return made.made(house) if isinstance(made, OfHouse) else made


@cache
def _reader(verb: Callable[..., Any], method: MethodDescriptor) -> Callable[..., Any]:
    return reader_of(_hints(verb)[-2], method.input_type)


@cache
def _renderer(verb: Callable[..., Any], method: MethodDescriptor) -> Callable[..., Any]:
    made = _hints(verb)[-1]
    each = get_args(made)[0] if method.server_streaming else made
    return renderer_of(each, method.output_type)


def _hints(verb: Callable[..., Any]) -> list[Any]:
    """Returns the types of what a verb takes, and last of what it returns."""
    return list(get_type_hints(verb).values())
