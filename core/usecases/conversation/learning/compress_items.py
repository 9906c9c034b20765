"""The chore in which a model tells of an agent's older steps in fewer words, stretch by stretch.

Law: nothing waits for it: until a model has answered, reads tell of these items by rules. Only what was made of the
very items that stand lands, with what it cost; after an end nothing does.
"""

from dataclasses import replace

from core.agents.faithful import problem_of_compression
from core.agents.memory_roles import Compressor
from core.agents.usage import Ledger
from core.conversation.invocation import CompressedPut, Invocation, RunningPut
from core.conversation.working import TOLD
from core.errors import AgentReplyInvalid, MemoryOff, UserNotFound
from core.keys import ConversationKey, InvocationKey
from core.model.invocation import CompressedItems, InvocationRecord, InvocationState, Item
from core.ports.aggregates import Draft
from core.usecases.conversation.ports import CompressionPorts
from core.usecases.user.permission import permission_of


async def compress_items(ports: CompressionPorts, key: InvocationKey) -> None:
    """Compresses items until no stretch is left. Raises InvocationNotFound, AgentUnavailable, AgentReplyInvalid,
    BudgetSpent."""
    compressor = ports.memory_agents.compressor
    if compressor is None:
        return
    while await _next_stretch(ports, key, compressor):
        pass


async def _next_stretch(ports: CompressionPorts, key: InvocationKey, compressor: Compressor) -> bool:
    """Whether there was one, and it landed."""
    async with ports.invocations.reading(key) as invocation:
        record, items, before = invocation.record, invocation.to_compress(), invocation.compressed
    if not items:
        return False
    ledger = ports.workshop.ledger(place_of(record) or key)
    earlier = before.text if before else ""
    text = await _told(ledger, compressor, earlier, items, int(record.threshold // 2 * TOLD))
    return await _land(ports, key, ledger, before, CompressedItems(text=text, last=items[-1].number))


def place_of(record: InvocationRecord) -> ConversationKey | None:
    """Returns the conversation that the invocation belongs to, whose budget its agents spend."""
    if not record.conversation_id:
        return None
    of = record.key
    return ConversationKey(tenant=of.tenant, user=of.user, conversation_id=record.conversation_id)


async def _told(
    ledger: Ledger, compressor: Compressor, before: str, items: tuple[Item, ...], room: int
) -> str:
    with ledger.spending("compressor"):
        compression = await compressor.compress(before, items, room)
        if problem := problem_of_compression(compression, before, items, room):
            raise AgentReplyInvalid("compressor", problem)
    return compression.text


async def _land(
    ports: CompressionPorts,
    key: InvocationKey,
    ledger: Ledger,
    before: CompressedItems | None,
    made: CompressedItems,
) -> bool:
    tokens = ledger.unrecorded

    def stage(invocation: Invocation, _revision: int) -> Draft[bool]:
        record = invocation.record
        is_over = record.state is not InvocationState.RUNNING
        steps = [RunningPut(record=replace(record, tokens_spent=record.tokens_spent + tokens))]
        if is_over or invocation.compressed != before:
            return Draft(result=False, steps=tuple(steps), touches=frozenset({"invocation"}))
        return Draft(
            result=True,
            steps=(*steps, CompressedPut(compressed=made)),
            touches=frozenset({"invocation"}),
            requires=(tender,),
        )

    try:
        tender = (await permission_of(ports, key)).tender()
        done = await ports.invocations.commit(key, stage)
    except (MemoryOff, UserNotFound):
        return False
    ledger.put_on_record(tokens, 0)
    return done.result
