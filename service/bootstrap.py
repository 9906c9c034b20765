"""Puts the house together from the settings, and takes it apart in order.

Law: the one place that knows every adapter (those of language models and rerankers are `service.casting`'s).
Nothing imports it but the server and the command line.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from core.agents.roles import Agents
from core.aggregate.aggregate import Tuning
from core.index.giving_way import GiveWay, at_once
from core.kinds import KINDS
from core.long_term.settings import LongTermSettings
from core.model.bank import EmbeddingSpace
from core.ports.blobs import Blobs
from core.ports.chat import ChatModel
from core.ports.clock import Ids
from core.ports.embedder import Embedder, Thresholds
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from core.usecases.bank.sweep_files import sweep_files
from core.usecases.conversation.count_hits import write_hits
from core.usecases.house import House, Retrieval
from core.usecases.limits import Budgets, Limits
from core.usecases.long_term.uses import UseCounts
from core.usecases.observer import Observer
from core.usecases.upkeep.chores import Chores
from core.usecases.upkeep.claims import SECONDS, Claims
from core.usecases.upkeep.duties import assign_chores
from core.usecases.upkeep.store_time import StoreTime
from core.usecases.user.count_tokens import write_tokens
from core.usecases.verify import Damage, Verified, verify
from core.usecases.workshop import Workshop
from core.verbatim.structure import Structure
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_blobs import LocalBlobs
from service.adapters.local_index_cache import LocalIndexCache
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.casting import (
    cast_agents,
    cast_memory_agents,
    cast_recall_agents,
    open_models,
    open_reranker,
)
from service.config import ConfigurationError, Settings
from service.holding.held import Holding
from service.holding.loading import unused
from service.holding.open import OpenAggregates
from service.process.giving_way import loop_first
from service.process.observing import Show, unshown
from service.process.rounds import again_and_again
from service.settings.retrieval import EmbedderSection, RetrievalSection
from service.settings.store import StoreSection
from service.upkeep import told_of_clock, told_of_failure, trim

if TYPE_CHECKING:
    from service.adapters.openai_embedder import Endpoint
    from service.adapters.store.postgres_link import Server

DATABASE = "memorybank.sqlite"
MISSING_DRIVER = (
    "store.url is a PostgreSQL database, and its driver is not installed: "
    "pip install 'agentic-memory-bank[postgres]'"
)
FILES = "files"
INDEXES = "indexes"
USES_SECONDS = 5.0  # between two writings of how often records were retrieved
FILES_SECONDS = 3_600.0  # between two looks for files that no bank names
COLLECT_SECONDS = 60.0  # between two looks whether there is time to collect cycles
TRIM_SECONDS = 600.0  # between two looks for feed entries to be forgotten
SWEEP_SECONDS = 600.0  # between two looks for snapshots of banks that are no more


FIGURES = {
    "memorybank_banks_open": "Banks in memory.",
    "memorybank_aggregates_open": "Banks, conversations, collections and all else in memory.",
    "memorybank_open_bytes": "What they take, as last counted.",
    "memorybank_memory_budget_bytes": "What they may take: banks.memory_budget_bytes.",
    "memorybank_watchers": "Streams of WatchBank.",
    "memorybank_feed_unconfirmed_seconds": "Since the store last told where all that is in use stands.",
    "memorybank_commands_queued": "Writes that wait for those before them in the same bank.",
    "memorybank_structurings_running": "Interactions that are being structured.",
    "memorybank_embedder_texts_under_way": "Texts that are being embedded.",
    "memorybank_embedder_cached_texts": "Texts whose vectors are remembered.",
    "memorybank_embedder_cache_hits_total": "Texts that needed no embedding.",
    "memorybank_embedder_cache_misses_total": "Texts that were embedded.",
}


@asynccontextmanager
async def open_house(
    settings: Settings,
    embedder: Embedder | None = None,
    agents: Callable[[Embedder], Agents] | None = None,
    observer: Observer | None = None,
    ids: Ids | None = None,
    show: Show = unshown,
) -> AsyncIterator[House]:
    """Everything that use cases work with. `embedder`, `agents` and `ids` stand in for the usual ones; `show` is told
    what the house's figures are.

    Raises ConfigurationError, StoreUnavailable, EmbedderUnavailable. When the context ends, work stops
    where it stands (it is resumed by whoever opens the store next), and what was acknowledged is durable.
    """
    async with AsyncExitStack() as closing:
        ground = await _ground(settings, embedder, ids, closing)
        house = await _house(settings, ground, agents, observer, closing)
        banks = ground.aggregates
        closing.push_async_callback(write_hits, house)
        closing.push_async_callback(write_tokens, house)
        for rounds in _rounds(settings, house, banks, ground.time):
            closing.callback(asyncio.create_task(rounds).cancel)
        assign_chores(house)
        budget = settings.banks.memory_budget_bytes
        show(FIGURES, partial(_figures, banks, ground.embedder, house.workshop, budget))
        banks.listen(house.chores.look)
        yield house


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What the house stands on: all that opens a file, a connection or a model. Closed in the opposite order."""

    clock: SystemClock
    time: StoreTime
    ids: Ids
    store: Store
    blobs: Blobs
    embedder: CachedEmbedder
    models: Mapping[str, ChatModel]
    aggregates: OpenAggregates


async def _ground(
    settings: Settings, embedder: Embedder | None, ids: Ids | None, closing: AsyncExitStack
) -> _Ground:
    _make_folder(settings.data_dir)
    clock, ids = SystemClock(), ids or UlidIds()
    give_way = loop_first()
    store = await _open_store(settings, give_way)
    closing.push_async_callback(store.close)
    time = StoreTime(clock, store, told_of_clock, monotonic)
    await time.look()
    blobs = _blobs(settings, store)
    remembered = CachedEmbedder(
        embedder or await open_embedder(settings.embedder, closing),
        queries=settings.embedder.cached_texts,
        passages=settings.embedder.cached_texts,
    )
    models = open_models(settings, closing)
    holding = _holding(settings, give_way, remembered.space)
    aggregates = OpenAggregates(
        KINDS, store, blobs, clock, ids, holding, _index_cache(settings), remembered.forget
    )
    closing.push_async_callback(aggregates.close)
    return _Ground(
        clock=clock,
        time=time,
        ids=ids,
        store=store,
        blobs=blobs,
        embedder=remembered,
        models=models,
        aggregates=aggregates,
    )


async def _house(
    settings: Settings,
    ground: _Ground,
    agents: Callable[[Embedder], Agents] | None,
    observer: Observer | None,
    closing: AsyncExitStack,
) -> House:
    banks, clock, store, embedder = ground.aggregates, ground.clock, ground.store, ground.embedder
    uses = UseCounts()
    closing.push_async_callback(uses.flush, banks)
    workshop = Workshop(clock, Budgets(**dict(settings.budget)), observer)
    closing.push_async_callback(workshop.close)
    claims = Claims(store, ground.ids.new("p"), min(SECONDS, settings.banks.resume_after_seconds))
    chores = Chores(KINDS, banks, store, clock, told_of_failure, claims, ground.time)
    closing.push_async_callback(chores.close)
    return House(
        banks=banks,
        instructions=banks,
        runs=banks,
        users=banks,
        conversations=banks,
        invocations=banks,
        collections=banks,
        working=settings.conversation.working,
        tiers=settings.conversation.tiers,
        store=store,
        blobs=ground.blobs,
        embedder=embedder,
        agents=agents(embedder) if agents else cast_agents(settings, embedder, ground.models),
        memory_agents=cast_memory_agents(settings, ground.models),
        recall_agents=cast_recall_agents(settings, embedder, ground.models),
        reranking=open_reranker(settings.retrieval.reranker, closing),
        clock=clock,
        time=ground.time,
        ids=ground.ids,
        retrieval=_retrieval(settings.retrieval),
        limits=Limits(**dict(settings.limits)),
        long_term=LongTermSettings(**dict(settings.long_term)),
        workshop=workshop,
        chores=chores,
        claims=claims,
        uses=uses,
        resume_after=settings.banks.resume_after,
        finished_ttl=settings.banks.finished_ttl,
        attempts=settings.agents.attempts,
        run_lifetime=settings.instructions.run_lifetime,
    )


def _figures(
    banks: OpenAggregates, embedder: CachedEmbedder, workshop: Workshop, budget: int
) -> Mapping[str, float]:
    held = banks.figures()
    return {
        "memorybank_banks_open": held.aggregates.get("bank", 0),
        "memorybank_aggregates_open": sum(held.aggregates.values()),
        "memorybank_open_bytes": held.size,
        "memorybank_memory_budget_bytes": budget,
        "memorybank_watchers": held.watchers,
        "memorybank_feed_unconfirmed_seconds": held.unconfirmed_seconds,
        "memorybank_commands_queued": held.queued,
        "memorybank_structurings_running": workshop.running,
        "memorybank_embedder_texts_under_way": embedder.under_way,
        "memorybank_embedder_cached_texts": embedder.kept,
        "memorybank_embedder_cache_hits_total": embedder.hits,
        "memorybank_embedder_cache_misses_total": embedder.misses,
    }


def _rounds(
    settings: Settings, house: House, banks: OpenAggregates, time: StoreTime
) -> Iterator[Coroutine[Any, Any, None]]:
    """What the house does again and again from now on."""
    # Twice in the time that an answer may be old, so that reads need not wait for it.
    often = settings.banks.max_staleness_seconds / 2
    yield again_and_again("confirming heads", banks.confirm_recent, often)
    yield again_and_again("telling the time", time.look, settings.banks.upkeep_seconds)
    yield again_and_again("writing uses", partial(house.uses.flush, banks), USES_SECONDS)
    yield again_and_again("writing hits", partial(write_hits, house), USES_SECONDS)
    yield again_and_again("writing tokens", partial(write_tokens, house), USES_SECONDS)
    yield again_and_again("scrubbing", house.store.scrub, settings.store.scrub_seconds)
    yield again_and_again("collecting cycles", banks.collect, COLLECT_SECONDS)
    yield again_and_again("trimming", partial(trim, house, settings.banks), TRIM_SECONDS)
    yield again_and_again("sweeping snapshots", banks.sweep, SWEEP_SECONDS)
    yield again_and_again("sweeping files", partial(sweep_files, house), FILES_SECONDS)


def _retrieval(chosen: RetrievalSection) -> Retrieval:
    return Retrieval(
        top_k=chosen.top_k,
        alpha=chosen.alpha,
        chunk_ratio=chosen.chunk_ratio,
        token_budget=chosen.token_budget,
        history_share=chosen.history_share,
        min_score=chosen.min_score,
        validation_floor=chosen.validation_floor,
        structure=Structure(**dict(chosen.structure)),
    )


async def open_embedder(chosen: EmbedderSection, closing: AsyncExitStack) -> Embedder:
    """The configured embedder. Raises EmbedderUnavailable.

    The adapters are imported when chosen: each brings a library of its own, and some are optional.
    """
    queries, passages = chosen.query_threads, chosen.passage_threads
    inner: Embedder
    match chosen.kind:
        case "local":
            from service.adapters.local_embedder import LocalEmbedder

            local = await asyncio.to_thread(
                LocalEmbedder.open, query_threads=queries, passage_threads=passages
            )
            closing.callback(local.close)
            inner = local
        case "light":
            from service.adapters.use_embedder import UseEmbedder

            light = await asyncio.to_thread(UseEmbedder, query_threads=queries, passage_threads=passages)
            closing.callback(light.close)
            inner = light
        case "openai":
            from service.adapters.openai_embedder import OpenAIEmbedder

            remote = OpenAIEmbedder(*_endpoint(chosen))
            closing.push_async_callback(remote.close)
            inner = remote
    return inner


def _endpoint(chosen: EmbedderSection) -> "tuple[Endpoint, EmbeddingSpace, Thresholds]":
    from service.adapters.openai_embedder import Endpoint

    endpoint = Endpoint(
        model=chosen.model,
        base_url=chosen.base_url,
        api_key=chosen.api_key.get_secret_value(),
        query_prefix=chosen.query_prefix,
        passage_prefix=chosen.passage_prefix,
        shortened=chosen.shortened,
        timeout_seconds=chosen.timeout_seconds,
    )
    space = EmbeddingSpace(
        name=chosen.model,
        dimension=chosen.dimension,
        cosine_floor=chosen.cosine_floor,
        cosine_ceiling=chosen.cosine_ceiling,
    )
    thresholds = Thresholds(
        topic=chosen.topic_threshold,
        related=chosen.related_threshold,
        cluster=chosen.cluster_threshold,
        same=chosen.same_threshold,
    )
    return endpoint, space, thresholds


async def verified(settings: Settings, read: Verified) -> AsyncIterator[Damage]:
    """What is damaged of all that is kept. Raises ConfigurationError, StoreUnavailable."""
    store = await _open_store(settings, at_once)
    try:
        async for damage in verify(store, _blobs(settings, store), read):
            yield damage
    finally:
        await store.close()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise ConfigurationError(f"cannot keep memory in data_dir: {refused}") from None


def _blobs(settings: Settings, store: Store) -> Blobs:
    return getattr(store, "blobs", None) or LocalBlobs(settings.data_dir / FILES)


async def _open_store(settings: Settings, give_way: GiveWay) -> Store:
    if settings.store.kind == "memory":
        return MemoryStore()
    if settings.store.kind == "postgres":
        return await _open_postgres(settings.store, give_way)
    return await SqliteStore.open(Path(settings.store.url or settings.data_dir / DATABASE), give_way)


async def _open_postgres(chosen: StoreSection, give_way: GiveWay) -> Store:
    try:
        from service.adapters.store.postgres_store import PostgresStore
    except ImportError:
        raise ConfigurationError(MISSING_DRIVER) from None
    return await PostgresStore.open(_server(chosen), give_way, migrate=chosen.migrate)


async def migrate_database(chosen: StoreSection) -> tuple[int, int]:
    """Bring the schema up to date; the version it had, and the one it has.

    Raises ConfigurationError, StoreUnavailable."""
    if chosen.kind != "postgres":
        raise ConfigurationError("store.url is no PostgreSQL database: there is nothing to migrate ahead")
    try:
        from service.adapters.store.postgres_store import migrated
    except ImportError:
        raise ConfigurationError(MISSING_DRIVER) from None
    return await migrated(_server(chosen))


def _server(chosen: StoreSection) -> "Server":
    """The PostgreSQL server of the settings. Raises ConfigurationError."""
    from service.adapters.store.postgres_link import Server

    try:
        password = chosen.secret()
    except (OSError, UnicodeDecodeError) as unreadable:
        raise ConfigurationError(f"cannot read store.password_file: {unreadable}") from None
    return Server(
        url=chosen.url,
        password=password,
        connections=chosen.connections,
        timeout_seconds=chosen.timeout_seconds,
        pipeline=chosen.pipeline,
        prepared=chosen.prepared,
    )


def _index_cache(settings: Settings) -> IndexCache | None:
    if settings.store.kind == "memory":
        return None  # its banks live no longer than their indexes
    return LocalIndexCache(settings.data_dir / INDEXES, settings.banks.memory_budget_bytes)


def _holding(settings: Settings, give_way: GiveWay, space: EmbeddingSpace) -> Holding:
    return Holding(
        memory_budget=settings.banks.memory_budget_bytes,
        max_staleness=settings.banks.max_staleness_seconds,
        stale_when_unavailable=settings.banks.stale_when_unavailable_seconds,
        tuning=Tuning(
            give_way=give_way,
            told=unused,
            space=space.name,
            dimension=space.dimension,
            tiers=settings.conversation.tiers,
        ),
    )
