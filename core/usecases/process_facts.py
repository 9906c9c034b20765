"""What a process tells of itself to those who run it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

UNUSED = timedelta(days=30)
"""After which what nothing has used is worth a look: an API key, a key memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFacts:
    """The program's version, when it started, and what it holds in memory now: how many of each kind, their bytes, and
    the bytes that they may take. `disk_free`: bytes left beside its data; None where it keeps none.
    `open_conflicts`: in the banks that it holds. `overdue_reviews`: records that have waited too long for a review, in
    the collections that it holds; `overdue_retractions`: that wait as long to be released or erased. `unshown_keys`:
    of the conversations that it holds, the key memories that no prompt has shown for the time of UNUSED.
    `full_collections`: of those that it holds, in which what was learned finds no room."""

    version: str = ""
    start_time: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    held: Mapping[str, int] = field(default_factory=dict)
    held_bytes: int = 0
    memory_budget: int = 0
    disk_free: int | None = None
    open_conflicts: int = 0
    overdue_reviews: int = 0
    overdue_retractions: int = 0
    unshown_keys: int = 0
    full_collections: int = 0
