"""What waits until a person approves it, and which new records do."""

from dataclasses import dataclass
from enum import StrEnum

from core.ids import RecordId
from core.model.record import Record


class Review(StrEnum):
    NONE = "none"
    LEARNED = "learned"  # what was learned, or written without the scope `approve`; not what the user stated
    ALL = "all"


class ReviewDecision(StrEnum):
    APPROVE = "approve"
    CORRECT = "correct"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A record that waits. `supersedes`: facts whose place it takes once it is approved."""

    record: Record
    supersedes: tuple[RecordId, ...] = ()
