"""A house for tests: the real banks over the store in memory, real files, hashed embeddings, scripted agents."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.agents.memory_roles import MemoryAgents
from core.agents.offline.recalling import offline_recall_agents
from core.agents.offline.remembering import offline_memory_agents
from core.agents.roles import Agents
from core.aggregate.aggregate import Tuning
from core.ids import BankId, RequestId, Tenant
from core.keys import BankKey
from core.kinds import KINDS
from core.model.bank import EmbeddingSpace, SpaceSource
from core.ports.aggregates import RequestKey
from core.ports.embedder import Embedder
from core.ports.store import Store
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.chores import Chores
from core.usecases.claims import Claims
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.settings import Retrieval, UseCaseSettings
from core.usecases.upkeep.duties import assign_chores
from core.usecases.workshop import JobRunner
from service.adapters.local_blobs import LocalBlobs
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from service.holding.open import OpenAggregates
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.reading import local_reader
from tests.support.scripted_agents import ScriptedAgents

START = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)
KEY = BankKey(tenant=Tenant("acme"), bank_id=BankId("case-7"))
CLIENT_SPACE = EmbeddingSpace(name="of-the-caller", dimension=4, source=SpaceSource.CLIENT)


class TickingClock:
    """Goes on by a millisecond whenever it is looked at: every moment is later than the one before."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def skip(self, time: timedelta) -> None:
        self._now += time


class CountingIds:
    """`n-0001`, `n-0002`, …: one count for every prefix."""

    def __init__(self) -> None:
        self._counts: dict[str, count[int]] = {}

    def new(self, prefix: str) -> str:
        return f"{prefix}-{next(self._counts.setdefault(prefix, count(1))):04d}"


@asynccontextmanager
async def open_house(
    *,
    store: Store | None = None,
    agents: Agents | None = None,
    memory_agents: MemoryAgents | None = None,
    embedder: Embedder | None = None,
    limits: Limits | None = None,
    holding: Holding | None = None,
    ids: CountingIds | None = None,
    clock: TickingClock | None = None,
    unasked: bool = True,
) -> AsyncIterator[House]:
    """A house with no bank in it. Its work is stopped and its files are gone when the context ends.

    Houses that follow each other on one store share their `ids`: of two changes with one id a store keeps the first.
     `unasked`: whether chores begin by themselves."""
    with TemporaryDirectory() as folder:
        store = store or MemoryStore()
        clock, ids, blobs = clock or TickingClock(), ids or CountingIds(), LocalBlobs(Path(folder))
        embedder = embedder or HashingEmbedder()
        banks = OpenAggregates(KINDS, store, blobs, clock, ids, holding or _holding(embedder))
        workshop = JobRunner(clock)
        chores = Chores(KINDS, banks, store, clock)
        house = House(
            banks=banks,
            instructions=banks,
            runs=banks,
            users=banks,
            conversations=banks,
            invocations=banks,
            store=store,
            blobs=blobs,
            embedder=embedder,
            comparer=local_comparer(),
            reader=local_reader(),
            agents=agents or ScriptedAgents().roles,
            memory_agents=memory_agents or offline_memory_agents(local_reader(), local_comparer()),
            clock=clock,
            time=clock,
            ids=ids,
            settings=UseCaseSettings(
                retrieval=Retrieval(top_k=8, alpha=0.5, chunk_ratio=0.9), limits=limits or Limits()
            ),
            workshop=workshop,
            collections=banks,
            recall_agents=offline_recall_agents(embedder or HashingEmbedder()),
            chores=chores,
            claims=Claims(store, "this"),
        )
        if unasked:
            assign_chores(house)
            banks.listen(chores.look)
        yield house
        await chores.close()
        await workshop.close()
        await banks.close()


def _holding(embedder: Embedder) -> Holding:
    space = embedder.space
    return Holding(tuning=Tuning(space=space.name, dimension=space.dimension, reader=local_reader().model))


def with_settings(house: House, **changed: Any) -> House:
    """The house with other settings."""
    return replace(house, settings=replace(house.settings, **changed))


async def make_bank(house: House, key: BankKey = KEY, space: EmbeddingSpace | None = None) -> BankKey:
    """An empty bank."""
    await create_bank(house, CreateBank(tenant=key.tenant, bank_id=key.bank_id, goal="find out", space=space))
    return key


async def work_done(house: House) -> None:
    """Wait for all that is at work in the background."""
    for running in list(house.workshop._running.values()):
        await running.finished()


def request(request_id: str, digest: str = "d", verb: str = "Verb") -> RequestKey:
    return RequestKey(request_id=RequestId(request_id), verb=verb, digest=digest)
