"""AssembleContext: one prompt for an input, out of all memories, within a budget.

Law: parts are read in parallel, each at one revision of its own. What does not exist is empty; a part that fails fails
the call, or is listed as missing where the caller can do without.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.context.budget import Assembled, Item, LeftOut, Section, SectionSize, assemble
from core.context.conversing import (
    SHORT,
    best_fitting,
    bounded,
    conversation_sections,
    input_section,
    outliving,
    recorded_section,
    surely_shown,
)
from core.context.long_term import long_term_sections
from core.context.messages import ContextMessage, messages
from core.context.repeating import NOTHING_SHOWN, ShownTurns
from core.context.tools import MEMORY_TOOLS, declared
from core.context.wording import wording_for
from core.context.words import Words, words_for
from core.context.working import working_section
from core.conversation.recalling import Recalled, recall
from core.errors import AggregateNotFound, MemoryBankError, MemoryOff, PartTimedOut
from core.keys import BankKey, ConversationKey, InvocationKey
from core.model.conversation import Turn
from core.text.tokens import estimate
from core.usecases.bank.augment import SAID, Augment, Gathered, gather
from core.usecases.bank.search import query_vector
from core.usecases.context.asked import AssembleContext, Form, Missing, Part
from core.usecases.context.known import Remembered, remembered
from core.usecases.conversation.get_working_memory import (
    GetWorkingMemory,
    WorkingMemory,
    get_working_memory,
)
from core.usecases.conversation.search_turns import turn_query
from core.usecases.house import House
from core.usecases.instructions.load_sources import MissingSource, SourcesLoaded, load_sources, named
from core.usecases.long_term.memory import memory_of

LEAST_TURN = 40  # tokens of a turn shown whole: so many are looked for that they would fill the prompt,
MOST_TURNS = 100  # but no more than these
SYSTEM, INSTRUCTIONS, TOOLS, INSIGHT, NOW = "system", "instructions", "tools", "insight", "now"
BEFORE = frozenset({TOOLS, INSIGHT})  # of a bank's sections, what stands before a conversation's

Found = TypeVar("Found")
Named = TypeVar("Named")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAssembled:
    """Either a prompt or messages. `record_ids`, `node_ids` and `cluster_ids`: what was found, best first."""

    prompt: str
    messages: tuple[ContextMessage, ...]
    tools: tuple[str, ...]
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    record_ids: tuple[str, ...]
    node_ids: tuple[str, ...]
    cluster_ids: tuple[str, ...]
    missing: tuple[Missing, ...]
    tokens: int
    revisions: Mapping[str, int]
    missing_sources: tuple[MissingSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    """What was read of a conversation, and how it is laid out. `best`: the turns that fit best, best first.
    `outliving`: lines of turns that stand where nothing lighter does."""

    recalled: Recalled
    sections: Sequence[Section]
    best: Sequence[tuple[Turn, int]]
    outliving: Mapping[str, float] | None
    uid: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """All parts, as far as they were asked for and are there."""

    instructions: SourcesLoaded | None
    known: Remembered | None
    talk: _Conversation | None
    bank: Gathered | None
    working: WorkingMemory | None


async def assemble_context(house: House, command: AssembleContext) -> ContextAssembled:
    """Assembles one context for an input. Raises BudgetTooSmall; what a part raises, unless the call is
    `allow_partial`."""
    budget = command.token_budget or house.retrieval.token_budget
    missing: list[Missing] = []
    read = await _read(house, command, budget, missing)
    made = assemble(_sections(house, command, read, _room(command, read, budget)), budget, "token_budget")
    _count_hits(house, command, read.talk)
    return _answer(command, made, read, tuple(missing))


async def _read(house: House, command: AssembleContext, budget: int, missing: list[Missing]) -> _Read:
    """Reads all parts at once."""

    async def part(part: Part, key: Named | None, read: Callable[[Named], Awaitable[Found]]) -> Found | None:
        """Returns what was read; None where it is not there, or not wanted, or may be missing."""
        if key is None or not command.wants(part):
            return None
        try:
            return await _in_time(command, part, read(key))
        except (AggregateNotFound, MemoryOff) as absent:
            missing.append(Missing(part=part, error=absent))
        except MemoryBankError as failure:
            if not command.allow_partial:
                raise
            missing.append(Missing(part=part, error=failure))
        return None

    instructions, known, talk, bank, working = await asyncio.gather(
        part(Part.INSTRUCTIONS, command.instructions, lambda refs: load_sources(house, refs)),
        part(Part.LONG_TERM, command.collection, lambda key: remembered(house, command, key)),
        part(Part.CONVERSATION, command.conversation, lambda key: _conversation(house, command, key, budget)),
        part(Part.BANK, command.bank, lambda key: _bank(house, command, key, budget)),
        part(Part.WORKING, command.invocation, lambda key: _working(house, command, key)),
    )
    return _Read(instructions=instructions, known=known, talk=talk, bank=bank, working=working)


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
    house: House, command: AssembleContext, key: ConversationKey, budget: int
) -> _Conversation:
    query = turn_query(house, command.input, await query_vector(house, command.input))
    memory = await memory_of(house, key.tenant, key.user)
    async with house.conversations.reading(key, command.least(key)) as conversation:
        if not memory.enabled:
            raise MemoryOff("user")
        if not conversation.record.enabled:
            raise MemoryOff("conversation")
        own = conversation.tiers.top_clusters
        recalled = recall(
            conversation,
            query,
            house.embedder.space,
            top_clusters=own if command.top_clusters is None else command.top_clusters,
            singles=max(1, min(MOST_TURNS, budget // LEAST_TURN) // command.sources),
        )
        room = budget // command.sources
        sections = conversation_sections(recalled, words_for(command.input), room)
        return _Conversation(
            recalled=recalled,
            sections=sections,
            best=best_fitting(recalled, room // 2),
            outliving=outliving(recalled, sections) if command.sources > 1 else None,
            uid=conversation.uid,
            revision=conversation.revision,
        )


async def _bank(house: House, command: AssembleContext, key: BankKey, budget: int) -> Gathered:
    asked = Augment(
        key=key,
        query=command.input,
        top_k=command.top_memories,
        tool_format=command.tool_format,
        min_revision=command.least(key),
    )
    fixed = estimate(command.system) + estimate(command.input)
    words = wording_for(command.input)
    return await gather(house, asked, max(1, budget - fixed), SAID // command.sources, words)


async def _working(house: House, command: AssembleContext, key: InvocationKey) -> WorkingMemory:
    memory = await memory_of(house, key.tenant, key.user)
    if not memory.enabled:
        raise MemoryOff("user")
    return await get_working_memory(house, GetWorkingMemory(key=key, min_revision=command.least(key)))


def _tools(command: AssembleContext, read: _Read) -> tuple[str, ...]:
    """Declares the bank's tool, which stands in the prompt, too, and those of long-term memory, which would take a
    thousand tokens there."""
    if not command.tools:
        return ()
    of_memory = declared(MEMORY_TOOLS, command.tool_format) if command.collection else []
    return (*(read.bank.tools if read.bank else ()), *of_memory)


def _room(command: AssembleContext, read: _Read, budget: int) -> int:
    """Counts the tokens that are left to each source beside what never goes."""
    laid_out = [*_of_bank(command, read.bank), *(read.talk.sections if read.talk else ())]
    fixed = [item.full for section in laid_out for item in section.items if item.fixed]
    of_all = (command.system, command.input, read.instructions.block if read.instructions else "", *fixed)
    return max(0, budget - sum(map(estimate, of_all))) // command.sources


def _sections(house: House, command: AssembleContext, read: _Read, room: int) -> list[Section]:
    """Returns all parts in their order: what holds always, what is known, what was said and done before, then now."""
    words = words_for(command.input)
    of_talk = bounded(read.talk.sections, room) if read.talk else []
    shown = _shown(command, read.talk, of_talk, room)
    of_bank = [shown.new_in(section) for section in _of_bank(command, read.bank)]
    now = [*(s for s in of_bank if s.name == NOW), input_section(command.input, words)]
    recorded = [
        *_known(read, shown, words),
        *of_talk[1:3],
        *(s._replace(note="") for s in of_bank if s.name not in BEFORE and s.name != NOW),
        *of_talk[3:],
        *_so_far(house, read.working, words),
    ]
    return [
        *_fixed(SYSTEM, command.system),
        *_fixed(INSTRUCTIONS, read.instructions.block.rstrip() if read.instructions else ""),
        *(s for s in of_bank if s.name in BEFORE),
        *of_talk[:1],
        *_noted(command, recorded, now, words),
        *recorded,
        *now,
    ]


def _noted(
    command: AssembleContext, recorded: Sequence[Section], now: Sequence[Section], words: Words
) -> list[Section]:
    """Returns one note on all that was recorded; of messages the first one ends with it, and has no latest turns."""
    in_one = command.form is Form.TEXT
    if not any(section.items for section in recorded if in_one or section.name != SHORT):
        return []
    return [recorded_section(words, next(s.title for s in now if s.items) if in_one else "")]


def _shown(
    command: AssembleContext, talk: _Conversation | None, sections: Sequence[Section], room: int
) -> ShownTurns:
    """Returns what the turns say that hardly a budget leaves out."""
    if talk is None or command.conversation is None:
        return NOTHING_SHOWN
    turns = surely_shown(talk.recalled.short, talk.best, sections, room)
    return ShownTurns(command.conversation.conversation_id, turns, talk.outliving)


def _known(read: _Read, shown: ShownTurns, words: Words) -> list[Section]:
    """Returns what is known and no turn of the context holds."""
    if read.known is None:
        return []
    return long_term_sections(
        shown.new_of(read.known.known), words, alone=read.talk is None and read.bank is None
    )


def _of_bank(command: AssembleContext, bank: Gathered | None) -> list[Section]:
    """Returns those of a bank's sections that are wanted and hold anything."""
    if bank is None:
        return []
    without = {TOOLS: not command.tools, INSIGHT: not bank.has_task}
    return [section for section in bank.sections if not without.get(section.name)]


def _fixed(name: str, text: str) -> list[Section]:
    """Returns a text as it is, without a title; no section if it is empty."""
    return [Section(name=name, title="", items=(Item(item_id=name, full=text, fixed=True),))] if text else []


def _so_far(house: House, working: WorkingMemory | None, words: Words) -> list[Section]:
    return [working_section(working.items, house.working.keep_steps, words)] if working else []


def _count_hits(house: House, command: AssembleContext, talk: _Conversation | None) -> None:
    if talk is not None and command.conversation is not None and talk.recalled.clusters:
        names = [cluster.cluster_id for cluster, _ in talk.recalled.clusters]
        house.hits.add(command.conversation, talk.uid, names, house.clock.now())


def _answer(
    command: AssembleContext,
    made: Assembled,
    read: _Read,
    missing: tuple[Missing, ...],
) -> ContextAssembled:
    said: tuple[ContextMessage, ...] = ()
    tokens = made.tokens
    if command.form is Form.MESSAGES:
        said = messages(made, read.talk.recalled.short if read.talk else (), command.input)
        tokens = sum(estimate(message.text) for message in said)
    clusters = read.talk.recalled.clusters if read.talk else ()
    return ContextAssembled(
        prompt="" if said else made.text,
        messages=said,
        tools=_tools(command, read),
        sections=made.sections,
        left_out=made.left_out,
        record_ids=tuple(r.record_id for r in read.known.known.records) if read.known else (),
        node_ids=tuple(hit.node.node_id for hit in read.bank.hits if hit.node) if read.bank else (),
        cluster_ids=tuple(cluster.cluster_id for cluster, _ in clusters),
        missing=missing,
        tokens=tokens,
        revisions=_revisions(command, read),
        missing_sources=read.instructions.missing if read.instructions else (),
    )


def _revisions(command: AssembleContext, read: _Read) -> Mapping[str, int]:
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
