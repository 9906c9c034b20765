"""When a decision is made, and under which settings."""

from dataclasses import dataclass
from datetime import datetime

from core.agents.roles import ConflictOpinion, Grade
from core.bank.bank import Bank
from core.usecases.ports import MomentPorts
from core.usecases.spaces import require_own_space


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When and under which settings a round is composed. `own_floor`: the bank's own floor of validations, from which
    on likely conflicts open too."""

    revision: int
    now: datetime
    top_k: int
    alpha: float
    validation_floor: float
    judge_assistants: bool
    own_floor: float | None = None

    def is_sure(self, opinion: ConflictOpinion) -> bool:
        """Whether an opinion opens a conflict: by its grade, or by the bank's own floor of validations."""
        floor = self.own_floor
        return opinion.grade is Grade.SURE or (floor is not None and opinion.confidence >= floor)


def moment(ports: MomentPorts, bank: Bank, revision: int) -> Moment:
    """Returns the present time with the bank's k, α and floor. Raises EmbeddingSpaceMismatch: a round's nodes are
    embedded."""
    require_own_space(ports, bank)
    return Moment(
        revision=revision,
        now=ports.clock.now(),
        top_k=ports.settings.retrieval.top_k_of(bank),
        alpha=ports.settings.retrieval.alpha_of(bank),
        validation_floor=ports.settings.retrieval.validation_floor_of(bank),
        own_floor=bank.record.settings.validation_floor,
        judge_assistants=ports.settings.retrieval.judge_assistants_of(bank),
    )
