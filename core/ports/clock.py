"""Time and fresh names.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Returns the present, in UTC, with microseconds."""
        ...


class Ids(Protocol):
    def new(self, prefix: str) -> str:
        """Returns a fresh id, unique and sorting by time of making: `prefix` says of what (`n`, `i`, `c`, …)."""
        ...
