"""Configured bounds, checked where they apply; LimitReached names the setting."""

from dataclasses import dataclass

from core.bank.bank import Bank
from core.errors import LimitReached
from core.model.conversation import ConversationRecord
from core.model.invocation import InvocationRecord

_SHORTER = "begin another conversation, delete old turns, or raise the limit"

_SHORTER_RUN = "end the invocation and go on in another, or raise the limit"

_LESS_IN_COLLECTION = "delete records, use another collection, or raise the limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """How many tokens language models may cost; 0: no bound. What is spent is checked before a model is asked,
    so the last call may go beyond."""

    tokens_per_call: int = 0  # of one call, and of structuring one interaction
    tokens_per_bank: int = 0  # of a bank, as long as it exists


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds per bank, per owner of instructions, and of what one call may bring."""

    segments_per_bank: int = 200_000
    nodes_per_bank: int = 100_000
    context_characters: int = 100_000_000  # of one context, also through MemorizeStream
    attachment_bytes: int = 1_000_000_000
    inline_attachment_bytes: int = 1_048_576
    source_characters: int = 65_536
    sources_per_owner: int = 1_000
    versions_per_source: int = 1_000  # the oldest goes
    references_per_run: int = 1_000
    runs_per_user: int = 10_000
    collections_per_user: int = 1_000
    records_per_collection: int = 10_000
    collection_bytes: int = 20_000_000
    reflections_per_collection: int = 1_000
    feedback_per_collection: int = 10_000
    tombstones_per_collection: int = 10_000
    conversations_per_user: int = 10_000
    turns_per_conversation: int = 100_000
    conversation_bytes: int = 64_000_000  # of the text of its turns
    metadata_bytes: int = 1_000_000_000  # of the metadata of a conversation's turns
    open_invocations_per_user: int = 1_000
    working_items: int = 1_000
    working_bytes: int = 1_000_000

    def check_records(self, count: int, characters: int) -> None:
        if count > self.records_per_collection:
            raise LimitReached("records_per_collection", self.records_per_collection, _LESS_IN_COLLECTION)
        if characters > self.collection_bytes:
            raise LimitReached("collection_bytes", self.collection_bytes, _LESS_IN_COLLECTION)

    def check_reflections(self, count: int) -> None:
        if count > self.reflections_per_collection:
            raise LimitReached(
                "reflections_per_collection",
                self.reflections_per_collection,
                "delete reflections, or raise the limit",
            )

    def check_feedback(self, feedback: int, tombstones: int) -> None:
        """Checks what a collection keeps beside its records. Raises LimitReached."""
        for name, count in (
            ("feedback_per_collection", feedback),
            ("tombstones_per_collection", tombstones),
        ):
            if count > (most := getattr(self, name)):
                raise LimitReached(name, most, "leave out the oldest, or raise the limit")

    def check_user(self, collections: int, conversations: int, invocations: int) -> None:
        """Checks how much a user would have. Raises LimitReached."""
        for name, count in (
            ("collections_per_user", collections),
            ("conversations_per_user", conversations),
            ("open_invocations_per_user", invocations),
        ):
            if count > (most := getattr(self, name)):
                raise LimitReached(name, most, "leave some out, or raise the limit")

    def check_segments(self, bank: Bank, more: int) -> None:
        self.check_segment_count(bank.tree.segment_count + more)

    def check_conversation(self, record: ConversationRecord) -> None:
        """Checks a conversation as it would be. Raises LimitReached."""
        if record.turn_count > self.turns_per_conversation:
            raise LimitReached("turns_per_conversation", self.turns_per_conversation, _SHORTER)
        if record.text_bytes > self.conversation_bytes:
            raise LimitReached("conversation_bytes", self.conversation_bytes, _SHORTER)
        if record.metadata_bytes > self.metadata_bytes:
            raise LimitReached("metadata_bytes", self.metadata_bytes, _SHORTER)

    def check_working(self, record: InvocationRecord) -> None:
        """Checks an invocation as it would be. Raises LimitReached."""
        if record.item_count > self.working_items:
            raise LimitReached("working_items", self.working_items, _SHORTER_RUN)
        if record.text_bytes > self.working_bytes:
            raise LimitReached("working_bytes", self.working_bytes, _SHORTER_RUN)

    def check_nodes(self, bank: Bank, more: int) -> None:
        self.check_node_count(len(bank.nodes) + more)

    def check_segment_count(self, count: int) -> None:
        if count > self.segments_per_bank:
            raise LimitReached(
                "segments_per_bank",
                self.segments_per_bank,
                "split the record over several banks, or raise the limit",
            )

    def check_node_count(self, count: int) -> None:
        if count > self.nodes_per_bank:
            raise LimitReached(
                "nodes_per_bank", self.nodes_per_bank, "merge or delete nodes, or raise the limit"
            )

    def check_context(self, characters: int) -> None:
        if characters > self.context_characters:
            raise LimitReached(
                "context_characters", self.context_characters, "memorize the text in several parts"
            )

    def check_source(self, characters: int) -> None:
        if characters > self.source_characters:
            raise LimitReached(
                "source_characters",
                self.source_characters,
                "what is loaded before every run should be short: split the source, or raise the limit",
            )

    def check_references(self, count: int) -> None:
        if count > self.references_per_run:
            raise LimitReached(
                "references_per_run", self.references_per_run, "begin another run, or raise the limit"
            )

    def check_sources(self, count: int) -> None:
        if count > self.sources_per_owner:
            raise LimitReached(
                "sources_per_owner", self.sources_per_owner, "delete sources, or raise the limit"
            )
