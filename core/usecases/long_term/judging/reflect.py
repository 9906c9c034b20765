"""Making reflections: on request, anew where records of one changed, and after enough new strategies of a sort.

Law: a reflection decides nothing. What the Reflector writes is checked before it is kept, and kept only while its
records say what they said.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from core.agents.recall_roles import (
    ReflectedRecord,
    ReflectionOpinion,
    problem_of_reflection,
    without_markup,
)
from core.agents.usage import Ledger
from core.errors import AgentReplyInvalid, CollectionNotFound, MemoryOff
from core.ids import RecordId, ReflectionId
from core.keys import CollectionKey
from core.language import language_of
from core.long_term.collection import Collection
from core.long_term.due import is_lesson, uncovered
from core.long_term.steps import RecordPut, ReflectionPut, Step
from core.long_term.texts import told
from core.long_term.worth import heaviest_first, weight
from core.model.record import MOST_REFLECTED, STRATEGY, Record, Reflection
from core.ports.aggregates import Draft
from core.ports.store import Require
from core.usecases.long_term.account import Account
from core.usecases.long_term.ports import ReflectionPorts
from core.usecases.ports import HasRecallAgents, MakingPorts
from core.usecases.user.permission import permission_of


async def reflect(ports: ReflectionPorts, key: CollectionKey) -> None:
    """Makes what waits. Raises MemoryOff, AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    account = Account(ports.workshop.ledger(key))
    while True:
        try:
            async with ports.collections.reading(key) as collection:
                account.saw(collection)
                waiting = _waiting(ports, collection)
                records = _of(collection, waiting.record_ids) if waiting else []
                was_there = waiting is not None and waiting.reflection_id in collection.reflections
        except CollectionNotFound:
            return
        if waiting is None:
            return
        tender = (await permission_of(ports, key)).tender()
        opinion = await written(ports, account.ledger, waiting.title, waiting.category, records)
        keeping = _keeping(ports, waiting, opinion, records, tender, account, was_there=was_there)
        await ports.collections.commit(key, keeping)
        account.settle()


async def written(
    ports: HasRecallAgents, ledger: Ledger, title: str, category: str, records: Sequence[Record]
) -> ReflectionOpinion:
    """Returns the Reflector's text, checked."""
    shown = [
        ReflectedRecord(
            number=number,
            content=without_markup(told(record)),
            subcategory=without_markup(record.subcategory),
            confidence=record.confidence,
            weight=weight(record),
            event_time=record.event_time,
        )
        for number, record in enumerate(records)
    ]
    title = without_markup(title)
    with ledger.spending("reflector"):
        opinion = await ports.recall_agents.reflector.reflect(title, category, shown)
    if problem := problem_of_reflection(opinion, title, shown):
        raise AgentReplyInvalid("reflector", problem)
    return opinion


def steps_of(collection: Collection, reflection: Reflection, records: Sequence[Record]) -> tuple[Step, ...]:
    """Returns the reflection, and its records referring to it."""
    puts: list[Step] = [ReflectionPut(reflection=reflection)]
    for record in records:
        standing = collection.records[record.record_id]
        puts.append(RecordPut(record=replace(standing, reflection_id=reflection.reflection_id)))
    return tuple(puts)


def unchanged(collection: Collection, records: Sequence[Record]) -> bool:
    """Whether the records say still what they said."""
    standing = collection.records
    return all(r.record_id in standing and standing[r.record_id].content == r.content for r in records)


def weightiest(records: Sequence[Record]) -> list[Record]:
    """Returns the records that a reflection has room for."""
    return sorted(records, key=heaviest_first)[:MOST_REFLECTED]


def _of(collection: Collection, record_ids: Sequence[RecordId]) -> list[Record]:
    return weightiest([collection.records[i] for i in record_ids if i in collection.records])


def _waiting(ports: MakingPorts, collection: Collection) -> Reflection | None:
    """Returns what is to be written next: one whose text was taken, or one for strategies that none covers."""
    for reflection in collection.reflections.values():
        if not reflection.text:
            return reflection
    subjects = uncovered(collection)
    if not subjects:
        return None
    subject = min(subjects)
    records = [
        r
        for key in collection.strategies
        if (r := collection.records[key]).subcategory == subject and is_lesson(r)
    ]
    return _kept_up(ports, collection, subject, weightiest(records))


def _kept_up(
    ports: MakingPorts, collection: Collection, subject: str, records: Sequence[Record]
) -> Reflection:
    now = ports.clock.now()
    ids = tuple(record.record_id for record in records)
    for reflection in collection.reflections.values():
        if reflection.kept_up and reflection.subject == subject:
            return replace(reflection, record_ids=ids)
    return Reflection(
        reflection_id=ReflectionId(ports.ids.new("m")),
        title=_title(subject, records),
        category=STRATEGY,
        text="",
        record_ids=ids,
        create_time=now,
        update_time=now,
        kept_up=True,
        subject=subject,
    )


def _title(subject: str, records: Sequence[Record]) -> str:
    phrases = language_of("".join(record.content for record in records)).phrases.reflections
    if subject == "error_recovery":
        return phrases.recoveries
    shown = subject.replace("_", " ")
    return phrases.strategies_of.format(shown) if shown else phrases.strategies


def _keeping(
    ports: MakingPorts,
    waiting: Reflection,
    opinion: ReflectionOpinion,
    records: Sequence[Record],
    tender: Require,
    account: Account,
    *,
    was_there: bool,
) -> Callable[[Collection, int], Draft[None]]:
    now: datetime = ports.clock.now()

    def stage(collection: Collection, _revision: int) -> Draft[None]:
        if not collection.record.enabled:
            raise MemoryOff("collection")
        is_deleted = was_there and waiting.reflection_id not in collection.reflections
        if is_deleted or not unchanged(collection, records):
            return account.booked(Draft(result=None), collection)
        made = replace(
            waiting,
            text=opinion.text,
            record_ids=tuple(record.record_id for record in records),
            update_time=now,
        )
        steps = steps_of(collection, made, records)
        kept: Draft[None] = Draft(result=None, steps=steps, sees_all=True, requires=(tender,))
        return account.booked(kept, collection)

    return stage
