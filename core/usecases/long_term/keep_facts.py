"""Facts that were found by themselves come into a collection: all of one finding in one change, under one request.

Law: the same door as StoreFact's. What is known is reinforced, once per source; what was deleted since stays deleted;
new ones wait for their judgement. Where a collection is full the weakest of what no user said gives way, else they.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.errors import LimitReached
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.standing import Rewriting
from core.long_term.steps import RecordDrop, RecordPut, Step
from core.long_term.worth import decay, half_life, weight
from core.model.record import Origin, Record
from core.ports.aggregates import Committed, RequestKey
from core.ports.store import Require
from core.usecases.house import House
from core.usecases.long_term.add_record import was_forgotten
from core.usecases.long_term.delete_records import feedback_without
from core.usecases.long_term.new_records import stamped
from core.usecases.long_term.remaking import waiting_anew
from core.usecases.long_term.writing import Edit, characters, write

WEAK = frozenset({Origin.OBSERVED, Origin.DISTILLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepFacts:
    """`requires`: what must hold as they are stored, of the user and of where they come from. `withheld` is kept with
    the answer."""

    key: CollectionKey
    facts: tuple[Record, ...]
    requires: tuple[Require, ...]
    request: RequestKey
    withheld: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsKept:
    """The records that say what was found, new or known; how many were withheld as sensitive."""

    record_ids: tuple[RecordId, ...] = ()
    withheld: int = 0


async def keep_facts(house: House, command: KeepFacts) -> Committed[FactsKept]:
    """Raises MemoryOff, RequirementFailed, LimitReached (of collections)."""
    now = house.clock.now()
    new_ids = [RecordId(house.ids.new("r")) for _ in command.facts]

    def compose(collection: Collection, revision: int) -> Edit[FactsKept]:
        rewriting = Rewriting(collection, house.long_term)
        new: list[Record] = []
        known: list[RecordId] = []
        for record_id, fact in zip(new_ids, command.facts, strict=True):
            if was_forgotten(collection, fact):
                continue
            if (same := collection.same_text(fact.content)) is not None:
                _reinforce(rewriting, same.record_id, fact)
                known.append(same.record_id)
            else:
                new.append(replace(stamped(fact, now, revision), record_id=record_id))
        kept, gone = _with_room(house, collection, new)
        ids = (*known, *(record.record_id for record in kept))
        steps = (*gone, *rewriting.steps, *(RecordPut(record=record) for record in kept))
        return Edit(
            result=FactsKept(record_ids=tuple(dict.fromkeys(ids)), withheld=command.withheld),
            steps=steps,
            sees_all=True,
            erase=bool(gone),
        )

    return await write(house, command.key, compose, command.request, FactsKept, command.requires)


def _reinforce(rewriting: Rewriting, record_id: RecordId, again: Record) -> None:
    """Once per source: a source that is gone through again makes nothing surer."""
    known = rewriting.get(record_id)
    if known is not None and again.provenance not in (known.provenance, *known.also_from):
        rewriting.known(known, again)


def _with_room(
    house: House, collection: Collection, new: Sequence[Record]
) -> tuple[list[Record], list[Step]]:
    """Those of the new records that find room, and what goes for it."""
    gone: list[Record] = []
    kept: list[Record] = []
    weakest = _weakest_first(house, collection) if new else iter(())
    for record in new:
        while not _fits(house, collection, [*kept, record], gone):
            if (one := next(weakest, None)) is None:
                break
            gone.append(one)
        if _fits(house, collection, [*kept, record], gone):
            kept.append(record)
    ids = {record.record_id for record in gone}
    drops: list[Step] = [RecordDrop(record_id=key) for key in sorted(ids)]
    if ids:
        drops += [*feedback_without(collection, ids), *waiting_anew(collection, ids, ids)]
    return kept, drops


def _fits(house: House, collection: Collection, new: Sequence[Record], gone: Sequence[Record]) -> bool:
    more = sum(map(characters, new)) - sum(map(characters, gone))
    try:
        house.limits.check_records(
            len(collection.records) + len(new) - len(gone), collection.characters + more
        )
    except LimitReached:
        return False
    return True


def _weakest_first(house: House, collection: Collection) -> Iterator[Record]:
    """What no user said, by weight × decay; never what others rest on."""
    now, settings = house.clock.now(), house.long_term
    rested_on = {record.superseded_by for record in collection.records.values()}

    def worth(record: Record) -> float:
        days = half_life(record, collection.record, settings)
        return weight(record) * decay(record, now, days)

    found: Iterable[Record] = (
        r
        for r in collection.records.values()
        if r.origin in WEAK and r.record_id not in rested_on and not r.contested_with
    )
    yield from sorted(found, key=lambda r: (worth(r), r.record_id))
