"""AssembleContext: one prompt for an input, out of all memories, within a budget.

Law: parts are read in parallel, each at one revision of its own. What does not exist is empty; a part that fails fails
the call, or is listed as missing where the caller can do without.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.context.bank_evidence import bank_sections
from core.context.budget import assemble
from core.context.conversing import (
    KEY,
    MID,
    PROMOTED,
    RECALL,
    SHORT,
    Talk,
    conversation_sections,
    input_section,
    key_section,
    recorded_section,
)
from core.context.elsewhere import elsewhere_section
from core.context.evidence import NO_DISPUTES, Disputes, Placement, Source, placed
from core.context.floor import below_floor
from core.context.long_term import long_term_sections, sentences_of
from core.context.messages import ContextMessage, messages
from core.context.sections import Assembly, Item, LeftOut, Section, SectionSize
from core.context.shares import NEEDLESS
from core.context.tools import MEMORY_TOOLS, declared
from core.context.turns import name_of
from core.context.working import working_section
from core.conversation.recalling import RecalledConversation, recall
from core.errors import AggregateNotFound, MemoryBankError, MemoryOff, PartTimedOut
from core.keys import BankKey, ConversationKey, InvocationKey
from core.language import Wording, Words, language_of
from core.text.tokens import estimate, tokens_of
from core.usecases.bank.verbs.augment import Augment, BankRecall, gather
from core.usecases.context.asked import AssembleContext, Form, Missing, Part
from core.usecases.context.elsewhere import Elsewhere, elsewhere
from core.usecases.context.known import RecalledEvidence, remembered
from core.usecases.context.turn_evidence import source_of, talk_of, without_need
from core.usecases.conversation.tiers.count_hits import is_news
from core.usecases.conversation.verbs.get_working_memory import (
    GetWorkingMemory,
    WorkingMemory,
    get_working_memory,
)
from core.usecases.conversation.verbs.search_turns import turn_query
from core.usecases.house import House
from core.usecases.instructions.load_sources import MissingSource, SourcesLoaded, load_sources, named
from core.usecases.long_term.memory import memory_of
from core.usecases.vectors import query_vector
from core.verbatim.measuring import words_of

LEAST_TURN = 40  # tokens of a turn shown whole: so many are looked for that they would fill the prompt,
MOST_TURNS = 100  # but no more than these
ANSWERS = 0.5  # of the heaviest evidence's weight that a turn has at the least whose cluster was hit
SYSTEM, INSTRUCTIONS = "system", "instructions"

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
    below_floor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkRead:
    """What was read of a conversation: what may stand in a prompt, and of it the evidence."""

    talk: Talk
    source: Source
    uid: str
    revision: int

    @property
    def recalled(self) -> RecalledConversation:
        return self.talk.recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """All parts, as far as they were asked for and are there."""

    instructions: SourcesLoaded | None
    known: RecalledEvidence | None
    elsewhere: Elsewhere | None
    talk: TalkRead | None
    bank: BankRecall | None
    working: WorkingMemory | None


async def assemble_context(house: House, command: AssembleContext) -> ContextAssembled:
    """Assembles one context for an input. Raises BudgetTooSmall; what a part raises, unless the call is
    `allow_partial`."""
    made = await prepared(house, command)
    if not command.observe:
        _note_keys(house, command, made)
        if command.needs:
            _count_hits(house, command, made)
    return _answer(command, made.assembled, made.read, made.placement, made.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedContext:
    """A context, and what it was made of."""

    read: Read
    assembled: Assembly
    placement: Placement
    missing: tuple[Missing, ...]


async def prepared(house: House, command: AssembleContext) -> PreparedContext:
    """Reads all parts and assembles them. Raises as `assemble_context` does."""
    budget = command.token_budget or house.retrieval.token_budget
    missing: list[Missing] = []
    read = await _read(house, command, budget, missing)
    sections, placement = _sections(house, command, read, budget)
    assembled = assemble(sections, budget, "token_budget")
    return PreparedContext(read=read, assembled=assembled, placement=placement, missing=tuple(missing))


async def _read(house: House, command: AssembleContext, budget: int, missing: list[Missing]) -> Read:
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

    recalls = command.recall_turns and command.needs and command.task is None
    instructions, known, said, talk, bank, working = await asyncio.gather(
        part(Part.INSTRUCTIONS, command.instructions, lambda refs: load_sources(house, refs)),
        part(Part.LONG_TERM, command.collection, lambda key: remembered(house, command, key)),
        part(
            Part.LONG_TERM,
            command.collection if recalls else None,
            lambda key: elsewhere(house, command, key, budget),
        ),
        part(Part.CONVERSATION, command.conversation, lambda key: _conversation(house, command, key, budget)),
        part(Part.BANK, command.bank, lambda key: _bank(house, command, key, budget)),
        part(Part.WORKING, command.invocation, lambda key: _working(house, command, key)),
    )
    return Read(instructions=instructions, known=known, elsewhere=said, talk=talk, bank=bank, working=working)


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
    house: House, command: AssembleContext, key: ConversationKey, budget: int
) -> TalkRead:
    needs = command.needs
    vector = await query_vector(house, command.input) if needs else None
    memory = await memory_of(house, key.tenant, key.user)
    async with house.conversations.reading(key, command.least(key)) as conversation:
        if not memory.enabled:
            raise MemoryOff("user")
        if not conversation.record.enabled:
            raise MemoryOff("conversation")
        own = conversation.tiers.top_clusters if command.top_clusters is None else command.top_clusters
        recalled = recall(
            conversation,
            turn_query(house, command.input if needs else "", vector),
            house.embedder.space,
            top_clusters=own if needs else 0,
            singles=max(1, min(MOST_TURNS, budget // LEAST_TURN)) if needs else 0,
        )
        talk = talk_of(conversation, recalled if needs else without_need(recalled), budget)
        return TalkRead(
            talk=talk,
            source=source_of(conversation, talk, words_of(command.input), vector, house.embedder.space),
            uid=conversation.uid,
            revision=conversation.revision,
        )


async def _bank(house: House, command: AssembleContext, key: BankKey, budget: int) -> BankRecall:
    if command.task:
        return await gather(house, command.task, max(1, budget - await own_keys(house, command.conversation)))
    asked = Augment(
        key=key,
        query=command.input,
        top_k=command.top_memories,
        tool_format=command.tool_format,
        tools_apart=command.tools_apart,
        min_revision=command.least(key),
    )
    fixed = estimate(command.system) + estimate(command.input)
    return await gather(house, asked, max(1, budget - fixed))


async def own_keys(house: House, key: ConversationKey | None) -> int:
    """Returns the tokens of the keys that a user wrote, which no prompt cuts; of no conversation none."""
    if key is None:
        return 0
    try:
        async with house.conversations.reading(key) as conversation:
            section = key_section(conversation.keys_in_order())
    except AggregateNotFound:
        return 0
    return estimate("\n".join((section.title_line, *(item.full for item in section.items), "", "")))


async def _working(house: House, command: AssembleContext, key: InvocationKey) -> WorkingMemory:
    memory = await memory_of(house, key.tenant, key.user)
    if not memory.enabled:
        raise MemoryOff("user")
    return await get_working_memory(house, GetWorkingMemory(key=key, min_revision=command.least(key)))


def _tools(command: AssembleContext, read: Read) -> tuple[str, ...]:
    """Declares the bank's tool, which stands in the prompt, too, and those of long-term memory, which would take a
    thousand tokens there."""
    if command.task and read.bank:
        return read.bank.tools
    if not command.tools:
        return ()
    of_memory = declared(MEMORY_TOOLS, command.tool_format) if command.collection else []
    return (*(read.bank.tools if read.bank else ()), *of_memory)


def _sections(
    house: House, command: AssembleContext, read: Read, budget: int
) -> tuple[list[Section], Placement]:
    """Returns all parts in their order: what holds always and does not depend on the input, a note, what was recorded,
    and the input; and what weighs what."""
    language = _language(command, read)
    words = language.context
    now = read.bank.frame.now if command.task and read.bank else input_section(command.input, words)
    head = [
        *_fixed(SYSTEM, command.system),
        *([read.bank.frame.tool] if read.bank and (command.tools or command.task) else ()),
        *_fixed(INSTRUCTIONS, read.instructions.block.rstrip() if read.instructions else ""),
        *([key_section(read.talk.recalled.keys, _disputes(read))] if read.talk else ()),
        *([read.bank.frame.state] if read.bank and read.bank.has_task else ()),
    ]
    room = max(0, budget - sum(estimate(i.full) for s in (*head, now) for i in s.items if i.fixed))
    if not command.needs:
        room = min(room, NEEDLESS)
    placement = _placement(command, read, room)
    recorded = _recorded(house, read, placement, language, budget, room)
    return [*head, *_noted(command, recorded, words, bool(now.items)), *recorded, now], placement


def _language(command: AssembleContext, read: Read) -> Wording:
    """Returns the words for the input; of a task's prompt those for its goal."""
    return read.bank.words if command.task and read.bank else language_of(command.input).task_headings


def _recorded(
    house: House, read: Read, placement: Placement, language: Wording, budget: int, room: int
) -> list[Section]:
    """Returns what was recorded, in its order; what answers the input by one ranking over all of it."""
    words = language.context
    of_talk = conversation_sections(read.talk.talk, placement, words, budget, room) if read.talk else []
    beside = sum(tokens_of(item.size) for section in of_talk[3:] for item in section.items)
    told = sentences_of(read.known.known, placement) if read.known else frozenset()
    said = [elsewhere_section(read.elsewhere.passages, placement, words, told)] if read.elsewhere else []
    beside += sum(tokens_of(item.size) for section in said for item in section.items)
    of_bank = read.bank.evidence if read.bank else None
    return [
        *of_talk[:1],
        *_known(read, placement, words),
        *said,
        *of_talk[1:3],
        *(bank_sections(of_bank, placement, language, room, beside) if of_bank else ()),
        *of_talk[3:],
        *_so_far(house, read.working, words),
    ]


def _placement(command: AssembleContext, read: Read, room: int) -> Placement:
    """Ranks the evidence of all parts: of what two of them found, the first says where it stands."""
    return placed(sources_of(read), words_of(command.input), room, command.min_score, _disputes(read))


def sources_of(read: Read) -> list[Source]:
    """Returns the evidence of all parts, in their order."""
    sources = [read.bank.evidence.source] if read.bank and read.bank.evidence else []
    sources += [read.talk.source] if read.talk else []
    sources += read.known.sources if read.known else ()
    sources += [read.elsewhere.source] if read.elsewhere else []
    return sources


def _disputes(read: Read) -> Disputes:
    """Returns what the open conflicts of the bank are about."""
    return read.bank.evidence.disputes if read.bank and read.bank.evidence else NO_DISPUTES


def _noted(command: AssembleContext, recorded: Sequence[Section], words: Words, ends: bool) -> list[Section]:
    """Returns one note on all that was recorded; of messages the first one ends with it, and has no latest turns."""
    in_one = command.form is Form.TEXT
    if not any(section.items for section in recorded if in_one or section.name != SHORT):
        return []
    return [recorded_section(words, in_one and ends)]


def _known(read: Read, placement: Placement, words: Words) -> list[Section]:
    """Returns what is known and no turn of the context holds."""
    if read.known is None:
        return []
    alone = read.talk is None and read.bank is None
    return long_term_sections(read.known.known, placement, words, alone=alone)


def _fixed(name: str, text: str) -> list[Section]:
    """Returns a text as it is, without a title; no section if it is empty."""
    return [Section(name=name, title="", items=(Item(item_id=name, full=text, fixed=True),))] if text else []


def _so_far(house: House, working: WorkingMemory | None, words: Words) -> list[Section]:
    return [working_section(working.items, house.working.keep_steps, words)] if working else []


def _count_hits(house: House, command: AssembleContext, made: PreparedContext) -> None:
    """Counts a hit of each cluster of which a turn stands among what answers the input, once for a question; not of
    turns that only fill the room. What was said last is not weighed beside them: a question is most like the one
    before."""
    talk = made.read.talk
    if talk is None or command.conversation is None:
        return
    evidence = {section.name: section.items for section in made.assembled.sections}
    standing = {item.item_id for name in (MID, RECALL) for item in evidence.get(name, ())}
    latest = {name_of(turn.step) for turn in talk.recalled.short}
    weights = {name: weight for name, weight in made.placement.weights.items() if name not in latest}
    least = ANSWERS * max(weights.values(), default=0.0)
    hit = {
        name
        for step, name in talk.recalled.cluster_of.items()
        if str(step) in standing and weights.get(name_of(step), 0.0) >= least > 0.0
    }
    if hit and house.hits.is_new(command.conversation, talk.uid, command.input):
        house.hits.add(command.conversation, talk.uid, sorted(hit), house.clock.now())


def _note_keys(house: House, command: AssembleContext, made: PreparedContext) -> None:
    """Notes which keys stand in the prompt, those of which that is known to the day left out."""
    talk, now = made.read.talk, house.clock.now()
    if talk is None or command.conversation is None:
        return
    sections = made.assembled.sections
    standing = {
        item.item_id for section in sections if section.name in (KEY, PROMOTED) for item in section.items
    }
    shown = [each.key_id for each in talk.recalled.keys if each.key_id in standing and is_news(each, now)]
    if shown:
        house.hits.show(command.conversation, talk.uid, shown, now)


def _answer(
    command: AssembleContext,
    made: Assembly,
    read: Read,
    placement: Placement,
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
        left_out=(*made.left_out, *below_floor(placement, read.known.known if read.known else None)),
        below_floor=placement.below_count,
        record_ids=tuple(r.record_id for r in read.known.known.records) if read.known else (),
        node_ids=tuple(hit.node.node_id for hit in read.bank.hits if hit.node) if read.bank else (),
        cluster_ids=tuple(cluster.cluster_id for cluster, _ in clusters),
        missing=missing,
        tokens=tokens,
        revisions=revisions_of(command, read),
        missing_sources=read.instructions.missing if read.instructions else (),
    )


def revisions_of(command: AssembleContext, read: Read) -> Mapping[str, int]:
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
