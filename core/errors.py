"""What can go wrong, named for what happened; attributes, not prose.

Law: raised in core and by adapters, mapped to the wire in one table (`service.api.errors.table`).
Every class says which attributes it carries; `str(error)` is made from them for logs only. What is
caught before it reaches a caller is in `core.internal_errors`.
"""

from dataclasses import dataclass, fields
from typing import dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class MemoryBankError(Exception):
    """The root of everything this service raises on purpose. Every subclass is a dataclass, compared by identity."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return f"{type(self).__name__}({shown})"


# ---- what the caller sent ----


class InvalidField(MemoryBankError):
    """A field's value cannot be accepted. `field` is its path in the request, `problem` says what would do."""

    field: str
    problem: str


class RequestIdReused(MemoryBankError):
    """The same request_id came with another body."""

    request_id: str


class EmbeddingSpaceMismatch(MemoryBankError):
    """A vector or a configured embedder does not belong to the bank's embedding space."""

    field: str
    expected: str
    actual: str


class EmbeddingRequired(MemoryBankError):
    """A bank of CLIENT vectors was asked for something that needs a vector, and none came."""

    field: str


class BudgetTooSmall(MemoryBankError):
    """The token budget does not hold even what is never shortened."""

    field: str
    needed: int
    budget: int


class SensitiveContent(MemoryBankError):
    """A text holds what is not remembered unless the call allows it. `sort` says what, and no word of it."""

    field: str
    sort: str


# ---- what is not there, or there already ----


class AggregateNotFound(MemoryBankError):
    """Nothing is there under this key: each kind of memory has an error of its own."""


class AggregateExists(MemoryBankError):
    """Something is there already under this key: each kind of memory has an error of its own."""


class BankNotFound(AggregateNotFound):
    bank_id: str


class BankExists(AggregateExists):
    bank_id: str


class UserNotFound(AggregateNotFound):
    user: str


class UserExists(AggregateExists):
    """Something was written for this user already."""

    user: str


class ConversationNotFound(AggregateNotFound):
    user: str
    conversation_id: str


class ConversationExists(AggregateExists):
    user: str
    conversation_id: str


class TurnNotFound(MemoryBankError):
    step: int


class KeyNotFound(MemoryBankError):
    key_id: str


class ClusterNotFound(MemoryBankError):
    cluster_id: str


class InvocationNotFound(AggregateNotFound):
    """It never was, or it has ended and its working memory is gone."""

    user: str
    invocation_id: str


class InvocationExists(AggregateExists):
    user: str
    invocation_id: str


class NodeNotFound(MemoryBankError):
    node_id: str


class NodeAbsorbed(MemoryBankError):
    """The node was merged; `into` is the node that stands for it today."""

    node_id: str
    into: str


class NodeExists(MemoryBankError):
    node_id: str


class EdgeNotFound(MemoryBankError):
    node_id: str
    other_node_id: str


class InteractionNotFound(MemoryBankError):
    interaction_id: str


class InteractionExists(MemoryBankError):
    interaction_id: str


class AttachmentNotFound(MemoryBankError):
    attachment_id: str


class AttachmentUnreadable(MemoryBankError):
    """The attachment is a URI that this service does not read (only files it stored itself)."""

    attachment_id: str
    uri: str


class ConflictNotFound(MemoryBankError):
    conflict_id: str


class TaskNotFound(MemoryBankError):
    task_id: str


class SourceNotFound(MemoryBankError):
    """There is no such instruction document, or no such version of it (0: none was named)."""

    path: str
    version: int = 0


class CollectionNotFound(AggregateNotFound):
    user: str
    collection: str


class CollectionExists(AggregateExists):
    user: str
    collection: str


class RecordNotFound(MemoryBankError):
    record_id: str


class RecordExists(MemoryBankError):
    record_id: str


class InteractionRetracted(MemoryBankError):
    """The record was taken back: it is not stored again under its id, or by the same request."""

    interaction_id: str
    retraction_id: str


class ReflectionNotFound(MemoryBankError):
    reflection_id: str


class RetractionNotFound(MemoryBankError):
    retraction_id: str


# ---- what the state does not allow ----


class StaleRevision(MemoryBankError):
    """The caller's `if_revision` (or etag) is not what the thing has now."""

    expected: int
    actual: int


class StaleVersion(StaleRevision):
    """The caller's `if_version` is not the version that an instruction document has now (0: there is none)."""


class EditNotFound(MemoryBankError):
    """The passage to replace does not stand in the document."""

    path: str


class EditAmbiguous(MemoryBankError):
    """The passage to replace stands in the document more than once."""

    path: str
    matches: int


class RunExpired(MemoryBankError):
    """The run is too old: what it had fixed is kept no longer."""

    run_id: str


class RevisionNotReached(MemoryBankError):
    """`min_revision` lies beyond what the store has."""

    min_revision: int
    revision: int


class PartTimedOut(MemoryBankError):
    """A part of a context took longer than the caller waits for one."""

    part: str


class RevisionTrimmed(MemoryBankError):
    """The feed no longer reaches back so far; `oldest` is the first revision it can follow from."""

    revision: int
    oldest: int


class MemoryOff(MemoryBankError):
    """Memory is switched off, or being purged: of the `scope` named (user, collection, conversation)."""

    scope: str


class InvocationEnded(MemoryBankError):
    """The invocation's end is stored: it takes no more items, and no other end."""

    invocation_id: str


class ConflictClosed(MemoryBankError):
    conflict_id: str
    status: str


class RetractionClosed(MemoryBankError):
    """It was released, or erased."""

    retraction_id: str
    status: str


class NodeContested(MemoryBankError):
    """A node under an open conflict cannot be merged: only the resolution absorbs it."""

    node_id: str
    conflict_id: str


class BudgetSpent(MemoryBankError):
    """Asking a model would cost more tokens than allowed. `budget` names the setting, `allowed` its value."""

    budget: str
    spent: int
    allowed: int


class LimitReached(MemoryBankError):
    """A configured bound. `limit` names the setting, `allowed` its value, `remedy` the way out."""

    limit: str
    allowed: int
    remedy: str


class PermissionDenied(MemoryBankError):
    """The caller's credential does not allow it. `problem` says what it lacks, never whether what was named exists."""

    problem: str


class Overloaded(MemoryBankError):
    """More is asked for than can be done in time. `work` is the kind of it; room is likely after `wait` seconds."""

    work: str
    wait: float


# ---- what failed outside ----


class StoreUnavailable(MemoryBankError):
    """The store cannot answer now. `cause` is the driver's message, for logs. `is_damage`: it finds its own pages
    damaged."""

    cause: str
    is_damage: bool = False

    def __str__(self) -> str:
        return f"the store is unavailable: {self.cause}"


class StepUnknown(MemoryBankError):
    """The feed holds a step this program does not know (written by a newer one)."""

    step: str


class EmbedderUnavailable(MemoryBankError):
    cause: str


class AgentUnavailable(MemoryBankError):
    role: str
    cause: str


class AgentReplyInvalid(MemoryBankError):
    """An agent answered something that cannot be used, also after being asked again."""

    role: str
    problem: str


class StructuringFailed(MemoryBankError):
    """An agent or embedder failed half-way. The interaction and the finished nodes stand; `Restructure` goes on.

    `revision` is the bank's when that was noted."""

    interaction_id: str
    cause: MemoryBankError
    revision: int = 0


class MemoryDamaged(MemoryBankError):
    """What is stored of an aggregate is not what was written. `what`: the table, or what the driver says."""

    kind: str
    name: str
    what: str


class BlobCorrupt(MemoryBankError):
    """A stored file is not what was written (size or digest differ)."""

    uri: str


class ImportInvalid(MemoryBankError):
    """An export stream cannot be read: `line` counts its records from 1."""

    line: int
    problem: str
