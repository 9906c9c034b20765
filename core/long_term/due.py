"""What background work a collection's state asks for. Pure.

Embedding and judging follow from what lacks a vector or a judgement; reflecting from reflections that wait, or from
strategies enough that no reflection covers; sweeping (expiry, pruning) from the clock, by the record's `due_time`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from core.aggregate.kind import Chore
from core.ids import RecordId
from core.long_term.collection import Collection
from core.long_term.settings import LongTermSettings
from core.long_term.worth import heaviest_first
from core.model.collection import CollectionRecord
from core.model.expiry import expiry_after
from core.model.record import MOST_REFLECTED, STRATEGY, Record, RecordKind, RecordState, Reflection

EMBED = Chore(name="embed")
JUDGE = Chore(name="judge")
REFLECT = Chore(name="reflect")
SWEEP = Chore(name="sweep")

REFLECT_AFTER = 5  # strategies of a sort that no reflection covers


def due(collection: Collection, now: datetime) -> Sequence[Chore]:
    """Returns the chores that have something to do. Quick: called after every change."""
    record = collection.record
    chores: list[Chore] = []
    if record.due_time is not None and record.due_time <= now:
        chores.append(SWEEP)
    if not record.enabled:
        return chores  # only what deletes goes on
    if collection.wanting:
        chores.append(EMBED)
    if collection.unjudged:
        chores.append(JUDGE)
    if waiting_reflections(collection) or uncovered(collection):
        chores.append(REFLECT)
    return chores


def waiting_reflections(collection: Collection) -> bool:
    return any(not reflection.text for reflection in collection.reflections.values())


def uncovered(collection: Collection) -> Mapping[str, int]:
    """Subcategories of strategies of which REFLECT_AFTER or more are in no reflection, with how many. What a reflection
    has no room for does not count: made anew, it would leave that out again."""
    if len(collection.strategies) < REFLECT_AFTER:
        return {}
    last = _last_places(collection)
    counts: Counter[str] = Counter()
    for record_id in collection.strategies:
        record = collection.records[record_id]
        if not record.reflection_id and is_lesson(record):
            place = last.get(record.subcategory)
            counts[record.subcategory] += place is None or heaviest_first(record) < place
    return {subject: count for subject, count in counts.items() if count >= REFLECT_AFTER}


def _last_places(collection: Collection) -> Mapping[str, tuple[float, RecordId]]:
    """Returns the place of the lightest record in each reflection that is kept up and full, by its subject."""
    kept_up: dict[str, Reflection] = {}
    for reflection in collection.reflections.values():
        if reflection.kept_up:
            kept_up.setdefault(reflection.subject, reflection)
    records = collection.records
    return {
        subject: max(heaviest_first(records[key]) for key in reflection.record_ids)
        for subject, reflection in kept_up.items()
        if len(reflection.record_ids) >= MOST_REFLECTED and records.keys() >= set(reflection.record_ids)
    }


def is_lesson(record: Record) -> bool:
    """Whether a record of the category of strategies says what to do. An episode tells of one case."""
    return record.kind is not RecordKind.EPISODE and record.state is not RecordState.SUPERSEDED


# ---- time ----


def expiry(
    record: Record, collection: CollectionRecord, retention: timedelta | None = None
) -> datetime | None:
    """Returns when it ends: the shortest of its own, the collection's and the user's (`retention`) time; or None."""
    times = [time for time in (record.ttl, collection.retention, retention) if time is not None]
    return expiry_after(record.create_time, min(times, default=None))


def held_records(collection: Collection) -> Iterable[tuple[str, Record]]:
    """Returns the records that retractions hold, by the names under which they are held."""
    held = [(held.name, held.any_record) for held in collection.held.values()]
    return [(name, record) for name, record in held if record is not None]


def proposed_records(collection: Collection) -> Iterable[tuple[RecordId, Record]]:
    """Returns the records that wait for a review."""
    return [(key, one.record) for key, one in collection.proposals.items()]


def is_weak(record: Record, last_use: datetime, now: datetime, settings: LongTermSettings) -> bool:
    """Whether a strategy is pruned: little confidence, and unused for long."""
    if record.category != STRATEGY or record.confidence >= settings.prune_confidence:
        return False
    return now - max(record.update_time, last_use) >= settings.prune_after


def next_sweep(
    collection: Collection,
    now: datetime,
    settings: LongTermSettings,
    resume_after: timedelta,
    gone: frozenset[str] = frozenset(),
    retention: timedelta | None = None,
) -> datetime | None:
    """Returns when to look again: at the first expiry, when a strategy may have become too weak, or `resume_after` from
    now, where work is left that another process may have to take up."""
    times = [
        time
        for key, record in (
            *collection.records.items(),
            *held_records(collection),
            *proposed_records(collection),
        )
        if key not in gone and (time := expiry(record, collection.record, retention)) is not None
    ]
    if any(key not in gone for key in collection.strategies):
        times.append(now + settings.prune_after)
    left = (collection.wanting.keys() | collection.unjudged.keys()) - gone
    if left or waiting_reflections(collection) or uncovered(collection):
        times.append(now)  # a chore that was cut short is to be taken up
    return max(min(times), now + resume_after) if times else None
