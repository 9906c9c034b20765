"""What a call's agents cost: calls, tokens and time by role."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from core.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleUsage:
    """One role's part. Tokens are 0 for agents that use no model."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """By role name (`clusterer`, `structurer`, `judge`, `consolidator`, `planner`, `embedder`)."""

    roles: Mapping[str, RoleUsage] = field(default_factory=dict)


class Ledger:
    """Adds up what one call spends, as it spends it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._roles: dict[str, RoleUsage] = {}

    @contextmanager
    def spending(self, role: str) -> Iterator[None]:
        """Count one call of `role` and the time until the block ends, failed or not."""
        start = self._clock.now()
        try:
            yield
        finally:
            spent = (self._clock.now() - start).total_seconds() * 1000
            so_far = self._roles.get(role, RoleUsage())
            self._roles[role] = replace(
                so_far, calls=so_far.calls + 1, milliseconds=so_far.milliseconds + round(spent)
            )

    def total(self) -> Usage:
        return Usage(roles=dict(self._roles))
