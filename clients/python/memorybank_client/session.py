"""What every call carries, and what is learned from its outcome: the same for both clients, without any I/O.

A mutation has a request id; a call on a bank names it to the proxy; a read asks for at least the
revision that this client has seen; every failure becomes a MemoryBankError.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import Message

from memorybank.v1.errors_pb2 import (
    ERROR_REASON_BANK_NOT_FOUND,
    ERROR_REASON_COLLECTION_NOT_FOUND,
    ERROR_REASON_CONVERSATION_NOT_FOUND,
    ERROR_REASON_INVOCATION_NOT_FOUND,
    ERROR_REASON_REVISION_NOT_REACHED,
    ERROR_REASON_STRUCTURING_FAILED,
)
from memorybank.v1.memory_bank_pb2 import MemorizeStreamResponse
from memorybank_client.errors import MemoryBankError, error_of
from memorybank_client.methods import Method
from memorybank_client.revisions import Revisions
from memorybank_client.subjects import affinity_of, subjects_of

GONE = (
    ERROR_REASON_CONVERSATION_NOT_FOUND,
    ERROR_REASON_INVOCATION_NOT_FOUND,
    ERROR_REASON_BANK_NOT_FOUND,
    ERROR_REASON_COLLECTION_NOT_FOUND,
    ERROR_REASON_REVISION_NOT_REACHED,
)
AFFINITY_KEY = "x-memory-bank"
AFFINITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:%/-]{0,1024}", re.ASCII)

KEY = re.compile(r"[0-9a-z_.-]+", re.ASCII)
VALUE = re.compile(r"[ -~]*", re.ASCII)
"""What gRPC takes as metadata."""
LONGEST = 365 * 86_400.0
"""Seconds, a year: of a deadline very far away gRPC makes one that has passed."""

Metadata = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as it goes out: `header` is the request, or what goes before the parts of a streamed one."""

    method: Method
    header: Any
    metadata: Metadata = field(repr=False)  # it may hold a secret
    timeout: float | None

    @property
    def subjects(self) -> tuple[str, ...]:
        """What it speaks of, as keys of revisions."""
        return subjects_of(self.header)

    @property
    def request_id(self) -> str:
        return getattr(self.header, "request_id", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """`timeouts` are seconds by verb (`search`), in place of the verbs' own; `timeout` is one for all of them."""

    metadata: Metadata = field(default=(), repr=False)  # it may hold a secret
    timeouts: Mapping[str, float]
    timeout: float | None = None
    revisions: Revisions | None

    def within(self, seconds: float) -> "Session":
        return replace(self, timeout=seconds)

    def call(self, verb: str, method: Method, header: Any) -> Call:
        """Returns the call, its header completed with request id and least revision."""
        if method.takes_request_id and not header.request_id:
            header.request_id = str(uuid4())
        if self.revisions is not None:
            _ask_for_seen(header, self.revisions)
        return Call(
            method=method,
            header=header,
            metadata=(*self.metadata, *_affinity(affinity_of(header))),
            timeout=self._seconds(verb, method, header),
        )

    def _seconds(self, verb: str, method: Method, header: Any) -> float | None:
        if self.timeout is not None:
            return self.timeout
        return self.timeouts[verb] if verb in self.timeouts else method.seconds_for(header)

    def saw(self, call: Call, response: Message) -> None:
        """Remembers the revision that a response speaks of."""
        if self.revisions is None:
            return
        for subject, revision in _revisions_in(call, response):
            self.revisions.saw(subject, revision)

    def failure(self, call: Call, error: grpc.RpcError, target: str) -> MemoryBankError:
        """Returns what to raise. What is gone, or begins anew, is forgotten: the next read is not held to its past."""
        silence = f"no answer from {target} within {call.timeout or 0:g} s: does a memory bank listen there?"
        made = error_of(error, call.request_id, silence)
        if self.revisions is not None:
            if made.reason in GONE:
                for subject in call.subjects:
                    self.revisions.forget(subject)
            elif made.reason == ERROR_REASON_STRUCTURING_FAILED:  # what was done before stands
                self.revisions.saw(call.header.bank_id, int(made.metadata.get("revision", "0")))
        return made


def seconds_of(given: float) -> float:
    """Returns a time to wait as gRPC takes it, a year at most. Raises TypeError, ValueError."""
    if not isinstance(given, Real):
        raise TypeError(f"seconds are a number, not {given!r}")
    if given != given:
        raise ValueError("seconds are a number, and nan is none")
    return float(min(given, LONGEST))


def metadata_of(given: Iterable[tuple[str, str | bytes]]) -> Metadata:
    """Returns metadata, as gRPC takes it. Raises ValueError, which names keys alone: values may be secrets."""
    return tuple(_pair(each) for each in given)


def _pair(given: object) -> tuple[str, str | bytes]:
    if not isinstance(given, tuple | list) or len(given) != 2 or not isinstance(given[0], str):
        raise ValueError("metadata are pairs of a key and a value: [('authorization', 'Bearer …')]")
    key, value = given
    if not KEY.fullmatch(key):
        raise ValueError(f"metadata {key!r}: a key is of lower-case letters, digits, '-', '_' and '.'")
    if key.endswith("-bin") and isinstance(value, bytes):
        return key, value
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    if key.endswith("-bin") or not isinstance(text, str) or not VALUE.fullmatch(text):
        wanted = "bytes" if key.endswith("-bin") else "printable ASCII, without a line break at its end"
        raise ValueError(f"metadata {key!r}: its value is to be {wanted}")
    return key, value


def _ask_for_seen(header: Any, revisions: Revisions) -> None:
    """Sets the least revisions that a request may ask for, where the caller has not."""
    seen = {subject: known for subject in subjects_of(header) if (known := revisions.of(_plain(subject)))}
    fields = header.DESCRIPTOR.fields_by_name
    if "min_revisions" in fields:
        for subject in seen.keys() - header.min_revisions.keys():
            if "/" in subject:  # a bank's own id is of a call that writes there
                header.min_revisions[subject] = seen[subject]
    elif "min_revision" in fields and seen and not header.HasField("min_revision"):
        (header.min_revision,) = seen.values()


def _plain(subject: str) -> str:
    """Returns a bank's id alone, also where maps of revisions name it `bank/ID`."""
    return subject.removeprefix("bank/")


def _affinity(name: str) -> Iterator[tuple[str, str]]:
    """Yields the metadata that names the bank. A name that gRPC would refuse as metadata goes without: the service
    says what is wrong."""
    if AFFINITY.fullmatch(name):
        yield AFFINITY_KEY, name


def _revisions_in(call: Call, response: Any) -> Iterator[tuple[str, int]]:
    """Yields each subject that a response tells a revision of."""
    if "revisions" in response.DESCRIPTOR.fields_by_name:
        for named, seen in response.revisions.items():
            yield _plain(named), seen
        if "revision" not in response.DESCRIPTOR.fields_by_name:
            return
    subject = next(iter(call.subjects), "") or _bank_in(response)
    revision = _revision_in(response)
    if subject and revision:
        yield subject, revision


def _revision_in(response: Any) -> int:
    if isinstance(response, MemorizeStreamResponse):
        return max(response.progress.revision, response.result.revision)
    return getattr(response, "revision", 0)


def _bank_in(response: Any) -> str:
    """Returns the id of the bank that a call made, where the caller left it to the service."""
    bank = getattr(response, "bank", None)
    return bank.bank_id if bank is not None else ""
