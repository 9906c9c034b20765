"""The prompt for a task's next step: of the bank alone, or in one assembly with memories of a user's.

Law: reads only, but for what is found and counted. What a user's memory lacks is missing, as in any context; the bank
never is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.context.sections import LeftOut, SectionSize
from core.keys import BankKey
from core.model.insight import Insight
from core.usecases.bank.verbs.augment import Augment, augment, budget_of, next_step, require_budget
from core.usecases.context.asked import AssembleContext, Missing, UserMemories
from core.usecases.context.assemble_context import assemble_context
from core.usecases.context.parts import own_keys
from core.usecases.context.ports import ContextPorts, RecallPorts
from core.usecases.instructions.load_sources import named
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPrompt:
    """`revision` is the bank's; `revisions` are those of the user's memories, by the names of their keys."""

    prompt: str
    tools: tuple[str, ...]
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    revision: int
    missing: tuple[Missing, ...] = ()
    revisions: Mapping[str, int] = field(default_factory=dict)


async def task_prompt(
    ports: ContextPorts, command: Augment, beside: UserMemories, *, observe: bool = False
) -> TaskPrompt:
    """Makes the prompt; `observe`: nothing that is found counts. Raises what Augment and AssembleContext raise."""
    if beside.is_empty:
        made = await augment(ports, command)
        return TaskPrompt(
            prompt=made.prompt,
            tools=made.tools,
            sections=made.sections,
            left_out=made.left_out,
            revision=made.revision,
        )
    about = await _about(ports, command.key)
    context = await assemble_context(
        ports,
        AssembleContext(
            input=about,
            task=replace(command, about=about),
            bank=command.key,
            conversation=beside.conversation,
            collection=beside.collection,
            invocation=beside.invocation,
            token_budget=budget_of(ports, command),
            allow_partial=beside.allow_partial,
            min_revisions=beside.min_revisions,
            observe=observe,
        ),
    )
    bank = named(command.key)
    return TaskPrompt(
        prompt=context.prompt,
        tools=context.tools,
        sections=context.sections,
        left_out=context.left_out,
        revision=context.revisions[bank],
        missing=context.missing,
        revisions={name: seen for name, seen in context.revisions.items() if name != bank},
    )


async def require_room(ports: RecallPorts, insight: Insight, command: Augment, beside: UserMemories) -> None:
    """Raises BudgetTooSmall unless every later prompt of the task fits: a call that writes asks this first."""
    require_budget(ports, insight, command, await own_keys(ports, beside.conversation))


async def _about(ports: HasBanks, key: BankKey) -> str:
    async with ports.banks.reading(key) as bank:
        return next_step(bank)
