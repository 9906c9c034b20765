"""What every error becomes on the wire: one table, from error class to code, reason and words.

Law: this is the only place that gives an error those; what is not there, or there already, is in `absence`. A message
says what happened and, where there is one, the way out; it never repeats what is remembered.
"""

from datetime import timedelta

import grpc

from core import errors as core
from core.errors import InvalidField, MemoryBankError
from core.internal_errors import RequirementFailed
from memorybank.v1 import errors_pb2 as pb
from service.api.errors.absence import ABSENCE
from service.api.errors.rule import LATER, SOON, Rule
from service.api.errors.transport import (
    DeadlineExceeded,
    Defect,
    InvalidRequest,
    MessageTooLarge,
    RateLimited,
    ShuttingDown,
    Starting,
    StreamMoved,
    Unauthenticated,
    UndecodableRequest,
)

PREFIX = "ERROR_REASON_"

RULES: dict[type[MemoryBankError], Rule] = {
    # What the caller sent. InvalidField and InvalidRequest share a rule: one is a list of the other.
    InvalidRequest: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_INVALID_FIELD,
        message="{problems}",
        metadata=("field", "problem"),
    ),
    InvalidField: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_INVALID_FIELD,
        message="{field}: {problem}",
        metadata=("field", "problem"),
    ),
    UndecodableRequest: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_UNDECODABLE_REQUEST,
        message="the bytes are not a request of {method}: send the message type that the contract names",
        metadata=("method",),
    ),
    core.RequestIdReused: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_REQUEST_ID_REUSED,
        message="request_id {request_id!r} came before with another body: repeat that body, or take a new id",
        metadata=("request_id",),
    ),
    core.EmbeddingSpaceMismatch: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_EMBEDDING_SPACE_MISMATCH,
        message="{field}: the embedding space is {expected}, not {actual}",
        metadata=("field", "expected", "actual"),
    ),
    core.EmbeddingRequired: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_EMBEDDING_REQUIRED,
        message="{field}: callers bring this bank's vectors, and this needs one",
        metadata=("field",),
    ),
    core.BudgetTooSmall: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_BUDGET_TOO_SMALL,
        message="{field}: what is never shortened takes {needed} tokens, the budget is {budget}",
        metadata=("field", "needed", "budget"),
    ),
    core.ImportInvalid: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_IMPORT_INVALID,
        message="record {line} of the import: {problem}; nothing was imported",
        metadata=("line", "problem"),
    ),
    core.SensitiveContent: Rule(
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason=pb.ERROR_REASON_SENSITIVE_CONTENT,
        message="{field}: holds a {sort}; leave it out, or set allow_sensitive",
        metadata=("field", "sort"),
    ),
    # What is not there, or there already.
    **ABSENCE,
    # What the state does not allow.
    core.MemoryOff: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_MEMORY_OFF,
        message="memory is switched off for this {scope}: switch it on (enabled) to write again",
        metadata=("scope",),
    ),
    core.StaleRevision: Rule(
        code=grpc.StatusCode.ABORTED,
        reason=pb.ERROR_REASON_STALE_REVISION,
        message="if_revision is {expected}, but it changed at {actual} since: read it again",
        metadata=("expected", "actual"),
    ),
    core.StaleVersion: Rule(
        code=grpc.StatusCode.ABORTED,
        reason=pb.ERROR_REASON_STALE_REVISION,
        message="if_version is {expected}, but the source is at version {actual} (0: there is none): read it again",
        metadata=("expected", "actual"),
    ),
    core.EditNotFound: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_EDIT_NOT_FOUND,
        message="old_text does not stand in the source: read it again, and take the passage character for character",
        metadata=("path",),
    ),
    core.EditAmbiguous: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_EDIT_AMBIGUOUS,
        message="old_text stands in the source {matches} times: take more of what stands around the one meant",
        metadata=("path", "matches"),
    ),
    core.RunExpired: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_RUN_EXPIRED,
        message="run {run_id!r} is too old: what it saw may be kept no longer; load with refresh",
        metadata=("run_id",),
    ),
    core.PartTimedOut: Rule(
        code=grpc.StatusCode.DEADLINE_EXCEEDED,
        reason=pb.ERROR_REASON_PART_TIMED_OUT,
        message="{part}: was not read in time",
        metadata=("part",),
    ),
    core.RevisionNotReached: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_REVISION_NOT_REACHED,
        message="what is read is at revision {revision}, not yet at {min_revision}",
        metadata=("min_revision", "revision"),
    ),
    core.RevisionTrimmed: Rule(
        code=grpc.StatusCode.OUT_OF_RANGE,
        reason=pb.ERROR_REASON_REVISION_TRIMMED,
        message="changes after {revision} are no longer kept: read the bank anew, and watch from {oldest} or later",
        metadata=("revision", "oldest"),
    ),
    core.ConflictClosed: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_CONFLICT_CLOSED,
        message="conflict {conflict_id!r} is closed: {status}",
        metadata=("conflict_id", "status"),
    ),
    core.InteractionRetracted: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_INTERACTION_RETRACTED,
        message="interaction {interaction_id!r} was taken back by {retraction_id!r}: nothing is stored",
        metadata=("interaction_id", "retraction_id"),
    ),
    core.RetractionClosed: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_RETRACTION_CLOSED,
        message="retraction {retraction_id!r} is closed: {status}",
        metadata=("retraction_id", "status"),
    ),
    core.NodeContested: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_NODE_CONTESTED,
        message="node {node_id!r} is a side of conflict {conflict_id!r}: ResolveConflict first",
        metadata=("node_id", "conflict_id"),
    ),
    core.LimitReached: Rule(
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason=pb.ERROR_REASON_LIMIT_REACHED,
        message="{limit} is {allowed}: {remedy}",
        metadata=("limit", "allowed", "remedy"),
    ),
    core.Overloaded: Rule(
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason=pb.ERROR_REASON_OVERLOADED,
        message="more is asked for ({work}) than can be done before the deadline: nothing was begun, try again later",
        metadata=("work", "wait"),
        retry_after=SOON,
    ),
    core.BudgetSpent: Rule(
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason=pb.ERROR_REASON_BUDGET_SPENT,
        message="{spent} tokens are spent of the {allowed} that {budget} allows: raise it, or use offline agents",
        metadata=("budget", "spent", "allowed"),
    ),
    MessageTooLarge: Rule(
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason=pb.ERROR_REASON_MESSAGE_TOO_LARGE,
        message="the request has {size} bytes, and a message may have {allowed}: {remedy}",
        metadata=("allowed", "remedy"),
    ),
    core.InvocationEnded: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_INVOCATION_ENDED,
        message="the invocation {invocation_id!r} has ended: begin another",
        metadata=("invocation_id",),
    ),
    # What failed outside.
    core.StoreUnavailable: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_STORE_UNAVAILABLE,
        message="the store cannot answer now: try again",
        retry_after=SOON,
    ),
    core.StepUnknown: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_STEP_UNKNOWN,
        message="a newer version of the service changed this bank: ask a replica of that version",
        retry_after=LATER,
    ),
    core.EmbedderUnavailable: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_EMBEDDER_UNAVAILABLE,
        message="the embedder cannot answer now: try again",
        retry_after=LATER,
    ),
    core.AgentUnavailable: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_AGENT_UNAVAILABLE,
        message="the {role} cannot answer now: try again",
        metadata=("role",),
        retry_after=LATER,
    ),
    core.AgentReplyInvalid: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_AGENT_REPLY_INVALID,
        message="the {role} answered what cannot be used: {problem}",
        metadata=("role", "problem"),
    ),
    core.StructuringFailed: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_STRUCTURING_FAILED,
        message="interaction {interaction_id!r} is stored, but not structured to the end ({cause}): "
        "Restructure, or the same request_id, goes on",
        metadata=("interaction_id", "cause", "revision"),
    ),
    core.BlobCorrupt: Rule(
        code=grpc.StatusCode.DATA_LOSS,
        reason=pb.ERROR_REASON_BLOB_CORRUPT,
        message="a stored file is not what was written",
        metadata=("uri",),
    ),
    core.MemoryDamaged: Rule(
        code=grpc.StatusCode.DATA_LOSS,
        reason=pb.ERROR_REASON_MEMORY_DAMAGED,
        message="what is stored of {kind} {name} is not what was written, in {what}: restore it from a backup, or "
        "delete it",
        metadata=("kind", "name", "what"),
    ),
    Starting: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_STARTING,
        message="the service is starting: try again shortly",
        retry_after=SOON,
    ),
    ShuttingDown: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_SHUTTING_DOWN,
        message="the service is stopping: try another replica, or again shortly",
        retry_after=SOON,
    ),
    StreamMoved: Rule(
        code=grpc.StatusCode.UNAVAILABLE,
        reason=pb.ERROR_REASON_SHUTTING_DOWN,
        message="the service is stopping: go on at another replica",
        retry_after=timedelta(0),
    ),
    DeadlineExceeded: Rule(
        code=grpc.StatusCode.DEADLINE_EXCEEDED,
        reason=pb.ERROR_REASON_DEADLINE_EXCEEDED,
        message="the deadline passed; a write that was stored stands, and the same request_id tells",
    ),
    Unauthenticated: Rule(
        code=grpc.StatusCode.UNAUTHENTICATED,
        reason=pb.ERROR_REASON_UNAUTHENTICATED,
        message="{problem}",
        metadata=("problem",),
    ),
    core.PermissionDenied: Rule(
        code=grpc.StatusCode.PERMISSION_DENIED,
        reason=pb.ERROR_REASON_PERMISSION_DENIED,
        message="{problem}",
        metadata=("problem",),
    ),
    RateLimited: Rule(
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason=pb.ERROR_REASON_RATE_LIMITED,
        message="more calls than {limit} allows: try again in {wait:.3f} s",
        metadata=("limit", "wait"),
        retry_after=timedelta(),
    ),
    Defect: Rule(
        code=grpc.StatusCode.INTERNAL,
        reason=pb.ERROR_REASON_DEFECT,
        message="unexpected: the service's log has the details under incident {incident}",
        metadata=("incident",),
    ),
}

SPACE_OF_THE_BANK = Rule(
    code=grpc.StatusCode.FAILED_PRECONDITION,
    reason=pb.ERROR_REASON_EMBEDDING_SPACE_MISMATCH,
    message="the bank's embedding space is {expected}, and the service embeds in {actual}: configure that embedder",
    metadata=("field", "expected", "actual"),
)
"""For an EmbeddingSpaceMismatch that names no field: nothing in the request is wrong."""

OVER_BUDGET = Rule(
    code=grpc.StatusCode.RESOURCE_EXHAUSTED,
    reason=pb.ERROR_REASON_STRUCTURING_FAILED,
    message="interaction {interaction_id!r} is stored, but not structured to the end: {spent} tokens are spent of the "
    "{allowed} that {budget} allows; raise it, then Restructure, or the same request_id, goes on",
    metadata=("interaction_id", "cause", "revision", "budget", "spent", "allowed"),
)
"""For a StructuringFailed whose cause is BudgetSpent: trying again does not help, raising the budget does."""


def rule_of(error: MemoryBankError) -> Rule:
    """Finds the error's entry in the table."""
    if isinstance(error, core.EmbeddingSpaceMismatch) and not error.field:
        return SPACE_OF_THE_BANK
    if isinstance(error, core.StructuringFailed) and isinstance(error.cause, core.BudgetSpent):
        return OVER_BUDGET
    if isinstance(error, RequirementFailed):
        return RULES[core.MemoryOff]
    return RULES[type(error)]


def reason_of(error: MemoryBankError) -> str:
    """Returns the reason's name without its prefix, as ErrorInfo has it."""
    return pb.ErrorReason.Name(rule_of(error).reason).removeprefix(PREFIX)
