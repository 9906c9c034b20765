"""What use cases of long-term memory need."""

from typing import Protocol

from core.usecases.ports import (
    CommonPorts,
    HasAgents,
    HasCollections,
    HasDeleted,
    HasEmbedder,
    HasMemoryAgents,
    HasReader,
    HasRecallAgents,
    HasRetracted,
    HasSettings,
    HasStore,
    HasUses,
    HasWorkshop,
)
from core.usecases.user.ports import UserPorts


class EditPorts(CommonPorts, HasCollections, Protocol):
    """A collection that is there, and changes."""


class CollectionPorts(UserPorts, EditPorts, Protocol):
    """The same, read and changed as its user may."""


class WritingPorts(CollectionPorts, HasStore, Protocol):
    """A collection that is made if it is missing."""


class DeletionPorts(EditPorts, HasDeleted, Protocol):
    """Records that callers delete, which is told."""


class RetractionPorts(CollectionPorts, HasRetracted, Protocol):
    """Records that are taken back, which is told."""


class RankingPorts(HasEmbedder, HasSettings, Protocol):
    """How records are ranked."""


class RecordPorts(CollectionPorts, HasEmbedder, Protocol):
    """Records, and vectors of what they say."""


class RetrievalPorts(RecordPorts, HasUses, Protocol):
    """Records that are looked for, and counted as used."""


class ReflectionPorts(CollectionPorts, HasRecallAgents, HasWorkshop, Protocol):
    """Texts over records, written by an agent."""


class RoutingPorts(RetrievalPorts, HasRecallAgents, HasWorkshop, Protocol):
    """Records that are looked for where an agent says."""


class FindingPorts(RecordPorts, HasMemoryAgents, Protocol):
    """Facts that are looked for in texts."""


class JudgingPorts(RecordPorts, HasReader, HasAgents, HasWorkshop, Protocol):
    """Facts that are judged against the nearest ones."""


class FactPorts(WritingPorts, JudgingPorts, Protocol):
    """A fact that is stored, then judged."""


class CollectionChorePorts(JudgingPorts, ReflectionPorts, Protocol):
    """What chores do in collections."""
