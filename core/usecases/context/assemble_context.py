"""AssembleContext: one prompt for an input, from instructions, a conversation and a bank, within a budget.

Law: parts are read in parallel, each at one revision of its own. What does not exist is empty; a part that fails fails
the call, or is told as missing where the caller can do without.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from core.context.budget import Assembled, Item, LeftOut, Section, SectionSize, assemble
from core.context.conversing import (
    conversation_sections,
    input_section,
    words_for,
)
from core.context.messages import ContextMessage, messages
from core.context.prompt import ToolFormat
from core.conversation.recalling import Recalled, recall
from core.errors import (
    AggregateNotFound,
    MemoryBankError,
    MemoryOff,
)
from core.keys import BankKey, ConversationKey, Key
from core.model.vector import Vector
from core.text.tokens import estimate
from core.usecases.bank.augment import Augment, Gathered, gather
from core.usecases.bank.search import query_vector
from core.usecases.conversation.search_turns import turn_query
from core.usecases.house import House
from core.usecases.instructions.load_sources import (
    LoadSources,
    MissingSource,
    SourcesLoaded,
    load_sources,
    named,
)

LEAST_TURN = 40  # tokens of a turn shown whole: so many are looked for that they would fill the prompt,
MOST_TURNS = 100  # but no more than these
SYSTEM, INSTRUCTIONS, TOOLS, NOW = "system", "instructions", "tools", "now"
BEFORE = frozenset({"tools", "insight"})  # of a bank's sections, what stands before a conversation's

Found = TypeVar("Found")


class Form(StrEnum):
    TEXT = "text"
    MESSAGES = "messages"


class Part(StrEnum):
    CONVERSATION = "conversation"
    BANK = "bank"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembleContext:
    """No part: all that have a source. No number: as configured. `min_revisions` by the names of keys
    (`conversation/ada/c1`)."""

    input: str
    system: str = ""
    conversation: ConversationKey | None = None
    bank: BankKey | None = None
    instructions: LoadSources | None = None
    parts: frozenset[Part] = frozenset()
    top_memories: int | None = None
    top_clusters: int | None = None
    token_budget: int | None = None
    form: Form = Form.TEXT
    tools: bool = False
    tool_format: ToolFormat = ToolFormat.OPENAI
    allow_partial: bool = False
    min_revisions: Mapping[str, int] = field(default_factory=dict)

    def wants(self, part: Part) -> bool:
        return not self.parts or part in self.parts

    def least(self, key: Key) -> int:
        return self.min_revisions.get(named(key), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    part: Part
    error: MemoryBankError


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAssembled:
    """Either a prompt or messages. `node_ids` and `cluster_ids`: what was found, best first."""

    prompt: str
    messages: tuple[ContextMessage, ...]
    tools: tuple[str, ...]
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    node_ids: tuple[str, ...]
    cluster_ids: tuple[str, ...]
    missing: tuple[Missing, ...]
    tokens: int
    revisions: Mapping[str, int]
    missing_sources: tuple[MissingSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    """What was read of a conversation."""

    recalled: Recalled
    uid: str
    revision: int


async def assemble_context(house: House, command: AssembleContext) -> ContextAssembled:
    """Raises BudgetTooSmall, EmbedderUnavailable, EmbeddingSpaceMismatch, RevisionNotReached."""
    budget = command.token_budget or house.retrieval.token_budget
    vector = await query_vector(house, command.input)
    missing: list[Missing] = []
    told, talk, bank = await asyncio.gather(
        _part(command, Part.INSTRUCTIONS, _instructions(house, command), missing),
        _part(command, Part.CONVERSATION, _conversation(house, command, vector, budget), missing),
        _part(command, Part.BANK, _bank(house, command, budget), missing),
    )
    sections = _sections(command, told, talk, bank)
    made = assemble(sections, budget, "token_budget")
    _count_hits(house, command, talk)
    return _answer(command, made, told, talk, bank, tuple(missing))


async def _part(
    command: AssembleContext, part: Part, reading: Awaitable[Found | None], missing: list[Missing]
) -> Found | None:
    """What was read; None where it is not there, or not wanted, or may be missing."""
    try:
        return await reading
    except (AggregateNotFound, MemoryOff) as absent:
        missing.append(Missing(part=part, error=absent))
    except MemoryBankError as failure:
        if not command.allow_partial:
            raise
        missing.append(Missing(part=part, error=failure))
    return None


async def _conversation(
    house: House, command: AssembleContext, vector: Vector, budget: int
) -> _Conversation | None:
    key = command.conversation
    if key is None or not command.wants(Part.CONVERSATION):
        return None
    query = turn_query(house, command.input, vector)
    async with house.conversations.reading(key, command.least(key)) as conversation:
        if not conversation.record.enabled:
            raise MemoryOff("conversation")
        own = conversation.tiers.top_clusters
        recalled = recall(
            conversation,
            query,
            house.embedder.space,
            top_clusters=own if command.top_clusters is None else command.top_clusters,
            singles=min(MOST_TURNS, max(1, budget // LEAST_TURN)),
        )
        return _Conversation(recalled=recalled, uid=conversation.uid, revision=conversation.revision)


async def _instructions(house: House, command: AssembleContext) -> SourcesLoaded | None:
    if command.instructions is None or not command.wants(Part.INSTRUCTIONS):
        return None
    return await load_sources(house, command.instructions)


async def _bank(house: House, command: AssembleContext, budget: int) -> Gathered | None:
    if command.bank is None or not command.wants(Part.BANK):
        return None
    asked = Augment(
        key=command.bank,
        query=command.input,
        top_k=command.top_memories,
        tool_format=command.tool_format,
        min_revision=command.least(command.bank),
    )
    fixed = estimate(command.system) + estimate(command.input)
    return await gather(house, asked, max(1, budget - fixed))


def _sections(
    command: AssembleContext, told: SourcesLoaded | None, talk: _Conversation | None, bank: Gathered | None
) -> list[Section]:
    """All parts in their order: what holds always, then what was said before, then now."""
    words = words_for(command.input)
    of_bank = list(bank.sections) if bank else []
    if not command.tools:
        of_bank = [section for section in of_bank if section.name != TOOLS]
    of_talk = conversation_sections(talk.recalled, words) if talk else []
    memories = [s for s in of_bank if s.name not in BEFORE and s.name != NOW]
    return [
        *_fixed(SYSTEM, command.system),
        *_fixed(INSTRUCTIONS, told.block if told else ""),
        *(s for s in of_bank if s.name in BEFORE),
        *of_talk[:2],
        *memories,
        *of_talk[2:],
        *(s for s in of_bank if s.name == NOW),
        input_section(command.input, words),
    ]


def _fixed(name: str, text: str) -> list[Section]:
    """A text that stands as it is, without a title; none if it is empty."""
    return [Section(name=name, title="", items=(Item(item_id=name, full=text, fixed=True),))] if text else []


def _count_hits(house: House, command: AssembleContext, talk: _Conversation | None) -> None:
    if talk is not None and command.conversation is not None and talk.recalled.clusters:
        names = [cluster.cluster_id for cluster, _ in talk.recalled.clusters]
        house.hits.add(command.conversation, talk.uid, names, house.clock.now())


def _answer(
    command: AssembleContext,
    made: Assembled,
    told: SourcesLoaded | None,
    talk: _Conversation | None,
    bank: Gathered | None,
    missing: tuple[Missing, ...],
) -> ContextAssembled:
    said: tuple[ContextMessage, ...] = ()
    tokens = made.tokens
    if command.form is Form.MESSAGES:
        said = messages(made, talk.recalled.short if talk else (), command.input)
        tokens = sum(estimate(message.text) for message in said)
    revisions = dict(told.revisions) if told else {}
    if talk is not None and command.conversation is not None:
        revisions[named(command.conversation)] = talk.revision
    if bank is not None and command.bank is not None:
        revisions[named(command.bank)] = bank.revision
    return ContextAssembled(
        prompt="" if said else made.text,
        messages=said,
        tools=bank.tools if bank and command.tools else (),
        sections=made.sections,
        left_out=made.left_out,
        node_ids=tuple(hit.node.node_id for hit in bank.hits if hit.node) if bank else (),
        cluster_ids=tuple(cluster.cluster_id for cluster, _ in talk.recalled.clusters) if talk else (),
        missing=missing,
        tokens=tokens,
        revisions=revisions,
        missing_sources=told.missing if told else (),
    )
