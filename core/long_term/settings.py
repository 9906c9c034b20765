"""The configured numbers of long-term memory, passed in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType

HALF_LIVES: Mapping[str, float] = MappingProxyType({"work": 90.0, "emotion": 30.0, "preference": 0.0})


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTermSettings:
    """`half_life_days` by category, 0 for what does not decay, as facts never do; `other_half_life_days` is that of
    episodes and of categories that are not named."""

    top_facts: int = 5
    top_episodes: int = 3
    top_memories: int = 8
    top_recoveries: int = 3
    half_life_days: Mapping[str, float] = field(default_factory=lambda: HALF_LIVES)
    other_half_life_days: float = 180.0
    reward_rate: float = 0.3
    confidence_step: float = 0.1
    failure_factor: float = 0.8
    recovery_confidence: float = 0.7
    min_match: float = 0.7
    prune_confidence: float = 0.3
    prune_days: float = 30.0
    review_days: float = 7.0
    judged_against: int = 5

    @property
    def prune_after(self) -> timedelta:
        return timedelta(days=self.prune_days)
