"""What was taken back of a conversation: which retraction it was, and what it holds for a release."""

from dataclasses import dataclass
from datetime import datetime

from core.model.conversation import KeyMemory, Summary, Turn, TurnCluster
from core.model.invocation import InvocationSummary
from core.model.retraction import RetractionState


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRetraction:
    """`steps`: of the turns that went; of them `unlearned` had not been looked through for facts. What it was asked
    for: steps, or by `writer` and time of writing from `since` until before `until`. `generation`: the conversation's
    when it was made. `close_time`: when it was released or erased."""

    retraction_id: str
    state: RetractionState
    create_time: datetime
    steps: tuple[int, ...]
    unlearned: tuple[int, ...] = ()
    generation: int = 0
    writer: str = ""
    since: datetime | None = None
    until: datetime | None = None
    reason: str = ""
    close_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTurn:
    """One thing as it was before a retraction: a turn that went, or what rested on such turns. One is there."""

    retraction_id: str
    turn: Turn | None = None
    cluster: TurnCluster | None = None
    summary: Summary | None = None
    key: KeyMemory | None = None
    invocation: InvocationSummary | None = None

    @property
    def name(self) -> str:
        return f"{self.retraction_id} {self._item}"

    @property
    def text_bytes(self) -> int:
        """Of a turn that went."""
        return self.turn.text_bytes if self.turn else 0

    @property
    def _item(self) -> str:
        if self.turn is not None:
            return f"turn {self.turn.step}"
        if self.cluster is not None:
            return f"cluster {self.cluster.cluster_id}"
        if self.summary is not None:
            return f"summary {self.summary.summary_id}"
        if self.key is not None:
            return f"key {self.key.key_id}"
        return f"invocation {self.invocation.invocation_id}" if self.invocation else ""
