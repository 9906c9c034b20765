"""Errors that are caught inside: no caller ever receives one.

Law: each is raised by one part of the machinery for another, which retries, takes another way, or raises an
error of `core.errors` instead. They have no entry in the table of the wire.
"""

from typing import Any

from core.errors import AggregateExists, AggregateNotFound, MemoryBankError, MemoryOff

# ---- founding and loading ----


class InstructionsNotFound(AggregateNotFound):
    """The owner never had a source. Callers learn which source is not there."""


class InstructionsExist(AggregateExists):
    """Another writer gave the owner its first source."""


class RunNotFound(AggregateNotFound):
    """The run has fixed nothing yet."""


class RunExists(AggregateExists):
    """Another load of the run was first."""


class RevisionTaken(MemoryBankError):
    """The tenant has had an aggregate at this revision that is purged; begin above `floor`."""

    floor: int


# ---- writing ----


class HeadMoved(Exception):
    """The store's head is not the parent of what was to be appended; follow and stage again."""


class RequestRepeated(Exception):
    """A request of what was to be appended is stored already; its answer is to be looked up."""


class RequirementFailed(MemoryOff):
    """Another aggregate that a change requires was switched off, purged or erased as it was to be written."""

    def __init__(self, key: Any) -> None:
        super().__init__(scope=key.kind)
        self.key = key


# ---- models ----


class ModelUnavailable(Exception):
    """A language model gave no reply. Says why, and never what it was asked."""


class RerankerUnavailable(Exception):
    """A reranker gave no scores. Says why, and never what it was asked."""


class RerankerLate(RerankerUnavailable):
    """Its time was over."""
