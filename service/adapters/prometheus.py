"""Metrics for Prometheus: what calls and agents do, in a registry of its own.

Law: the one module that imports prometheus_client, and only where metrics are configured. Labels are
names of the contract, of roles and of outcomes: never a tenant, a bank or anything remembered.
"""

import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version

import grpc
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

from core.agents.usage import Asked
from core.usecases.observer import Structured

CALL_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
AGENT_SECONDS = (0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class _Shown(Collector):
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
        self._calls = Counter(
            "grpc_server_handled",
            "Calls that have ended, by their status.",
            ("grpc_service", "grpc_method", "grpc_code"),
            registry=registry,
        )
        self._call_seconds = Histogram(
            "grpc_server_handling_seconds",
            "How long calls took.",
            ("grpc_service", "grpc_method"),
            registry=registry,
            buckets=CALL_SECONDS,
        )
        self._questions = Counter(
            "memorybank_agent_calls",
            "Questions to agents, to the embedder and to the reranker, by how they ended.",
            ("role", "outcome"),
            registry=registry,
        )
        self._tokens = Counter(
            "memorybank_agent_tokens",
            "Tokens sent to language models (input) and received from them (output).",
            ("role", "direction"),
            registry=registry,
        )
        self._agent_seconds = Histogram(
            "memorybank_agent_seconds",
            "How long questions to agents, to the embedder and to the reranker took.",
            ("role",),
            registry=registry,
            buckets=AGENT_SECONDS,
        )
        self._structurings = Counter(
            "memorybank_structurings",
            "Work on interactions that has ended, by how: ok, or the error's name.",
            ("outcome",),
            registry=registry,
        )
        self._handled: dict[tuple[str, grpc.StatusCode], tuple[Counter, Histogram]] = {}

    def called(self, method: str, code: grpc.StatusCode, seconds: float) -> None:
        """Counts a call of `/package.Service/Method` that has ended."""
        found = self._handled.get((method, code))
        if found is None:  # looking labels up takes several times longer than counting
            service, _, name = method.strip("/").rpartition("/")
            found = (
                self._calls.labels(service, name, code.name),
                self._call_seconds.labels(service, name),
            )
            self._handled[method, code] = found
        found[0].inc()
        found[1].observe(seconds)

    def asked(self, asked: Asked) -> None:
        self._questions.labels(asked.role, asked.answer).inc()
        self._agent_seconds.labels(asked.role).observe(asked.seconds)
        if asked.cost.input_tokens or asked.cost.output_tokens:
            self._tokens.labels(asked.role, "input").inc(asked.cost.input_tokens)
            self._tokens.labels(asked.role, "output").inc(asked.cost.output_tokens)

    def structured(self, structured: Structured) -> None:
        failure = structured.failure
        self._structurings.labels("ok" if failure is None else type(failure).__name__).inc()

    def show(self, words: Mapping[str, str], readings: Callable[[], Mapping[str, float]]) -> None:
        """Reads these figures whenever metrics are asked for: counters end in `_total`, all else are gauges."""
        self.registry.register(_Shown(words, readings))

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
