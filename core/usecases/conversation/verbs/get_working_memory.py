"""GetWorkingMemory: what an agent has in mind, within its tokens; or word for word."""

from dataclasses import dataclass

from core.agents.offline.compressing import compress
from core.agents.offline.thinking import think
from core.agents.outcomes import gist
from core.conversation.working import not_told, shown, split, tokens_of
from core.keys import InvocationKey
from core.model.invocation import CompressedItems, Item
from core.text.tokens import estimate
from core.usecases.ports import HasInvocations


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


async def get_working_memory(ports: HasInvocations, command: GetWorkingMemory) -> WorkingMemory:
    """Raises InvocationNotFound, RevisionNotReached."""
    if command.key is None:
        return WorkingMemory()
    async with ports.invocations.reading(command.key, command.min_revision) as invocation:
        record, items, revision = invocation.record, invocation.in_order(), invocation.revision
        compressed = invocation.compressed
    if not command.raw and record.tokens > record.threshold:
        items = await think(bounded, items, record.threshold, record.keep_steps, compressed)
    return WorkingMemory(items=items, tokens=tokens_of(items), revision=revision)


def bounded(
    items: tuple[Item, ...], threshold: int, keep_steps: int, told: CompressedItems | None = None
) -> tuple[Item, ...]:
    """Returns the items within `threshold` tokens, the older ones as one: what a model made of them, and the rest by
    rules."""
    parted = split(items, threshold, keep_steps)
    waiting = not_told(parted.older, told)
    text = told.text if told and parted.older else ""
    if waiting:
        rest = compress(waiting, parted.room - estimate(f"{text}\n"))
        text = "\n".join(filter(None, (text, rest)))
    return shown(parted, text, threshold, gist)
