"""What a call's agents cost: calls, tokens and time by role."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from core.errors import BudgetSpent
from core.ports import ChatReply, Clock


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
    """By role name (`clusterer`, `structurer`, `judge`, `consolidator`, `planner`, `embedder`)."""

    roles: Mapping[str, RoleUsage] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """All that went to models and came from them."""
        return sum(role.input_tokens + role.output_tokens for role in self.roles.values())

    def __add__(self, more: "Usage") -> "Usage":
        nothing = RoleUsage()
        names = dict.fromkeys((*self.roles, *more.roles))
        return Usage(
            roles={name: self.roles.get(name, nothing) + more.roles.get(name, nothing) for name in names}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many tokens may be spent under the setting `name`."""

    name: str
    tokens: int


class Ledger:
    """Adds up what one call spends, as it spends it, and knows what it may not exceed."""

    def __init__(self, clock: Clock, budgets: tuple[Budget, ...] = ()) -> None:
        self._clock = clock
        self._budgets = budgets
        self._roles: dict[str, RoleUsage] = {}

    @contextmanager
    def spending(self, role: str) -> Iterator[None]:
        """Count the work of `role` until the block ends, failed or not: the models it asks, else one call."""
        start, before = self._clock.now(), self._of(role).calls
        token = _account.set((self, role))
        try:
            yield
        finally:
            _account.reset(token)
            spent = (self._clock.now() - start).total_seconds() * 1000
            so_far = self._of(role)
            self._roles[role] = replace(
                so_far,
                calls=max(so_far.calls, before + 1),
                milliseconds=so_far.milliseconds + round(spent),
            )

    def total(self) -> Usage:
        return Usage(roles=dict(self._roles))

    def afford(self) -> None:
        """Raises BudgetSpent when nothing is left to ask a model with."""
        spent = self.total().tokens
        for budget in self._budgets:
            if spent >= budget.tokens:
                raise BudgetSpent(budget=budget.name, spent=spent, allowed=budget.tokens)

    def charge(self, role: str, reply: ChatReply) -> None:
        so_far = self._of(role)
        self._roles[role] = replace(
            so_far,
            calls=so_far.calls + 1,
            input_tokens=so_far.input_tokens + reply.input_tokens,
            output_tokens=so_far.output_tokens + reply.output_tokens,
        )

    def note_fallback(self, role: str) -> None:
        so_far = self._of(role)
        self._roles[role] = replace(so_far, fell_back=so_far.fell_back + 1)

    def _of(self, role: str) -> RoleUsage:
        return self._roles.get(role, RoleUsage())


_account: ContextVar[tuple[Ledger, str] | None] = ContextVar("account", default=None)
"""Whose work is under way in this task: agents need not be told what they cost, or to whom."""


def afford() -> None:
    """To be called before a model is asked. Raises BudgetSpent."""
    if (account := _account.get()) is not None:
        account[0].afford()


def charge(reply: ChatReply) -> None:
    """To be called with every reply of a model, good or bad."""
    if (account := _account.get()) is not None:
        ledger, role = account
        ledger.charge(role, reply)


def note_fallback() -> None:
    """To be called when the offline agent answers in place of a model that could not."""
    if (account := _account.get()) is not None:
        ledger, role = account
        ledger.note_fallback(role)
