"""What was taken back of a collection: which retraction it was, and what it holds for a release."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import ConversationId
from core.model.collection import Feedback
from core.model.record import NO_CONVERSATION, Record, Reflection, Uses
from core.model.review import Proposal


class RetractionState(StrEnum):
    QUARANTINED = "quarantined"  # out of every answer, and kept
    RELEASED = "released"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """`records` went, `changed` lost evidence or stand again. What it was asked for: ids, or by `source`,
    `conversation_id`, `writer`, and time of writing from `since` until before `until`. `close_time`: when it was
    released or erased."""

    retraction_id: str
    state: RetractionState
    create_time: datetime
    records: int
    changed: int
    source: str = ""
    conversation_id: ConversationId = NO_CONVERSATION
    writer: str = ""
    since: datetime | None = None
    until: datetime | None = None
    reason: str = ""
    close_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldItem:
    """One thing as it was before a retraction. `after`: what was left of a record, or of a proposal's; None where it
    went. One of `record`, `feedback`, `reflection` and `proposal` is there."""

    retraction_id: str
    record: Record | None = None
    after: Record | None = None
    uses: Uses | None = None
    feedback: Feedback | None = None
    reflection: Reflection | None = None
    proposal: Proposal | None = None

    @property
    def item_id(self) -> str:
        if (record := self.any_record) is not None:
            return record.record_id
        if self.feedback is not None:
            return self.feedback.feedback_id
        return self.reflection.reflection_id if self.reflection else ""

    @property
    def name(self) -> str:
        return f"{self.retraction_id} {self.item_id}"

    @property
    def is_gone(self) -> bool:
        """Whether it is a record or a proposal that went."""
        return self.any_record is not None and self.after is None

    @property
    def any_record(self) -> Record | None:
        """Returns the record, or the proposal's."""
        return self.record if self.proposal is None else self.proposal.record
