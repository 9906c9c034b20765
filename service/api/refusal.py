"""From an error to the status that a call ends with (AIP-193: google.rpc.Status with its details)."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2 as details  # type: ignore[import-untyped]  # ships no types
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]  # ships no types
from grpc.aio import ServicerContext

from core import errors as core
from core.errors import InvalidField, MemoryBankError
from service.api.errors.rule import SOON
from service.api.errors.table import reason_of, rule_of
from service.api.errors.transport import InvalidRequest, StreamMoved

DOMAIN = "memorybank"

# Statuses travel in HTTP/2 headers, of which a peer need take no more than 8 KiB. In bytes of UTF-8:
LONGEST_MESSAGE = 600
LONGEST_VALUE = 192
MOST_VIOLATIONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error as it is sent."""

    code: grpc.StatusCode
    reason: str
    message: str
    trailers: tuple[tuple[str, str | bytes], ...]


def refusal_of(error: MemoryBankError) -> Refusal:
    """Makes the status for an error, with all its details."""
    rule = rule_of(error)
    values = _attributes(error)
    message = _clipped(rule.message.format_map(values), LONGEST_MESSAGE)
    status = Status(code=rule.code.value[0], message=message)
    info = {name: _clipped(str(values[name]), LONGEST_VALUE) for name in rule.metadata}
    _add(status, details.ErrorInfo(reason=reason_of(error), domain=DOMAIN, metadata=info))
    if violations := _violations(error, message):
        _add(status, details.BadRequest(field_violations=violations))
    if quota := _quota(error):
        failed = details.QuotaFailure.Violation(subject=quota, description=_clipped(message, LONGEST_VALUE))
        _add(status, details.QuotaFailure(violations=[failed]))
    trailers: list[tuple[str, str | bytes]] = []
    if rule.retry_after is not None:
        pause = max(rule.retry_after, timedelta(seconds=getattr(error, "wait", 0.0)))
        wait = Duration()
        wait.FromTimedelta(pause)
        _add(status, details.RetryInfo(retry_delay=wait))
        if pause > SOON or isinstance(error, core.Overloaded | StreamMoved):
            # The shipped retry policy begins with a second, and its waits grow. A push-back would keep them from it.
            trailers.append(("grpc-retry-pushback-ms", str(round(pause.total_seconds() * 1000))))
    elif rule.code is grpc.StatusCode.UNAVAILABLE:
        trailers.append(("grpc-retry-pushback-ms", "-1"))  # repeating it blindly would only fail again
    trailers.append(("grpc-status-details-bin", status.SerializeToString()))
    return Refusal(code=rule.code, reason=reason_of(error), message=message, trailers=tuple(trailers))


async def refuse(context: ServicerContext[Any, Any], refusal: Refusal) -> NoReturn:
    """Ends the call with this status."""
    await context.abort(refusal.code, refusal.message, refusal.trailers)
    raise AssertionError("abort always raises")


def _attributes(error: MemoryBankError) -> dict[str, Any]:
    values = {f.name: getattr(error, f.name) for f in fields(error)}
    if isinstance(error, InvalidRequest):
        first = error.violations[0]
        problems = "; ".join(f"{v.field}: {v.problem}" for v in error.violations[:MOST_VIOLATIONS])
        values |= {"field": first.field, "problem": first.problem, "problems": problems}
    if isinstance(error, core.StructuringFailed):
        values = _attributes(error.cause) | values | {"cause": reason_of(error.cause)}
    return values


def _violations(error: MemoryBankError, message: str) -> list[details.BadRequest.FieldViolation]:
    if isinstance(error, InvalidRequest):
        found = [(v.field, v.problem) for v in error.violations[:MOST_VIOLATIONS]]
    elif isinstance(error, InvalidField):
        found = [(error.field, error.problem)]
    elif isinstance(error, core.RequestIdReused):
        found = [("request_id", message)]
    elif field := getattr(error, "field", ""):
        found = [(field, message.removeprefix(f"{field}: "))]
    else:
        return []
    return [
        details.BadRequest.FieldViolation(
            field=_clipped(field, LONGEST_VALUE), description=_clipped(problem, LONGEST_VALUE)
        )
        for field, problem in found
    ]


def _quota(error: MemoryBankError) -> str:
    """Finds the setting that bounds what the error ran into, if one does."""
    cause = error.cause if isinstance(error, core.StructuringFailed) else error
    if isinstance(cause, core.BudgetSpent):
        return cause.budget
    return cause.limit if isinstance(cause, core.LimitReached) else ""


def _add(status: Status, detail: Any) -> None:
    packed = AnyMessage()
    packed.Pack(detail)
    status.details.append(packed)


def _clipped(text: str, most: int) -> str:
    """Cuts the text to at most so many bytes of UTF-8."""
    whole = text.encode()
    return text if len(whole) <= most else whole[: most - 3].decode(errors="ignore") + "…"
