"""A real gRPC server on a socket that answers by a script, and keeps what it was asked."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]  # ship no types

from memorybank_client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.methods import Method
from memorybank_client.verbs import METHODS

METHOD = {method.path: method for method in METHODS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call as it arrived. `seconds` are those left until its deadline; None without one."""

    messages: list[Any]
    metadata: dict[str, str | bytes]
    seconds: float | None

    @property
    def request(self) -> Any:
        return self.messages[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A status to answer with; `details` as a service packs them. `at_once`: before a stream has come up whole;
    `is_final`: not to be tried again."""

    code: grpc.StatusCode
    message: str = "refused"
    details: tuple[Any, ...] = ()
    packed: bytes | None = None
    at_once: bool = False
    is_final: bool = False

    @property
    def trailers(self) -> tuple[tuple[str, bytes], ...]:
        status = status_pb2.Status(code=self.code.value[0], message=self.message)
        for detail in self.details:
            status.details.add().Pack(detail)
        packed = ("grpc-status-details-bin", self.packed or status.SerializeToString())
        return (packed, ("grpc-retry-pushback-ms", b"-1")) if self.is_final else (packed,)


NEVER = "never"
"""An answer that does not come."""


@dataclass(kw_only=True)
class Script:
    """The next answers of each method, by its name; with none left it answers with an empty response."""

    answers: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    asked: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    def handler(self, details: grpc.HandlerCallDetails) -> Any:
        method = METHOD[details.method]
        answer = self._streaming(method) if method.streams_down else self._single(method)
        return getattr(grpc, f"{method.kind}_rpc_method_handler")(
            answer,
            request_deserializer=method.request.FromString,
            response_serializer=method.response.SerializeToString,
        )

    def _single(self, method: Method) -> Callable[[Any, Any], Any]:
        async def answer(request: Any, context: Any) -> Message:
            await self._keep(method, request, context)
            return await self._next(method, context)

        return answer

    def _streaming(self, method: Method) -> Callable[[Any, Any], Any]:
        async def answer(request: Any, context: Any) -> AsyncIterator[Message]:
            await self._keep(method, request, context)
            try:
                while True:
                    yield await self._next(method, context)
                    if not self.answers[method.name]:
                        return
            finally:
                self.cancelled.set()

        return answer

    async def _keep(self, method: Method, request: Any, context: Any) -> None:
        self.arrived.set()
        if any(isinstance(answer, Refusal) and answer.at_once for answer in self.answers[method.name][:1]):
            if method.streams_up:  # its head is read: gRPC loses the status of a call that still writes it
                await anext(aiter(request), None)
            await self._next(method, context)
        messages = [message async for message in request] if method.streams_up else [request]
        metadata = dict(context.invocation_metadata())
        self.asked[method.name].append(
            Asked(messages=messages, metadata=metadata, seconds=context.time_remaining())
        )

    async def _next(self, method: Method, context: Any) -> Message:
        left = self.answers[method.name]
        answer = left.pop(0) if left else method.response()
        if answer is NEVER:
            await asyncio.Event().wait()
        if isinstance(answer, Refusal):
            context.set_trailing_metadata(answer.trailers)
            await context.abort(answer.code, answer.message)
        return answer


class _Handlers(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in its types alone
    def __init__(self, script: Script) -> None:
        self._script = script

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return self._script.handler(handler_call_details)


@asynccontextmanager
async def scripted(script: Script) -> AsyncIterator[str]:
    """The server's address."""
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    server.add_generic_rpc_handlers((_Handlers(script),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Either client, asked in one way: the synchronous one in a thread."""

    client: MemoryBankClient | SyncMemoryBankClient

    async def __call__(self, verb: str, *source: Any, **fields: Any) -> Any:
        """A response, or the list of a stream's."""
        outcome: Any = getattr(self.client, verb)
        if isinstance(self.client, MemoryBankClient):
            made = outcome(*source, **fields)
            return [each async for each in made] if hasattr(made, "__aiter__") else await made
        return await asyncio.to_thread(_collected, outcome, source, fields)

    def within(self, seconds: float) -> "Asking":
        return Asking(client=self.client.within(seconds))


def _collected(verb: Any, source: tuple[Any, ...], fields: dict[str, Any]) -> Any:
    made = verb(*source, **fields)
    return list(made) if hasattr(made, "__next__") else made


@asynccontextmanager
async def asking(kind: str, target: str, **settings: Any) -> AsyncIterator[Asking]:
    """A client, `asynchronous` or `synchronous`, of the address."""
    if kind == "asynchronous":
        async with MemoryBankClient(target, **settings) as client:
            yield Asking(client=client)
    else:
        with SyncMemoryBankClient(target, **settings) as sync_client:
            yield Asking(client=sync_client)


def error_info(reason: str, domain: str = "memorybank", **metadata: str) -> Any:
    return error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata)
