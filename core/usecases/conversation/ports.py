"""What use cases of conversations and invocations need."""

from typing import Protocol

from core.usecases.long_term.ports import DeletionPorts, FindingPorts, RetractionPorts, WritingPorts
from core.usecases.ports import (
    HasComparer,
    HasConversations,
    HasDeleted,
    HasEmbedder,
    HasHits,
    HasInvocations,
    HasMemoryAgents,
    HasReader,
    HasStore,
    HasWorkshop,
)
from core.usecases.user.ports import UserPorts


class ConversationPorts(UserPorts, HasConversations, Protocol):
    """A conversation that is there, read and changed as its user may."""


class TurnPorts(ConversationPorts, HasStore, Protocol):
    """A conversation that is made if it is missing."""


class TurnVectorPorts(ConversationPorts, HasEmbedder, Protocol):
    """Turns, and vectors of what they say."""


class TurnSearchPorts(TurnPorts, TurnVectorPorts, Protocol):
    """Turns that are looked for, in one conversation or in all of a user's."""


class ClusterPorts(TurnVectorPorts, HasWorkshop, HasHits, Protocol):
    """Turns that come to lie in clusters, and how often these are hit."""


class TierPorts(ConversationPorts, HasMemoryAgents, HasComparer, Protocol):
    """What the tiers of a conversation say of its turns."""


class ForgettingPorts(ConversationPorts, RetractionPorts, Protocol):
    """Turns that go, with what they taught."""


class KeyDeletionPorts(HasConversations, HasDeleted, Protocol):
    """Keys that callers delete, which is told."""


class TurnDeletionPorts(ForgettingPorts, DeletionPorts, Protocol):
    """Turns that callers delete, which is told."""


class InvocationPorts(TurnPorts, HasInvocations, Protocol):
    """Runs of agents, and what they did."""


class CompressionPorts(HasInvocations, UserPorts, HasMemoryAgents, HasWorkshop, Protocol):
    """What an agent did, told in fewer words."""


class LearningPorts(TurnPorts, WritingPorts, FindingPorts, Protocol):
    """What a conversation teaches long-term memory."""


class ExtractionPorts(LearningPorts, TierPorts, HasReader, HasWorkshop, Protocol):
    """Facts that are looked for in turns, and in what was said elsewhere."""


class ConclusionPorts(LearningPorts, InvocationPorts, HasWorkshop, Protocol):
    """The end of an agent's run, and what it teaches."""


class ConversationChorePorts(ExtractionPorts, ForgettingPorts, Protocol):
    """What chores do in conversations."""
