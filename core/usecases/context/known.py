"""What a user's long-term memory has for a prompt: read at one revision, and counted as used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.context.long_term import Known
from core.errors import MemoryOff
from core.keys import CollectionKey
from core.long_term.ranking import Sought, admitting, ranked
from core.long_term.worth import weight
from core.model.record import (
    ERROR_RECOVERY,
    PREFERENCE,
    STRATEGY,
    Record,
    RecordKind,
    RecordState,
)
from core.model.vector import Vector
from core.usecases.context.asked import AssembleContext
from core.usecases.house import House
from core.usecases.long_term.memory import memory_of
from core.usecases.long_term.reading import Open, looking
from core.usecases.long_term.recall_episodes import alike
from core.usecases.long_term.retrieve_memories import reflections_over

MOST_PREFERENCES = 5
MOST_STRATEGIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    known: Known
    revision: int


async def remembered(house: House, command: AssembleContext, key: CollectionKey) -> Remembered:
    """Raises CollectionNotFound, MemoryOff, EmbedderUnavailable, RevisionNotReached."""
    texts = [text for text in (command.input, command.state) if text]
    vectors = await house.embedder.embed_queries(texts)
    memory = await memory_of(house, key.tenant, key.user)
    async with looking(house, key, command.least(key)) as opened:
        if not memory.enabled:
            raise MemoryOff("user")
        if not opened.collection.record.enabled:
            raise MemoryOff("collection")
        looked = _Looking(house, opened, dict(zip(texts, vectors, strict=True)), command)
        known = looked.known()
        house.uses.count(key, [record.record_id for record in known.records], opened.now)
        return Remembered(known=known, revision=opened.collection.revision)


class _Looking:
    """The searches of one open collection for one input."""

    def __init__(
        self, house: House, opened: Open, vectors: Mapping[str, Vector], command: AssembleContext
    ) -> None:
        self._house, self._opened, self._command = house, opened, command
        self._vectors = vectors

    def known(self) -> Known:
        settings = self._house.long_term
        top_facts = settings.top_facts if self._command.top_facts is None else self._command.top_facts
        top_episodes = (
            settings.top_episodes if self._command.top_episodes is None else self._command.top_episodes
        )
        facts = self._best(_is_fact, top_facts)
        strategies = self._best(_is_strategy, MOST_STRATEGIES)
        episodes = self._episodes(top_episodes)
        preferences = self._preferences()
        over = [*strategies, *facts, *episodes]
        return Known(
            preferences=preferences,
            strategies=strategies,
            facts=facts,
            episodes=episodes,
            reflections=reflections_over(self._opened, over),
        )

    def _best(self, belongs: Callable[[Record], bool], count: int) -> list[Record]:
        if count <= 0:
            return []
        found = ranked(
            self._opened.collection,
            self._sought(self._command.input, count),
            admitting(self._opened.collection, lambda record: belongs(record) and self._stands(record)),
            self._house.embedder.space,
            self._house.long_term,
        )
        return [one.record for one in found]

    def _episodes(self, count: int) -> list[Record]:
        if count <= 0:
            return []
        sought = [self._sought(text, count) for text in self._vectors]
        return [one.record for one in alike(self._house, self._opened, sought, count)]

    def _preferences(self) -> list[Record]:
        """Those that the input speaks of, then the weightiest of the others."""
        found = self._best(_is_preference, MOST_PREFERENCES)
        if len(found) < MOST_PREFERENCES:
            seen = {record.record_id for record in found}
            others = [
                record
                for record in self._opened.collection.records.values()
                if _is_preference(record) and record.record_id not in seen and self._stands(record)
            ]
            others.sort(key=lambda record: (-weight(record), record.record_id))
            found += others[: MOST_PREFERENCES - len(found)]
        return found

    def _sought(self, text: str, count: int) -> Sought:
        return Sought(
            top_k=count,
            alpha=self._house.retrieval.alpha,
            now=self._opened.now,
            text=text,
            vector=self._vectors[text],
        )

    def _stands(self, record: Record) -> bool:
        return record.state is not RecordState.SUPERSEDED and self._opened.lasts(record)


def _is_preference(record: Record) -> bool:
    return record.category == PREFERENCE and record.kind is not RecordKind.EPISODE


def _is_fact(record: Record) -> bool:
    return record.kind is RecordKind.FACT and record.category not in (PREFERENCE, STRATEGY)


def _is_strategy(record: Record) -> bool:
    """Mended calls of tools are found by their errors, not by an input."""
    is_recovery = record.recovery is not None or record.subcategory == ERROR_RECOVERY
    return record.category == STRATEGY and record.kind is not RecordKind.EPISODE and not is_recovery
