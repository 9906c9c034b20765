"""The part of the table of errors about what is not there, or there already."""

import grpc

from core import errors as core
from core.errors import MemoryBankError
from memorybank.v1 import errors_pb2 as pb
from service.api.errors.rule import Rule

ABSENCE: dict[type[MemoryBankError], Rule] = {
    core.BankNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_BANK_NOT_FOUND,
        message="there is no bank {bank_id!r}: CreateBank or StartTask makes one",
        metadata=("bank_id",),
    ),
    core.BankExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_BANK_EXISTS,
        message="there is a bank {bank_id!r} already: use it (`allow_existing`), delete it, or take another id",
        metadata=("bank_id",),
    ),
    core.UserNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_USER_NOT_FOUND,
        message="nothing is kept for a user {user!r}: the first write, or UpdateUser, makes one",
        metadata=("user",),
    ),
    core.UserExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_USER_EXISTS,
        message="something is kept of a user {user!r}: import under another name, or purge the user and their banks",
        metadata=("user",),
    ),
    core.ConversationNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_CONVERSATION_NOT_FOUND,
        message="user {user!r} has no conversation {conversation_id!r}",
        metadata=("user", "conversation_id"),
    ),
    core.ConversationExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_CONVERSATION_EXISTS,
        message="user {user!r} has a conversation {conversation_id!r} already",
        metadata=("user", "conversation_id"),
    ),
    core.TurnNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_TURN_NOT_FOUND,
        message="the conversation has no turn {step}",
        metadata=("step",),
    ),
    core.KeyNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_KEY_NOT_FOUND,
        message="the conversation has no key {key_id!r}",
        metadata=("key_id",),
    ),
    core.ClusterNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_CLUSTER_NOT_FOUND,
        message="the conversation has no cluster {cluster_id!r}",
        metadata=("cluster_id",),
    ),
    core.InvocationNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_INVOCATION_NOT_FOUND,
        message="user {user!r} has no invocation {invocation_id!r}, or it has ended",
        metadata=("user", "invocation_id"),
    ),
    core.InvocationExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_INVOCATION_EXISTS,
        message="user {user!r} has an invocation {invocation_id!r} already",
        metadata=("user", "invocation_id"),
    ),
    core.NodeNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_NODE_NOT_FOUND,
        message="the bank has no node {node_id!r}",
        metadata=("node_id",),
    ),
    core.NodeAbsorbed: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_NODE_ABSORBED,
        message="node {node_id!r} was merged: {into!r} stands for it",
        metadata=("node_id", "into"),
    ),
    core.NodeExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_NODE_EXISTS,
        message="the bank has, or had, a node {node_id!r}: take another id, or leave it empty",
        metadata=("node_id",),
    ),
    core.EdgeNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_EDGE_NOT_FOUND,
        message="nodes {node_id!r} and {other_node_id!r} are not related",
        metadata=("node_id", "other_node_id"),
    ),
    core.InteractionNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_INTERACTION_NOT_FOUND,
        message="the bank has no interaction {interaction_id!r}",
        metadata=("interaction_id",),
    ),
    core.InteractionExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_INTERACTION_EXISTS,
        message="the bank has an interaction {interaction_id!r} already: take another id, or leave it empty",
        metadata=("interaction_id",),
    ),
    core.AttachmentNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_ATTACHMENT_NOT_FOUND,
        message="no attachment {attachment_id!r} here: name its uri, or upload it first (UploadAttachment)",
        metadata=("attachment_id",),
    ),
    core.AttachmentUnreadable: Rule(
        code=grpc.StatusCode.FAILED_PRECONDITION,
        reason=pb.ERROR_REASON_ATTACHMENT_UNREADABLE,
        message="attachment {attachment_id!r} lies elsewhere: read it from its uri",
        metadata=("attachment_id", "uri"),
    ),
    core.ConflictNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_CONFLICT_NOT_FOUND,
        message="the bank has no conflict {conflict_id!r}",
        metadata=("conflict_id",),
    ),
    core.TaskNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_TASK_NOT_FOUND,
        message="no such task is known here: {task_id!r}; GetInsight lists them",
        metadata=("task_id",),
    ),
    core.SourceNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_SOURCE_NOT_FOUND,
        message="there is no such source, or no such version of it: ListSources and ListVersions tell what there is",
        metadata=("path", "version"),
    ),
    core.CollectionNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_COLLECTION_NOT_FOUND,
        message="the user has no collection {collection!r}: the first write makes it",
        metadata=("user", "collection"),
    ),
    core.CollectionExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_COLLECTION_EXISTS,
        message="the user has a collection {collection!r} already",
        metadata=("user", "collection"),
    ),
    core.RecordNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_RECORD_NOT_FOUND,
        message="the collection has no record {record_id!r}",
        metadata=("record_id",),
    ),
    core.RecordExists: Rule(
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason=pb.ERROR_REASON_RECORD_EXISTS,
        message="the collection has a record {record_id!r} already: take another id, or leave it empty",
        metadata=("record_id",),
    ),
    core.RetractionNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_RETRACTION_NOT_FOUND,
        message="there is no retraction {retraction_id!r}",
        metadata=("retraction_id",),
    ),
    core.ReflectionNotFound: Rule(
        code=grpc.StatusCode.NOT_FOUND,
        reason=pb.ERROR_REASON_REFLECTION_NOT_FOUND,
        message="the collection has no reflection {reflection_id!r}",
        metadata=("reflection_id",),
    ),
}
