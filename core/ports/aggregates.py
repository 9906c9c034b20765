"""Aggregates in memory: read, followed, written one command at a time.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from core.aggregate.change import Change
from core.bank.bank import Bank
from core.ids import InteractionId, RequestId
from core.keys import BankKey, Key
from core.model.vector import Vector
from core.ports.store import PurgeCounts, Require

A_co = TypeVar("A_co", covariant=True)
Result = TypeVar("Result")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Generic[Result]):
    """What a command wants to change, made from a bank as it stands.

    `touches` names what it read or writes (`node:ID`, `edges:ID`, `insight`, `bank`, …): drafts
    that touch nothing in common are appended together; others wait for the next append and are
    made anew. `sees_all`: what was decided depends on every node of the bank, so it is only staged
    on a bank that nothing else is about to change. `requires`: what must hold of other aggregates when it is
    stored. `erase`: it drops content, so older feed entries go too. No steps: nothing to change, the result stands as
    it is; with a request it is stored all the same, so that its repetition gets it again.
    """

    result: Result
    steps: tuple[Any, ...] = ()
    touches: frozenset[str] = frozenset()
    sees_all: bool = False
    requires: tuple[Require, ...] = ()
    erase: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKey:
    """The identity of a call: a repetition has all of it the same. `subject`: whose call it is, empty where no
    credential is asked for; it is part of the digest, too."""

    request_id: RequestId
    verb: str
    digest: str
    subject: str = ""

    @property
    def identity(self) -> str:
        """What ids follow from that are made for the call: the same for its repetitions alone."""
        named = f"{self.verb}\n{self.request_id}"
        return f"{named}\n{self.subject}" if self.subject else named


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult(Generic[Result]):
    """What came of a command. `replayed`: the first call's answer, found again; nothing was changed. `steps`: what was
    stored; of what was replayed none (see `Aggregates.feed`)."""

    result: Result
    revision: int
    replayed: bool = False
    steps: tuple[Any, ...] = ()


class Aggregates(Protocol[A_co]):
    """Aggregates of one kind in memory: opened, followed, written one command at a time, evicted when idle.

    "Not found" and "exists" are the errors that the kind has for them.
    """

    def reading(self, key: Key, min_revision: int = 0) -> AbstractAsyncContextManager[A_co]:
        """Opens the aggregate, fresh enough, and keeps it in memory while the context lasts. Do not await between two
        reads that must agree. Raises not found, RevisionNotReached."""
        ...

    async def record(self, key: Key) -> Any | None:
        """Returns an aggregate's record without opening it: from memory where it is there, else from its row alone.
        None where there is none."""
        ...

    async def confirm(self, keys: Sequence[Key]) -> None:
        """Confirms those of many that are in memory and not fresh enough, by one query of the store: before each is
        read, which would ask one by one. Of one that it cannot confirm nothing is told: the reading tells it."""
        ...

    async def validated(self, call: Callable[[], Awaitable[Done]]) -> Done:
        """Carries out a call that may write. Where it is refused before it has written anything, and the store has
        moved on from what it read, it is carried out once more, on confirmed readings: what it then raises holds."""
        ...

    def confirm_reads(self) -> None:
        """Has every reading of the current call confirmed by the store first: for calls that cannot be repeated."""
        ...

    async def found(
        self, key: Key, draft: Draft[Result], request: RequestKey | None = None, revision: int = 1
    ) -> CommitResult[Result]:
        """Creates the aggregate whose record the draft's first step puts, standing at `revision` (or a little later,
        when its steps are so many that they become several changes; still all or none). A bank that is imported goes on
        from the revision it was exported at. The result must be a frozen dataclass when a request is given. Raises
        exists, RequestIdReused, RequirementFailed."""
        ...

    async def commit(
        self,
        key: Key,
        stage: Callable[[A_co, int], Draft[Result]],
        request: RequestKey | None = None,
        answer: type[Result] | None = None,
    ) -> CommitResult[Result]:
        """Stages on the aggregate as it stands, stores, applies: durable and visible when it returns.

        `stage` gets the aggregate and the revision its change will have; it is pure and quick, and may be called again
        on a newer one; what it raises on the store's head goes to the caller, and nothing is written. Of a `request`
        seen before nothing is written either, whatever `stage` made or raised: its answer returns as `replayed`,
        decoded as `answer`, the class of the results (required with a request). Cancelling the caller stops its waiting
        only. Raises not found, RequestIdReused, RequirementFailed.
        """
        ...

    async def keep_vectors(self, key: Key, uid: str, part: str, vectors: Mapping[Any, Vector]) -> None:
        """Stores and indexes vectors made for items of this aggregate. Raises not found."""
        ...

    async def values(self, key: Key, uid: str, part: str, items: Sequence[str]) -> Mapping[str, Any]:
        """Reads values of a part that aggregates are loaded without, by item; nothing of what is not there."""
        ...

    async def delete(
        self, key: Key, uid: str | None = None, if_revision: int | None = None
    ) -> tuple[PurgeCounts, int]:
        """Purges rows, feed and files; returns what was removed, and the revision of the purge, one above the last.

        Raises not found, StaleRevision where it does not stand at `if_revision`.
        """
        ...

    def feed(self, key: Key, revision: int) -> AsyncIterator[Change[Any]]:
        """Yields the stored changes from this revision on, oldest first; none where the feed does not reach back so far
        any more: entries go with their age, and with content that was erased since."""
        ...

    def watch(self, key: Key, after: int) -> AsyncIterator[Change[Any]]:
        """Yields every change after a revision, as they come, until the aggregate is gone (not found).

        Raises RevisionTrimmed.
        """
        ...


class Banks(Aggregates[Bank], Protocol):
    """Banks in memory."""

    def unembedded(self) -> Sequence[tuple[BankKey, InteractionId]]:
        """Returns interactions of banks in memory that are structured, or need not be, and lack vectors of segments."""
        ...

    def overdue(self, now: datetime) -> Sequence[BankKey]:
        """Returns banks in memory whose `due_time` has passed: also such as the store does not know to be due, because
        an earlier program wrote their record."""
        ...
