"""What only the transport can find wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidField, MemoryBankError


@dataclass(eq=False)
class UndecodableRequest(MemoryBankError):
    """The bytes are not a message of the request's type."""

    method: str


@dataclass(eq=False)
class InvalidRequest(MemoryBankError):
    """Several fields' values cannot be accepted, or one's."""

    violations: Sequence[InvalidField]


@dataclass(eq=False)
class MessageTooLarge(MemoryBankError):
    """The request is larger than one message may be (bytes)."""

    size: int
    allowed: int
    remedy: str


@dataclass(eq=False)
class DeadlineExceeded(MemoryBankError):
    """The call's time ran out."""


@dataclass(eq=False)
class Starting(MemoryBankError):
    """The service is not ready yet."""


@dataclass(eq=False)
class ShuttingDown(MemoryBankError):
    """The service is stopping."""


@dataclass(eq=False)
class Defect(MemoryBankError):
    """Something failed that was never meant to. The log has the details under `incident`."""

    incident: str
