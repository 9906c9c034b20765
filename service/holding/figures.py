"""What is held in memory, in figures: for metrics."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFigures:
    """Aggregates in memory by kind, their bytes, watchers, and commands that wait for their writers.
    `unconfirmed_seconds`: how long ago the heads of the aggregates in use were last confirmed."""

    aggregates: Mapping[str, int]
    size: int
    watchers: int
    queued: int
    unconfirmed_seconds: float
