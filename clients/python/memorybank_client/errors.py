"""What a call that failed raises: one class per gRPC code, the contract's reason within.

Every failed call becomes a MemoryBankError here, and nothing else does. Nothing is guessed: what the
status does not carry is empty.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, cast

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]  # ship no types

from memorybank.v1.errors_pb2 import ERROR_REASON_UNSPECIFIED, ErrorReason

DETAILS_KEY = "grpc-status-details-bin"
DOMAIN = "memorybank"
PREFIX = "ERROR_REASON_"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldViolation:
    """A field of the request (its path, `messages[1].text`) and what is wrong with it."""

    field: str
    problem: str


class MemoryBankError(Exception):
    """A call that failed.

    `reason` is the contract's, unspecified when the service did not answer (a proxy did, or the channel);
    `metadata` has the keys that the contract lists for it. `retry_after` says when it makes sense to try again.
    `request_id` is the one that was sent: a mutation repeated under it happens once. Empty for reads.
    """

    code: grpc.StatusCode = grpc.StatusCode.UNKNOWN

    def __init__(
        self,
        message: str,
        *,
        reason: ErrorReason.ValueType = ERROR_REASON_UNSPECIFIED,
        metadata: Mapping[str, str] | None = None,
        field_violations: tuple[FieldViolation, ...] = (),
        retry_after: timedelta | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.field_violations = field_violations
        self.retry_after = retry_after
        self.request_id = request_id

    def __str__(self) -> str:
        if self.reason == ERROR_REASON_UNSPECIFIED:
            return f"{self.code.name}: {self.message}"
        return f"{self.code.name} {ErrorReason.Name(self.reason).removeprefix(PREFIX)}: {self.message}"


class InvalidArgument(MemoryBankError):
    """The request cannot be accepted as it is; `field_violations` names the fields."""

    code = grpc.StatusCode.INVALID_ARGUMENT


class NotFound(MemoryBankError):
    """There is no such thing; of an absorbed node (NODE_ABSORBED) `metadata["into"]` names the heir."""

    code = grpc.StatusCode.NOT_FOUND


class AlreadyExists(MemoryBankError):
    """The id is taken."""

    code = grpc.StatusCode.ALREADY_EXISTS


class FailedPrecondition(MemoryBankError):
    """The bank is not in the state that the call needs."""

    code = grpc.StatusCode.FAILED_PRECONDITION


class OutOfRange(MemoryBankError):
    """The changes asked for are no longer kept; `metadata["oldest"]` can be watched from."""

    code = grpc.StatusCode.OUT_OF_RANGE


class StaleRevision(MemoryBankError):
    """What was to be changed has changed since `if_revision`: read it again."""

    code = grpc.StatusCode.ABORTED


class ResourceExhausted(MemoryBankError):
    """A bound was reached; `metadata["remedy"]` says what helps."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED


class Unavailable(MemoryBankError):
    """The service, or what it leans on, cannot answer now, also after the channel's retries."""

    code = grpc.StatusCode.UNAVAILABLE


class DeadlineExceeded(MemoryBankError):
    """The call's time ran out. A mutation may have happened: repeat it under the same `request_id`."""

    code = grpc.StatusCode.DEADLINE_EXCEEDED


class Cancelled(Unavailable):
    """The call was ended by neither its caller nor an answer: too many waited before the service, or the client was
    closed. A mutation may be repeated under the same `request_id`, after a pause."""

    code = grpc.StatusCode.CANCELLED


class Unauthenticated(MemoryBankError):
    """The credential is missing or not valid."""

    code = grpc.StatusCode.UNAUTHENTICATED


class PermissionDenied(MemoryBankError):
    """The credential does not allow this."""

    code = grpc.StatusCode.PERMISSION_DENIED


class Unimplemented(MemoryBankError):
    """The service is older than this client, or another one."""

    code = grpc.StatusCode.UNIMPLEMENTED


class Internal(MemoryBankError):
    """A defect of the service; its log has the details under `metadata["incident"]`."""

    code = grpc.StatusCode.INTERNAL


class DataLoss(MemoryBankError):
    """A stored file is not what was written."""

    code = grpc.StatusCode.DATA_LOSS


FAMILIES: dict[grpc.StatusCode, type[MemoryBankError]] = {
    **{family.code: family for family in MemoryBankError.__subclasses__()},
    Cancelled.code: Cancelled,
}


class _RpcFailure(Protocol):
    """What gRPC's errors have in common, synchronous and asynchronous."""

    def code(self) -> grpc.StatusCode: ...
    def details(self) -> str | None: ...
    def trailing_metadata(self) -> Iterable[tuple[str, str | bytes]] | None: ...


def error_of(error: grpc.RpcError, request_id: str = "", silence: str = "") -> MemoryBankError:
    """Returns the MemoryBankError that a gRPC error stands for. `silence`: what to say where time ran out without a
    word from the service."""
    ended = cast(_RpcFailure, error)
    code = ended.code()
    details = _details(ended.trailing_metadata() or ())
    is_silent = code is grpc.StatusCode.DEADLINE_EXCEEDED and not details
    message = (is_silent and silence) or ended.details() or code.name
    made = FAMILIES.get(code, MemoryBankError)(message, request_id=request_id, **details)
    made.code = code
    return made


def _details(trailers: Iterable[tuple[str, str | bytes]]) -> dict[str, Any]:
    """Reads `google.rpc.Status` in the trailers, as arguments of MemoryBankError; nothing if it is unreadable."""
    packed = next((value for key, value in trailers if key == DETAILS_KEY), b"")
    if not isinstance(packed, bytes):
        return {}
    try:
        return _unpacked(status_pb2.Status.FromString(packed).details)
    except DecodeError:  # a proxy's; the code still stands
        return {}


def _unpacked(details: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for detail in details:
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            stated = error_details_pb2.ErrorInfo.FromString(detail.value)
            if stated.domain == DOMAIN:
                found["reason"] = _reason(stated.reason)
                found["metadata"] = dict(stated.metadata)
        elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            bad = error_details_pb2.BadRequest.FromString(detail.value)
            found["field_violations"] = tuple(
                FieldViolation(field=violation.field, problem=violation.description)
                for violation in bad.field_violations
            )
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = error_details_pb2.RetryInfo.FromString(detail.value)
            found["retry_after"] = retry.retry_delay.ToTimedelta()
    return found


def _reason(name: str) -> ErrorReason.ValueType:
    """Returns the reason by its name in ErrorInfo; one that a newer service added is unspecified here."""
    try:
        return ErrorReason.Value(PREFIX + name)
    except ValueError:
        return ERROR_REASON_UNSPECIFIED
