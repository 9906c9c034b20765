"""What one entry of the table of errors says."""

from dataclasses import dataclass
from datetime import timedelta

import grpc

from memorybank.v1 import errors_pb2 as pb


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`message` is a template over the error's attributes, `metadata` names those that go into ErrorInfo.

    `retry_after` tells when it makes sense to try again, at the soonest; None: not without doing something about it.
    """

    code: grpc.StatusCode
    reason: "pb.ErrorReason.ValueType"
    message: str
    metadata: tuple[str, ...] = ()
    retry_after: timedelta | None = None


SOON = timedelta(seconds=1)
LATER = timedelta(seconds=5)
