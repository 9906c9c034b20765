"""What callers are told while the service loads: that it starts, and when to ask again."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import grpc
from grpc.aio import ServicerContext

from service.api.errors.transport import Starting
from service.api.gate import Gate

CONTRACT = "/memorybank."
"""What the paths of the contract's methods begin with; health answers from the start."""
HELD_SECONDS = 5.0
"""A call is held until the service has loaded, but no longer than this: a slow load costs callers fewer attempts."""


class StartupGate(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # it takes none where it runs
    """Takes every call of the contract until the service has `started`; then the services find theirs.

    It stands in for a server that services are added to: gRPC's own takes none once it has its port.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._started = asyncio.Event()
        self._services: list[grpc.GenericRpcHandler[Any, Any]] = []

    def add_generic_rpc_handlers(self, services: Iterable["grpc.GenericRpcHandler[Any, Any]"]) -> None:
        """Adds services; they are found once all have `started`."""
        self._services.extend(services)

    def add_registered_method_handlers(self, *_: Any) -> None:
        """Does nothing: a short cut of gRPC's for services that are there before the port."""

    def started(self) -> None:
        self._started.set()

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        method = handler_call_details.method
        if self._started.is_set():
            found = next(filter(None, (each.service(handler_call_details) for each in self._services)), None)
            return found if found is None or method.startswith(CONTRACT) else self._asking(method, found)
        if not method.startswith(CONTRACT):
            return None
        return grpc.stream_stream_rpc_method_handler(self._gate.guard(method.removeprefix("/"), self._refuse))

    def _asking(
        self, method: str, handler: "grpc.RpcMethodHandler[Any, Any]"
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Has the gate ask who calls a method of another service, which is reflection's."""
        answers: Any = handler.stream_stream

        async def behave(requests: Any, context: ServicerContext[Any, Any]) -> None:
            async for answer in answers(requests, context):
                await context.write(answer)

        return grpc.stream_stream_rpc_method_handler(
            self._gate.guard(method.removeprefix("/"), behave, streams=True),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    async def _refuse(self, _request: Any, _context: ServicerContext[Any, Any]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(HELD_SECONDS):
                await self._started.wait()
        raise Starting
