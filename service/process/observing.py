"""Where the service reports what it does: the log always, Prometheus where it is configured.

Law: figures and names only, never what is remembered.
"""

import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import structlog

from core.agents.usage import RoleCall
from core.errors import MemoryBankError
from core.usecases.observer import Observer, StructuringEnded
from service.adapters.observed import PortObserver
from service.config import ConfigurationError
from service.process.tracing import Tracer
from service.settings.process import MetricsSection, OtlpSection

if TYPE_CHECKING:
    from service.adapters.otel import Otel
    from service.adapters.prometheus import PrometheusMetrics

MISSING_OTEL = (
    "otlp.endpoint is set, and what sends to it is not installed: pip install 'agentic-memory-bank[otel]'"
)

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.agents")

Readings = Callable[[], Mapping[str, float]]
"""Returns current figures by name. Called in another thread than the loop's."""

Show = Callable[[Mapping[str, str], Readings], None]
"""Given the words for each figure, by its name, and the readings."""

CallObserver = Callable[[str, grpc.StatusCode, float], None]
Began = Callable[[str], None]


def unshown(_words: Mapping[str, str], _readings: Readings) -> None:
    """Does nothing: metrics are not configured."""


class Logging:
    """One line at INFO for every structuring: how it ended, and what it cost, by role; at DEBUG one for every
    question, those of plans and merges by hand included. What was never meant to happen is an error with its
    traceback: no caller may be waiting for it."""

    def asked(self, asked: RoleCall) -> None:
        log.debug(
            "asked",
            role=asked.role,
            outcome=asked.answer.value,
            calls=asked.cost.calls,
            input_tokens=asked.cost.input_tokens,
            output_tokens=asked.cost.output_tokens,
            milliseconds=asked.cost.milliseconds,
        )

    def structured(self, structured: StructuringEnded) -> None:
        failure, usage = structured.failure, structured.usage
        if isinstance(failure, Exception) and not isinstance(failure, MemoryBankError):
            log.error("defect", interaction_id=structured.interaction_id, exc_info=failure)
        log.info(
            "structured",
            tenant=structured.key.tenant,
            bank_id=structured.key.bank_id,
            interaction_id=structured.interaction_id,
            outcome="ok" if failure is None else type(failure).__name__,
            tokens={role: spent.input_tokens + spent.output_tokens for role, spent in usage.roles.items()},
            calls={role: spent.calls for role, spent in usage.roles.items()},
            milliseconds={role: spent.milliseconds for role, spent in usage.roles.items()},
            fell_back=sum(spent.fell_back for spent in usage.roles.values()),
        )


class Several:
    """Passes each event to all observers, in order."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    def asked(self, asked: RoleCall) -> None:
        for observer in self._observers:
            observer.asked(asked)

    def structured(self, structured: StructuringEnded) -> None:
        for observer in self._observers:
            observer.structured(structured)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observing:
    """`agents` receives questions to agents and structurings; each of `began` receives every call that begins, of
    `calls` every one that ends, of `refused` the reason of every refusal, of `stores` every call of the store, of
    `embedders` every one of the embedder. `tracer` records calls. The readings that `show` is given are read whenever
    metrics are scraped."""

    agents: Observer
    began: Sequence[Began] = ()
    calls: Sequence[CallObserver] = ()
    refused: Sequence[Began] = ()
    stores: Sequence[PortObserver] = ()
    embedders: Sequence[PortObserver] = ()
    tracer: Tracer | None = None
    show: Show = unshown


@asynccontextmanager
async def observing(metrics: MetricsSection, otlp: OtlpSection) -> AsyncIterator[Observing]:
    """Yields the observers; metrics answer, and traces are sent, while the context lasts.

    Raises ConfigurationError: the metrics' address cannot be had, or the extra `otel` is not installed."""
    async with AsyncExitStack() as closing:
        kept = _prometheus(metrics, closing) if metrics.listen else None
        sent = _otel(otlp, closing) if otlp.endpoint else None
        both = [one for one in (kept, sent) if one is not None]
        yield Observing(
            agents=Several((Logging(), *both)) if both else Logging(),
            began=() if kept is None else (kept.began,),
            calls=tuple(one.called for one in both),
            refused=() if kept is None else (kept.refused,),
            stores=tuple(one.stored for one in both),
            embedders=() if sent is None else (sent.embedded,),
            tracer=sent,
            show=unshown if kept is None else kept.show,
        )


def _prometheus(metrics: MetricsSection, closing: AsyncExitStack) -> "PrometheusMetrics":
    from service.adapters.prometheus import PrometheusMetrics  # brings an HTTP server: only where asked for

    host, _, port = metrics.listen.rpartition(":")
    kept = PrometheusMetrics()
    try:
        taken = closing.enter_context(kept.served(host.strip("[]"), int(port)))
    except OSError as refused:
        raise ConfigurationError(f"cannot listen on {metrics.listen}: {refused.strerror}") from None
    log.info("metrics", address=f"{host}:{taken}")
    return kept


def _otel(otlp: OtlpSection, closing: AsyncExitStack) -> "Otel":
    try:
        from service.adapters.otel import Otel
    except ImportError:
        raise ConfigurationError(MISSING_OTEL) from None
    sent = Otel(otlp, secrets.token_hex(8))
    closing.push_async_callback(sent.close)
    return sent
