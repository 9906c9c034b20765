"""What a call's agents cost: calls, tokens and time, by role."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleUsage:
    """One role's part. Tokens are 0 for agents that use no model.

    `fell_back` counts the answers that the offline agent gave because the model could not.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    fell_back: int = 0

    @property
    def tokens(self) -> int:
        """All that went to models and came from them."""
        return self.input_tokens + self.output_tokens

    def __add__(self, more: "RoleUsage") -> "RoleUsage":
        return RoleUsage(
            calls=self.calls + more.calls,
            input_tokens=self.input_tokens + more.input_tokens,
            output_tokens=self.output_tokens + more.output_tokens,
            milliseconds=self.milliseconds + more.milliseconds,
            fell_back=self.fell_back + more.fell_back,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """By role name (`clusterer`, `structurer`, `judge`, `consolidator`, `planner`, `embedder`); `reranker` has no part
    in any call's usage, and is told to observers alone."""

    roles: Mapping[str, RoleUsage] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """All that went to models and came from them."""
        return sum(role.tokens for role in self.roles.values())

    def __add__(self, more: "Usage") -> "Usage":
        nothing = RoleUsage()
        names = dict.fromkeys((*self.roles, *more.roles))
        return Usage(
            roles={name: self.roles.get(name, nothing) + more.roles.get(name, nothing) for name in names}
        )


NO_USAGE = Usage()
