"""The parts that a context is made of, read at once.

Law: each part is read at one revision of its own. What does not exist is empty; a part that fails fails the call, or is
listed as missing where the caller can do without.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.context.conversing import (
    Talk,
    key_section,
)
from core.context.disputes import NO_DISPUTES, Disputes
from core.context.evidence import Source
from core.context.long_term import add_contests
from core.conversation.recalling import RecalledConversation, recall
from core.errors import AggregateNotFound, MemoryBankError, MemoryOff, PartTimedOut
from core.keys import BankKey, ConversationKey, InvocationKey
from core.text.tokens import estimate
from core.usecases.bank.verbs.augment import Augment, BankRecall, gather
from core.usecases.context.asked import AssembleContext, Missing, Part
from core.usecases.context.elsewhere import Elsewhere, elsewhere
from core.usecases.context.known import RecalledEvidence, remembered
from core.usecases.context.ports import ContextPorts
from core.usecases.context.turn_evidence import source_of, talk_of, without_need
from core.usecases.conversation.ports import InvocationPorts, TurnVectorPorts
from core.usecases.conversation.verbs.get_working_memory import (
    GetWorkingMemory,
    WorkingMemory,
    get_working_memory,
)
from core.usecases.conversation.verbs.search_turns import turn_query
from core.usecases.instructions.load_sources import SourcesLoaded, load_with, named
from core.usecases.ports import HasConversations
from core.usecases.user.permission import Permissions
from core.usecases.vectors import query_vector
from core.verbatim.measuring import words_of

LEAST_TURN = 40  # tokens of a turn shown whole: so many are looked for that they would fill the prompt,
MOST_TURNS = 100  # but no more than these

Found = TypeVar("Found")
Named = TypeVar("Named")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEvidence:
    """What was read of a conversation: what may stand in a prompt, and of it the evidence."""

    talk: Talk
    source: Source
    uid: str
    revision: int

    @property
    def recalled(self) -> RecalledConversation:
        return self.talk.recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextParts:
    """All parts, as far as they were asked for and are there."""

    instructions: SourcesLoaded | None
    known: RecalledEvidence | None
    elsewhere: Elsewhere | None
    talk: ConversationEvidence | None
    bank: BankRecall | None
    working: WorkingMemory | None


async def read_parts(
    ports: ContextPorts, command: AssembleContext, budget: int, missing: list[Missing]
) -> ContextParts:
    """Reads all parts at once."""

    async def part(part: Part, key: Named | None, read: Callable[[Named], Awaitable[Found]]) -> Found | None:
        """Returns what was read; None where it is not there, or not wanted, or may be missing."""
        if key is None or not command.wants(part):
            return None
        try:
            return await _in_time(command, part, read(key))
        except MemoryBankError as failure:
            if not _may_be_missing(command, part, failure):
                raise
            if all(each.part is not part for each in missing):
                missing.append(Missing(part=part, error=failure))
        return None

    users = Permissions(ports)
    recalls = command.recall_turns and command.needs and command.task is None
    instructions, known, said, talk, bank, working = await asyncio.gather(
        part(Part.INSTRUCTIONS, command.instructions, lambda refs: load_with(ports, refs, users)),
        part(Part.LONG_TERM, command.collection, lambda key: remembered(ports, command, key, users)),
        part(
            Part.LONG_TERM,
            command.collection if recalls else None,
            lambda key: elsewhere(ports, command, key, budget, users),
        ),
        part(
            Part.CONVERSATION,
            command.conversation,
            lambda key: _conversation(ports, command, key, budget, users),
        ),
        part(Part.BANK, command.bank, lambda key: _bank(ports, command, key, budget)),
        part(Part.WORKING, command.invocation, lambda key: _working(ports, command, key, users)),
    )
    return ContextParts(
        instructions=instructions, known=known, elsewhere=said, talk=talk, bank=bank, working=working
    )


def _may_be_missing(command: AssembleContext, part: Part, failure: MemoryBankError) -> bool:
    """Whether a prompt can do without a part: a task's prompt is nothing without the bank."""
    if command.task and part is Part.BANK:
        return False
    return command.allow_partial or isinstance(failure, AggregateNotFound | MemoryOff)


async def _in_time(command: AssembleContext, part: Part, reading: Awaitable[Found]) -> Found:
    """Returns what is read within the call's patience. Raises PartTimedOut."""
    if command.patience is None:
        return await reading
    try:
        async with asyncio.timeout(command.patience.total_seconds()):
            return await reading
    except TimeoutError:
        raise PartTimedOut(part) from None


async def _conversation(
    ports: TurnVectorPorts, command: AssembleContext, key: ConversationKey, budget: int, users: Permissions
) -> ConversationEvidence:
    needs = command.needs
    vector = await query_vector(ports, command.input) if needs else None
    permission = await users.of(key)
    async with ports.conversations.reading(key, command.least(key)) as conversation:
        permission.require_on()
        if not conversation.record.enabled:
            raise MemoryOff("conversation")
        own = conversation.tiers.top_clusters if command.top_clusters is None else command.top_clusters
        recalled = recall(
            conversation,
            turn_query(ports, command.input if needs else "", vector),
            ports.embedder.space,
            top_clusters=own if needs else 0,
            singles=max(1, min(MOST_TURNS, budget // LEAST_TURN)) if needs else 0,
        )
        talk = talk_of(conversation, recalled if needs else without_need(recalled), budget)
        return ConversationEvidence(
            talk=talk,
            source=source_of(conversation, talk, words_of(command.input), vector, ports.embedder.space),
            uid=conversation.uid,
            revision=conversation.revision,
        )


async def _bank(ports: ContextPorts, command: AssembleContext, key: BankKey, budget: int) -> BankRecall:
    if command.task:
        return await gather(ports, command.task, max(1, budget - await own_keys(ports, command.conversation)))
    asked = Augment(
        key=key,
        query=command.input,
        top_k=command.top_memories,
        tool_format=command.tool_format,
        tools_apart=command.tools_apart,
        min_revision=command.least(key),
    )
    fixed = estimate(command.system) + estimate(command.input)
    return await gather(ports, asked, max(1, budget - fixed))


async def own_keys(ports: HasConversations, key: ConversationKey | None) -> int:
    """Returns the tokens of the keys that a user wrote, which no prompt cuts; of no conversation none."""
    if key is None:
        return 0
    try:
        async with ports.conversations.reading(key) as conversation:
            section = key_section(conversation.keys_in_order())
    except AggregateNotFound:
        return 0
    return estimate("\n".join((section.title_line, *(item.full for item in section.items), "", "")))


async def _working(
    ports: InvocationPorts, command: AssembleContext, key: InvocationKey, users: Permissions
) -> WorkingMemory:
    (await users.of(key)).require_on()
    return await get_working_memory(ports, GetWorkingMemory(key=key, min_revision=command.least(key)))


def sources_of(read: ContextParts) -> list[Source]:
    """Returns the evidence of all parts, in their order."""
    sources = [read.bank.evidence.source] if read.bank and read.bank.evidence else []
    sources += [read.talk.source] if read.talk else []
    sources += read.known.sources if read.known else ()
    sources += [read.elsewhere.source] if read.elsewhere else []
    return sources


def disputes_of(read: ContextParts) -> Disputes:
    """Returns what the open conflicts of the bank are about, and the contested facts that were found."""
    of_bank = bank_disputes_of(read)
    if read.known is None or not (contests := read.known.known.contests()):
        return of_bank
    disputes = of_bank.copied()
    add_contests(disputes, contests)
    return disputes


def bank_disputes_of(read: ContextParts) -> Disputes:
    """Returns what the open conflicts of the bank are about: the same, whatever the input is."""
    return read.bank.evidence.disputes if read.bank and read.bank.evidence else NO_DISPUTES


def revisions_of(command: AssembleContext, read: ContextParts) -> Mapping[str, int]:
    """Returns which keys were read, at which revision."""
    seen = (
        (command.collection, read.known),
        (command.conversation, read.talk),
        (command.bank, read.bank),
        (command.invocation, read.working),
    )
    revisions = dict(read.instructions.revisions) if read.instructions else {}
    return revisions | {
        named(key): part.revision for key, part in seen if key is not None and part is not None
    }
