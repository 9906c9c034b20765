"""StartTask: a goal with what is known about it becomes the first plan and the first prompt."""

from dataclasses import dataclass, replace
from datetime import timedelta

from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.bank.steps import BankPut, Step, insight_put
from core.errors import BankExists, BankNotFound, InvalidField
from core.ids import InteractionId
from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.insight import LONGEST, Insight
from core.model.interaction import Interaction
from core.model.structuring import Purpose, StructuringState
from core.model.usage import Usage
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.plan_next import plan_next
from core.usecases.bank.plans.planning import begun
from core.usecases.bank.ports import BankPorts
from core.usecases.bank.record import Context, RecordedAnswer, make_interaction, record_steps
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import MemorizeResult, Wait, outcome
from core.usecases.context.asked import NO_USER, UserMemories
from core.usecases.ports import HasAgents, MomentPorts
from core.usecases.spaces import require_embedding
from core.usecases.spending import commit, on_account
from core.usecases.task.ports import TaskPorts
from core.usecases.task.task_prompt import TaskPrompt, require_room, task_prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTask:
    """`goal`, or a `prompt` that the Clusterer takes apart. `interaction_id` names a context stored before. `ttl`: how
    long the bank stays once the task has finished; None: as it is. `user` and `collection` are of a new bank; `beside`:
    whose memories the prompt has, too."""

    key: BankKey
    augment: Augment
    beside: UserMemories = NO_USER
    goal: str = ""
    prompt: str = ""
    context: Context = Context()
    interaction_id: InteractionId | None = None
    wait: Wait = Wait.STRUCTURED
    ttl: timedelta | None = None
    user: str = ""
    collection: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStarted:
    """`memory` says what became of the context, if there was one; `made` is the prompt, from memory as it stands.

    `usage` is all that the call cost, the memory's part included."""

    bank: BankRecord
    insight: Insight
    made: TaskPrompt
    memory: MemorizeResult | None
    usage: Usage
    revision: int
    replayed: bool = False


async def start_task(ports: TaskPorts, command: StartTask) -> TaskStarted:
    """Creates the bank if it is missing, stores goal and context, structures, plans, and makes the prompt.

    Raises what Memorize, Augment and AssembleContext raise, BankNotFound aside.
    """
    ledger = ports.workshop.ledger(command.key)
    async with on_account(ports, command.key, ledger):
        committed = await _store(ports, command, ledger)
        memory = None
        if (stored := committed.result.interaction_id) is not None:
            memory = await outcome(
                ports, command.key, stored, command.wait, committed.replayed, caller=ledger
            )
        if memory is None or memory.state is StructuringState.DONE:
            await plan_next(ports, command.key, ledger, goalless=True)
    made = await task_prompt(ports, command.augment, command.beside)
    async with ports.banks.reading(command.key) as bank:
        return TaskStarted(
            bank=bank.record,
            insight=bank.insight,
            made=made,
            memory=memory,
            usage=ledger.total() if memory is None else memory.usage + ledger.total(),
            revision=bank.revision,
            replayed=committed.replayed,
        )


async def _store(ports: TaskPorts, command: StartTask, ledger: Ledger) -> CommitResult[RecordedAnswer]:
    """Stores goal and context durably."""
    goal, context = await _goal_and_context(ports, command, ledger)
    await require_room(ports, Insight(goal=goal), command.augment, command.beside)
    await _ensure_bank(ports, command, goal)
    interaction = None if context.is_empty else await make_interaction(ports, context)

    def stage(bank: Bank, _revision: int) -> Draft[RecordedAnswer]:
        return _stage(ports, bank, goal, interaction, command)

    return await commit(ports, command.key, stage, ledger, command.request, RecordedAnswer)


async def _goal_and_context(ports: HasAgents, command: StartTask, ledger: Ledger) -> tuple[str, Context]:
    if not command.prompt:
        return command.goal, command.context
    if not command.context.is_empty:
        raise InvalidField("text", "a prompt carries its own context: give `goal` beside a text or messages")
    with ledger.spending("clusterer"):
        split = await ports.agents.clusterer.split(command.prompt)
    if len(split.question) > LONGEST:  # no question was found in it: it is context, and its end says what for
        return split.question[-LONGEST:].lstrip(), replace(command.context, text=command.prompt)
    return split.question, replace(command.context, text=split.context)


async def _ensure_bank(ports: BankPorts, command: StartTask, goal: str) -> None:
    key = command.key
    made = CreateBank(
        tenant=key.tenant,
        bank_id=key.bank_id,
        goal=goal,
        user=command.user,
        collection=command.collection,
    )
    try:
        async with ports.banks.reading(key):
            return
    except BankNotFound:
        pass
    try:
        await create_bank(ports, made)
    except BankExists:
        return  # another call was quicker; it is there


def _stage(
    ports: MomentPorts, bank: Bank, goal: str, interaction: Interaction | None, command: StartTask
) -> Draft[RecordedAnswer]:
    steps: list[Step] = []
    stored = command.interaction_id
    if stored is not None:
        bank.tree.interaction(stored)
        if stored not in bank.tree.structurings:  # it came with its nodes: there is nothing to wait for
            stored = None
    if interaction is not None:
        require_embedding(ports, bank, "text")
        steps += record_steps(ports, bank, interaction, Purpose.START)
        stored = interaction.interaction_id
    insight, record = bank.insight, bank.record
    if insight.finished or goal not in ("", insight.goal):
        insight = begun(insight, goal or insight.goal)
        record = replace(record, goal=insight.goal, finish_time=None)
        steps.append(insight_put(bank.insight, insight))
    if command.ttl is not None:
        record = replace(record, ttl=command.ttl)
    if record != bank.record:
        steps.append(BankPut(record=record))
    return Draft(
        result=RecordedAnswer(interaction_id=stored),
        steps=tuple(steps),
        touches=frozenset(("insight", "bank", f"interaction:{stored}")),
    )
