"""How calls are sent: once asynchronously, once synchronously. All else is shared.

gRPC's errors end here. A channel is made by the first call, so that a client may be made
before its event loop runs. A stream left early is cancelled.

Law: the cancellation that ends a task's call leaves it, and no other. grpc.aio raises a bare CancelledError in
its place. A cancel scope of anyio would not know that one as its own: it would pass through, and end the program.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import grpc
from google.protobuf.message import Message

from memorybank_client.errors import Cancelled, DeadlineExceeded
from memorybank_client.methods import Method
from memorybank_client.session import Call, Session
from memorybank_client.source import Source, cancellations


@dataclass(kw_only=True)
class Wire:
    """A channel to `target`, once it is needed, and its methods. Once `closed` there is none any more."""

    target: str
    open: Callable[[], Any]
    opened: Any = None
    closed: bool = False
    _stubs: dict[str, Any] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def channel(self) -> Any:
        with self._lock:  # threads may make the first call together
            if self.opened is None:
                self.opened = self.open()
            return self.opened

    def stub(self, method: Method) -> Any:
        """Returns gRPC's callable of the method."""
        if method.path not in self._stubs:
            self._stubs[method.path] = getattr(self.channel, method.kind)(
                method.path,
                request_serializer=method.request.SerializeToString,
                response_deserializer=method.response.FromString,
            )
        return self._stubs[method.path]

    def close(self) -> Any:
        """Lets no further call begin. Returns the channel that is to be closed, if any was opened."""
        with self._lock:
            self.closed = True
            return self.opened


class Caller:
    """A wire, and what is known of its use."""

    def __init__(self, wire: Wire, session: Session) -> None:
        self.wire = wire
        self.session = session

    def stub(self, call: Call) -> Any:
        """Returns gRPC's callable for a call. Raises Cancelled, DeadlineExceeded where it cannot begin."""
        if self.wire.closed:
            raise Cancelled("the client was closed", request_id=call.request_id)
        if call.timeout is not None and call.timeout <= 0:
            raise DeadlineExceeded(
                f"not sent: the call was given {call.timeout:g} s", request_id=call.request_id
            )
        return self.wire.stub(call.method)

    def failure(self, call: Call, request: Message | Source, error: grpc.RpcError) -> BaseException:
        """Returns what to raise for gRPC's error: what the request's own source raised, else what the status says."""
        return _broken(request) or self.session.failure(call, error, self.wire.target)


class AsyncCaller(Caller):
    """Sends calls on a `grpc.aio` channel."""

    async def one(self, call: Call, request: Message | Source) -> Any:
        coming = self.stub(call)(request, timeout=call.timeout, metadata=call.metadata)
        response = await self._awaited(call, request, coming)
        self.session.saw(call, response)
        return response

    async def many(self, call: Call, request: Message | Source) -> AsyncGenerator[Any, None]:
        stream = self.stub(call)(request, timeout=call.timeout, metadata=call.metadata)
        responses = aiter(stream)
        try:
            while (response := await self._awaited(call, request, anext(responses, None))) is not None:
                self.session.saw(call, response)
                yield response
        finally:
            stream.cancel()

    async def _awaited(self, call: Call, request: Message | Source, coming: Awaitable[Any]) -> Any:
        """Awaits gRPC's answer. Raises the task's own cancellation where the task was cancelled meanwhile."""
        before = cancellations()
        try:
            return await coming
        except grpc.RpcError as error:
            raise self.failure(call, request, error) from error
        except asyncio.CancelledError:
            if cancellations() > before:
                await asyncio.sleep(
                    0
                )  # a cancelled scope cancels its task again at each checkpoint: as its own
            elif ended := _broken(request) or self._closed(call):
                raise ended from None
            raise

    def _closed(self, call: Call) -> Cancelled | None:
        return Cancelled("the client was closed", request_id=call.request_id) if self.wire.closed else None


class SyncCaller(Caller):
    """Sends calls on a `grpc` channel."""

    def one(self, call: Call, request: Message | Source) -> Any:
        stub = self.stub(call)
        try:
            response = stub(_sent(request), timeout=call.timeout, metadata=call.metadata)
        except grpc.RpcError as error:
            raise self.failure(call, request, error) from error
        self.session.saw(call, response)
        return response

    def many(self, call: Call, request: Message | Source) -> Generator[Any, None, None]:
        stream = self.stub(call)(_sent(request), timeout=call.timeout, metadata=call.metadata)
        try:
            for response in stream:
                self.session.saw(call, response)
                yield response
        except grpc.RpcError as error:
            raise self.failure(call, request, error) from error
        finally:
            stream.cancel()


def _broken(request: Message | Source) -> BaseException | None:
    return request.broken if isinstance(request, Source) else None


def _sent(request: Message | Source) -> Any:
    """Returns it as synchronous gRPC takes it: a message, or an iterator."""
    return iter(request) if isinstance(request, Source) else request
