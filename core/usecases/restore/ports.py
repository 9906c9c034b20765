"""What repeats what callers deleted and took back since a backup."""

from typing import Protocol

from core.usecases.bank.ports import ClosingPorts, NodeDeletionPorts
from core.usecases.conversation.ports import ForgettingPorts, TurnDeletionPorts
from core.usecases.ports import HasStore


class RepeatedDeletionPorts(NodeDeletionPorts, TurnDeletionPorts, HasStore, Protocol):
    """Deletions, carried out again."""


class RepeatedRetractionPorts(ClosingPorts, ForgettingPorts, HasStore, Protocol):
    """Retractions, carried out again."""
