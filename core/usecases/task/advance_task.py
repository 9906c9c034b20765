"""AdvanceTask: what the framework just did becomes memory, the plan moves on (source document 000 §4.2)."""

from dataclasses import dataclass, replace

from core.bank.bank import Bank
from core.errors import InvalidField
from core.ids import ConflictId
from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.conflict import VerdictType
from core.model.insight import LONGEST
from core.model.interaction import Interaction, InteractionOrigin, TaskReport, TaskStatus
from core.model.structuring import Purpose
from core.ports.aggregates import Draft, RequestKey
from core.text.answers import answered_in
from core.usecases.bank.record import Context, RecordedAnswer, make_interaction, record_steps
from core.usecases.bank.structuring.verdicts import conflict_settled, require_known, validation_report
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.memorize import MemorizeResult, Wait, outcome
from core.usecases.context.asked import NO_USER, UserMemories
from core.usecases.ports import HasSettings
from core.usecases.spaces import require_embedding
from core.usecases.task.ports import TaskPorts
from core.usecases.task.task_prompt import TaskPrompt, require_room, task_prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvanceTask:
    """`context.task` reports the task; none: the first pending one that is no validation, succeeded. `conflict_id`, or
    the report of a validation, makes the context a verdict (see `verdicts`); `verdict_type` says how it settles the
    conflict, else its words do. `result` is what the task came to, else the agent's last message says it. A failed task
    may come without context. `beside`: whose memories the prompt has, too."""

    key: BankKey
    context: Context
    augment: Augment
    beside: UserMemories = NO_USER
    conflict_id: ConflictId | None = None
    verdict_type: VerdictType | None = None
    result: str = ""
    wait: Wait = Wait.STRUCTURED
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAdvanced:
    """`made` is the prompt, from memory as it stands; `finished` means there is nothing left to do. `open_conflicts`
    still wait for a verdict, oldest first."""

    memory: MemorizeResult
    made: TaskPrompt
    finished: bool
    bank: BankRecord
    open_conflicts: tuple[ConflictId, ...]
    revision: int
    replayed: bool = False


async def advance_task(ports: TaskPorts, command: AdvanceTask) -> TaskAdvanced:
    """Stores, structures (or resolves), replans, and makes the next prompt.

    Raises what Memorize, Augment and AssembleContext raise, ConflictNotFound, ConflictClosed.
    """
    async with ports.banks.reading(command.key) as bank:
        require_embedding(ports, bank, "bank_id")
        insight = bank.insight
    await require_room(ports, insight, command.augment, command.beside)
    interaction = await make_interaction(ports, command.context)
    report = command.context.task
    if not interaction.spans and (report is None or report.status is not TaskStatus.FAILED):
        raise InvalidField("text", "give a text or messages that are not blank: what the task found")

    def stage(bank: Bank, _revision: int) -> Draft[RecordedAnswer]:
        return _stage(ports, bank, command, interaction)

    committed = await ports.banks.commit(command.key, stage, command.request, RecordedAnswer)
    interaction_id = committed.result.interaction_id or interaction.interaction_id
    memory = await outcome(ports, command.key, interaction_id, command.wait, committed.replayed)
    made = await task_prompt(ports, command.augment, command.beside, observe=memory.insight.finished)
    async with ports.banks.reading(command.key) as bank:
        record = bank.record
        open_conflicts = tuple(conflict.conflict_id for conflict in bank.open_conflicts())
    return TaskAdvanced(
        memory=memory,
        made=made,
        finished=memory.insight.finished,
        bank=record,
        open_conflicts=open_conflicts,
        revision=max(memory.revision, made.revision),
        replayed=committed.replayed,
    )


def _stage(
    ports: HasSettings, bank: Bank, command: AdvanceTask, interaction: Interaction
) -> Draft[RecordedAnswer]:
    require_known(bank, interaction.task)
    conflict_id = conflict_settled(bank, interaction.task, command.conflict_id)
    if conflict_id is None:
        if command.verdict_type is not None:
            raise InvalidField(
                "verdict_type", "must be unset where conflict_id, or the task, names no conflict"
            )
        purpose, done = Purpose.ADVANCE, interaction.task or _next(bank)
        result = command.result or _answered(command.context)
        interaction = replace(interaction, task=done and replace(done, result=result))
    else:
        named = validation_report(bank, conflict_id, interaction.task)
        purpose, named = Purpose.RESOLVE, replace(named, result=command.result)
        interaction = replace(interaction, task=named, origin=InteractionOrigin.VERDICT)
    steps = record_steps(ports, bank, interaction, purpose, conflict_id, command.verdict_type)
    return Draft(
        result=RecordedAnswer(interaction_id=interaction.interaction_id),
        steps=tuple(steps),
        touches=frozenset((f"interaction:{interaction.interaction_id}", f"conflict:{conflict_id}")),
    )


def _answered(context: Context) -> str:
    """Returns what the agent answered last in its messages."""
    return answered_in((message.role, message.text) for message in context.messages)[:LONGEST]


def _next(bank: Bank) -> TaskReport | None:
    """Returns what a caller that names no task has just done: a validation is never guessed."""
    waiting = (task for task in bank.insight.pending if not task.conflict_id)
    if (task := next(waiting, None)) is None:
        return None
    return TaskReport(task_id=task.task_id, type=task.type, description=task.description)
