"""Puts the house together from the settings, and takes it apart in order.

Law: it alone knows all the parts, its neighbours here: the store, the embedder, models and agents, periodic tasks.
Nothing imports it but the server and the command line.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from core.agents.roles import Agents
from core.aggregate.aggregate import Tuning
from core.index.giving_way import GiveWay
from core.kinds import KINDS
from core.long_term.settings import LongTermSettings
from core.model.bank import EmbeddingSpace
from core.ports.blobs import Blobs
from core.ports.chat import ChatModel
from core.ports.clock import Ids
from core.ports.comparer import Comparer
from core.ports.embedder import Embedder
from core.ports.reader import Reader
from core.ports.store import Store
from core.usecases.chores import Chores
from core.usecases.claims import SECONDS, Claims
from core.usecases.conversation.tiers.count_hits import write_hits
from core.usecases.house import House
from core.usecases.limits import Budgets, Limits
from core.usecases.observer import Observer
from core.usecases.settings import Retrieval, UseCaseSettings
from core.usecases.upkeep.duties import assign_chores
from core.usecases.upkeep.store_time import StoreTime
from core.usecases.user.count_tokens import write_tokens
from core.usecases.uses import UseCounts
from core.usecases.workshop import JobRunner
from core.verbatim.structure import Structure
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.observed import PortObserver, observed
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.assembly.agents import (
    cast_agents,
    cast_memory_agents,
    cast_recall_agents,
    open_models,
    open_reranker,
)
from service.assembly.comparers import forgetting, local_model, open_comparer, open_reader
from service.assembly.embedders import open_embedder
from service.assembly.figures import FIGURES, facts_of, figures_of
from service.assembly.periodic import periodic_tasks
from service.assembly.stores import blobs_of, connections_of, index_cache_of, open_store
from service.assembly.upkeep import told_of_clock, told_of_deletion, told_of_failure, told_of_retraction
from service.config import ConfigurationError, Settings
from service.holding.held import Holding
from service.holding.loading import unused
from service.holding.open import OpenAggregates
from service.process.giving_way import loop_first
from service.process.observing import Show, unshown
from service.settings.retrieval import RetrievalSection

DATABASE_FILE_BYTES = 100_000_000


@asynccontextmanager
async def open_house(
    settings: Settings,
    embedder: Embedder | None = None,
    agents: Callable[[Embedder], Agents] | None = None,
    observer: Observer | None = None,
    ids: Ids | None = None,
    show: Show = unshown,
    stores: Sequence[PortObserver] = (),
    embedders: Sequence[PortObserver] = (),
) -> AsyncIterator[House]:
    """Opens everything that use cases work with. `embedder`, `agents` and `ids` replace the usual ones; `show`
    receives the house's figures; `stores` and `embedders` are told of each call of these ports.

    Raises ConfigurationError, StoreUnavailable, EmbedderUnavailable. When the context ends, work stops
    where it stands (it is resumed by the next process to open the store), and what was acknowledged is durable.
    """
    async with AsyncExitStack() as closing:
        ground = await _ground(settings, embedder, ids, closing, stores, embedders)
        house = await _house(settings, ground, agents, observer, closing)
        banks = ground.aggregates
        closing.push_async_callback(write_hits, house)
        closing.push_async_callback(write_tokens, house)
        for task in periodic_tasks(settings, house, banks, ground.time):
            closing.callback(asyncio.create_task(task).cancel)
        assign_chores(house)
        show(FIGURES, partial(_figures, settings, ground, house.workshop))
        banks.listen(house.chores.look)
        yield house


def _figures(settings: Settings, ground: "_Ground", workshop: JobRunner) -> Mapping[str, float]:
    return figures_of(
        settings,
        ground.clock,
        ground.aggregates,
        ground.embedder,
        ground.comparer,
        workshop,
        connections_of(ground.store),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What the house stands on: all that opens a file, a connection or a model. Closed in the opposite order."""

    clock: SystemClock
    time: StoreTime
    ids: Ids
    store: Store
    blobs: Blobs
    embedder: CachedEmbedder
    comparer: Comparer
    reader: Reader
    models: Mapping[str, ChatModel]
    aggregates: OpenAggregates


async def _ground(
    settings: Settings,
    embedder: Embedder | None,
    ids: Ids | None,
    closing: AsyncExitStack,
    stores: Sequence[PortObserver],
    embedders: Sequence[PortObserver],
) -> _Ground:
    _make_folder(settings.data_dir)
    clock, ids = SystemClock(), ids or UlidIds()
    give_way = loop_first()
    opened = await open_store(settings, give_way)
    closing.push_async_callback(opened.close)
    store = observed(opened, Store, stores)
    time = StoreTime(clock, store, told_of_clock, monotonic)
    await time.look()
    blobs = blobs_of(settings, opened)
    inner = embedder or await open_embedder(settings.embedder, closing)
    model = local_model(inner, closing)
    remembered = CachedEmbedder(
        observed(inner, Embedder, embedders),
        queries=settings.embedder.cached_texts,
        passages=settings.embedder.cached_texts,
    )
    comparer = open_comparer(settings.judging, inner, model, remembered)
    reader = open_reader(settings.judging, inner, model, remembered)
    models = open_models(settings, closing)

    holding = _holding(settings, give_way, remembered.space, reader.model)
    aggregates = OpenAggregates(
        KINDS,
        store,
        blobs,
        clock,
        ids,
        holding,
        index_cache_of(settings),
        forgetting(remembered, comparer, reader),
    )
    closing.push_async_callback(aggregates.close)
    return _Ground(
        clock=clock,
        time=time,
        ids=ids,
        store=store,
        blobs=blobs,
        embedder=remembered,
        comparer=comparer,
        reader=reader,
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
    workshop = JobRunner(clock, Budgets(**dict(settings.budget)), observer)
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
        store=store,
        blobs=ground.blobs,
        embedder=embedder,
        comparer=ground.comparer,
        reader=ground.reader,
        agents=agents(embedder)
        if agents
        else cast_agents(settings, embedder, ground.comparer, ground.models),
        memory_agents=cast_memory_agents(settings, ground.reader, ground.comparer, ground.models),
        recall_agents=cast_recall_agents(settings, embedder, ground.models),
        reranking=open_reranker(settings.retrieval.reranker, closing),
        clock=clock,
        time=ground.time,
        ids=ground.ids,
        settings=_of_use_cases(settings),
        workshop=workshop,
        chores=chores,
        claims=claims,
        uses=uses,
        process=partial(facts_of, settings, clock, banks, clock.now()),
        deleted=told_of_deletion,
        retracted=told_of_retraction,
    )


def limits_of(settings: Settings) -> Limits:
    """Returns the bounds of the settings; a file that goes through a database's log is bounded sooner."""
    given = settings.limits.model_dump(exclude_none=True)
    if settings.store.kind == "postgres":
        given.setdefault("attachment_bytes", DATABASE_FILE_BYTES)
    return Limits(**given)


def _of_use_cases(settings: Settings) -> UseCaseSettings:
    return UseCaseSettings(
        retrieval=_retrieval(settings.retrieval),
        limits=limits_of(settings),
        long_term=LongTermSettings(**dict(settings.long_term)),
        working=settings.conversation.working,
        tiers=settings.conversation.tiers,
        resume_after=settings.banks.resume_after,
        finished_ttl=settings.banks.finished_ttl,
        run_lifetime=settings.instructions.run_lifetime,
        attempts=settings.agents.attempts,
    )


def _retrieval(chosen: RetrievalSection) -> Retrieval:
    return Retrieval(
        top_k=chosen.top_k,
        alpha=chosen.alpha,
        chunk_ratio=chosen.chunk_ratio,
        token_budget=chosen.token_budget,
        history_share=chosen.history_share,
        min_score=chosen.min_score,
        validation_floor=chosen.validation_floor,
        judge_assistants=chosen.judge_assistants,
        structure=Structure(**dict(chosen.structure)),
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise ConfigurationError(f"cannot keep memory in data_dir: {refused}") from None


def _holding(settings: Settings, give_way: GiveWay, space: EmbeddingSpace, reader: str) -> Holding:
    return Holding(
        memory_budget=settings.banks.memory_budget_bytes,
        max_staleness=settings.banks.max_staleness_seconds,
        stale_when_unavailable=settings.banks.stale_when_unavailable_seconds,
        tuning=Tuning(
            give_way=give_way,
            report=unused,
            space=space.name,
            dimension=space.dimension,
            reader=reader,
            tiers=settings.conversation.tiers,
        ),
    )
