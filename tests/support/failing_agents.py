"""Agents that fail when a test wants them to: at the n-th question of one kind, in one of four ways.

Law: until the snare springs, and after it is taken up, the agents answer as the script says.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

from core.agents.roles import Agents
from core.errors import AgentReplyInvalid, AgentUnavailable, BudgetSpent


@dataclass(slots=True)
class Snare:
    """Set at a question (`structurer.structure`), it springs at the `nth` time it is asked, and from then on.

    `failure` is raised; without one the question hangs. `sprung` tells that it has.
    """

    question: str = ""
    nth: int = 1
    failure: Exception | None = None
    sprung: asyncio.Event = field(default_factory=asyncio.Event)

    def set(self, question: str, nth: int, failure: Exception | None) -> None:
        self.question, self.nth, self.failure = question, nth, failure

    def take_up(self) -> None:
        self.question = ""

    async def pass_by(self, question: str) -> None:
        """Raises the failure, or never returns, where the snare is set."""
        if question != self.question:
            return
        self.nth -= 1
        if self.nth > 0:
            return
        self.sprung.set()
        if self.failure is not None:
            raise self.failure
        await asyncio.Event().wait()


class Snared:
    """A role on whose every question lies the snare."""

    def __init__(self, role: str, inner: object, snare: Snare) -> None:
        self._role = role
        self._inner = inner
        self._snare = snare

    def __getattr__(self, name: str) -> Any:
        inner = getattr(self._inner, name)
        if not asyncio.iscoroutinefunction(inner):
            return inner

        async def ask(*question: Any) -> Any:
            await self._snare.pass_by(f"{self._role}.{name}")
            return await inner(*question)

        return ask


def snared(agents: Agents, snare: Snare) -> Agents:
    roles = {name: Snared(name, getattr(agents, name), snare) for name in Agents.__slots__}
    return Agents(**cast(Any, roles))


def failures(role: str) -> dict[str, Exception | None]:
    """The ways in which a role fails, by name; None: it hangs."""
    return {
        "unavailable": AgentUnavailable(role, "connection refused"),
        "reply invalid": AgentReplyInvalid(role, "not JSON"),
        "budget spent": BudgetSpent(budget="budget.tokens_per_bank", spent=12, allowed=10),
        "hangs": None,
    }
