"""The settings of the process: its transport, what it tells of itself."""

from typing import Literal

from pydantic import Field

from service.settings.section import Positive, Seconds, Section

LISTEN = r"(\[[0-9a-fA-F:.]+\]|[^\[\]:]+):\d{1,5}"


class GrpcSection(Section):
    """The transport."""

    max_message_bytes: int = Field(default=16_777_216, ge=1_048_576, le=536_870_911)
    """Bytes of one request; larger texts go by MemorizeStream."""
    max_concurrent_rpcs: Positive = 4_096
    """Calls at once."""
    keepalive_seconds: Seconds = 60.0
    """Between two pings on an idle connection."""
    drain_seconds: float = Field(default=30.0, ge=0)
    """How long calls may go on after SIGTERM."""


class LogSection(Section):
    """What is written to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """From which level on is logged."""
    format: Literal["json", "console"] = "json"
    """`json` or `console`, on standard error."""


class MetricsSection(Section):
    """Where Prometheus finds the metrics."""

    listen: str = Field(default="", pattern=rf"^({LISTEN})?$")
    """HOST:PORT where Prometheus finds the metrics; empty: none are kept."""
