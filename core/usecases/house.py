"""Every port, put together once in bootstrap. Use cases name those that they need (`core.usecases.ports`)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.agents.memory_roles import MemoryAgents
from core.agents.recall_roles import RecallAgents
from core.agents.roles import Agents
from core.conversation.conversation import Conversation
from core.conversation.hits import HitCounts
from core.conversation.invocation import Invocation
from core.instructions.instructions import Instructions
from core.instructions.run import Run
from core.long_term.collection import Collection
from core.ports.aggregates import Aggregates, Banks
from core.ports.blobs import Blobs
from core.ports.clock import Clock, Ids
from core.ports.comparer import Comparer, NoComparer
from core.ports.embedder import Embedder
from core.ports.reader import NoReader, Reader
from core.ports.store import Store
from core.usecases.chores import Chores
from core.usecases.claims import Claims
from core.usecases.process_facts import ProcessFacts
from core.usecases.settings import Reranking, UseCaseSettings
from core.usecases.uses import UseCounts
from core.usecases.workshop import JobRunner
from core.user.user import UserAggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The ports, the agents and the settings. Without `reranking`, searches stay in their own order.
    `time`: the clock's as far as the store bears it out; by it things are forgotten. `process` tells what this process
    is and holds. `deleted` is told what callers delete of a memory that stays, `retracted` what they take back, release
    and erase."""

    banks: Banks
    instructions: Aggregates[Instructions]
    runs: Aggregates[Run]
    users: Aggregates[UserAggregate]
    conversations: Aggregates[Conversation]
    invocations: Aggregates[Invocation]
    collections: Aggregates[Collection]
    store: Store
    blobs: Blobs
    embedder: Embedder
    comparer: Comparer = field(default_factory=NoComparer)
    reader: Reader = field(default_factory=NoReader)
    reranking: Reranking | None = None
    agents: Agents
    memory_agents: MemoryAgents
    recall_agents: RecallAgents
    clock: Clock
    time: Clock
    ids: Ids
    settings: UseCaseSettings
    workshop: JobRunner
    chores: Chores
    claims: Claims
    uses: UseCounts = field(default_factory=UseCounts)
    hits: HitCounts = field(default_factory=HitCounts)
    process: Callable[[], ProcessFacts] = ProcessFacts
    deleted: Callable[[Any], None] = lambda _deletion: None
    retracted: Callable[[Any], None] = lambda _notice: None
