"""What is held in memory, in figures: for metrics."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFigures:
    """Aggregates in memory by kind, their bytes, watchers, and commands that wait for their writers.
    `replayed`: requests that got their first answer again. `unconfirmed_seconds`: how long ago the heads of the
    aggregates in use were last confirmed."""

    aggregates: Mapping[str, int]
    size: int
    watchers: int
    queued: int
    replayed: int
    unconfirmed_seconds: float
