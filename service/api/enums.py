"""The contract's enums and core's, value by value. What is not stated reads as the first of each."""

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from core.agents.offline.judging.pair import Bar
from core.long_term.conditions import Op
from core.long_term.routing import Intent, Layer
from core.model.bank import SpaceSource
from core.model.conflict import ConflictStatus, VerdictType
from core.model.conversation import ConversationState, KeyType, SummaryKind
from core.model.insight import TaskOutcome
from core.model.interaction import InteractionOrigin, TaskStatus
from core.model.invocation import ItemType
from core.model.lineage import MergeReason
from core.model.node import NodeState
from core.model.record import Origin, RecordKind, RecordState
from core.model.review import Review
from core.model.structuring import Purpose, StructuringState
from core.usecases.bank.retrieval.reranking import RerankOutcome
from memorybank.v1 import (
    conversation_pb2,
    long_term_pb2,
    retrieval_pb2,
    types_pb2,
)

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper  # as stubs have it

Value = TypeVar("Value")
Number = TypeVar("Number", bound=int)
Member = TypeVar("Member", bound=Enum)


def choices(contract: "_EnumTypeWrapper[Number]", of: type[Member]) -> dict[Number, Member]:
    """Returns core's values by the contract's numbers, in core's order: `SUMMARY_KIND_LONG` is LONG."""
    prefix = contract.DESCRIPTOR.values[0].name.removesuffix("UNSPECIFIED")
    return {contract.Value(prefix + member.name): member for member in of}


NODE_STATES = choices(types_pb2.NodeState, NodeState)
TASK_OUTCOMES = choices(types_pb2.TaskOutcome, TaskOutcome)
TASK_STATUSES = choices(types_pb2.TaskStatus, TaskStatus)
CONFLICT_STATUSES = choices(types_pb2.ConflictStatus, ConflictStatus)
VERDICT_TYPES = choices(types_pb2.VerdictType, VerdictType)
MERGE_REASONS = choices(types_pb2.MergeReason, MergeReason)
ORIGINS = choices(types_pb2.InteractionOrigin, InteractionOrigin)
STRUCTURING_STATES = choices(types_pb2.StructuringState, StructuringState)
SENTENCE_BARS = choices(retrieval_pb2.SentenceBar, Bar)
CONVERSATION_STATES = choices(conversation_pb2.ConversationState, ConversationState)
SUMMARY_KINDS = choices(conversation_pb2.SummaryKind, SummaryKind)
ITEM_TYPES = choices(conversation_pb2.ItemType, ItemType)
KEY_TYPES = choices(conversation_pb2.KeyType, KeyType)
PURPOSES = choices(types_pb2.Purpose, Purpose)
SPACE_SOURCES = choices(types_pb2.SpaceSource, SpaceSource)
RERANKINGS = {
    retrieval_pb2.RERANKING_UNSPECIFIED: RerankOutcome.UNASKED,
    retrieval_pb2.RERANKING_DONE: RerankOutcome.DONE,
    retrieval_pb2.RERANKING_LATE: RerankOutcome.LATE,
    retrieval_pb2.RERANKING_UNAVAILABLE: RerankOutcome.UNAVAILABLE,
}
RECORD_KINDS = choices(long_term_pb2.RecordKind, RecordKind)
METADATA_OPS = choices(long_term_pb2.MetadataOp, Op)
RECORD_ORIGINS = choices(long_term_pb2.RecordOrigin, Origin)
RECORD_STATES = choices(long_term_pb2.RecordState, RecordState)
REVIEWS = choices(long_term_pb2.Review, Review)
INTENTS = choices(long_term_pb2.Intent, Intent)
LAYERS = choices(long_term_pb2.MemoryLayer, Layer)
THUMBS = {long_term_pb2.THUMB_UP: True, long_term_pb2.THUMB_DOWN: False}


def or_first(choices: Mapping[Number, Value]) -> dict[int, Value]:
    """Returns the same choices where 0, not stated, reads as the first."""
    return {0: next(iter(choices.values())), **dict(choices.items())}


def or_none(choices: Mapping[Number, Value]) -> dict[int, Value | None]:
    """Returns the same choices where 0, not stated, reads as None."""
    return {0: None, **dict(choices.items())}


def numbers(choices: Mapping[Number, Value]) -> dict[Value, Number]:
    """Maps core's values to the contract's numbers."""
    return {value: number for number, value in choices.items()}
