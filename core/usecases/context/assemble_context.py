"""AssembleContext: one prompt for an input, out of all memories, within a budget.

Law: one order of parts (`_sections`), one ranking of all evidence. How parts are read: `core.usecases.context.parts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.context.bank_evidence import bank_sections
from core.context.budget import assemble
from core.context.conversing import (
    KEY,
    MID,
    PROMOTED,
    RECALL,
    SHORT,
    conversation_sections,
    input_section,
    key_section,
    recorded_section,
)
from core.context.elsewhere import elsewhere_section
from core.context.evidence import Placement, placed
from core.context.floor import below_floor
from core.context.long_term import long_term_sections, sentences_of
from core.context.messages import ContextMessage, messages
from core.context.sections import Assembly, Item, LeftOut, Section, SectionSize
from core.context.shares import NEEDLESS
from core.context.tools import MEMORY_TOOLS, declared
from core.context.turns import name_of
from core.context.working import working_section
from core.language import Wording, Words, language_of
from core.text.tokens import estimate, tokens_of
from core.usecases.context.asked import AssembleContext, Form, Missing
from core.usecases.context.parts import (
    ContextParts,
    bank_disputes_of,
    disputes_of,
    read_parts,
    revisions_of,
    sources_of,
)
from core.usecases.context.ports import ContextPorts
from core.usecases.conversation.tiers.count_hits import is_news
from core.usecases.conversation.verbs.get_working_memory import WorkingMemory
from core.usecases.instructions.load_sources import MissingSource
from core.usecases.ports import HasSettings
from core.verbatim.measuring import words_of

ANSWERS = 0.5  # of the heaviest evidence's weight that a turn has at the least whose cluster was hit
SYSTEM, INSTRUCTIONS = "system", "instructions"


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


async def assemble_context(ports: ContextPorts, command: AssembleContext) -> ContextAssembled:
    """Assembles one context for an input. Raises BudgetTooSmall; what a part raises, unless the call is
    `allow_partial`."""
    made = await prepared(ports, command)
    if not command.observe:
        _note_keys(ports, command, made)
        if command.needs:
            _count_hits(ports, command, made)
    return _answer(command, made.assembled, made.read, made.placement, made.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedContext:
    """A context, and what it was made of."""

    read: ContextParts
    assembled: Assembly
    placement: Placement
    missing: tuple[Missing, ...]


async def prepared(ports: ContextPorts, command: AssembleContext) -> PreparedContext:
    """Reads all parts and assembles them. Raises as `assemble_context` does."""
    budget = command.token_budget or ports.settings.retrieval.token_budget
    missing: list[Missing] = []
    read = await read_parts(ports, command, budget, missing)
    sections, placement = _sections(ports, command, read, budget)
    assembled = assemble(sections, budget, "token_budget")
    return PreparedContext(read=read, assembled=assembled, placement=placement, missing=tuple(missing))


def _tools(command: AssembleContext, read: ContextParts) -> tuple[str, ...]:
    """Declares the bank's tool, which stands in the prompt, too, and those of long-term memory, which would take a
    thousand tokens there."""
    if command.task and read.bank:
        return read.bank.tools
    if not command.tools:
        return ()
    of_memory = declared(MEMORY_TOOLS, command.tool_format) if command.collection else []
    return (*(read.bank.tools if read.bank else ()), *of_memory)


def _sections(
    ports: HasSettings, command: AssembleContext, read: ContextParts, budget: int
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
        *([key_section(read.talk.recalled.keys, bank_disputes_of(read))] if read.talk else ()),
        *([read.bank.frame.state] if read.bank and read.bank.has_task else ()),
    ]
    room = max(0, budget - sum(estimate(i.full) for s in (*head, now) for i in s.items if i.fixed))
    if not command.needs:
        room = min(room, NEEDLESS)
    placement = _placement(command, read, room)
    recorded = _recorded(ports, read, placement, language, budget, room)
    return [*head, *_noted(command, recorded, words, bool(now.items)), *recorded, now], placement


def _language(command: AssembleContext, read: ContextParts) -> Wording:
    """Returns the words for the input; of a task's prompt those for its goal."""
    return read.bank.words if command.task and read.bank else language_of(command.input).task_headings


def _recorded(
    ports: HasSettings, read: ContextParts, placement: Placement, language: Wording, budget: int, room: int
) -> list[Section]:
    """Returns what was recorded, in its order; what answers the input by one ranking over all of it."""
    words = language.context
    of_talk = conversation_sections(read.talk.talk, placement, words, budget, room) if read.talk else []
    beside = sum(tokens_of(item.size) for section in of_talk[3:] for item in section.items)
    told = sentences_of(read.known.known, placement) if read.known else frozenset()
    other = read.elsewhere
    said = [elsewhere_section(other.passages, placement, words, told, other.handles)] if other else []
    beside += sum(tokens_of(item.size) for section in said for item in section.items)
    of_bank = read.bank.evidence if read.bank else None
    return [
        *of_talk[:1],
        *_known(read, placement, words),
        *said,
        *of_talk[1:3],
        *(bank_sections(of_bank, placement, language, room, beside) if of_bank else ()),
        *of_talk[3:],
        *_so_far(ports, read.working, words),
    ]


def _placement(command: AssembleContext, read: ContextParts, room: int) -> Placement:
    """Ranks the evidence of all parts: of what two of them found, the first says where it stands."""
    return placed(sources_of(read), words_of(command.input), room, command.min_score, disputes_of(read))


def _noted(command: AssembleContext, recorded: Sequence[Section], words: Words, ends: bool) -> list[Section]:
    """Returns one note on all that was recorded; of messages the first one ends with it, and has no latest turns."""
    in_one = command.form is Form.TEXT
    if not any(section.items for section in recorded if in_one or section.name != SHORT):
        return []
    return [recorded_section(words, in_one and ends)]


def _known(read: ContextParts, placement: Placement, words: Words) -> list[Section]:
    """Returns what is known and no turn of the context holds."""
    if read.known is None:
        return []
    alone = read.talk is None and read.bank is None
    return long_term_sections(read.known.known, placement, words, alone=alone)


def _fixed(name: str, text: str) -> list[Section]:
    """Returns a text as it is, without a title; no section if it is empty."""
    return [Section(name=name, title="", items=(Item(item_id=name, full=text, fixed=True),))] if text else []


def _so_far(ports: HasSettings, working: WorkingMemory | None, words: Words) -> list[Section]:
    return [working_section(working.items, ports.settings.working.keep_steps, words)] if working else []


def _count_hits(ports: ContextPorts, command: AssembleContext, made: PreparedContext) -> None:
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
    if hit and ports.hits.is_new(command.conversation, talk.uid, command.input):
        of_them = (step for step, name in talk.recalled.cluster_of.items() if name in hit)
        answer = max(of_them, key=lambda step: weights.get(name_of(step), 0.0))
        ports.hits.add(command.conversation, talk.uid, sorted(hit), answer, ports.clock.now())


def _note_keys(ports: ContextPorts, command: AssembleContext, made: PreparedContext) -> None:
    """Notes which keys stand in the prompt, those of which that is known to the day left out."""
    talk, now = made.read.talk, ports.clock.now()
    if talk is None or command.conversation is None:
        return
    sections = made.assembled.sections
    standing = {
        item.item_id for section in sections if section.name in (KEY, PROMOTED) for item in section.items
    }
    shown = [each.key_id for each in talk.recalled.keys if each.key_id in standing and is_news(each, now)]
    if shown:
        ports.hits.show(command.conversation, talk.uid, shown, now)


def _answer(
    command: AssembleContext,
    made: Assembly,
    read: ContextParts,
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
