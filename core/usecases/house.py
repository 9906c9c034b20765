"""What every use case works with, put together once in bootstrap."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from core.agents.memory_roles import MemoryAgents
from core.agents.recall_roles import RecallAgents
from core.agents.roles import Agents
from core.bank.bank import Bank
from core.conversation.conversation import Conversation
from core.conversation.hits import HitCounts
from core.conversation.invocation import Invocation
from core.errors import EmbeddingRequired, EmbeddingSpaceMismatch
from core.instructions.instructions import Instructions
from core.instructions.run import Run
from core.long_term.collection import Collection
from core.long_term.settings import LongTermSettings
from core.model.conversation import Tiers
from core.model.invocation import Working
from core.ports.aggregates import Aggregates, Banks
from core.ports.blobs import Blobs
from core.ports.clock import Clock, Ids
from core.ports.comparer import Comparer, NoComparer
from core.ports.embedder import Embedder
from core.ports.reader import NoReader, Reader
from core.ports.reranker import Reranker
from core.ports.store import Store
from core.usecases.chores import Chores
from core.usecases.claims import Claims
from core.usecases.limits import Limits
from core.usecases.process_facts import ProcessFacts
from core.usecases.uses import UseCounts
from core.usecases.workshop import JobRunner
from core.user.user import UserAggregate
from core.verbatim.structure import Structure


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The configured k, α and chunk ratio, which have no default (source document 000 §3.1.2). And the tokens of a
    prompt, the share of them that what was done may take, the least score of a hit, the least confidence of a conflict
    whose validation is planned, whether what assistants say may contradict, and what the places of segments weigh."""

    top_k: int
    alpha: float
    chunk_ratio: float
    token_budget: int = 16_000
    history_share: float = 0.25
    min_score: float = 0.0
    validation_floor: float = 0.0
    judge_assistants: bool = False
    structure: Structure = Structure()

    def top_k_of(self, bank: Bank) -> int:
        own = bank.record.settings.top_k
        return self.top_k if own is None else own

    def alpha_of(self, bank: Bank) -> float:
        own = bank.record.settings.alpha
        return self.alpha if own is None else own

    def chunk_ratio_of(self, bank: Bank) -> float:
        own = bank.record.settings.chunk_ratio
        return self.chunk_ratio if own is None else own

    def validation_floor_of(self, bank: Bank) -> float:
        own = bank.record.settings.validation_floor
        return self.validation_floor if own is None else own

    def judge_assistants_of(self, bank: Bank) -> bool:
        own = bank.record.settings.judge_assistants
        return self.judge_assistants if own is None else own


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """A reranker, how many candidates it reads, how many code points of each and of the query, and what its opinion
    weighs relative to the search's score."""

    reranker: Reranker
    candidates: int
    characters: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The ports, the agents and the settings. Work left untouched for `resume_after` is taken up.
    A finished bank stays for `finished_ttl`, unless it says otherwise.
    A task is tried `attempts` times at most. A run sees what it loaded for `run_lifetime`, and a superseded version of
    a source is kept as long. Without `reranking`, searches stay in their own order.
    `time`: the clock's as far as the store bears it out; by it things are forgotten.
    `tiers`: as configured, for what belongs to no conversation. `process` tells what this process is and holds.
    `deleted` is told what callers delete of a memory that stays, `retracted` what they take back, release and erase."""

    banks: Banks
    instructions: Aggregates[Instructions]
    runs: Aggregates[Run]
    users: Aggregates[UserAggregate]
    conversations: Aggregates[Conversation]
    invocations: Aggregates[Invocation]
    store: Store
    blobs: Blobs
    embedder: Embedder
    comparer: Comparer = field(default_factory=NoComparer)
    reader: Reader = field(default_factory=NoReader)
    agents: Agents
    memory_agents: MemoryAgents
    clock: Clock
    time: Clock
    ids: Ids
    retrieval: Retrieval
    limits: Limits
    workshop: JobRunner
    chores: Chores
    claims: Claims
    resume_after: timedelta = timedelta(seconds=30)
    finished_ttl: timedelta = timedelta(hours=24)
    attempts: int = 3
    reranking: Reranking | None = None
    run_lifetime: timedelta = timedelta(days=7)
    collections: Aggregates[Collection]
    recall_agents: RecallAgents
    long_term: LongTermSettings = field(default_factory=LongTermSettings)
    uses: UseCounts = field(default_factory=UseCounts)
    hits: HitCounts = field(default_factory=HitCounts)
    working: Working = field(default_factory=Working)
    tiers: Tiers = field(default_factory=Tiers)
    process: Callable[[], ProcessFacts] = ProcessFacts
    deleted: Callable[[Any], None] = lambda _deletion: None
    retracted: Callable[[Any], None] = lambda _notice: None


def require_embedding(house: House, bank: Bank, field: str) -> None:
    """Requires that the service embeds texts of this bank, no vector having come as `field`. Raises
    EmbeddingRequired.

    Raises EmbeddingRequired for a bank of CLIENT vectors, EmbeddingSpaceMismatch as `require_own_space`.
    """
    if not bank.embeds:
        raise EmbeddingRequired(field)
    require_own_space(house, bank)


def require_own_space(house: House, bank: Bank) -> None:
    """Raises EmbeddingSpaceMismatch for a bank whose vectors another embedder made: they compare with none of ours."""
    own, theirs = house.embedder.space, bank.record.space
    if bank.embeds and (own.name, own.dimension) != (theirs.name, theirs.dimension):
        raise EmbeddingSpaceMismatch(
            "", f"{theirs.name} ({theirs.dimension})", f"{own.name} ({own.dimension})"
        )
