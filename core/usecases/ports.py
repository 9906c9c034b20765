"""The ports of the registry, each by itself: what a use case says that it needs.

Law: a use case sees no more than it names. What takes several is put together in the `ports.py` of its room. The
`House` of bootstrap has them all; what puts a process together alone sees it whole.
"""

from collections.abc import Callable
from typing import Any, Protocol

from core.agents.memory_roles import MemoryAgents
from core.agents.recall_roles import RecallAgents
from core.agents.roles import Agents
from core.conversation.conversation import Conversation
from core.conversation.hits import HitCounts
from core.conversation.invocation import Invocation
from core.instructions.instructions import Instructions
from core.long_term.collection import Collection
from core.ports.aggregates import Aggregates, Banks
from core.ports.blobs import Blobs
from core.ports.clock import Clock, Ids
from core.ports.comparer import Comparer
from core.ports.embedder import Embedder
from core.ports.reader import Reader
from core.ports.store import Store
from core.usecases.settings import UseCaseSettings
from core.usecases.uses import UseCounts
from core.usecases.workshop import JobRunner
from core.user.user import UserAggregate


class MakingPorts(Protocol):
    """What anything new takes: the time, and an id."""

    @property
    def clock(self) -> Clock: ...

    @property
    def ids(self) -> Ids: ...


class HasSettings(Protocol):
    @property
    def settings(self) -> UseCaseSettings: ...


class CommonPorts(MakingPorts, HasSettings, Protocol):
    """What every room works with."""


# ---- memories ----


class HasBanks(Protocol):
    @property
    def banks(self) -> Banks: ...


class HasConversations(Protocol):
    @property
    def conversations(self) -> Aggregates[Conversation]: ...


class HasInvocations(Protocol):
    @property
    def invocations(self) -> Aggregates[Invocation]: ...


class HasCollections(Protocol):
    @property
    def collections(self) -> Aggregates[Collection]: ...


class HasInstructions(Protocol):
    @property
    def instructions(self) -> Aggregates[Instructions]: ...


class HasUsers(Protocol):
    @property
    def users(self) -> Aggregates[UserAggregate]: ...


class HasStore(Protocol):
    @property
    def store(self) -> Store: ...


class HasBlobs(Protocol):
    @property
    def blobs(self) -> Blobs: ...


# ---- models and agents ----


class HasEmbedder(Protocol):
    @property
    def embedder(self) -> Embedder: ...


class HasComparer(Protocol):
    @property
    def comparer(self) -> Comparer: ...


class HasReader(Protocol):
    @property
    def reader(self) -> Reader: ...


class HasAgents(Protocol):
    @property
    def agents(self) -> Agents: ...


class HasMemoryAgents(Protocol):
    @property
    def memory_agents(self) -> MemoryAgents: ...


class HasRecallAgents(Protocol):
    @property
    def recall_agents(self) -> RecallAgents: ...


# ---- work in the background, what is counted and told ----


class HasWorkshop(Protocol):
    @property
    def workshop(self) -> JobRunner: ...


class HasUses(Protocol):
    @property
    def uses(self) -> UseCounts: ...


class HasHits(Protocol):
    @property
    def hits(self) -> HitCounts: ...


class HasDeleted(Protocol):
    @property
    def deleted(self) -> Callable[[Any], None]: ...


class HasRetracted(Protocol):
    @property
    def retracted(self) -> Callable[[Any], None]: ...


class SpendingPorts(HasBanks, HasWorkshop, Protocol):
    """A change of a bank, with what its agents cost."""


class MomentPorts(CommonPorts, HasEmbedder, Protocol):
    """A moment of a bank, and a question as it is asked."""
