"""Metrics for Prometheus: what calls and agents do, in a registry of its own.

Law: the one module that imports prometheus_client, and only where metrics are configured. Labels are
names of the contract, of roles and of outcomes: never a tenant, a bank or anything remembered.
"""

import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version

import grpc
from google.protobuf.descriptor_pool import Default
from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from core.agents.usage import RoleCall
from core.errors import MemoryDamaged, StoreUnavailable
from core.internal_errors import HeadMoved, RevisionTaken
from core.usecases.observer import StructuringEnded
from service.adapters.observed import PortCall

CALL_SECONDS = (
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    2.5,
    5,
    10,
    30,
    60,
)
STORE_SECONDS = (0.00025, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
APPENDED = (1, 2, 4, 8, 16, 64, 256)  # changes
CALL = ("grpc_type", "grpc_service", "grpc_method")
TYPES = {
    (False, False): "unary",
    (True, False): "client_stream",
    (False, True): "server_stream",
    (True, True): "bidi_stream",
}
FAILURES = (StoreUnavailable, MemoryDamaged)
LOST = (HeadMoved, RevisionTaken)  # the fence refused the append: another process was quicker
AGENT_SECONDS = (0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class _Gauges(Collector):
    """Figures that are kept elsewhere."""

    def __init__(self, words: Mapping[str, str], readings: Callable[[], Mapping[str, float]]) -> None:
        self._words, self._readings = words, readings

    def describe(self) -> Iterator[Metric]:
        return (self._family(name) for name in self._words)

    def collect(self) -> Iterator[Metric]:
        found = self._readings()
        for name in self._words:
            family = self._family(name)
            family.add_metric((), found[name])
            yield family

    def _family(self, name: str) -> CounterMetricFamily | GaugeMetricFamily:
        made = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        return made(name, self._words[name])


class PrometheusMetrics:
    """Counts calls (for the gate) and what agents do (an Observer of core)."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # else a second series for each, of its age
        self.registry = registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)  # memory, processor, open files
        GCCollector(registry=registry)
        build = Info("memorybank_build", "What runs.", registry=registry)
        build.info({"version": version("agentic-memory-bank"), "python": platform.python_version()})
        self._of_calls()
        self._of_store()
        self._of_agents()
        self._handled: dict[tuple[str, grpc.StatusCode], tuple[Counter, Histogram]] = {}
        self._begun: dict[str, Counter] = {}

    def _of_calls(self) -> None:
        """Declares what is counted of calls."""
        self._calls = Counter(
            "grpc_server_handled",
            "Calls that have ended, by their status.",
            ("grpc_type", "grpc_service", "grpc_method", "grpc_code"),
            registry=self.registry,
        )
        self._call_seconds = Histogram(
            "grpc_server_handling_seconds",
            "How long calls took.",
            CALL,
            registry=self.registry,
            buckets=CALL_SECONDS,
        )
        self._started = Counter(
            "grpc_server_started",
            "Calls that have begun, those refused at once included.",
            CALL,
            registry=self.registry,
        )
        self._refused = Counter(
            "memorybank_refused",
            "Calls that were refused, by the contract's reason: UNAUTHENTICATED, RATE_LIMITED, OVERLOADED, …",
            ("reason",),
            registry=self.registry,
        )

    def _of_store(self) -> None:
        """Declares what is counted of the store."""
        self._store_seconds = Histogram(
            "memorybank_store_seconds",
            "How long calls of the store took, by operation.",
            ("operation",),
            registry=self.registry,
            buckets=STORE_SECONDS,
        )
        self._store_errors = Counter(
            "memorybank_store_errors",
            "Calls of the store that failed, by the error: StoreUnavailable, MemoryDamaged.",
            ("operation", "kind"),
            registry=self.registry,
        )
        self._fence_refused = Counter(
            "memorybank_fence_refused",
            "Appends that came too late: another process had moved the head. They are made anew.",
            registry=self.registry,
        )
        self._append_changes = Histogram(
            "memorybank_append_changes",
            "Changes that went into one append.",
            registry=self.registry,
            buckets=APPENDED,
        )

    def _of_agents(self) -> None:
        """Declares what is counted of agents."""
        self._questions = Counter(
            "memorybank_agent_calls",
            "Questions to agents, to the embedder and to the reranker, by how they ended.",
            ("role", "outcome"),
            registry=self.registry,
        )
        self._tokens = Counter(
            "memorybank_agent_tokens",
            "Tokens sent to language models (input) and received from them (output).",
            ("role", "direction"),
            registry=self.registry,
        )
        self._agent_seconds = Histogram(
            "memorybank_agent_seconds",
            "How long questions to agents, to the embedder and to the reranker took.",
            ("role",),
            registry=self.registry,
            buckets=AGENT_SECONDS,
        )
        self._structurings = Counter(
            "memorybank_structurings",
            "Work on interactions that has ended, by how: ok, or the error's name.",
            ("outcome",),
            registry=self.registry,
        )

    def called(self, method: str, code: grpc.StatusCode, seconds: float) -> None:
        """Counts a call of `/package.Service/Method` that has ended."""
        found = self._handled.get((method, code))
        if found is None:  # looking labels up takes several times longer than counting
            call = _labels(method)
            found = (self._calls.labels(*call, code.name), self._call_seconds.labels(*call))
            self._handled[method, code] = found
        found[0].inc()
        found[1].observe(seconds)

    def began(self, method: str) -> None:
        """Counts a call that begins."""
        found = self._begun.get(method)
        if found is None:
            found = self._begun[method] = self._started.labels(*_labels(method))
        found.inc()

    def refused(self, reason: str) -> None:
        """Counts a call that was refused."""
        self._refused.labels(reason).inc()

    def stored(self, call: PortCall) -> None:
        """Counts a call of the store that has ended."""
        self._store_seconds.labels(call.operation).observe(call.seconds)
        if isinstance(call.failure, LOST):
            self._fence_refused.inc()
        elif isinstance(call.failure, FAILURES):
            self._store_errors.labels(call.operation, type(call.failure).__name__).inc()
        if call.size and call.failure is None:
            self._append_changes.observe(call.size)

    def asked(self, asked: RoleCall) -> None:
        self._questions.labels(asked.role, asked.answer).inc()
        self._agent_seconds.labels(asked.role).observe(asked.seconds)
        if asked.cost.input_tokens or asked.cost.output_tokens:
            self._tokens.labels(asked.role, "input").inc(asked.cost.input_tokens)
            self._tokens.labels(asked.role, "output").inc(asked.cost.output_tokens)

    def structured(self, structured: StructuringEnded) -> None:
        failure = structured.failure
        self._structurings.labels("ok" if failure is None else type(failure).__name__).inc()

    def show(self, words: Mapping[str, str], readings: Callable[[], Mapping[str, float]]) -> None:
        """Reads these figures whenever metrics are asked for: counters end in `_total`, all else are gauges."""
        self.registry.register(_Gauges(words, readings))

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[int]:
        """Answers HTTP there while the context lasts; the port (any free one for 0). Raises OSError."""
        server, thread = start_http_server(port, host, self.registry)
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _labels(method: str) -> tuple[str, str, str]:
    """Returns type, service and name of `package.Service/Method`."""
    service, _, name = method.strip("/").rpartition("/")
    try:
        told = Default().FindMethodByName(f"{service}.{name}")
    except KeyError:
        return "unary", service, name
    return TYPES[told.client_streaming, told.server_streaming], service, name
