"""When a decision is made, and under which settings."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When and under which settings a round is composed."""

    revision: int
    now: datetime
    top_k: int
    alpha: float
