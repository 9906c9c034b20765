"""ConfirmConflict: a suspected conflict becomes an open one."""

from dataclasses import dataclass, replace

from core.bank.bank import Bank
from core.bank.steps import ConflictPut, NodePut, Step
from core.ids import ConflictId
from core.keys import BankKey
from core.model.conflict import Conflict, ConflictStatus
from core.model.insight import Insight
from core.model.node import NodeState
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.going_on import insight_steps
from core.usecases.bank.plans.planning import with_validations
from core.usecases.bank.ports import BankPorts
from core.usecases.bank.structuring.verdicts import open_conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmConflict:
    key: BankKey
    conflict_id: ConflictId
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictConfirmed:
    conflict: Conflict
    insight: Insight


async def confirm_conflict(ports: BankPorts, command: ConfirmConflict) -> CommitResult[ConflictConfirmed]:
    """Opens a suspected conflict; one that is open stays as it is. Raises ConflictNotFound, ConflictClosed,
    BankNotFound, RequestIdReused."""

    def stage(bank: Bank, revision: int) -> Draft[ConflictConfirmed]:
        conflict = open_conflict(bank, command.conflict_id)
        if conflict.status is ConflictStatus.OPEN:
            return Draft(result=ConflictConfirmed(conflict=conflict, insight=bank.insight))
        opened, now = replace(conflict, status=ConflictStatus.OPEN), ports.clock.now()
        steps: list[Step] = [ConflictPut(conflict=opened)]
        for side in conflict.sides:
            node = bank.nodes[side.node_id]
            if node.state is not NodeState.CONTESTED:
                contested = replace(node, state=NodeState.CONTESTED, update_time=now, revision=revision)
                steps.append(NodePut(node=contested, vector=None))
        floor = ports.settings.retrieval.validation_floor_of(bank)
        insight = with_validations(bank.insight, [*bank.open_conflicts(), opened], floor)
        return Draft(
            result=ConflictConfirmed(conflict=opened, insight=insight),
            steps=(*steps, *insight_steps(ports, bank, insight)),
            sees_all=True,
        )

    return await ports.banks.commit(command.key, stage, command.request, ConflictConfirmed)
