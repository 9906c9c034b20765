"""Banks in memory: read, followed, written one command at a time.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from core.aggregate.change import Vector
from core.bank.bank import Bank
from core.bank.steps import BankChange, Step
from core.ids import BankKey, InteractionId, RequestId, SegmentRef
from core.ports.store import PurgeCounts

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Generic[Result]):
    """What a command wants to change, made from a bank as it stands.

    `touches` names what it read or writes (`node:ID`, `edges:ID`, `insight`, `bank`, …): drafts
    that touch nothing in common are appended together; others wait for the next append and are
    made anew. `sees_all`: what was decided depends on every node of the bank, so it is only staged
    on a bank that nothing else is about to change. No steps: nothing to change, the result stands
    as it is; with a request it is stored all the same, so that its repetition gets it again.
    """

    result: Result
    steps: tuple[Step, ...] = ()
    touches: frozenset[str] = frozenset()
    sees_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKey:
    """The identity of a call: a repetition has all three the same."""

    request_id: RequestId
    verb: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed(Generic[Result]):
    """What came of a command. `replayed`: the first call's answer, found again; nothing was changed."""

    result: Result
    revision: int
    replayed: bool = False


class Banks(Protocol):
    """Banks in memory: opened, followed, written one command at a time, evicted when idle."""

    def reading(self, key: BankKey, min_revision: int = 0) -> AbstractAsyncContextManager[Bank]:
        """The bank, fresh enough, kept in memory while the context lasts. Do not await between two reads
        that must agree. Raises BankNotFound, RevisionNotReached."""
        ...

    async def found(
        self, key: BankKey, draft: Draft[Result], request: RequestKey | None = None, revision: int = 1
    ) -> Committed[Result]:
        """Create the bank that the draft's first step (BankPut) describes, standing at `revision` (or a little
        later, when its steps are so many that they become several changes; still all or none). A bank that
        is imported goes on from the revision it was exported at. The result must be a frozen dataclass when
        a request is given. Raises BankExists, RequestIdReused."""
        ...

    async def commit(
        self,
        key: BankKey,
        stage: Callable[[Bank, int], Draft[Result]],
        request: RequestKey | None = None,
        answer: type[Result] | None = None,
    ) -> Committed[Result]:
        """Stage on the bank as it stands, store, apply: durable and visible when it returns.

        `stage` gets the bank and the revision its change will have; it is pure and quick, and may be
        called again on a newer bank; what it raises goes to the caller, and nothing is written. A
        `request` seen before is not staged: its answer returns as `replayed`, decoded as `answer`, the
        class of the results (required with a request). Cancelling the caller stops its waiting only.
        Raises BankNotFound, RequestIdReused.
        """
        ...

    async def keep_segment_vectors(
        self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]
    ) -> None:
        """Store and index vectors made for segments of this bank. Raises BankNotFound."""
        ...

    def unembedded(self) -> Sequence[tuple[BankKey, InteractionId]]:
        """Interactions of banks in memory that are structured, or need not be, and lack vectors of segments."""
        ...

    async def delete(
        self, key: BankKey, uid: str | None = None, if_revision: int | None = None
    ) -> tuple[PurgeCounts, int]:
        """Purge rows, feed and files: what was removed, and the last revision.

        Raises BankNotFound, StaleRevision where the bank does not stand at `if_revision`.
        """
        ...

    def watch(self, key: BankKey, after: int) -> AsyncIterator[BankChange]:
        """Every change after a revision, as they come, until the bank is gone (BankNotFound).

        Raises RevisionTrimmed.
        """
        ...
