"""What a collection is apart from its records: whose it is, its settings, and when it wants looking after."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.ids import RecordId
from core.keys import CollectionKey
from core.model.review import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRecord:
    """`half_life_days` overrides the configured ones by category; 0: no decay. `salt` is mixed into the hashes of
    tombstones. `settings_revision`: at which the settings last changed. `due_time`: when a chore is to be taken up, if
    the process that ought to have done it has not. `tokens_spent`: what language models have cost so far.
    `without_room`: how many records were learned and found none, since all that was learned last found some."""

    key: CollectionKey
    uid: str
    user: str
    collection: str
    salt: str
    create_time: datetime
    update_time: datetime
    half_life_days: Mapping[str, float] = field(default_factory=dict)
    retention: timedelta | None = None
    enabled: bool = True
    generation: int = 0
    settings_revision: int = 1
    due_time: datetime | None = None
    tokens_spent: int = 0
    review: Review = Review.NONE
    without_room: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """An opinion on records, from −1 to 1, on an answer to a query."""

    feedback_id: str
    record_ids: tuple[RecordId, ...]
    value: float
    time: datetime
    reason: str = ""
    query: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What a deleted record leaves: salted hashes of its text and of its terms. `time` is when it was deleted.
    `source_hash`: of a proposal that was rejected, whose words are refused from this source alone; else empty."""

    record_id: RecordId
    text_hash: str
    term_hashes: tuple[str, ...]
    time: datetime
    source_hash: str = ""
