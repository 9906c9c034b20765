"""How often records are retrieved: counted in memory, and written down now and then.

Law: retrieving waits for no disk. A crash loses the counts of some seconds; counts of several processes add up.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import AggregateNotFound, MemoryBankError
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.steps import UsesPut
from core.model.record import Uses
from core.ports.aggregates import Aggregates, Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class _None:
    """Nothing to answer."""


class UseCounts:
    """Counts since they were last written, by collection and record."""

    def __init__(self) -> None:
        self._counts: dict[CollectionKey, dict[RecordId, Uses]] = {}
        self._total = 0

    def __len__(self) -> int:
        """Returns how many uses wait to be written."""
        return self._total

    def count(self, key: CollectionKey, record_ids: Iterable[RecordId], now: datetime) -> None:
        """Counts one use of each."""
        counts = self._counts.setdefault(key, {})
        for record_id in record_ids:
            before = counts.get(record_id)
            counts[record_id] = Uses(count=1 + (before.count if before else 0), last_time=now)
            self._total += 1

    async def flush(self, collections: Aggregates[Collection]) -> None:
        """Writes all down. What fails is counted again, but for collections and records that are gone."""
        waiting, self._counts, self._total = self._counts, {}, 0
        for key, counts in waiting.items():
            try:
                await collections.commit(key, _adding(counts))
            except AggregateNotFound:
                continue
            except MemoryBankError:
                self._again(key, counts)

    def _again(self, key: CollectionKey, counts: dict[RecordId, Uses]) -> None:
        standing = self._counts.setdefault(key, {})
        for record_id, uses in counts.items():
            later = standing.get(record_id)
            standing[record_id] = replace(later, count=later.count + uses.count) if later else uses
            self._total += uses.count


def _adding(counts: dict[RecordId, Uses]) -> Callable[[Collection, int], Draft[_None]]:
    def stage(collection: Collection, _revision: int) -> Draft[_None]:
        steps = []
        for record_id, uses in counts.items():
            if record_id in collection.records:
                before = collection.uses.get(record_id)
                total = replace(uses, count=uses.count + (before.count if before else 0))
                steps.append(UsesPut(record_id=record_id, uses=total))
        touches = frozenset(f"uses:{record_id}" for record_id in counts)
        return Draft(result=_None(), steps=tuple(steps), touches=touches)

    return stage
