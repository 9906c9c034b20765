"""Time and fresh names.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, in UTC, with microseconds."""
        ...


class Ids(Protocol):
    def new(self, prefix: str) -> str:
        """A fresh id, unique and sorting by time of making: `prefix` says of what (`n`, `i`, `c`, …)."""
        ...
