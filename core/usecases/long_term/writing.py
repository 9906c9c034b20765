"""Writing to a collection: made if missing, refused where memory is off, woken when something is to be done.

Law: every change of a collection that a call makes goes through here. A record's `due_time` is never later than when
the first of its chores is due, so that any process can take them up.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar

from core.errors import CollectionExists, CollectionNotFound, MemoryOff
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.due import expiry
from core.long_term.metadata import with_metadata_apart
from core.long_term.steps import CollectionPut, ProposalPut, RecordDrop, RecordPut, ReflectionPut, Step
from core.long_term.texts import told
from core.model.collection import CollectionRecord
from core.model.record import STRATEGY, Record
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.ports.store import Require
from core.usecases.long_term.ports import EditPorts, WritingPorts
from core.usecases.ports import CommonPorts, HasSettings, MakingPorts
from core.usecases.user.permission import Permission
from core.usecases.user.quotas import require_room

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(Generic[Result]):
    """What a call wants to change: as a Draft, without what every change has."""

    result: Result
    steps: tuple[Step, ...] = ()
    touches: frozenset[str] = frozenset()
    sees_all: bool = False
    erase: bool = False


Compose = Callable[[Collection, int], Edit[Result]]


async def write(
    ports: WritingPorts,
    key: CollectionKey,
    compose: Compose[Result],
    request: RequestKey | None,
    answer: type[Result],
    permission: Permission,
    requires: tuple[Require, ...] | None = None,
) -> CommitResult[Result]:
    """Changes a collection, which is made if missing. `requires`: what must hold, where it is more than that the user's
    memory is on. Raises MemoryOff, LimitReached, RequestIdReused."""
    requires = requires or (permission.writer(),)
    stage = _staging(ports, compose, requires)
    while True:
        try:
            return await ports.collections.commit(key, stage, request, answer)
        except CollectionNotFound:
            await make(ports, key, permission, requires)


async def edit(
    ports: EditPorts,
    key: CollectionKey,
    compose: Compose[Result],
    request: RequestKey | None,
    answer: type[Result],
    permission: Permission | None,
) -> CommitResult[Result]:
    """Changes a collection that is there. Without a `permission` also where memory is off: for what deletes. Raises
    CollectionNotFound, MemoryOff, RequestIdReused."""
    stage = _staging(ports, compose, (permission.writer(),)) if permission else _erasing(ports, compose)
    return await ports.collections.commit(key, stage, request, answer)


def _staging(
    ports: CommonPorts, compose: Compose[Result], requires: tuple[Require, ...]
) -> Callable[[Collection, int], Draft[Result]]:
    now = ports.clock.now()

    def stage(collection: Collection, revision: int) -> Draft[Result]:
        if not collection.record.enabled:
            raise MemoryOff("collection")
        composed = compose(collection, revision)
        _check_limits(ports, collection, composed.steps)
        return replace(_draft(ports, collection, composed, now), requires=requires)

    return stage


def _erasing(ports: CommonPorts, compose: Compose[Result]) -> Callable[[Collection, int], Draft[Result]]:
    now = ports.clock.now()

    def stage(collection: Collection, revision: int) -> Draft[Result]:
        return _draft(ports, collection, compose(collection, revision), now)

    return stage


def _plain(composed: Edit[Result]) -> Draft[Result]:
    return Draft(
        result=composed.result,
        steps=composed.steps,
        touches=composed.touches,
        sees_all=composed.sees_all,
        erase=composed.erase,
    )


def _draft(
    ports: HasSettings, collection: Collection, composed: Edit[Result], now: datetime
) -> Draft[Result]:
    """Returns the edit, its records' large metadata beside them, and when its chores are due at the latest."""
    composed = replace(composed, steps=with_metadata_apart(collection.records, composed.steps))
    draft = _plain(composed)
    put = next((step.record for step in composed.steps if isinstance(step, CollectionPut)), None)
    standing = put or collection.record
    wanted = min(_moments(ports, standing, composed.steps, now), default=None)
    if wanted is None or (standing.due_time is not None and standing.due_time <= wanted):
        return draft
    others = tuple(step for step in composed.steps if not isinstance(step, CollectionPut))
    woken = CollectionPut(record=replace(standing, due_time=wanted))
    return replace(draft, steps=(*others, woken), touches=draft.touches | {"collection"})


def _moments(
    ports: HasSettings, record: CollectionRecord, steps: Iterable[Step], now: datetime
) -> Iterable[datetime]:
    """Yields when the chores that follow from the steps are due."""
    for step in steps:
        if isinstance(step, RecordPut):
            yield now + ports.settings.resume_after  # its vector, its judgement
            if (end := expiry(step.record, record)) is not None:
                yield end
            if step.record.category == STRATEGY:
                yield now + ports.settings.long_term.prune_after
        elif isinstance(step, ProposalPut):
            if (end := expiry(step.proposal.record, record)) is not None:
                yield end
        elif _is_for_later(step):
            yield now + ports.settings.resume_after


def _is_for_later(step: Step) -> bool:
    """Whether a chore has to follow: a reflection to be made anew, a retention to be kept."""
    if isinstance(step, ReflectionPut):
        return not step.reflection.text
    return isinstance(step, CollectionPut) and step.record.retention is not None


def _check_limits(ports: HasSettings, collection: Collection, steps: Sequence[Step]) -> None:
    """Raises LimitReached where new records find no room, or what is there grows beyond it."""
    records = [step.record for step in steps if isinstance(step, RecordPut)]
    records += [step.proposal.record for step in steps if isinstance(step, ProposalPut)]
    puts = {record.record_id: record for record in records}
    known = {key: record for key in puts if (record := collection.record_or_proposal(key)) is not None}
    drops = {step.record_id for step in steps if isinstance(step, RecordDrop)} - puts.keys()
    gone = [collection.records[key] for key in drops]
    new = len(puts) - len(known)
    more = sum(map(_taken, puts.values())) - sum(map(_taken, (*known.values(), *gone)))
    if new or more > 0:
        count = collection.filled + new - len(gone) if new else 0
        ports.settings.limits.check_records(count, collection.characters + more)


def _taken(record: Record) -> int:
    """Returns the characters of a record, with the bytes of its metadata where that stands apart."""
    return characters(record) + record.metadata_bytes


def characters(record: Record) -> int:
    """Returns the characters that a new record is counted with."""
    return len(told(record)) + len(record.detail) + len(record.metadata_json)


async def make(
    ports: WritingPorts, key: CollectionKey, permission: Permission, requires: tuple[Require, ...]
) -> None:
    """Makes an empty collection; losing the race for it is success. Raises LimitReached, MemoryOff."""
    await require_room(ports, permission, key.kind)
    record = new_collection(ports, key)
    draft = Draft(result=None, steps=(CollectionPut(record=record),), requires=requires)
    try:
        await ports.collections.found(key, draft)
    except CollectionExists:
        return


def new_collection(ports: MakingPorts, key: CollectionKey) -> CollectionRecord:
    now = ports.clock.now()
    return CollectionRecord(
        key=key,
        uid=ports.ids.new("u"),
        user=key.user,
        collection=key.collection,
        salt=ports.ids.new("salt"),
        create_time=now,
        update_time=now,
    )
