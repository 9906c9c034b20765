"""The sources of one owner in memory: every version that is kept, by path.

Law: versions of a path are numbered upwards, and no number is given twice, also after the source was deleted.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import ClassVar

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Head
from core.aggregate.parts import PartsAggregate
from core.errors import SourceNotFound
from core.instructions.steps import InstructionsStep, VersionsDrop
from core.model.instructions import InstructionsRecord, Source

BYTES_PER_CHARACTER = 2  # of a text in memory: Chinese takes so many, English half


class Instructions(PartsAggregate[InstructionsRecord, InstructionsStep]):
    """An owner's sources: read them freely between awaits."""

    kind: ClassVar[object]

    def __init__(self, record: InstructionsRecord, head: Head, tuning: Tuning) -> None:
        super().__init__(record, head, tuning)
        self._versions: dict[str, dict[int, Source]] = {}
        self._characters = 0

    # ---- reads ----

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self._versions)

    def source(self, path: str, version: int | None = None) -> Source:
        """Returns that version, or the newest. Raises SourceNotFound."""
        found = self.find(path, version)
        if found is None:
            raise SourceNotFound(path, version or 0)
        return found

    def find(self, path: str, version: int | None = None) -> Source | None:
        """Returns that version, or the newest, if it is kept."""
        kept = self._versions.get(path)
        if kept is None:
            return None
        return kept.get(max(kept) if version is None else version)

    def versions(self, path: str) -> Mapping[int, Source]:
        """Returns all versions of a source that are kept. Raises SourceNotFound."""
        if path not in self._versions:
            raise SourceNotFound(path, 0)
        return self._versions[path]

    def superseded(self, path: str) -> Mapping[int, datetime]:
        """Returns when each version but the newest was replaced: when the one after it was made."""
        kept = self._versions.get(path, {})
        return {before: kept[after].update_time for before, after in pairwise(sorted(kept))}

    def outlived(self, now: datetime, days: timedelta) -> tuple[Sequence[VersionsDrop], datetime | None]:
        """Returns the versions that were replaced so long ago, and when the next one's time will be over."""
        drops, left = [], []
        for path in self.paths:
            over = {number: time + days for number, time in self.superseded(path).items()}
            if gone := tuple(number for number, time in over.items() if time <= now):
                drops.append(VersionsDrop(path=path, versions=gone))
            left += [time for time in over.values() if time > now]
        return drops, min(left, default=None)

    @property
    def size(self) -> int:
        return super().size + BYTES_PER_CHARACTER * self._characters

    # ---- changing ----

    def entered(self, part: str, item: str, value: Source, before: Source | None) -> None:  # noqa: ARG002  one part
        self._versions.setdefault(value.path, {})[value.version] = value
        self._characters += value.characters - (before.characters if before else 0)

    def left(self, part: str, item: str, before: Source) -> None:  # noqa: ARG002  likewise
        kept = self._versions[before.path]
        del kept[before.version]
        if not kept:
            del self._versions[before.path]
        self._characters -= before.characters
