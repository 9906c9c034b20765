"""What is held in memory, in figures: for metrics."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFigures:
    """Aggregates in memory by kind, their bytes, watchers, commands that wait for their writers, and how long ago the
    store last told where the aggregates in use stand."""

    aggregates: Mapping[str, int]
    size: int
    watchers: int
    queued: int
    unconfirmed_seconds: float
