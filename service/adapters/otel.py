"""Traces and metrics by OTLP to a collector: spans of calls, of the store and of agents; the calls' times.

Law: the one module that imports OpenTelemetry, and only where a collector is configured. Names are of the contract, of
the port and of roles; a bank is named where memory spans are asked for, a user, a query or what is remembered never.
What happened within a recorded call is recorded as its child when it has ended, also what it began and what outlasts
it (`memorybank.background`); what has no call is not.
"""

import asyncio
import random
import time
from collections.abc import Mapping
from importlib.metadata import version

import grpc
from google.protobuf.message import Message
from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from core.agents.usage import Answer, RoleCall
from core.usecases.observer import StructuringEnded
from service.adapters.observed import PortCall
from service.process.current_call import TRACEPARENT, CurrentCall
from service.process.memory_spans import OPERATIONS, record_id, store_id
from service.settings.process import OtlpSection

SAMPLED = 1  # the flag of a traceparent
DURATION = "rpc.server.call.duration"
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
FAULTS = frozenset(  # statuses that say of the server, not of its caller, that something failed
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
WELL = frozenset({Answer.OK, Answer.FELL_BACK})
EMBEDDER, RERANKER = "embedder", "reranker"
BACKGROUND = (
    600 * 1_000_000_000
)  # nanoseconds in which what a call began is its own: a task may go on for ever
SENDING_SECONDS = 3.0  # for one report, its repetitions included: the end of the service waits as long


class Otel:
    """Records calls (a Tracer for the gate, an Observer of core, an observer of ports) and their times."""

    def __init__(self, section: OtlpSection, instance: str) -> None:
        """`instance` tells this process from others."""
        made = {"service.name": "memorybank", "service.version": version("agentic-memory-bank")}
        resource = Resource.create({**made, "service.instance.id": instance})
        insecure = section.endpoint.startswith("http://")
        self._traces = TracerProvider(resource=resource, sampler=ALWAYS_ON, shutdown_on_exit=False)
        self._traces.add_span_processor(
            BatchSpanProcessor(
                OTLPSpanExporter(endpoint=section.endpoint, insecure=insecure, timeout=SENDING_SECONDS)
            )
        )
        reader = PeriodicExportingMetricReader(
            OTLPMetricExporter(endpoint=section.endpoint, insecure=insecure, timeout=SENDING_SECONDS),
            export_interval_millis=section.metrics_seconds * 1_000,
        )
        view = View(instrument_name=DURATION, aggregation=ExplicitBucketHistogramAggregation(SECONDS))
        self._metrics = MeterProvider((reader,), resource=resource, views=(view,), shutdown_on_exit=False)
        meter = self._metrics.get_meter("memorybank")
        self._durations = meter.create_histogram(DURATION, "s", "How long calls took, as the server saw it.")
        self._tracer = self._traces.get_tracer("memorybank")
        self._propagator = TraceContextTextMapPropagator()
        self._names_memories = section.memory_spans
        self._sampling = section.sampling
        self._told: dict[tuple[str, grpc.StatusCode], dict[str, str]] = {}

    # ---- calls ----

    def begin(self, method: str, call: CurrentCall) -> "_CallSpan | None":
        """See the port. What the call does from here on, in its task and those that it begins, belongs to its span.

        Whether it is recorded is decided first: of a hundred calls, ninety-nine are to cost next to nothing."""
        sent = call.sent
        if not (int(sent[53:55], 16) & SAMPLED if sent else random.random() < self._sampling):
            return None
        parent = self._propagator.extract({TRACEPARENT: sent}) if sent else None
        span = self._tracer.start_span(
            method, context=parent, kind=SpanKind.SERVER, attributes=_of_method(method)
        )
        context.attach(trace.set_span_in_context(span))
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        call.span, call.is_recorded = carrier[TRACEPARENT], True
        return _CallSpan(span, method, call, self)

    def called(self, method: str, code: grpc.StatusCode, seconds: float) -> None:
        """Counts a call that has ended."""
        told = self._told.get((method, code))
        if told is None:
            told = self._told[method, code] = {**_of_method(method), **_of_status(code)}
        self._durations.record(seconds, told)

    def remembered(self, method: str, request: Message, start: int, failure: str) -> None:
        """Records what a call did to a memory, where that is asked for. `start`: in nanoseconds since 1970."""
        operation = OPERATIONS.get(method.rpartition("/")[2])
        if not self._names_memories or operation is None:
            return
        named = {"gen_ai.memory.store.id": store_id(request), "gen_ai.memory.record.id": record_id(request)}
        attributes = {
            "gen_ai.operation.name": operation,
            **{key: name for key, name in named.items() if name},
        }
        self._child(operation, start, time.time_ns(), attributes, failure)

    # ---- what happens within them ----

    def asked(self, asked: RoleCall) -> None:
        if asked.role == EMBEDDER:
            return  # `embedded` tells of all questions to it
        attributes: dict[str, str | int] = {"memorybank.role": asked.role}
        if asked.cost.input_tokens or asked.cost.output_tokens:
            attributes["gen_ai.usage.input_tokens"] = asked.cost.input_tokens
            attributes["gen_ai.usage.output_tokens"] = asked.cost.output_tokens
        name = "rerank" if asked.role == RERANKER else f"agent.{asked.role}"
        failure = "" if asked.answer in WELL else asked.answer.value
        self._ended(name, asked.seconds, attributes, failure)

    def structured(self, structured: StructuringEnded) -> None:
        """Does nothing: its questions are recorded."""

    def stored(self, call: PortCall) -> None:
        """Records a call of the store."""
        changes = {"memorybank.changes": call.size} if call.size else {}
        self._ended(f"store.{call.operation}", call.seconds, changes, _failure(call.failure))

    def embedded(self, call: PortCall) -> None:
        """Records a call of the embedder."""
        self._ended("embed", call.seconds, {"memorybank.texts": call.size}, _failure(call.failure))

    async def close(self) -> None:
        """Sends what is still to be sent."""
        await asyncio.gather(
            asyncio.to_thread(self._traces.shutdown), asyncio.to_thread(self._metrics.shutdown)
        )

    def _ended(self, name: str, seconds: float, attributes: Mapping[str, str | int], failure: str) -> None:
        span, now = trace.get_current_span(), time.time_ns()
        if not span.is_recording():
            if not now - BACKGROUND < _end_of(span):
                return
            attributes = {**attributes, "memorybank.background": True}
        self._child(name, now - round(seconds * 1e9), now, attributes, failure)

    def _child(
        self, name: str, start: int, end: int, attributes: Mapping[str, str | int], failure: str
    ) -> None:
        span = self._tracer.start_span(name, attributes=attributes, start_time=start)
        if failure:
            _fail(span, failure)
        span.end(end)


class _CallSpan:
    """The span of one call, the current one of its task."""

    def __init__(self, span: Span, method: str, call: CurrentCall, otel: Otel) -> None:
        self._span, self._method, self._call, self._otel = span, method, call, otel
        self._start = time.time_ns()

    def end(self, code: grpc.StatusCode) -> None:
        request, self._call.request = self._call.request, None
        failure = "" if code is grpc.StatusCode.OK else code.name
        if isinstance(request, Message):
            self._otel.remembered(self._method, request, self._start, failure)
        self._span.set_attributes(_of_status(code))
        if code in FAULTS:
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


def _of_method(method: str) -> dict[str, str]:
    return {"rpc.system.name": "grpc", "rpc.method": method}


def _of_status(code: grpc.StatusCode) -> dict[str, str]:
    told = {"rpc.response.status_code": code.name}
    return told | {"error.type": code.name} if code in FAULTS else told


def _end_of(span: Span) -> int:
    """Returns when a call's span ended; 0 for what is none."""
    ended: int | None = getattr(span, "end_time", None)  # of the SDK's own, which is what began it
    return ended or 0


def _failure(failure: BaseException | None) -> str:
    return "" if failure is None else type(failure).__name__


def _fail(span: Span, failure: str) -> None:
    span.set_attribute("error.type", failure)
    span.set_status(Status(StatusCode.ERROR))
