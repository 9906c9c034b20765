"""What only the transport can find wrong."""

from collections.abc import Sequence

from core.errors import InvalidField, MemoryBankError


class UndecodableRequest(MemoryBankError):
    """The bytes are not a message of the request's type."""

    method: str


class InvalidRequest(MemoryBankError):
    """Several fields' values cannot be accepted, or one's."""

    violations: Sequence[InvalidField]


class MessageTooLarge(MemoryBankError):
    """The request is larger than one message may be (bytes)."""

    size: int
    allowed: int
    remedy: str


class DeadlineExceeded(MemoryBankError):
    """The call's time ran out."""


class Starting(MemoryBankError):
    """The service is not ready yet."""


class ShuttingDown(MemoryBankError):
    """The service is stopping."""


class StreamMoved(MemoryBankError):
    """The service is stopping; a stream without an end may go on at another replica after `wait` seconds."""

    wait: float


class Unauthenticated(MemoryBankError):
    """The call has no valid credential. `problem` does not tell an expired key from one that never was."""

    problem: str


class RateLimited(MemoryBankError):
    """Calls come faster than `limit`, a setting, allows; the next may come after `wait` seconds."""

    limit: str
    wait: float


class Defect(MemoryBankError):
    """Something failed that was never meant to. The log has the details under `incident`."""

    incident: str
