"""What every call passes on its way in and out: its turn, its deadline, its answer when it fails, the record of it.

Law: composed once, when a method is registered; a call runs through plain functions. The one place
of the service that catches whatever else was raised.
"""

import asyncio
import random
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import grpc
import structlog
from grpc.aio import ServicerContext

from core.errors import (
    AgentUnavailable,
    EmbedderUnavailable,
    MemoryBankError,
    Overloaded,
    StoreUnavailable,
    StructuringFailed,
)
from service.api.access.audited import is_audited, tell
from service.api.access.keyring import Keyring
from service.api.access.needs import NOTHING, Needs
from service.api.admission import Admission, ConcurrencyLimit, Kind, kind_of
from service.api.errors.table import reason_of
from service.api.errors.transport import DeadlineExceeded, Defect, ShuttingDown, StreamMoved, Unauthenticated
from service.api.refusal import refusal_of, refuse
from service.process.audit import Audit
from service.process.calling import Caller, caller, works_for
from service.process.current_call import CURRENT, CurrentCall
from service.process.tracing import Tracer

Behaviour = Callable[[Any, ServicerContext[Any, Any]], Awaitable[bytes | None]]
"""A method in gRPC's form: the request's bytes, or an iterator of them; answers with bytes, or writes them."""

Observer = Callable[[str, grpc.StatusCode, float], None]
"""Told of each call when it ends: full method name, status, seconds."""

OUTSIDE = (StoreUnavailable, EmbedderUnavailable, AgentUnavailable, StructuringFailed)
"""Errors whose cause lies outside of the service, and is for the log alone."""

MOVING_SECONDS = (
    0.1  # within which the streams of a process that stops begin elsewhere: not all in the same moment
)
ENDED = "the API key is valid no more"

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.api")


class Gate:
    """Lets calls in while it is open, and sees them out when it closes."""

    def __init__(
        self,
        observers: Sequence[Observer] = (),
        admission: Admission | None = None,
        began: Sequence[Callable[[str], None]] = (),
        tracer: Tracer | None = None,
        refused: Sequence[Callable[[str], None]] = (),
    ) -> None:
        """`began` is told of each call when it begins, `refused` of the reason of each refusal; `tracer` records those
        that it chooses."""
        self._tracer = tracer
        self._observers, self._began = tuple(observers), tuple(began)
        self._refused = tuple(refused)
        self._admission = admission or Admission()
        self._calls: dict[asyncio.Task[Any], str] = {}  # their methods
        self._endless: set[asyncio.Task[Any]] = set()
        self._streams: dict[asyncio.Task[Any], CurrentCall] = {}
        self._revoked: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._empty = asyncio.Event()
        self._empty.set()
        self.audit: Audit | None = None
        # Until the store is open there is none, and no service either that could be called.
        self.keyring: Keyring | None = None

    @property
    def in_flight(self) -> int:
        """How many calls are at work."""
        return len(self._calls)

    def guard(
        self,
        method: str,
        behaviour: Behaviour,
        *,
        streams: bool = False,
        endless: bool = False,
        needs: Needs = NOTHING,
    ) -> Behaviour:
        """Wraps a behaviour as it is registered. `endless`: a stream that only its caller, or closing, ends. `needs`:
        what its caller must be allowed, where callers are asked who they are."""
        kind = kind_of(method, streams=streams, endless=endless)
        room = self._admission.rooms.get(kind)
        in_turn = behaviour if room is None else _in_turn(behaviour, room, method)
        timely = within_deadline(in_turn, self._admission, kind)
        return self._answered(method, self._admitted(method, timely, streams=streams, endless=endless), needs)

    async def end_revoked(self) -> None:
        """Ends the streams whose callers' credentials are valid no more."""
        if self.keyring is None:
            return
        valid: dict[str, bool] = {}
        for task, call in list(self._streams.items()):
            if (key_id := call.caller.key_id) not in valid:
                valid[key_id] = await self.keyring.is_valid(call.caller)
            if not valid[key_id] and task in self._streams:
                self._revoked.add(task)
                task.cancel()

    async def close(self, seconds: float) -> None:
        """Refuses what comes, ends endless streams, gives the rest `seconds`, then ends it too."""
        self._closing = True
        _cancel(self._endless)
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            log.warning(
                "calls cut short", calls=len(self._calls), methods=dict(Counter(self._calls.values()))
            )
            _cancel(self._calls)
            await self._empty.wait()

    def _admitted(self, method: str, inner: Behaviour, *, streams: bool, endless: bool) -> Behaviour:
        async def call(request: Any, context: ServicerContext[Any, Any]) -> bytes | None:
            if self._closing:
                raise ShuttingDown
            if self._admission.most is not None and len(self._calls) >= self._admission.most:
                raise Overloaded("calls", 1.0)
            task = asyncio.current_task()
            assert task is not None
            self._enter(task, method, streams=streams, endless=endless)
            try:
                return await inner(request, context)
            except asyncio.CancelledError:
                if task in self._revoked:
                    task.uncancel()
                    raise Unauthenticated(ENDED) from None
                if not self._closing:
                    raise
                task.uncancel()  # by `close`: the caller is told why
                if endless:
                    raise StreamMoved(random.uniform(0.0, MOVING_SECONDS)) from None
                raise ShuttingDown from None
            finally:
                self._leave(task)

        return call

    def _enter(self, task: asyncio.Task[Any], method: str, *, streams: bool, endless: bool) -> None:
        self._calls[task] = method
        self._empty.clear()
        if endless:
            self._endless.add(task)
        if streams and (call := CURRENT.get()) is not None:
            self._streams[task] = call

    def _leave(self, task: asyncio.Task[Any]) -> None:
        self._calls.pop(task, None)
        self._endless.discard(task)
        self._streams.pop(task, None)
        self._revoked.discard(task)
        if not self._calls:
            self._empty.set()

    def _answered(self, method: str, inner: Behaviour, needs: Needs) -> Behaviour:
        async def call(request: Any, context: ServicerContext[Any, Any]) -> bytes | None:
            start, code = time.perf_counter(), grpc.StatusCode.OK
            CURRENT.set(current := CurrentCall(context.invocation_metadata))
            span = None
            for observer_of_start in self._began:
                observer_of_start(method)
            try:
                if (keyring := self.keyring) is not None and keyring.is_asking:
                    sent = context.invocation_metadata() or ()
                    caller = keyring.at_hand(sent) or await keyring.caller(sent, context.peer())
                    current.caller = caller
                    needs.require(caller)
                if self.audit is not None:
                    current.is_audited = is_audited(method, needs, current)
                if self._tracer is not None:  # not before it is known who calls: a trace costs something
                    span = self._tracer.begin(method, current)
                return await inner(request, context)
            except asyncio.CancelledError:
                code = grpc.StatusCode.CANCELLED
                raise
            except MemoryBankError as error:
                refusal = refusal_of(error)
                code = refusal.code
                _record(method, error, refusal.reason)
                for observer_of_refusal in self._refused:
                    observer_of_refusal(refusal.reason)
                await refuse(context, refusal)
            except (
                Exception
            ) as error:  # the one place where a defect becomes an answer: INTERNAL, and an incident
                incident = secrets.token_hex(8)
                code = grpc.StatusCode.INTERNAL
                log.error("defect", method=method, incident=incident, exc_info=error)
                await refuse(context, refusal_of(Defect(incident)))
            finally:
                if span is not None:
                    span.end(code)
                if self.audit is not None:
                    tell(self.audit, method, current, code.name, context.peer())
                for observer in self._observers:
                    observer(method, code, time.perf_counter() - start)

        return call


def within_deadline(inner: Behaviour, admission: Admission, kind: Kind) -> Behaviour:
    """Stops waiting when the caller's time is up, and does not begin when it is. What was already stored stands."""

    async def call(request: Any, context: ServicerContext[Any, Any]) -> bytes | None:
        remaining = admission.deadline_of(kind, context.time_remaining())
        if remaining is None:
            with _working_for(context.peer(), None, kind):
                return await inner(request, context)
        if remaining <= 0:
            raise DeadlineExceeded
        try:
            async with asyncio.timeout(remaining) as limit:
                with _working_for(context.peer(), limit.when(), kind):
                    return await inner(request, context)
        except TimeoutError:
            if limit.expired():
                raise DeadlineExceeded from None
            raise

    return call


@contextmanager
def _working_for(name: str, deadline: float | None, kind: Kind) -> Iterator[None]:
    who = Caller(name=name, deadline=deadline, stores_last=kind is Kind.BATCH)
    works_for(who)
    try:
        yield
    finally:
        who.has_ended = True


def _in_turn(inner: Behaviour, room: ConcurrencyLimit, method: str) -> Behaviour:
    """Begins when there is a place. Raises Overloaded."""

    async def call(request: Any, context: ServicerContext[Any, Any]) -> bytes | None:
        now = asyncio.get_running_loop().time
        size = len(request) if isinstance(request, bytes) else 0
        await room.enter(caller(), now(), method, size)
        start, is_done = now(), False
        try:
            answer = await inner(request, context)
            is_done = True
            return answer
        finally:
            room.leave(method, size, now() - start, is_done=is_done)

    return call


def _record(method: str, error: MemoryBankError, reason: str) -> None:
    if isinstance(error, OUTSIDE):
        cause = error.cause if isinstance(error.cause, str) else reason_of(error.cause)
        log.warning("call failed", method=method, reason=reason, cause=cause)
    else:
        log.debug("call refused", method=method, reason=reason)


def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    for task in tuple(tasks):
        task.cancel()
