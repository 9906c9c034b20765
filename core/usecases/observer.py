"""Who is told what agents do and cost, for logs and metrics: names and figures, never what is remembered."""

from dataclasses import dataclass
from typing import Protocol

from core.agents.usage import RoleCall
from core.ids import InteractionId
from core.keys import BankKey
from core.model.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuringEnded:
    """Work on an interaction has ended: all done, or `failure` says why not yet. Cancelled counts as a failure,
    and so does what was never meant to happen."""

    key: BankKey
    interaction_id: InteractionId
    usage: Usage
    failure: BaseException | None


class Observer(Protocol):
    """Is quick, and raises nothing."""

    def asked(self, asked: RoleCall) -> None:
        """Takes note that a question to an agent, to the embedder or to the reranker has ended."""
        ...

    def structured(self, structured: StructuringEnded) -> None:
        """Takes note that the structuring of an interaction has ended, for now."""
        ...


class NullObserver:
    """Does nothing."""

    def asked(self, asked: RoleCall) -> None:  # noqa: ARG002 - nothing becomes of it
        return

    def structured(self, structured: StructuringEnded) -> None:  # noqa: ARG002 - nothing becomes of it
        return
