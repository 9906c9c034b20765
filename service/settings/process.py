"""The settings of the process: its transport, what it tells of itself."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from service.settings.section import Positive, Seconds, Section

LISTEN = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:]+):(\d{1,5})")
HIGHEST_PORT = 65_535


def host_and_port(listen: str) -> str:
    """Returns it if it is HOST:PORT. Raises ValueError."""
    found = LISTEN.fullmatch(listen)
    if found is None or int(found[2]) > HIGHEST_PORT:
        raise ValueError(f"must be HOST:PORT, 127.0.0.1:7700 say, not {listen!r}; port 0 takes a free one")
    return listen


def _is_empty_or_host_and_port(listen: str) -> str:
    return listen and host_and_port(listen)


def _is_empty_or_http(endpoint: str) -> str:
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise ValueError(f"must begin with http:// or https://, not {endpoint!r}")
    return endpoint


Listen = Annotated[str, AfterValidator(host_and_port)]
"""HOST:PORT."""


class GrpcSection(Section):
    """The transport."""

    max_message_bytes: int = Field(default=16_777_216, ge=1_048_576, le=536_870_911)
    """Bytes of one request; larger texts go by MemorizeStream."""
    max_concurrent_rpcs: Positive = 4_096
    """Calls at once; further ones are refused."""
    calls_per_connection: Positive = 100
    """Calls at once on one connection: what one caller can have waiting. Further ones wait at the caller."""
    queues: int = Field(default=32, ge=1, le=1_024)
    """Queues in which calls wait to be accepted, in turns; the calls of a connection are all in one."""
    waiting_calls: Positive = 100
    """Calls that wait in one queue; what comes beyond gRPC ends at once, as CANCELLED."""
    bytes_in_flight: int = Field(default=1_073_741_824, ge=16_777_216)
    """Bytes of larger requests, of streams and of unread answers, all calls together; the newest is refused."""
    default_deadline_seconds: Seconds = 300.0
    """What a call without a deadline gets; long jobs and streams take their time."""
    max_connection_age_seconds: float = Field(default=1_800.0, ge=0)
    """After how long a connection takes no more calls, give or take a tenth: its caller opens another, perhaps to a
    replica that came later. Calls at work on the old one go on. 0: never."""
    require_request_id: bool = False
    """Refuse a change that has no `request_id`: for meshes that repeat calls by themselves."""
    plaintext_behind_mesh: bool = False
    """Listen beyond this machine without a certificate: a proxy beside this process encrypts."""
    keepalive_seconds: Seconds = 60.0
    """Between two pings on an idle connection."""
    drain_seconds: float = Field(default=30.0, ge=0)
    """How long calls may go on after SIGTERM."""
    lame_duck_seconds: float = Field(default=0.0, ge=0)
    """After SIGTERM, how long all calls are still taken while the health check says NOT_SERVING: time for a proxy to
    turn to other replicas."""


class HealthSection(Section):
    """Health on a port of its own, for probes that speak no TLS."""

    listen: Annotated[str, AfterValidator(_is_empty_or_host_and_port)] = ""
    """HOST:PORT where `grpc.health.v1.Health`, and nothing else, answers unencrypted; empty: on the service's port
    alone."""


class AdmissionSection(Section):
    """How many calls of a kind are at work; others wait their turn, and those that would come too late are refused."""

    writes: Positive = 64
    """Writes of one thing."""
    batches: Positive = 4
    """BatchAddNodes, BatchSearch."""
    long_jobs: Positive = 64
    """Calls that structure, plan or purge."""
    streams: Positive = 256
    """Uploads, imports, exports and MemorizeStream; WatchBank is not counted."""


class AuthSection(Section):
    """Who may call. Without API keys whoever reaches the service may do everything."""

    required: Literal["auto", "true"] = "auto"
    """`auto`: calls are asked for an API key once there was one, until `memorybank auth off`. `true`: always."""
    key_calls_per_second: float = Field(default=0.0, ge=0)
    """Calls that one API key may make a second, in each process; twice as many at once. 0: any number."""
    tenant_calls_per_second: float = Field(default=0.0, ge=0)
    """Calls that all API keys of a tenant may make a second, in each process; twice as many at once. 0: any number."""

    @field_validator("required", mode="before")
    @classmethod
    def _truth_as_text(cls, given: Any) -> Any:
        return "true" if given is True else given


class AuditSection(Section):
    """Who changed, exported or was refused what."""

    file: Path | None = None
    """Where a line of JSON goes for every write, export, purge, refused credential and change of an API key, and for
    every read of a whole tenant's or another user's memory by a key with the scope `admin`; unset: nowhere."""


class TlsSection(Section):
    """The server's certificate; without one, calls come unencrypted."""

    certificate: Path | None = None
    """A file with the certificate and what leads to its authority, PEM. Read again when it has changed."""
    key: Path | None = None
    """A file with the certificate's private key, PEM."""

    @model_validator(mode="after")
    def _both_or_none(self) -> "TlsSection":
        if (self.certificate is None) is not (self.key is None):
            raise ValueError("needs both, certificate and key")
        return self


class LogSection(Section):
    """What is written to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """From which level on is logged."""
    format: Literal["auto", "json", "console"] = "auto"
    """`json` or `console`, on standard error; `auto`: `console` in a terminal, else `json`."""


class OtlpSection(Section):
    """Traces and metrics by OTLP over gRPC, to a collector. Needs the extra `otel`."""

    endpoint: Annotated[str, AfterValidator(_is_empty_or_http)] = ""
    """The collector, `http://127.0.0.1:4317` say; `https://` for TLS; empty: none."""
    sampling: float = Field(default=0.01, ge=0, le=1)
    """Which share of calls is traced; one that comes with a `traceparent` is traced if its caller's is."""
    memory_spans: bool = False
    """Add spans by the conventions for generative AI (`search_memory`, `create_memory`, …), which are still in
    development. They name the bank, conversation or collection, never a user, a query or what is remembered."""
    metrics_seconds: Seconds = 60.0
    """Between two reports of the calls' times."""


class MetricsSection(Section):
    """Where Prometheus finds the metrics."""

    listen: Annotated[str, AfterValidator(_is_empty_or_host_and_port)] = ""
    """HOST:PORT where Prometheus finds the metrics; empty: none are kept."""
    open: bool = False
    """Show them beyond this machine, to anyone who reaches the address: the network keeps others out. They name no
    tenant, bank or user."""
