"""What core asks of the world, as small Protocols whose docstrings name their errors.

Law: one conformance suite per port runs on every implementation (`tests/conformance`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.bank.change import BankState, Change, Head, Step, Vector
from core.ids import BankKey, InteractionId, RequestId, SegmentRef, Tenant
from core.model.bank import BankRecord, EmbeddingSpace
from core.model.request import RequestRecord

if TYPE_CHECKING:
    from core.bank.bank import Bank

Result = TypeVar("Result")


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, in UTC, with microseconds."""
        ...


class Ids(Protocol):
    def new(self, prefix: str) -> str:
        """A fresh id, unique and sorting by time of making: `prefix` says of what (`n`, `i`, `c`, …)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where an embedder draws its lines, on its calibrated scale [0, 1] (see `EmbeddingSpace`).

    They belong to the embedder: no threshold carries over to another.
    """

    topic: float  # neighbouring segments above it speak of one topic
    related: float  # two summaries above it are related
    same: float  # two summaries above it say much the same (never decides alone)


class Embedder(Protocol):
    """Text to unit vectors of one space. Raises EmbedderUnavailable.

    The same text gives the same bytes, whatever its company and whichever thread.
    """

    @property
    def space(self) -> EmbeddingSpace: ...

    @property
    def thresholds(self) -> Thresholds: ...

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Questions to vectors: shape (len(texts), dimension), float32, unit rows."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """What is to be found: shape (len(texts), dimension), float32, unit rows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message to a language model. `role`: `system`, `user` or `assistant`."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyShape:
    """The JSON a reply must be: a schema in which every property is required and no other is allowed."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a model answered, as it came: nobody has checked it. Tokens as the endpoint counts them, else 0.

    `cut_off`: it was ended before the model had finished; whatever it looks like, it is no answer.
    """

    text: str
    cut_off: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel(Protocol):
    """A language model. Raises ModelUnavailable."""

    @property
    def window(self) -> int:
        """How many tokens a call holds, prompt and reply together."""
        ...

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        """The next message of the conversation, asked for in this shape."""
        ...


class Reranker(Protocol):
    """Reads a question beside each text, as no index can: a cross-encoder, or a language model.

    Raises RerankerUnavailable; it keeps its own time, and RerankerLate says that this was over.
    """

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the query, in the order of the texts: 0 (not at all) to 1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeCounts:
    """What a purge removed."""

    nodes: int = 0
    edges: int = 0
    interactions: int = 0
    segments: int = 0
    conflicts: int = 0
    changes: int = 0
    requests: int = 0
    files_removed: int = 0  # written by the service
    files_left: int = 0  # named by callers through a URI


@dataclass(frozen=True, slots=True, kw_only=True)
class BankFilter:
    """Which banks to list. Empty fields admit all; labels must all match."""

    user: str = ""
    collection: str = ""
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """An interaction whose structuring is not DONE (PENDING or FAILED), and when it last moved."""

    key: BankKey
    interaction_id: InteractionId
    update_time: datetime


class Store(Protocol):
    """Durable banks: rows and change feed, one transaction per append. Raises StoreUnavailable."""

    async def append(
        self, key: BankKey, uid: str, changes: Sequence[Change], meanwhile: Callable[[], None] | None = None
    ) -> None:
        """Store changes, all or none; durable when it returns.

        `meanwhile` is for what the loop can do as the disk is waited for: it is called once before this
        returns, or not at all.

        The first change's parent must be the head (None: the bank must not exist and its first
        step is BankPut). Raises HeadMoved, BankExists (a create that lost), BankNotFound (gone, or
        there under another uid). An outcome that was lost on the way is settled by the change_id.
        """
        ...

    async def load(self, key: BankKey) -> BankState | None:
        """Head and rows in one snapshot, or None. Segment vectors included."""
        ...

    async def heads(self, keys: Sequence[BankKey]) -> Mapping[BankKey, Head]:
        """The heads of those that exist, in one query."""
        ...

    async def changes(self, key: BankKey, uid: str, after: int, limit: int) -> Sequence[Change]:
        """The feed after a revision, oldest first, without requests. Raises RevisionTrimmed, BankNotFound."""
        ...

    async def request(self, key: BankKey, request_id: RequestId) -> RequestRecord | None: ...

    async def put_segment_vectors(self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]) -> None:
        """Derived rows, outside the feed. Raises BankNotFound."""
        ...

    async def segment_vectors(
        self, key: BankKey, uid: str, refs: Sequence[SegmentRef]
    ) -> Mapping[SegmentRef, Vector]: ...

    async def list_banks(
        self, tenant: Tenant, chosen: BankFilter, after: str, limit: int
    ) -> Sequence[tuple[BankRecord, int]]:
        """Records with their revisions, ordered by bank_id, those after `after`."""
        ...

    async def delete(self, key: BankKey, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        """Remove every row of the bank and every trace on disk.

        Raises BankNotFound (also for another uid), HeadMoved where it does not stand at `revision`.
        """
        ...

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        """Interactions of any tenant still to be structured, longest untouched first."""
        ...

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[BankKey, str]]:
        """Finished banks (key, uid) whose ttl, or the default, has run out."""
        ...

    async def trim(self, before: datetime) -> int:
        """Forget feed entries and requests older than `before` (never a bank's newest); how many."""
        ...

    async def close(self) -> None: ...


class Blobs(Protocol):
    """Files the service keeps for banks. A URI it gives is stable and names one file.

    Raises AttachmentNotFound, BlobCorrupt.
    """

    async def put(
        self, key: BankKey, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        """Store the chunks durably under a new name; (uri, size in bytes). Nothing remains if it fails."""
        ...

    def read(self, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        """Bytes from `offset`, at most `limit` of them, in chunks."""
        ...

    async def delete_bank(self, key: BankKey, uid: str) -> int:
        """Remove every file of the bank; how many. Removing what is gone removes nothing."""
        ...


class IndexCache(Protocol):
    """What was derived of banks' indexes, by part, kept near for their next load. Raises StoreUnavailable.

    It may lose anything at any time, and nothing depends on what it holds: a blob says itself whether it is
    whole, and whoever takes it up verifies it against the rows.
    """

    async def put(self, key: BankKey, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        """Keep a part's blob, given in pieces, in place of the one before: whole or not at all."""
        ...

    async def get(self, key: BankKey, uid: str) -> Mapping[str, bytes]:
        """The bank's blobs by part; none for a bank it knows nothing of, or of another uid."""
        ...

    async def delete_bank(self, key: BankKey, uid: str) -> None:
        """Remove all of the bank. Removing what is gone removes nothing."""
        ...

    async def owners(self) -> Sequence[tuple[BankKey, str]]:
        """The banks (key, uid) of which anything is kept."""
        ...


# ---- writing: one writer per bank and process ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Generic[Result]):
    """What a command wants to change, made from a bank as it stands.

    `touches` names what it read or writes (`node:ID`, `edges:ID`, `insight`, `bank`, …): drafts
    that touch nothing in common are appended together; others wait for the next append and are
    made anew. `sees_all`: what was decided depends on every node of the bank, so it is only staged
    on a bank that nothing else is about to change. No steps: nothing to change, the result stands
    as it is.
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

    def watch(self, key: BankKey, after: int) -> AsyncIterator[Change]:
        """Every change after a revision, as they come, until the bank is gone (BankNotFound).

        Raises RevisionTrimmed.
        """
        ...
