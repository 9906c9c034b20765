"""What can go wrong, named for what happened; attributes, not prose.

Law: raised in core and by adapters, mapped to the wire in one table (`service.api.errors.table`).
Every class says which attributes it carries; `str(error)` is made from them for logs only. What is
caught before it reaches a caller is in `core.internal_errors`.
"""

from dataclasses import dataclass, fields


@dataclass(eq=False)
class MemoryBankError(Exception):
    """The root of everything this service raises on purpose."""

    def __str__(self) -> str:
        shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return f"{type(self).__name__}({shown})"


# ---- what the caller sent ----


@dataclass(eq=False)
class InvalidField(MemoryBankError):
    """A field's value cannot be accepted. `field` is its path in the request, `problem` says what would do."""

    field: str
    problem: str


@dataclass(eq=False)
class RequestIdReused(MemoryBankError):
    """The same request_id came with another body."""

    request_id: str


@dataclass(eq=False)
class EmbeddingSpaceMismatch(MemoryBankError):
    """A vector or a configured embedder does not belong to the bank's embedding space."""

    field: str
    expected: str
    actual: str


@dataclass(eq=False)
class EmbeddingRequired(MemoryBankError):
    """A bank of CLIENT vectors was asked for something that needs a vector, and none came."""

    field: str


@dataclass(eq=False)
class BudgetTooSmall(MemoryBankError):
    """The token budget does not hold even what is never shortened."""

    field: str
    needed: int
    budget: int


@dataclass(eq=False)
class SensitiveContent(MemoryBankError):
    """A text holds what is not remembered unless the call allows it. `sort` says what, and no word of it."""

    field: str
    sort: str


# ---- what is not there, or there already ----


class AggregateNotFound(MemoryBankError):
    """Nothing is there under this key: each kind of memory has an error of its own."""


class AggregateExists(MemoryBankError):
    """Something is there already under this key: each kind of memory has an error of its own."""


@dataclass(eq=False)
class BankNotFound(AggregateNotFound):
    bank_id: str


@dataclass(eq=False)
class BankExists(AggregateExists):
    bank_id: str


@dataclass(eq=False)
class UserNotFound(AggregateNotFound):
    user: str


@dataclass(eq=False)
class ConversationNotFound(AggregateNotFound):
    user: str
    conversation_id: str


@dataclass(eq=False)
class ConversationExists(AggregateExists):
    user: str
    conversation_id: str


@dataclass(eq=False)
class TurnNotFound(MemoryBankError):
    step: int


@dataclass(eq=False)
class KeyNotFound(MemoryBankError):
    key_id: str


@dataclass(eq=False)
class InvocationNotFound(AggregateNotFound):
    """It never was, or it has ended and its working memory is gone."""

    user: str
    invocation_id: str


@dataclass(eq=False)
class InvocationExists(AggregateExists):
    user: str
    invocation_id: str


@dataclass(eq=False)
class NodeNotFound(MemoryBankError):
    node_id: str


@dataclass(eq=False)
class NodeAbsorbed(MemoryBankError):
    """The node was merged; `into` is the node that stands for it today."""

    node_id: str
    into: str


@dataclass(eq=False)
class NodeExists(MemoryBankError):
    node_id: str


@dataclass(eq=False)
class EdgeNotFound(MemoryBankError):
    node_id: str
    other_node_id: str


@dataclass(eq=False)
class InteractionNotFound(MemoryBankError):
    interaction_id: str


@dataclass(eq=False)
class InteractionExists(MemoryBankError):
    interaction_id: str


@dataclass(eq=False)
class AttachmentNotFound(MemoryBankError):
    attachment_id: str


@dataclass(eq=False)
class AttachmentUnreadable(MemoryBankError):
    """The attachment is a URI that this service does not read (only files it stored itself)."""

    attachment_id: str
    uri: str


@dataclass(eq=False)
class ConflictNotFound(MemoryBankError):
    conflict_id: str


@dataclass(eq=False)
class TaskNotFound(MemoryBankError):
    task_id: str


@dataclass(eq=False)
class SourceNotFound(MemoryBankError):
    """There is no such instruction document, or no such version of it (0: none was named)."""

    path: str
    version: int = 0


@dataclass(eq=False)
class CollectionNotFound(AggregateNotFound):
    user: str
    collection: str


@dataclass(eq=False)
class CollectionExists(AggregateExists):
    user: str
    collection: str


@dataclass(eq=False)
class RecordNotFound(MemoryBankError):
    record_id: str


@dataclass(eq=False)
class RecordExists(MemoryBankError):
    record_id: str


@dataclass(eq=False)
class ReflectionNotFound(MemoryBankError):
    reflection_id: str


# ---- what the state does not allow ----


@dataclass(eq=False)
class StaleRevision(MemoryBankError):
    """The caller's `if_revision` (or etag) is not what the thing has now."""

    expected: int
    actual: int


@dataclass(eq=False)
class StaleVersion(StaleRevision):
    """The caller's `if_version` is not the version that an instruction document has now (0: there is none)."""


@dataclass(eq=False)
class EditNotFound(MemoryBankError):
    """The passage to replace does not stand in the document."""

    path: str


@dataclass(eq=False)
class EditAmbiguous(MemoryBankError):
    """The passage to replace stands in the document more than once."""

    path: str
    matches: int


@dataclass(eq=False)
class RunExpired(MemoryBankError):
    """The run is too old: what it had fixed is kept no longer."""

    run_id: str


@dataclass(eq=False)
class RevisionNotReached(MemoryBankError):
    """`min_revision` lies beyond what the store has."""

    min_revision: int
    revision: int


@dataclass(eq=False)
class PartTimedOut(MemoryBankError):
    """A part of a context took longer than the caller waits for one."""

    part: str


@dataclass(eq=False)
class RevisionTrimmed(MemoryBankError):
    """The feed no longer reaches back so far; `oldest` is the first revision it can follow from."""

    revision: int
    oldest: int


@dataclass(eq=False)
class MemoryOff(MemoryBankError):
    """Memory is switched off, or being purged: of the `scope` named (user, collection, conversation)."""

    scope: str


@dataclass(eq=False)
class InvocationEnded(MemoryBankError):
    """The invocation's end is stored: it takes no more items, and no other end."""

    invocation_id: str


@dataclass(eq=False)
class ConflictClosed(MemoryBankError):
    conflict_id: str
    status: str


@dataclass(eq=False)
class NodeContested(MemoryBankError):
    """A node under an open conflict cannot be merged: only the resolution absorbs it."""

    node_id: str
    conflict_id: str


@dataclass(eq=False)
class BudgetSpent(MemoryBankError):
    """Asking a model would cost more tokens than allowed. `budget` names the setting, `allowed` its value."""

    budget: str
    spent: int
    allowed: int


@dataclass(eq=False)
class LimitReached(MemoryBankError):
    """A configured bound. `limit` names the setting, `allowed` its value, `remedy` the way out."""

    limit: str
    allowed: int
    remedy: str


@dataclass(eq=False)
class Overloaded(MemoryBankError):
    """More is asked for than can be done in time. `work` is the kind of it; room is likely after `wait` seconds."""

    work: str
    wait: float


# ---- what failed outside ----


@dataclass(eq=False)
class StoreUnavailable(MemoryBankError):
    """The store cannot answer now. `cause` is the driver's message, for logs. `is_damage`: it finds its own pages
    damaged."""

    cause: str
    is_damage: bool = False

    def __str__(self) -> str:
        return f"the store is unavailable: {self.cause}"


@dataclass(eq=False)
class StepUnknown(MemoryBankError):
    """The feed holds a step this program does not know (written by a newer one)."""

    step: str


@dataclass(eq=False)
class EmbedderUnavailable(MemoryBankError):
    cause: str


@dataclass(eq=False)
class AgentUnavailable(MemoryBankError):
    role: str
    cause: str


@dataclass(eq=False)
class AgentReplyInvalid(MemoryBankError):
    """An agent answered something that cannot be used, also after being asked again."""

    role: str
    problem: str


@dataclass(eq=False)
class StructuringFailed(MemoryBankError):
    """An agent or embedder failed half-way. The interaction and the finished nodes stand; `Restructure` goes on.

    `revision` is the bank's when that was noted."""

    interaction_id: str
    cause: MemoryBankError
    revision: int = 0


@dataclass(eq=False)
class MemoryDamaged(MemoryBankError):
    """What is stored of an aggregate is not what was written. `what`: the table, or what the driver says."""

    kind: str
    name: str
    what: str


@dataclass(eq=False)
class BlobCorrupt(MemoryBankError):
    """A stored file is not what was written (size or digest differ)."""

    uri: str


@dataclass(eq=False)
class ImportInvalid(MemoryBankError):
    """An export stream cannot be read: `line` counts its records from 1."""

    line: int
    problem: str
