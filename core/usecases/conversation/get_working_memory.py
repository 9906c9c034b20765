"""GetWorkingMemory: what an agent has in mind, within its tokens; or word for word."""

from dataclasses import dataclass

from core.agents.offline.compressing import compress, outcome
from core.agents.offline.thinking import think
from core.conversation.working import shown, split, tokens_of
from core.keys import InvocationKey
from core.model.invocation import Item
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class GetWorkingMemory:
    """No `key`: memory was not enabled, there is nothing. `raw`: every item, word for word."""

    key: InvocationKey | None
    raw: bool = False
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    items: tuple[Item, ...] = ()
    tokens: int = 0
    revision: int = 0


async def get_working_memory(house: House, command: GetWorkingMemory) -> WorkingMemory:
    """Raises InvocationNotFound, RevisionNotReached."""
    if command.key is None:
        return WorkingMemory()
    async with house.invocations.reading(command.key, command.min_revision) as invocation:
        record, items, revision = invocation.record, invocation.in_order(), invocation.revision
    if not command.raw and record.tokens > record.threshold:
        items = await think(bounded, items, record.threshold, record.keep_steps)
    return WorkingMemory(items=items, tokens=tokens_of(items), revision=revision)


def bounded(items: tuple[Item, ...], threshold: int, keep_steps: int) -> tuple[Item, ...]:
    """The items within `threshold` tokens, the older ones as one."""
    parted = split(items, threshold, keep_steps)
    text = compress(parted.older, parted.room) if parted.older else ""
    return shown(parted, text, threshold, outcome)
