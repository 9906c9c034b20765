"""Dropping mentions from a collection: records that name a person or a thing go, opinions on others and
retractions lose the words.

A record says one thing, so it goes as a whole; it leaves a tombstone, as one that DeleteRecords erased. What waits for
a review and what a retraction holds go, too.

Law: one change, and an erasure.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import CollectionNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.steps import (
    FeedbackPut,
    HeldDrop,
    ProposalDrop,
    RecordDrop,
    ReflectionDrop,
    ReflectionPut,
    RetractionPut,
    Step,
)
from core.model.record import Record
from core.model.retraction import HeldItem
from core.text.mentions import Mentions
from core.text.sensitive import lines_of_json
from core.usecases.long_term.ports import EditPorts
from core.usecases.long_term.record_metadata import metadata_apart
from core.usecases.long_term.verbs.delete_records import erasing
from core.usecases.long_term.writing import Edit, edit
from core.usecases.ports import HasCollections, HasSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionsDropped:
    """Records that went, those that waited or were held among them; reflections that went or are made anew; opinions
    that lost words."""

    records: int = 0
    reflections: int = 0
    feedback: int = 0


async def drop_mentions(
    ports: EditPorts, key: CollectionKey, mentions: Mentions, *, dry_run: bool = False
) -> MentionsDropped:
    """Drops them, also where memory is off; nothing where the collection is gone. `dry_run`: only counts."""
    now = ports.clock.now()

    def compose(collection: Collection, _revision: int) -> Edit[MentionsDropped]:
        return _dropping(ports, collection, mentions, now, apart)

    try:
        apart = await _named_apart(ports, key, mentions)
        if dry_run:
            async with ports.collections.reading(key) as collection:
                return compose(collection, 0).result
        return (await edit(ports, key, compose, None, MentionsDropped, None)).result
    except CollectionNotFound:
        return MentionsDropped()


async def _named_apart(ports: HasCollections, key: CollectionKey, mentions: Mentions) -> frozenset[RecordId]:
    """Returns the records that name them in metadata that stands apart. Raises CollectionNotFound."""
    async with ports.collections.reading(key) as collection:
        uid, large = collection.uid, [r for r in collection.records.values() if r.metadata_bytes]
    found = metadata_apart(ports, key, uid, large)
    return frozenset([record_id async for record_id, text in found if mentions.are_in(*lines_of_json(text))])


def _dropping(
    ports: HasSettings, collection: Collection, mentions: Mentions, now: datetime, apart: frozenset[RecordId]
) -> Edit[MentionsDropped]:
    """`apart`: records that name them in what is not held in memory."""
    named = [
        record
        for record in collection.records.values()
        if record.record_id in apart or mentions.are_in(*texts_of(record))
    ]
    erased = erasing(ports, collection, named, now)
    gone = {step.record_id for step in erased.steps if isinstance(step, RecordDrop)}  # duplicates among them
    waiting = [
        ProposalDrop(record_id=record_id)
        for record_id, one in collection.proposals.items()
        if mentions.are_in(*texts_of(one.record))
    ]
    held = [HeldDrop(name=one.name) for one in collection.held.values() if _is_named(one, mentions)]
    reflections = list(_reflections(collection, gone, mentions))
    feedback = list(_feedback(collection, gone, mentions))
    retractions = _retractions(collection, mentions)
    steps: tuple[Step, ...] = (*erased.steps, *waiting, *held, *reflections, *feedback, *retractions)
    result = MentionsDropped(
        records=erased.result.records + len(waiting) + len(held),
        reflections=erased.result.reflections + len(reflections),
        feedback=erased.result.feedback + len(feedback),
    )
    return Edit(result=result, steps=steps, sees_all=True, erase=bool(steps))


def texts_of(record: Record) -> Iterator[str]:
    """Yields every text of a record."""
    yield from (
        record.content,
        record.context,
        record.speaker,
        record.detail,
        record.subcategory,
        *record.tags,
        record.source,
    )
    yield from (record.agent, record.metadata_json)
    yield from (source.source for source in record.also_from)
    if (episode := record.episode) is not None:
        yield from (episode.goal, *episode.steps, episode.outcome, episode.lessons)
    if (mended := record.recovery) is not None:
        yield from (mended.message, mended.original_json, mended.fixed_json)
        for each in mended.examples:
            yield from (each.original_json, each.fixed_json)


def _is_named(held: HeldItem, mentions: Mentions) -> bool:
    records = [record for record in (held.any_record, held.after) if record is not None]
    found = [text for record in records for text in texts_of(record)]
    if (feedback := held.feedback) is not None:
        found += [feedback.reason, feedback.query, feedback.response]
    if (reflection := held.reflection) is not None:
        found += [reflection.title, reflection.text]
    return mentions.are_in(*found)


def _reflections(collection: Collection, gone: set[RecordId], mentions: Mentions) -> Iterator[Step]:
    """Yields what becomes of reflections over none of those that go."""
    for reflection in collection.reflections.values():
        if not gone.isdisjoint(reflection.record_ids):
            continue  # it is made anew, or goes
        if mentions.are_in(reflection.title, reflection.subject):
            yield ReflectionDrop(reflection_id=reflection.reflection_id)
        elif mentions.are_in(reflection.text):
            yield ReflectionPut(reflection=replace(reflection, text=""))


def _retractions(collection: Collection, mentions: Mentions) -> Iterator[Step]:
    """Yields the retractions whose source or reason, in a caller's words, holds a name."""
    for made in collection.retractions.values():
        if mentions.are_in(made.source, made.reason):
            source, reason = mentions.covered(made.source), mentions.covered(made.reason)
            yield RetractionPut(retraction=replace(made, source=source, reason=reason))


def _feedback(collection: Collection, gone: set[RecordId], mentions: Mentions) -> Iterable[Step]:
    for feedback in collection.feedback.values():
        left = tuple(record_id for record_id in feedback.record_ids if record_id not in gone)
        if left and mentions.are_in(feedback.reason, feedback.query, feedback.response):
            covered = replace(
                feedback,
                record_ids=left,
                reason=mentions.covered(feedback.reason),
                query=mentions.covered(feedback.query),
                response=mentions.covered(feedback.response),
            )
            yield FeedbackPut(feedback=covered)
