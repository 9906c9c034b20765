"""How calls are sent: once asynchronously, once synchronously. All else is shared.

Law: gRPC's errors end here. A channel is made by the first call, so that a client may be made
before its event loop runs. A stream left early is cancelled.
"""

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
)
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import grpc
from google.protobuf.message import Message

from memorybank_client.methods import Method
from memorybank_client.pieces import Cut, parts_of
from memorybank_client.session import Call, Session


@dataclass(kw_only=True)
class Wire:
    """A channel, once it is needed, and its methods."""

    open: Callable[[], Any]
    opened: Any = None
    _stubs: dict[str, Any] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def channel(self) -> Any:
        with self._lock:  # threads may make the first call together
            if self.opened is None:
                self.opened = self.open()
            return self.opened

    def stub(self, method: Method) -> Any:
        """gRPC's callable of the method."""
        if method.path not in self._stubs:
            self._stubs[method.path] = getattr(self.channel, method.kind)(
                method.path,
                request_serializer=method.request.SerializeToString,
                response_deserializer=method.response.FromString,
            )
        return self._stubs[method.path]


class Caller:
    """A wire, and what is known of its use."""

    def __init__(self, wire: Wire, session: Session) -> None:
        self.wire = wire
        self.session = session


class AsyncCaller(Caller):
    """Sends calls on a `grpc.aio` channel."""

    async def one(self, call: Call, request: Any) -> Any:
        stub = self.wire.stub(call.method)
        try:
            response = await stub(request, timeout=call.timeout, metadata=call.metadata)
        except grpc.RpcError as error:
            raise self.session.failure(call, error) from error
        self.session.saw(call, response)
        return response

    async def many(self, call: Call, request: Any) -> AsyncGenerator[Any, None]:
        stream = self.wire.stub(call.method)(request, timeout=call.timeout, metadata=call.metadata)
        try:
            async for response in stream:
                self.session.saw(call, response)
                yield response
        except grpc.RpcError as error:
            raise self.session.failure(call, error) from error
        finally:
            stream.cancel()

    async def framed(self, call: Call, source: Any, cut: Cut) -> AsyncIterator[Message]:
        yield call.method.first(call.header)
        async for part in _asynchronously(parts_of(source)):
            for piece in cut(part):
                yield piece


class SyncCaller(Caller):
    """Sends calls on a `grpc` channel."""

    def one(self, call: Call, request: Any) -> Any:
        stub = self.wire.stub(call.method)
        try:
            response = stub(request, timeout=call.timeout, metadata=call.metadata)
        except grpc.RpcError as error:
            raise self.session.failure(call, error) from error
        self.session.saw(call, response)
        return response

    def many(self, call: Call, request: Any) -> Generator[Any, None, None]:
        stream = self.wire.stub(call.method)(request, timeout=call.timeout, metadata=call.metadata)
        try:
            for response in stream:
                self.session.saw(call, response)
                yield response
        except grpc.RpcError as error:
            raise self.session.failure(call, error) from error
        finally:
            stream.cancel()

    def framed(self, call: Call, source: Any, cut: Cut) -> Iterator[Message]:
        yield call.method.first(call.header)
        for part in parts_of(source):  # type: ignore[union-attr]
            yield from cut(part)


async def _asynchronously(parts: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[Any]:
    if isinstance(parts, AsyncIterable):
        async for part in parts:
            yield part
    else:
        for part in parts:
            yield part
