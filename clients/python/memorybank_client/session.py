"""What every call carries, and what is learned from its outcome: the same for both clients, without any I/O.

Law: a mutation has a request id; a call on a bank names it to the proxy; a read asks for at least the
revision that this client has seen; every failure becomes a MemoryBankError.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import Message

from memorybank.v1.errors_pb2 import (
    ERROR_REASON_BANK_NOT_FOUND,
    ERROR_REASON_REVISION_NOT_REACHED,
    ERROR_REASON_STRUCTURING_FAILED,
)
from memorybank.v1.memory_bank_pb2 import DeleteBankRequest, MemorizeStreamResponse
from memorybank_client.errors import MemoryBankError, error_of
from memorybank_client.methods import Method
from memorybank_client.revisions import Revisions

AFFINITY_KEY = "x-memory-bank"
BANK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)

Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as it goes out: `header` is the request, or what goes before the parts of a streamed one."""

    method: Method
    header: Any
    metadata: Metadata
    timeout: float | None

    @property
    def bank_id(self) -> str:
        return getattr(self.header, "bank_id", "")

    @property
    def request_id(self) -> str:
        return getattr(self.header, "request_id", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """`timeouts` are seconds by verb (`search`), in place of the verbs' own; `timeout` is one for all of them."""

    metadata: Metadata = ()
    timeouts: Mapping[str, float]
    timeout: float | None = None
    revisions: Revisions | None

    def within(self, seconds: float) -> "Session":
        return replace(self, timeout=seconds)

    def call(self, verb: str, method: Method, header: Any) -> Call:
        """The call, its header completed with request id and least revision."""
        bank_id = getattr(header, "bank_id", "")
        if method.takes_request_id and not header.request_id:
            header.request_id = str(uuid4())
        if method.takes_min_revision and not header.HasField("min_revision"):
            self._ask_for_seen(header, bank_id)
        return Call(
            method=method,
            header=header,
            metadata=(*self.metadata, *_affinity(bank_id)),
            timeout=self.timeout or self.timeouts.get(verb, method.seconds),
        )

    def saw(self, call: Call, response: Message) -> None:
        """Remember the revision that a response speaks of."""
        if self.revisions is None:
            return
        if isinstance(call.header, DeleteBankRequest):
            self.revisions.forget(call.bank_id)
            return
        bank_id = call.bank_id or _bank_in(response)
        revision = _revision_in(response)
        if bank_id and revision:
            self.revisions.saw(bank_id, revision)

    def failure(self, call: Call, error: grpc.RpcError) -> MemoryBankError:
        """What to raise. A bank that is gone, or begins anew, is forgotten: the next read is not held to its past."""
        made = error_of(error, call.request_id)
        if self.revisions is not None and call.bank_id:
            if made.reason in (ERROR_REASON_BANK_NOT_FOUND, ERROR_REASON_REVISION_NOT_REACHED):
                self.revisions.forget(call.bank_id)
            elif made.reason == ERROR_REASON_STRUCTURING_FAILED:  # what was done before stands
                self.revisions.saw(call.bank_id, int(made.metadata.get("revision", "0")))
        return made

    def _ask_for_seen(self, header: Any, bank_id: str) -> None:
        seen = self.revisions.of(bank_id) if self.revisions is not None else None
        if seen is not None:
            header.min_revision = seen


def _affinity(bank_id: str) -> Iterator[tuple[str, str]]:
    """An id that cannot be one goes without: gRPC would refuse it as metadata; the service says what is wrong."""
    if BANK_ID.fullmatch(bank_id):
        yield AFFINITY_KEY, bank_id


def _revision_in(response: Any) -> int:
    if isinstance(response, MemorizeStreamResponse):
        return max(response.progress.revision, response.result.revision)
    return getattr(response, "revision", 0)


def _bank_in(response: Any) -> str:
    """The id of the bank that a call made, where the caller left it to the service."""
    bank = getattr(response, "bank", None)
    return bank.bank_id if bank is not None else ""
