"""A real collector of OTLP on the loopback: takes traces and metrics over gRPC, and keeps what came."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span

ADD: tuple[Any, ...] = (  # they ship no types
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server,
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server,
)


class Collector:
    """What came, as it was sent."""

    def __init__(self) -> None:
        self.address = ""
        self.spans: list[Span] = []
        self.resources: list[dict[str, Any]] = []
        self.points: dict[str, list[Any]] = {}
        self._lock = threading.Lock()

    def Export(self, request: Any, _: grpc.ServicerContext) -> Any:  # noqa: N802  # the name of the RPC
        """Of both services: traces or metrics."""
        with self._lock:
            if isinstance(request, trace_service_pb2.ExportTraceServiceRequest):
                for of_resource in request.resource_spans:
                    self.resources.append(attributes(of_resource.resource))
                    for scope in of_resource.scope_spans:
                        self.spans.extend(scope.spans)
                return trace_service_pb2.ExportTraceServiceResponse()
            for each in request.resource_metrics:
                for scope_metrics in each.scope_metrics:
                    for metric in scope_metrics.metrics:
                        self.points.setdefault(metric.name, []).extend(metric.histogram.data_points)
            return metrics_service_pb2.ExportMetricsServiceResponse()

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]


def attributes(of: Any) -> dict[str, Any]:
    """The attributes of a span, a resource or a point."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in of.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on a free port, gone with the context."""
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    for add in ADD:
        add(collector, server)
    collector.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(None).wait()
