"""A prompt's part of a user's long-term memory: read at one revision, and counted as used."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from core.context.evidence import Source
from core.context.long_term import FACTS, PREFERENCES, PROVEN, STRATEGIES, CollectionEvidence, candidate_of
from core.context.repeating import told_once
from core.context.shares import LIMITS
from core.errors import MemoryOff
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.contests import contests_of, foremost
from core.long_term.ranking import Admits, RecordQuery, admitting, ranked
from core.long_term.texts import told
from core.model.record import (
    ERROR_RECOVERY,
    PREFERENCE,
    STRATEGY,
    Record,
    RecordKind,
    RecordState,
)
from core.model.vector import Vector
from core.text.tokens import estimate
from core.usecases.context.asked import AssembleContext
from core.usecases.long_term.ports import RankingPorts, RetrievalPorts
from core.usecases.long_term.reading import OpenCollection, looking
from core.usecases.long_term.verbs.recall_episodes import TWICE, alike
from core.usecases.long_term.verbs.retrieve_memories import reflections_over
from core.usecases.user.permission import Permissions
from core.verbatim.measuring import cosines, holding, words_of

LEAST_FACT, MOST_FACTS = 30, 30
"""Tokens of a fact: so many are looked for that they would fill the prompt, but no more than the second."""
MOST_PREFERENCES = 5
MOST_ORDERS = 3
"""Beside them, those that are to stand whatever is asked."""
MOST_STRATEGIES = 3
MOST_LIMITS = 2
"""Facts that name what somebody cannot have or do: the nearest in meaning, as that bears on more than its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledEvidence:
    """`sources`: what stands for what it weighs among all evidence: facts, strategies, episodes."""

    known: CollectionEvidence
    sources: Sequence[Source]
    revision: int


async def remembered(
    ports: RetrievalPorts, command: AssembleContext, key: CollectionKey, users: Permissions
) -> RecalledEvidence:
    """Reads what a collection has for an input. Raises CollectionNotFound, MemoryOff, EmbedderUnavailable,
    RevisionNotReached."""
    texts = [text for text in (command.input, command.state) if text]
    vectors = await ports.embedder.embed_queries(texts)
    permission = await users.of(key)
    async with looking(ports, key, command.least(key), permission) as opened:
        permission.require_on()
        if not opened.collection.record.enabled:
            raise MemoryOff("collection")
        looked = _Looking(ports, opened, dict(zip(texts, vectors, strict=True)), command)
        known = looked.known()
        if not command.observe:
            ports.uses.count(key, [record.record_id for record in known.records], opened.now)
        return RecalledEvidence(
            known=known, sources=looked.sources(known), revision=opened.collection.revision
        )


class _Looking:
    """The searches of one open collection for one input, each among the records of a section."""

    def __init__(
        self,
        ports: RankingPorts,
        opened: OpenCollection,
        vectors: Mapping[str, Vector],
        command: AssembleContext,
    ) -> None:
        self._ports, self._opened, self._command = ports, opened, command
        self._vectors = vectors
        collection = opened.collection
        self._among: Mapping[str, Mapping[RecordId, None]] = {
            PREFERENCES: collection.preferences,
            STRATEGIES: collection.strategies,
            FACTS: collection.plain_facts,
        }

    @cached_property
    def _words(self) -> list[str]:
        return words_of(self._command.input)

    def known(self) -> CollectionEvidence:
        """Returns what stands for the input, without a need the orders alone; of what is contested other sides too."""
        orders = self.orders()
        known = self._found() if self._command.needs else CollectionEvidence(preferences=orders)
        known = replace(known, orders=frozenset(record.record_id for record in orders))
        if any(record.state is RecordState.CONTESTED for record in known.records):
            known = self._without_further_sides(self._with_other_sides(known))
        handles = self._opened.collection.handles
        return replace(known, handles={each.record_id: handles.of(each.record_id) for each in known.records})

    def _with_other_sides(self, known: CollectionEvidence) -> CollectionEvidence:
        """Adds an opponent of each contested record that has none beside it, if one can stand."""
        there = {record.record_id for record in known.records}
        for record in known.records:
            if record.state is not RecordState.CONTESTED or not there.isdisjoint(record.contested_with):
                continue
            other = foremost(filter(self._may_stand, self._opponents(record)))
            if other is not None and (section := section_of(other)) is not None:
                there.add(other.record_id)
                added: dict[str, Any] = {section: [*getattr(known, section), other]}
                known = replace(known, **added)
        return known

    def _without_further_sides(self, known: CollectionEvidence) -> CollectionEvidence:
        shown = {record.record_id for contest in known.contests() for record in contest}
        further = {r.record_id for contest in contests_of(known.records) for r in contest} - shown
        if not further:
            return known

        def left(records: Sequence[Record]) -> list[Record]:
            return [record for record in records if record.record_id not in further]

        return replace(
            known,
            preferences=left(known.preferences),
            strategies=left(known.strategies),
            facts=left(known.facts),
        )

    def _opponents(self, record: Record) -> Iterator[Record]:
        records = self._opened.collection.records
        return (records[key] for key in record.contested_with if key in records)

    def _may_stand(self, record: Record) -> bool:
        return section_of(record) is not None and self._opened.lasts(record)

    def _found(self) -> CollectionEvidence:
        settings, asked = self._ports.settings.long_term, self._command
        top = self._top_facts() if asked.top_facts is None else asked.top_facts
        limits = self._limits() if top > 0 else []
        facts = list({record.record_id: record for record in (*self._best(FACTS, top), *limits)}.values())
        strategies = self._best(STRATEGIES, MOST_STRATEGIES)
        episodes = self._episodes(settings.top_episodes if asked.top_episodes is None else asked.top_episodes)
        return CollectionEvidence(
            preferences=self._preferences(),
            strategies=strategies,
            facts=facts,
            limits=frozenset(record.record_id for record in limits),
            episodes=episodes,
            reflections=reflections_over(self._opened, [*strategies, *facts, *episodes]),
        )

    def _top_facts(self) -> int:
        """Returns as many as are configured, or as would fill the prompt."""
        return max(self._ports.settings.long_term.top_facts, min(MOST_FACTS, self._budget // LEAST_FACT))

    @property
    def _budget(self) -> int:
        return self._command.token_budget or self._ports.settings.retrieval.token_budget

    def sources(self, known: CollectionEvidence) -> list[Source]:
        """Returns facts, strategies that proved nothing yet, and episodes, each in its own order."""
        strategies = [record for record in known.strategies if 0.0 <= record.reward < PROVEN]
        return [self._source(records) for records in (known.facts, strategies, known.episodes) if records]

    def _source(self, records: Sequence[Record]) -> Source:
        collection, keys = self._opened.collection, [record.record_id for record in records]
        text = self._command.input
        return Source(
            candidates=[candidate_of(record) for record in records],
            holds=holding(collection.words, keys, self._words),
            cosines=cosines(collection.vectors, keys, self._vectors.get(text), self._ports.embedder.space),
        )

    def _best(self, section: str, count: int) -> list[Record]:
        """Returns the best records of a section; no facts are too far from the input, others may be."""
        if count <= 0 or not self._among[section]:
            return []
        found = ranked(
            self._opened.collection,
            self._sought(self._command.input, count),
            self._admits(section),
            self._ports.embedder.space,
            self._ports.settings.long_term,
            self._among[section],
        )
        return [
            one.record for one in found if section == FACTS or one.score > 0.0 or one.record.contested_with
        ]

    def _episodes(self, count: int) -> list[Record]:
        if count <= 0:
            return []
        most = TWICE * count
        sought = [self._sought(text, most) for text in self._vectors]
        return told_once([one.record for one in alike(self._ports, self._opened, sought, most)], count)

    def _preferences(self) -> list[Record]:
        """Returns the orders that are to stand, then what the input speaks of; of this what was disliked behind the
        others."""
        orders = self.orders()
        found = [record for record in self._best(PREFERENCES, MOST_PREFERENCES) if record not in orders]
        return [*orders, *sorted(found, key=lambda record: record.reward < 0.0)]

    def orders(self) -> list[Record]:
        """Returns the newest of what the user wants in every answer, whatever is asked."""
        collection = self._opened.collection
        standing = [collection.records[key] for key in collection.orders]
        standing = [
            record for record in standing if record.reward >= 0.0 and self._stands(record, PREFERENCES)
        ]
        return sorted(standing, key=lambda record: record.event_time, reverse=True)[:MOST_ORDERS]

    def _limits(self) -> list[Record]:
        """Returns those nearest to the input, as far as their share of the prompt holds them."""
        collection = self._opened.collection
        lasting = filter(self._opened.lasts, map(collection.records.__getitem__, collection.limits))
        found = {record.record_id: record for record in lasting if record.reward >= 0.0}
        if not found:
            return []
        vector = self._vectors[self._command.input]
        cosines_ = collection.vectors.similarities(vector, list(found)).tolist()
        near = dict(zip(found, cosines_, strict=True))
        nearest = sorted(found, key=lambda key: (-near[key], key))[:MOST_LIMITS]
        room = LIMITS * self._budget
        held: list[Record] = []
        for record in map(found.__getitem__, nearest):
            if (takes := estimate(told(record))) <= room:
                room -= takes
                held.append(record)
        return held

    def _admits(self, section: str) -> Admits | None:
        """Returns which records may stand in it; of facts that never expire nothing more is asked, and nothing at all,
        where there are no other records."""
        if section == FACTS and self._opened.endless:
            facts = self._opened.collection.plain_facts
            return None if len(facts) == len(self._opened.collection.records) else facts.__contains__
        return admitting(self._opened.collection, lambda record: self._stands(record, section))

    def _stands(self, record: Record, section: str) -> bool:
        return section_of(record) == section and self._opened.lasts(record)

    def _sought(self, text: str, count: int) -> RecordQuery:
        return RecordQuery(
            top_k=count,
            alpha=self._ports.settings.retrieval.alpha,
            now=self._opened.now,
            text=text,
            vector=self._vectors[text],
        )


def section_of(record: Record) -> str | None:
    """Returns the section where a record stands; None for one that stands in none. Mended calls of tools are found by
    their errors, not by an input."""
    if record.kind is RecordKind.EPISODE or record.state is RecordState.SUPERSEDED:
        return None
    if record.category == PREFERENCE:
        return PREFERENCES
    if record.category == STRATEGY:
        is_recovery = record.recovery is not None or record.subcategory == ERROR_RECOVERY
        return None if is_recovery else STRATEGIES
    return FACTS if record.kind is RecordKind.FACT else None
