"""The settings that bound what is kept and what one call may bring or cost."""

from pydantic import Field

from service.settings.section import Positive, Section


class LimitsSection(Section):
    """Bounds of what is kept and of what one call may bring."""

    segments_per_bank: Positive = 200_000
    """Segments of a bank."""
    nodes_per_bank: Positive = 100_000
    """Nodes of a bank."""
    context_characters: Positive = 100_000_000
    """Characters of one Memorize, streamed ones included."""
    attachment_bytes: Positive | None = None
    """Bytes of one file; unset: 100,000,000 where PostgreSQL keeps the files, else 1,000,000,000."""
    inline_attachment_bytes: Positive = 1_048_576
    """Bytes up to which GetInteraction brings a file along."""
    source_characters: Positive = 65_536
    """Characters of one instruction document."""
    sources_per_owner: Positive = 1_000
    """Instruction documents of a user, agent, project or tenant."""
    versions_per_source: Positive = 1_000
    """Versions of a document that are kept; the oldest goes."""
    references_per_run: Positive = 1_000
    """Different references that one run may load."""
    runs_per_user: Positive = 10_000
    """Runs of a user that are not forgotten yet: a run is, after twice `instructions.run_days`."""
    collections_per_user: Positive = 1_000
    """Collections of a user."""
    records_per_collection: Positive = 10_000
    """Records of a collection."""
    collection_bytes: Positive = 20_000_000
    """Bytes of the text of a collection."""
    reflections_per_collection: Positive = 1_000
    """Reflections of a collection; at the bound the call is refused."""
    feedback_per_collection: Positive = 10_000
    """Opinions kept of a collection; the oldest goes."""
    tombstones_per_collection: Positive = 10_000
    """Traces of deleted records; the oldest goes."""
    conversations_per_user: Positive = 10_000
    """Conversations of a user."""
    turns_per_conversation: Positive = 100_000
    """Turns of a conversation."""
    conversation_bytes: Positive = 64_000_000
    """Bytes of the text of a conversation's turns."""
    metadata_bytes: Positive = 1_000_000_000
    """Bytes of the metadata of a conversation's turns, which are not held in memory."""
    open_invocations_per_user: Positive = 1_000
    """Invocations of a user that have not ended."""
    working_items: Positive = 1_000
    """Items of an invocation's working memory."""
    working_bytes: Positive = 1_000_000
    """Bytes of their text."""


class BudgetSection(Section):
    """How many tokens language models may cost; 0: no bound. Checked before each call of a model, so the last
    one may go beyond."""

    tokens_per_call: int = Field(default=0, ge=0)
    """Tokens that language models may cost for one call, and for structuring one interaction; 0: no bound."""
    tokens_per_bank: int = Field(default=0, ge=0)
    """Tokens that they may cost for a bank, as long as it exists; 0: no bound."""
