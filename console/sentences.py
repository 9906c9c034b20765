"""What a call that failed means to the person before the page."""

from dataclasses import dataclass
from http import HTTPStatus

from memorybank_client import (
    AlreadyExists,
    DeadlineExceeded,
    ErrorReason,
    FailedPrecondition,
    InvalidArgument,
    MemoryBankError,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    StaleRevision,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)

PREFIX = "ERROR_REASON_"

FAMILIES: tuple[tuple[type[MemoryBankError], str, HTTPStatus], ...] = (
    (Unauthenticated, "trouble.unauthenticated", HTTPStatus.FORBIDDEN),
    (PermissionDenied, "trouble.denied", HTTPStatus.FORBIDDEN),
    (NotFound, "trouble.gone", HTTPStatus.NOT_FOUND),
    (StaleRevision, "trouble.stale", HTTPStatus.CONFLICT),
    (InvalidArgument, "trouble.refused", HTTPStatus.BAD_REQUEST),
    (AlreadyExists, "trouble.refused", HTTPStatus.CONFLICT),
    (FailedPrecondition, "trouble.refused", HTTPStatus.CONFLICT),
    (OutOfRange, "trouble.refused", HTTPStatus.CONFLICT),
    (ResourceExhausted, "trouble.busy", HTTPStatus.SERVICE_UNAVAILABLE),
    (DeadlineExceeded, "trouble.late", HTTPStatus.GATEWAY_TIMEOUT),
    (Unavailable, "trouble.away", HTTPStatus.SERVICE_UNAVAILABLE),
    (Unimplemented, "trouble.older", HTTPStatus.NOT_IMPLEMENTED),
)
DEFECT = ("trouble.defect", HTTPStatus.BAD_GATEWAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A sentence by its name, the status it is answered with, and what the service said, if that tells more."""

    sentence: str
    status: HTTPStatus
    detail: str = ""
    reason: str = ""


def trouble_of(error: MemoryBankError) -> Trouble:
    """Says what a failed call means."""
    found = next(((name, status) for family, name, status in FAMILIES if isinstance(error, family)), DEFECT)
    reason = ErrorReason.Name(error.reason).removeprefix(PREFIX) if error.reason else ""
    return Trouble(sentence=found[0], status=found[1], detail=error.message if reason else "", reason=reason)
