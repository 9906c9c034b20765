"""What a record is worth, and how opinions and outcomes move it.

Law: pure. Confidence stays in [0, 1] and reward in [−1, 1] whatever comes in whatever order. None of this is an edit:
`update_time` and `revision` stay.
"""

from dataclasses import replace
from datetime import datetime

from core.ids import RecordId
from core.long_term.settings import LongTermSettings
from core.model.collection import CollectionRecord
from core.model.record import Record, RecordKind

DAY = 86_400.0
MIDDLE_STAR = 3
LOSS = 0.2  # of confidence, by the worst opinion


def weight(record: Record) -> float:
    """Returns confidence × (1 + reward) / 2, in [0, 1]."""
    return record.confidence * (1.0 + record.reward) / 2.0


def heaviest_first(record: Record) -> tuple[float, RecordId]:
    """Returns a record's place among others by weight: the heaviest sorts first."""
    return -weight(record), record.record_id


def half_life(record: Record, collection: CollectionRecord, settings: LongTermSettings) -> float:
    """Days after which a record counts half; 0: never."""
    own = collection.half_life_days.get(record.category)
    if own is not None:
        return own
    if record.kind is RecordKind.FACT:
        return 0.0
    if record.kind is RecordKind.EPISODE:
        return settings.other_half_life_days
    return settings.half_life_days.get(record.category, settings.other_half_life_days)


def decay(record: Record, now: datetime, days: float) -> float:
    """Returns 0.5^(age / half-life), age from `update_time`; 1 where nothing decays, or for what is of the future."""
    age = (now - record.update_time).total_seconds() / DAY
    return float(0.5 ** (age / days)) if days > 0.0 and age > 0.0 else 1.0


def opinion(*, stars: int | None = None, liked: bool = False) -> float:
    """Returns a thumb or 1 to 5 stars as a value from −1 to 1."""
    if stars is not None:
        return (stars - MIDDLE_STAR) / 2.0
    return 1.0 if liked else -1.0


def with_feedback(record: Record, value: float, settings: LongTermSettings) -> Record:
    """Returns the record after an opinion from −1 to 1. A bad one asks for revision until new content comes."""
    reward = record.reward + settings.reward_rate * (value - record.reward)
    changed = replace(record, reward=_within(reward, -1.0, 1.0))
    if value > 0.0:
        return _surer(changed, settings.confidence_step * value)
    if value < 0.0:
        lower = record.confidence * (1.0 + LOSS * value)
        return replace(changed, confidence=_within(lower, 0.0, 1.0), needs_revision=True)
    return changed


def with_outcome(record: Record, succeeded: bool, settings: LongTermSettings) -> Record:
    """Returns the record after it was reused and helped, or did not. Of a recovery it is counted."""
    recovery = record.recovery
    if recovery is not None:
        recovery = replace(
            recovery,
            successes=recovery.successes + succeeded,
            failures=recovery.failures + (not succeeded),
        )
    changed = replace(record, recovery=recovery)
    if succeeded:
        return reinforced(changed, settings)
    return replace(changed, confidence=_within(record.confidence * settings.failure_factor, 0.0, 1.0))


def reinforced(record: Record, settings: LongTermSettings) -> Record:
    """Returns the record after it was stated or seen again."""
    return _surer(record, settings.confidence_step)


def _surer(record: Record, step: float) -> Record:
    return replace(record, confidence=_within(record.confidence + step * (1.0 - record.confidence), 0.0, 1.0))


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)
