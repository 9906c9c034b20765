"""The server: one process, one loop, one port.

Law: calls are answered as soon as the port is bound, until all is loaded by "starting"; ready means that every service
answers; stopping means NOT_SERVING first, then no new calls, then the end of those at work, then the end.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from time import monotonic

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer  # as `health.aio`, which its types do not know
from grpc_reflection.v1alpha._async import (
    ReflectionServicer,  # as `reflection.aio`, which its types do not know
)

from core.agents.roles import Agents
from core.language import LANGUAGES
from core.ports.clock import Ids
from core.ports.embedder import Embedder
from core.usecases.bound_house import bound_house
from core.usecases.house import House
from service.api import reflection
from service.api.access.keyring import Keyring
from service.api.access.rates import RateLimits, Rates
from service.api.admission import Admission, ConcurrencyLimit, Kind, MemoryQuota
from service.api.endpoint import BoundEndpoints, RequestLimits, handlers
from service.api.gate import Gate, Observer
from service.api.services import services
from service.api.starting import StartupGate
from service.api.symbols import symbols
from service.assembly.bootstrap import open_house
from service.assembly.upkeep import one_round
from service.config import ConfigurationError, Settings
from service.process.allocator import give_back
from service.process.audit import Audit
from service.process.certificates import FIGURES as CERTIFICATE
from service.process.certificates import Certificates, expiry
from service.process.collector import brief_collections
from service.process.lifeline import at_end_of_input
from service.process.listeners import Listeners
from service.process.listening import is_local
from service.process.loop_lag import FIGURES as LAG
from service.process.loop_lag import LoopLag
from service.process.observing import Observing, observing
from service.process.repeating import repeat
from service.settings.process import GrpcSection, HealthSection, TlsSection

# How far beyond the limit a message is still read, so that the answer can say what to do instead: what is
# larger yet, gRPC refuses by itself, with RESOURCE_EXHAUSTED and the two sizes.
REFUSAL_ROOM = 4
IN_FLIGHT = {"memorybank_calls_in_flight": "Calls at work."}
RECHECK_SECONDS = 30.0  # between two looks at the credentials of open streams, where nothing changed
PROBES = 16  # at once on one connection to health's own port
LAST_WORDS = 0.5  # seconds for answers that are on their way when the port closes
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


async def serve(
    settings: Settings,
    announce: Callable[[str], None],
    agents: Callable[[Embedder], Agents] | None = None,
    embedder: Embedder | None = None,
    *,
    until_eof: bool = False,
) -> None:
    """Serves until SIGTERM or SIGINT, or `until_eof` of standard input. `announce` gets one line when the server is
    ready.

    `agents` and `embedder` stand in for the configured ones."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    if until_eof:
        at_end_of_input(lambda: loop.call_soon_threadsafe(stop.set))
    async with running(settings, embedder, agents=agents, loaded=brief_collections) as address:
        announce(f"listening on {address}")
        await asyncio.to_thread(give_back)
        await stop.wait()
        log.info("stopping")
    log.info("stopped")


@asynccontextmanager
async def running(
    settings: Settings,
    embedder: Embedder | None = None,
    observers: Sequence[Observer] = (),
    agents: Callable[[Embedder], Agents] | None = None,
    ids: Ids | None = None,
    loaded: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> AsyncIterator[Address]:
    """A server that answers while the context lasts. It is bound before anything is loaded; until all is, calls are
    told that it starts. `loaded` is entered once all is, before a call is let in.

    Raises ConfigurationError for an address that cannot be had, StoreUnavailable, EmbedderUnavailable.
    """
    async with observing(settings.metrics, settings.otlp) as observed:
        gate = _gate(settings, observed, observers)
        lag = LoopLag()
        observed.show(LAG, lag.reading)
        async with (
            _bound(settings, gate) as bound,
            _languages_prepared() as prepared,
            open_house(
                settings,
                embedder,
                agents,
                observed.agents,
                ids,
                observed.show,
                observed.stores,
                observed.embedders,
            ) as house,
            AsyncExitStack() as within,
        ):
            gate.keyring = keyring = await _keyring(settings, house)
            await prepared
            within.enter_context(loaded())
            await _let_in(bound, house, gate, settings.grpc)
            keys = asyncio.create_task(_watching(keyring, gate, settings.banks.max_staleness_seconds))
            once = partial(one_round, house, settings.banks)
            upkeep = asyncio.create_task(repeat("upkeep", once, settings.banks.upkeep_seconds))
            watching = asyncio.create_task(lag.watch())
            log.info("listening", address=str(bound.address))
            try:
                yield bound.address
            finally:
                await bound.checks.enter_graceful_shutdown()
                await asyncio.sleep(settings.grpc.lame_duck_seconds)
                upkeep.cancel()
                keys.cancel()
                watching.cancel()
                await gate.close(settings.grpc.drain_seconds)
                await bound.listeners.stop(LAST_WORDS)
                await asyncio.gather(upkeep, keys, watching, return_exceptions=True)
                if gate.audit is not None:
                    gate.audit.close()


def _gate(settings: Settings, observed: Observing, observers: Sequence[Observer]) -> Gate:
    """Returns what lets calls in, and is watched itself."""
    gate = Gate(
        (*observers, *observed.calls),
        _admission(settings),
        observed.began,
        observed.tracer,
        observed.refused,
    )
    gate.audit = Audit(settings.audit.file) if settings.audit.file else None
    observed.show(IN_FLIGHT, lambda: dict.fromkeys(IN_FLIGHT, gate.in_flight))
    if settings.tls.certificate is not None:
        observed.show(CERTIFICATE, partial(expiry, settings.tls.certificate))
    return gate


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundServer:
    """What listens on the port, what it says of its health, and what it answers while the rest loads."""

    listeners: Listeners
    address: Address
    checks: HealthServicer
    entrance: StartupGate


@asynccontextmanager
async def _bound(settings: Settings, gate: Gate) -> AsyncIterator[BoundServer]:
    """A server that answers that it starts. Raises ConfigurationError for an address that cannot be had."""
    listeners = Listeners(settings.grpc.queues, _options(settings.grpc))
    entrance, checks = StartupGate(gate), HealthServicer()
    for server in listeners.servers:
        server.add_generic_rpc_handlers((entrance,))
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    await checks.set("", NOT_SERVING)
    try:
        address = _bind(listeners, settings)
        await listeners.start()
        log.info("starting", address=str(address))
        async with _checked(settings.health, checks):
            yield BoundServer(listeners=listeners, address=address, checks=checks, entrance=entrance)
    finally:
        await listeners.stop(None)


@asynccontextmanager
async def _languages_prepared() -> AsyncIterator[asyncio.Task[None]]:
    """Has a thread do what the first words of languages would wait for, beside what is done within."""
    prepared = asyncio.create_task(asyncio.to_thread(_prepare_languages))
    try:
        yield prepared
    finally:
        await asyncio.gather(prepared, return_exceptions=True)


def _prepare_languages() -> None:
    for language in LANGUAGES:
        language.prepare()


@asynccontextmanager
async def _checked(settings: HealthSection, checks: HealthServicer) -> AsyncIterator[None]:
    """Answers health on a port of its own as well, if there is to be one. Raises ConfigurationError."""
    if not settings.listen:
        yield
        return
    host, _, port = settings.listen.rpartition(":")
    listeners = Listeners(1, [("grpc.max_concurrent_streams", PROBES)])
    health_pb2_grpc.add_HealthServicer_to_server(checks, listeners.servers[0])
    try:
        taken = _taken(listeners, host, int(port))
        await listeners.start()
        log.info("health", address=f"{host}:{taken}")
        yield
    finally:
        await listeners.stop(None)


async def _let_in(bound: BoundServer, house: House, gate: Gate, settings: GrpcSection) -> None:
    """Answers for all services from now on, reflection, and health for each of them and as a whole."""
    offered = services(house)
    desk = RequestLimits(
        max_message_bytes=settings.max_message_bytes,
        hold=MemoryQuota(settings.bytes_in_flight),
        aggregates=house.banks,
        requires_request_id=settings.require_request_id,
    )
    within = BoundEndpoints(lambda binding: services(bound_house(house, binding)), desk)
    for name, endpoints in offered.items():
        bound.entrance.add_generic_rpc_handlers((handlers(name, endpoints, gate, desk, within),))
    shown = (*offered, health.SERVICE_NAME, *reflection.NAMES)
    reflection.add_reflection(ReflectionServicer(shown, pool=symbols()), bound.entrance)
    bound.entrance.started()
    for name in ("", *shown):
        await bound.checks.set(name, SERVING)


async def _keyring(settings: Settings, house: House) -> Keyring:
    keyring = Keyring(
        house.store.credentials,
        house.clock,
        settings.banks.max_staleness_seconds,
        required=settings.auth.required == "true",
        rates=Rates(
            RateLimits(
                per_key=settings.auth.key_calls_per_second, per_tenant=settings.auth.tenant_calls_per_second
            )
        ),
    )
    await keyring.confirm()
    if keyring.is_asking and not await house.store.credentials.listed():
        remedy = f"memorybank keys create --data {settings.data_dir}"
        log.warning("no_api_key", answers="no call is let in before there is one", remedy=remedy)
    return keyring


async def _watching(keyring: Keyring, gate: Gate, max_staleness: float) -> None:
    """Confirms API keys twice in the time that they may be old, and ends the streams of those that were revoked."""
    version, seen = keyring.version, monotonic()

    async def look() -> None:
        nonlocal version, seen
        await keyring.confirm()
        now = keyring.version
        if now != version or monotonic() - seen > RECHECK_SECONDS:
            await gate.end_revoked()  # where the store does not answer now, the next look does it
            version, seen = now, monotonic()

    await repeat("confirming keys", look, max_staleness / 2)


def require_protection(settings: Settings) -> None:
    """Raises ConfigurationError for an address that others can reach, unless they are asked who they are, encrypted."""
    if not is_local(settings.host):
        _require_reachable(settings)
    metrics = settings.metrics.listen
    if metrics and not settings.metrics.open and not is_local(metrics.rpartition(":")[0]):
        raise ConfigurationError(
            f"will not show metrics on {metrics}: anyone who reaches it could read them. "
            "Listen on 127.0.0.1, or allow it with metrics.open = true where the network keeps others out"
        )


def _require_reachable(settings: Settings) -> None:
    if settings.auth.required != "true":
        raise ConfigurationError(
            f"will not listen on {settings.listen}: anyone who reaches it could read and change every memory. "
            "Listen on 127.0.0.1, ask for API keys with auth.required = true, or allow it with --insecure where the "
            "network keeps others out"
        )
    if settings.tls.certificate is None and not settings.grpc.plaintext_behind_mesh:
        raise ConfigurationError(
            f"will not listen on {settings.listen} without encryption: API keys could be read on the way. Set "
            "tls.certificate and tls.key, or grpc.plaintext_behind_mesh = true where a proxy beside it encrypts"
        )


def _bind(listeners: Listeners, settings: Settings) -> Address:
    port = _taken(listeners, settings.host, settings.port, _certificates(settings.tls))
    return Address(host=settings.host, port=port)


def _taken(
    listeners: Listeners,
    host: str,
    port: int,
    credentials: Callable[[], grpc.ServerCredentials] | None = None,
) -> int:
    try:
        return listeners.bind(host, port, credentials)
    except RuntimeError as refused:
        raise ConfigurationError(str(refused)) from None


def _certificates(settings: TlsSection) -> Callable[[], grpc.ServerCredentials] | None:
    """Returns what makes the credentials of each server on the port: gRPC's follow the files for one server alone."""
    certificate, key = settings.certificate, settings.key
    if certificate is None or key is None:
        return None
    return lambda: Certificates(certificate, key).credentials()


def _admission(settings: Settings) -> Admission:
    chosen = settings.admission
    places = {
        Kind.WRITE: chosen.writes,
        Kind.BATCH: chosen.batches,
        Kind.LONG: chosen.long_jobs,
        Kind.STREAM: chosen.streams,
    }
    rooms = {kind: ConcurrencyLimit(kind.value, count) for kind, count in places.items()}
    return Admission(
        rooms=rooms,
        default_deadline=settings.grpc.default_deadline_seconds,
        most=settings.grpc.max_concurrent_rpcs,
    )


def _options(settings: GrpcSection) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", REFUSAL_ROOM * settings.max_message_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_concurrent_streams", settings.calls_per_connection),
        ("grpc.http.overload_protection", 0),  # it resets what a caller sent before it was told the bound
        ("grpc.server.max_pending_requests", settings.waiting_calls),
        ("grpc.server.max_pending_requests_hard_limit", settings.waiting_calls),
        ("grpc.keepalive_time_ms", round(settings.keepalive_seconds * 1000)),
        ("grpc.keepalive_permit_without_calls", 1),
        *_aging(settings.max_connection_age_seconds),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),  # callers may ping that often
    ]


def _aging(seconds: float) -> list[tuple[str, int]]:
    """Has connections end that old; gRPC lets calls on them end by themselves."""
    return [("grpc.max_connection_age_ms", round(seconds * 1000))] if seconds else []
