"""What use cases of banks need."""

from typing import Protocol

from core.ports.clock import Clock
from core.usecases.claims import Claims
from core.usecases.ports import (
    HasAgents,
    HasBanks,
    HasBlobs,
    HasComparer,
    HasDeleted,
    HasRetracted,
    HasStore,
    HasWorkshop,
    MomentPorts,
)
from core.usecases.settings import Reranking


class BankListPorts(HasStore, HasComparer, Protocol):
    """The banks that are there, and what their conflicts are found by."""


class BankPorts(MomentPorts, HasBanks, Protocol):
    """A bank, and vectors of its texts."""


class EmbeddingPorts(BankPorts, HasWorkshop, Protocol):
    """The same, where they are made in the background."""


class SearchPorts(EmbeddingPorts, Protocol):
    """What a bank is asked, and second opinions on what it finds."""

    @property
    def reranking(self) -> Reranking | None: ...


class FilePorts(BankPorts, HasBlobs, HasStore, Protocol):
    """What was memorized, word for word, with its files."""


class AttachmentPorts(HasBanks, HasBlobs, Protocol):
    """Files that are read."""


class SweepPorts(AttachmentPorts, Protocol):
    """Files that nothing names any more."""

    @property
    def time(self) -> Clock: ...


class NodePorts(EmbeddingPorts, HasAgents, Protocol):
    """Nodes that are changed, and tasks that are planned over them."""


class NodeDeletionPorts(NodePorts, HasDeleted, Protocol):
    """Nodes that callers delete, which is told."""


class BankRetractionPorts(NodePorts, HasRetracted, Protocol):
    """Texts that are taken back, which is told."""


class StructuringPorts(NodePorts, Protocol):
    """What was memorized, made into nodes; one process does it."""

    @property
    def claims(self) -> Claims: ...


class LeftoverPorts(StructuringPorts, HasStore, Protocol):
    """What another process left undone."""


class ClosingPorts(StructuringPorts, BankRetractionPorts, Protocol):
    """What was taken back, let in again or erased; and words that are covered."""


class ExportPorts(NodePorts, FilePorts, Protocol):
    """Banks that are exported, with the vectors that they lack."""


class ImportPorts(EmbeddingPorts, FilePorts, Protocol):
    """Banks that are made of an export."""
