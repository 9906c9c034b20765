"""The indexes derived of one aggregate, by part: compiled anew as they grow, saved as snapshots for the next load.

Law: nothing here is durable, and nothing depends on it but how long a load or a search takes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.index.keyword_index import KeywordIndex
from core.index.restoring import IndexSnapshot
from core.index.vector_index import VectorIndex


class Job(Protocol):
    """What compiles an index anew: `build` runs in another thread."""

    def build(self) -> None: ...


class Compactable(Protocol):
    """A derived structure that has a compiled part and a tail of later edits."""

    def compaction(self, *, at_rest: bool = False) -> Any | None:
        """Returns the work that would compile it anew, if its tail has grown enough; a short one, too, of an index
        `at_rest`."""
        ...

    def adopt(self, job: Any) -> None:
        """Swaps in what the compaction built; edits made meanwhile are kept."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One part's compaction: `build` in another thread, then `Indexes.adopt`."""

    part: str
    job: Job

    def build(self) -> None:
        self.job.build()


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """An aggregate's indexes by part. A part of words is called `…_words`."""

    words: Mapping[str, KeywordIndex[Any]] = field(default_factory=dict)
    vectors: Mapping[str, VectorIndex[Any]] = field(default_factory=dict)
    others: Mapping[str, Compactable] = field(default_factory=dict)

    def compactions(self, *, at_rest: bool = False) -> list[Compaction]:
        """Returns the parts whose tails have grown enough to be compiled anew, now: short ones, too, `at_rest`."""
        compiled: Mapping[str, Compactable] = {**self.others, **self.vectors}
        jobs = {part: index.compaction(at_rest=at_rest) for part, index in compiled.items()}
        return [Compaction(part=part, job=job) for part, job in jobs.items() if job is not None]

    def adopt(self, compaction: Compaction) -> None:
        """Swaps in what a compaction built; edits made meanwhile are kept."""
        compiled: Mapping[str, Compactable] = {**self.others, **self.vectors}
        compiled[compaction.part].adopt(compaction.job)

    @property
    def has_unsaved(self) -> bool:
        """Whether an index changed much since `snapshots` last gave it."""
        return any(index.worth_saving for index in self.saved.values())

    @property
    def outlives_snapshots(self) -> bool:
        """Whether a snapshot holds words that were deleted or replaced since. Vectors are not text."""
        return any(index.outlives_snapshot for index in self.words.values())

    def snapshots(self) -> list[IndexSnapshot]:
        """Returns snapshots of the indexes that changed much, or lost words, since their last one."""
        due = {p: i for p, i in self.saved.items() if i.worth_saving or i.outlives_snapshot}
        return [IndexSnapshot(part=part, taken=index.snapshot()) for part, index in due.items()]

    @property
    def saved(self) -> Mapping[str, KeywordIndex[Any] | VectorIndex[Any]]:
        """The parts that snapshots are taken of."""
        return {**self.words, **self.vectors}
