"""AdvanceTask: what the framework just did becomes memory, the plan moves on (seed 000 §4.2)."""

from dataclasses import dataclass, replace

from core.bank.bank import Bank
from core.errors import ConflictClosed, InvalidField
from core.ids import BankKey, ConflictId
from core.model.bank import BankRecord
from core.model.conflict import ConflictStatus
from core.model.insight import TaskType
from core.model.interaction import Interaction, InteractionOrigin, TaskReport, TaskStatus
from core.model.structuring import Purpose
from core.ports.aggregates import Draft, RequestKey
from core.usecases.bank.augment import Augment, Augmented, augment, require_budget
from core.usecases.bank.memorize import Memorized, Wait, outcome
from core.usecases.bank.record import Context, Recorded, make_interaction, record_steps
from core.usecases.house import House, require_embedding


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvanceTask:
    """`context.task` reports the task; none: the first pending one, succeeded. `conflict_id`, or a
    CROSS_VALIDATION task's own, makes the context a verdict. A failed task may come without context."""

    key: BankKey
    context: Context
    augment: Augment
    conflict_id: ConflictId | None = None
    wait: Wait = Wait.STRUCTURED
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAdvanced:
    """The prompt is made from memory as it stands; `finished` means there is nothing left to do."""

    memory: Memorized
    augmented: Augmented
    finished: bool
    bank: BankRecord
    revision: int
    replayed: bool = False


async def advance_task(house: House, command: AdvanceTask) -> TaskAdvanced:
    """Store, structure (or resolve), replan, and make the next prompt.

    Raises what Memorize and Augment raise, ConflictNotFound, ConflictClosed.
    """
    async with house.banks.reading(command.key) as bank:
        require_embedding(house, bank, "bank_id")
        require_budget(house, bank.insight, command.augment)
    interaction = await make_interaction(house, command.context)
    report = command.context.task
    if not interaction.spans and (report is None or report.status is not TaskStatus.FAILED):
        raise InvalidField("text", "give a text or messages that are not blank: what the task found")

    def stage(bank: Bank, _revision: int) -> Draft[Recorded]:
        return _stage(house, bank, command, interaction)

    committed = await house.banks.commit(command.key, stage, command.request, Recorded)
    interaction_id = committed.result.interaction_id or interaction.interaction_id
    memory = await outcome(house, command.key, interaction_id, command.wait, committed.replayed)
    augmented = await augment(house, command.augment)
    async with house.banks.reading(command.key) as bank:
        record = bank.record
    return TaskAdvanced(
        memory=memory,
        augmented=augmented,
        finished=memory.insight.finished,
        bank=record,
        revision=max(memory.revision, augmented.revision),
        replayed=committed.replayed,
    )


def _stage(house: House, bank: Bank, command: AdvanceTask, interaction: Interaction) -> Draft[Recorded]:
    report = interaction.task or _first_pending(bank)
    conflict_id = command.conflict_id or _conflict_of(bank, report)
    purpose = Purpose.ADVANCE
    interaction = replace(interaction, task=report)
    if conflict_id is not None:
        purpose = Purpose.RESOLVE
        conflict = bank.conflict(conflict_id)
        if conflict.status is not ConflictStatus.OPEN:
            raise ConflictClosed(conflict_id, conflict.status)
        named = _validation(bank, conflict_id, report)
        interaction = replace(interaction, task=named, origin=InteractionOrigin.VERDICT)
    steps = record_steps(house, bank, interaction, purpose, conflict_id)
    return Draft(
        result=Recorded(interaction_id=interaction.interaction_id),
        steps=tuple(steps),
        touches=frozenset((f"interaction:{interaction.interaction_id}", f"conflict:{conflict_id}")),
    )


def _first_pending(bank: Bank) -> TaskReport | None:
    """What a caller that names no task has just done."""
    if not bank.insight.pending:
        return None
    task = bank.insight.pending[0]
    return TaskReport(task_id=task.task_id, type=task.type, description=task.description)


def _conflict_of(bank: Bank, report: TaskReport | None) -> ConflictId | None:
    """The conflict of the validation task reported, if it is one."""
    if report is None:
        return None
    for task in bank.insight.pending:
        if task.conflict_id and report.task_id and task.task_id == report.task_id:
            return ConflictId(task.conflict_id)
    if report.type == TaskType.CROSS_VALIDATION:
        open_now = bank.open_conflicts()
        if len(open_now) == 1:
            return open_now[0].conflict_id
        raise InvalidField("conflict_id", "name the conflict this CROSS_VALIDATION task settles")
    return None


def _validation(bank: Bank, conflict_id: ConflictId, report: TaskReport | None) -> TaskReport:
    """The report, naming the validation task of the conflict even if the caller did not."""
    report = report or TaskReport(type=TaskType.CROSS_VALIDATION)
    for task in bank.insight.pending:
        if task.conflict_id == conflict_id:
            return replace(report, task_id=task.task_id)
    return report
