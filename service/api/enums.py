"""The contract's enums and core's, value by value. What is not stated reads as the first of each."""

from collections.abc import Mapping
from typing import TypeVar

from core.agents.offline.judging.pair import Bar, PairReason
from core.bank.query import Target
from core.index.scoring import Mode
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
from core.model.record import Origin, RecordKind, RecordState, SupersededReason
from core.model.review import Review
from core.model.structuring import Purpose, StructuringState
from core.usecases.bank.retrieval.reranking import RerankOutcome
from core.usecases.context.explain_pair import NotCompared
from memorybank.v1 import (
    conversation_pb2,
    long_term_pb2,
    retrieval_pb2,
    types_pb2,
)

Value = TypeVar("Value")
Number = TypeVar("Number", bound=int)


NODE_STATES = {
    types_pb2.NODE_STATE_ACTIVE: NodeState.ACTIVE,
    types_pb2.NODE_STATE_CONTESTED: NodeState.CONTESTED,
}
TASK_OUTCOMES = {
    types_pb2.TASK_OUTCOME_SUCCEEDED: TaskOutcome.SUCCEEDED,
    types_pb2.TASK_OUTCOME_GAVE_UP: TaskOutcome.GAVE_UP,
}
TASK_STATUSES = {
    types_pb2.TASK_STATUS_SUCCEEDED: TaskStatus.SUCCEEDED,
    types_pb2.TASK_STATUS_FAILED: TaskStatus.FAILED,
}
CONFLICT_STATUSES = {
    types_pb2.CONFLICT_STATUS_OPEN: ConflictStatus.OPEN,
    types_pb2.CONFLICT_STATUS_RESOLVED: ConflictStatus.RESOLVED,
    types_pb2.CONFLICT_STATUS_DISMISSED: ConflictStatus.DISMISSED,
    types_pb2.CONFLICT_STATUS_MOOT: ConflictStatus.MOOT,
    types_pb2.CONFLICT_STATUS_SUSPECTED: ConflictStatus.SUSPECTED,
}
VERDICT_TYPES = {
    types_pb2.VERDICT_TYPE_MERGE: VerdictType.MERGE,
    types_pb2.VERDICT_TYPE_DISMISS: VerdictType.DISMISS,
}
MERGE_REASONS = {
    types_pb2.MERGE_REASON_MERGE: MergeReason.MERGE,
    types_pb2.MERGE_REASON_CONFLICT: MergeReason.CONFLICT,
    types_pb2.MERGE_REASON_REQUEST: MergeReason.REQUEST,
}
ORIGINS = {
    types_pb2.INTERACTION_ORIGIN_CONTEXT: InteractionOrigin.CONTEXT,
    types_pb2.INTERACTION_ORIGIN_VERBATIM: InteractionOrigin.VERBATIM,
    types_pb2.INTERACTION_ORIGIN_VERDICT: InteractionOrigin.VERDICT,
}
STRUCTURING_STATES = {
    types_pb2.STRUCTURING_STATE_PENDING: StructuringState.PENDING,
    types_pb2.STRUCTURING_STATE_DONE: StructuringState.DONE,
    types_pb2.STRUCTURING_STATE_FAILED: StructuringState.FAILED,
}
PAIR_REASONS = {
    retrieval_pb2.PAIR_REASON_CONTRADICTION: PairReason.CONTRADICTION,
    retrieval_pb2.PAIR_REASON_SAME: PairReason.SAME,
    retrieval_pb2.PAIR_REASON_GENERATED: PairReason.GENERATED,
    retrieval_pb2.PAIR_REASON_ENTRIES: PairReason.ENTRIES,
    retrieval_pb2.PAIR_REASON_NOT_NEAREST: PairReason.NOT_NEAREST,
    retrieval_pb2.PAIR_REASON_OTHER_MATTER: PairReason.OTHER_MATTER,
    retrieval_pb2.PAIR_REASON_QUANTITY: PairReason.QUANTITY,
    retrieval_pb2.PAIR_REASON_TOO_LONG: PairReason.TOO_LONG,
    retrieval_pb2.PAIR_REASON_NOTHING_SAID: PairReason.NOTHING_SAID,
    retrieval_pb2.PAIR_REASON_NOTHING_COMPARES: PairReason.NOTHING_COMPARES,
    retrieval_pb2.PAIR_REASON_PARTLY: PairReason.PARTLY,
    retrieval_pb2.PAIR_REASON_BELOW_LINE: PairReason.BELOW_LINE,
    retrieval_pb2.PAIR_REASON_ESSENTIALS: PairReason.ESSENTIALS,
    retrieval_pb2.PAIR_REASON_WORDS_LOST: PairReason.WORDS_LOST,
}
PAIRS_NOT_COMPARED = {
    retrieval_pb2.PAIR_NOT_COMPARED_RANK: NotCompared.RANK,
    retrieval_pb2.PAIR_NOT_COMPARED_UNJUDGED: NotCompared.UNJUDGED,
    retrieval_pb2.PAIR_NOT_COMPARED_SETTLED: NotCompared.SETTLED,
    retrieval_pb2.PAIR_NOT_COMPARED_SPEAKER: NotCompared.SPEAKER,
    retrieval_pb2.PAIR_NOT_COMPARED_GONE: NotCompared.GONE,
}
SENTENCE_BARS = {
    retrieval_pb2.SENTENCE_BAR_GENERATED: Bar.GENERATED,
    retrieval_pb2.SENTENCE_BAR_ENTRIES: Bar.ENTRIES,
    retrieval_pb2.SENTENCE_BAR_NOT_NEAREST: Bar.NOT_NEAREST,
    retrieval_pb2.SENTENCE_BAR_OTHER_MATTER: Bar.OTHER_MATTER,
    retrieval_pb2.SENTENCE_BAR_QUANTITY: Bar.QUANTITY,
    retrieval_pb2.SENTENCE_BAR_TOO_LONG: Bar.TOO_LONG,
}
CONVERSATION_STATES = {
    conversation_pb2.CONVERSATION_STATE_ACTIVE: ConversationState.ACTIVE,
    conversation_pb2.CONVERSATION_STATE_ENDING: ConversationState.ENDING,
    conversation_pb2.CONVERSATION_STATE_ENDED: ConversationState.ENDED,
}
SUMMARY_KINDS = {
    conversation_pb2.SUMMARY_KIND_LONG: SummaryKind.LONG,
    conversation_pb2.SUMMARY_KIND_FOLDED: SummaryKind.FOLDED,
}
ITEM_TYPES = {
    conversation_pb2.ITEM_TYPE_THOUGHT: ItemType.THOUGHT,
    conversation_pb2.ITEM_TYPE_ACTION: ItemType.ACTION,
    conversation_pb2.ITEM_TYPE_OBSERVATION: ItemType.OBSERVATION,
    conversation_pb2.ITEM_TYPE_SUBTASK: ItemType.SUBTASK,
    conversation_pb2.ITEM_TYPE_DECISION: ItemType.DECISION,
    conversation_pb2.ITEM_TYPE_CANDIDATE: ItemType.CANDIDATE,
    conversation_pb2.ITEM_TYPE_COMPRESSED: ItemType.COMPRESSED,
}
KEY_TYPES = {
    conversation_pb2.KEY_TYPE_USER: KeyType.USER,
    conversation_pb2.KEY_TYPE_SYSTEM: KeyType.SYSTEM,
}
PURPOSES = {
    types_pb2.PURPOSE_MEMORIZE: Purpose.MEMORIZE,
    types_pb2.PURPOSE_START: Purpose.START,
    types_pb2.PURPOSE_ADVANCE: Purpose.ADVANCE,
    types_pb2.PURPOSE_RESOLVE: Purpose.RESOLVE,
    types_pb2.PURPOSE_REFERENCE: Purpose.REFERENCE,
}
SPACE_SOURCES = {
    types_pb2.SPACE_SOURCE_SERVER: SpaceSource.SERVER,
    types_pb2.SPACE_SOURCE_CLIENT: SpaceSource.CLIENT,
}
MODES = {
    retrieval_pb2.SEARCH_MODE_HYBRID: Mode.HYBRID,
    retrieval_pb2.SEARCH_MODE_ATTRIBUTE: Mode.ATTRIBUTE,
    retrieval_pb2.SEARCH_MODE_EMBEDDING: Mode.EMBEDDING,
}
TARGETS = {
    retrieval_pb2.SEARCH_TARGET_NODES: Target.NODES,
    retrieval_pb2.SEARCH_TARGET_SEGMENTS: Target.SEGMENTS,
    retrieval_pb2.SEARCH_TARGET_BOTH: Target.BOTH,
}
RERANKINGS = {
    retrieval_pb2.RERANKING_UNSPECIFIED: RerankOutcome.UNASKED,
    retrieval_pb2.RERANKING_DONE: RerankOutcome.DONE,
    retrieval_pb2.RERANKING_LATE: RerankOutcome.LATE,
    retrieval_pb2.RERANKING_UNAVAILABLE: RerankOutcome.UNAVAILABLE,
}

RECORD_KINDS = {
    long_term_pb2.RECORD_KIND_MEMORY: RecordKind.MEMORY,
    long_term_pb2.RECORD_KIND_FACT: RecordKind.FACT,
    long_term_pb2.RECORD_KIND_EPISODE: RecordKind.EPISODE,
}
METADATA_OPS = {
    long_term_pb2.METADATA_OP_EQ: Op.EQ,
    long_term_pb2.METADATA_OP_NE: Op.NE,
    long_term_pb2.METADATA_OP_GT: Op.GT,
    long_term_pb2.METADATA_OP_GTE: Op.GTE,
    long_term_pb2.METADATA_OP_LT: Op.LT,
    long_term_pb2.METADATA_OP_LTE: Op.LTE,
    long_term_pb2.METADATA_OP_IN: Op.IN,
}
RECORD_ORIGINS = {
    long_term_pb2.RECORD_ORIGIN_STORED: Origin.STORED,
    long_term_pb2.RECORD_ORIGIN_STATED: Origin.STATED,
    long_term_pb2.RECORD_ORIGIN_OBSERVED: Origin.OBSERVED,
    long_term_pb2.RECORD_ORIGIN_DISTILLED: Origin.DISTILLED,
}
RECORD_STATES = {
    long_term_pb2.RECORD_STATE_ACTIVE: RecordState.ACTIVE,
    long_term_pb2.RECORD_STATE_CONTESTED: RecordState.CONTESTED,
    long_term_pb2.RECORD_STATE_SUPERSEDED: RecordState.SUPERSEDED,
}
SUPERSEDED_REASONS = {
    long_term_pb2.SUPERSEDED_REASON_SAME: SupersededReason.SAME,
    long_term_pb2.SUPERSEDED_REASON_CALLER: SupersededReason.CALLER,
    long_term_pb2.SUPERSEDED_REASON_CORRECTION: SupersededReason.CORRECTION,
    long_term_pb2.SUPERSEDED_REASON_MODEL: SupersededReason.MODEL,
    long_term_pb2.SUPERSEDED_REASON_EARLIER: SupersededReason.EARLIER,
}
REVIEWS = {
    long_term_pb2.REVIEW_NONE: Review.NONE,
    long_term_pb2.REVIEW_LEARNED: Review.LEARNED,
    long_term_pb2.REVIEW_ALL: Review.ALL,
}
INTENTS = {
    long_term_pb2.INTENT_ASK: Intent.ASK,
    long_term_pb2.INTENT_DECIDE: Intent.DECIDE,
    long_term_pb2.INTENT_REFLECT: Intent.REFLECT,
}
LAYERS = {
    long_term_pb2.MEMORY_LAYER_L2: Layer.L2,
    long_term_pb2.MEMORY_LAYER_L3: Layer.L3,
}
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
