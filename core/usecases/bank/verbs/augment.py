"""Augment: the prompt for the next step, from the insight document and what memory holds on it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from core.bank.bank import Bank
from core.bank.gathering import Memory, gathered
from core.bank.placed import FAILED
from core.bank.query import Hit, Query, QueryResult, Target
from core.bank.reranked import Opinions
from core.bank.search import search
from core.context.bank_evidence import BankEvidence, bank_sections
from core.context.budget import assemble
from core.context.conversing import recorded_section
from core.context.evidence import NOTHING, Placement, placed
from core.context.floor import below_floor
from core.context.memories import memory_sections
from core.context.prompt import Frame, ToolFormat, frame, least_budget, tools
from core.context.sections import Assembly, LeftOut, Section, SectionSize
from core.context.validations import SideText, side_texts
from core.errors import BudgetTooSmall
from core.ids import ConflictId, NodeId
from core.index.scoring import Mode
from core.keys import BankKey
from core.language import Wording, language_of
from core.model.insight import Insight
from core.model.node import Node
from core.model.vector import Vector
from core.text.needs import has_need
from core.usecases.bank.ports import SearchPorts
from core.usecases.bank.retrieval.candidates import bank_evidence
from core.usecases.bank.retrieval.reranking import UNJUDGED, RerankOutcome, RerankResult, second_opinions
from core.usecases.ports import CommonPorts, HasSettings
from core.usecases.spaces import require_own_space
from core.usecases.vectors import query_vector
from core.verbatim.measuring import words_of
from core.verbatim.structure import Structure

SAID = 100
"""Segments looked for where neither a target nor a number is named: about what 4,000 tokens hold."""
PER_SAID = 20
"""Tokens that each of these takes at the least: of a small budget fewer are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Augment:
    """`query` defaults to the first pending task, else the goal. No number: the bank's, or the configured one.

    Without `target`: what was said, gathered under its nodes; at most `top_k` of either. `tools_apart`: the caller
    declares the tools to the model, so the prompt does not. `about`: what the next step is about, where the caller has
    read that already. `min_score`: the least weight of what is found.
    """

    key: BankKey
    query: str = ""
    about: str = ""
    top_k: int | None = None
    alpha: float | None = None
    mode: Mode = Mode.HYBRID
    target: Target | None = None
    structure: Structure | None = None
    token_budget: int | None = None
    tool_format: ToolFormat = ToolFormat.OPENAI
    tools_apart: bool = False
    min_revision: int = 0
    skip_reranker: bool = False
    min_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AugmentResult:
    """`tools` are JSON declarations in the format asked for; they stand in the prompt too, but for `tools_apart`."""

    prompt: str
    tools: tuple[str, ...]
    hits: tuple[Hit, ...]
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    tokens: int
    revision: int
    reranked: RerankOutcome = RerankOutcome.UNASKED
    below_floor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRecall:
    """What a bank has for a prompt, before it is fitted into a budget. `evidence`: what was found, in the search's
    order; None where the command names a target, and `targeted` shows what it found. `has_task`: its task state says
    something. `words`: of the task."""

    frame: Frame
    evidence: BankEvidence | None
    targeted: tuple[Section, ...]
    words: Wording
    asked_words: Sequence[str]
    tools: tuple[str, ...]
    hits: tuple[Hit, ...]
    revision: int
    reranked: RerankOutcome
    has_task: bool


async def augment(ports: SearchPorts, command: Augment) -> AugmentResult:
    """Searches for the query and assembles the prompt. Raises BankNotFound, BudgetTooSmall,
    EmbeddingSpaceMismatch."""
    budget = budget_of(ports, command)
    found = await gather(ports, command, budget)
    placement = _placement(found, command, budget)
    made: Assembly = assemble(_sections(found, placement, budget), budget, "token_budget")
    return AugmentResult(
        prompt=made.text,
        tools=found.tools,
        hits=found.hits,
        sections=made.sections,
        left_out=(*made.left_out, *below_floor(placement)),
        tokens=made.tokens,
        revision=found.revision,
        reranked=found.reranked,
        below_floor=placement.below_count,
    )


def _placement(found: BankRecall, command: Augment, budget: int) -> Placement:
    if found.evidence is None:
        return NOTHING
    return placed(
        [found.evidence.source],
        found.asked_words,
        max(0, budget - found.frame.size),
        command.min_score,
        found.evidence.disputes,
    )


def _sections(found: BankRecall, placement: Placement, budget: int) -> list[Section]:
    """Returns the tool, the task's state, what was recorded, and what to do now."""
    frame, memories = found.frame, list(found.targeted)
    if found.evidence is not None:
        room = max(0, budget - frame.size)
        memories = bank_sections(found.evidence, placement, found.words, room)
    note = recorded_section(found.words.context, bool(frame.now.items))
    recorded = [note, *memories] if any(section.items for section in memories) else []
    return [frame.tool, frame.state, *recorded, frame.now]


async def gather(ports: SearchPorts, command: Augment, budget: int) -> BankRecall:
    """Searches for the query, and lays out what a prompt of `budget` tokens should hold. Raises BankNotFound,
    EmbeddingSpaceMismatch."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        asked = command.query or command.about or next_step(bank)
        require_own_space(ports, bank)
        embeds = bank.embeds
    if command.query and not has_need(command.query):
        asked = ""
    vector = await query_vector(ports, asked) if asked and embeds else None
    said = min(SAID, budget // PER_SAID)

    def query(bank: Bank) -> Query:
        return _query(ports, bank, command, asked, vector, said)

    judged = UNJUDGED
    if ports.reranking and asked and command.mode is Mode.HYBRID and not command.skip_reranker:
        judged = await _judged(ports, command, query)
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        words = language_of(bank.insight.goal).task_headings
        remembered = _remembered(ports, bank, command, query(bank), judged.opinions, words)
        declared = tools(words, command.tool_format)
        return BankRecall(
            frame=frame(
                bank.insight,
                [*bank.open_conflicts(), *bank.suspected_conflicts()],
                () if command.tools_apart else declared,
                budget,
                ports.settings.retrieval.history_share,
                sides=_sides(bank),
                query=command.query,
            ),
            evidence=remembered.evidence,
            targeted=tuple(remembered.sections),
            asked_words=words_of(asked),
            words=words,
            tools=tuple(declared),
            hits=remembered.hits,
            revision=bank.revision,
            reranked=judged.reranked,
            has_task=bank.insight != Insight() or bool(bank.open_conflicts()),
        )


def require_budget(ports: HasSettings, insight: Insight, command: Augment, beside: int = 0) -> None:
    """Raises BudgetTooSmall unless every later prompt of the task fits, `beside` so many tokens that are never cut: a
    call that writes asks this first."""
    needed, budget = least_budget(insight, command.tool_format) + beside, budget_of(ports, command)
    if budget < needed:
        raise BudgetTooSmall("token_budget", needed, budget)


def budget_of(ports: HasSettings, command: Augment) -> int:
    return command.token_budget or ports.settings.retrieval.token_budget


async def _judged(ports: SearchPorts, command: Augment, query: Callable[[Bank], Query]) -> RerankResult:
    """Returns the reranker's opinions; of nodes where there are no segments for it to read."""
    key, least = command.key, command.min_revision
    (judged,) = await second_opinions(ports, key, least, lambda bank: [query(bank)])
    if judged is UNJUDGED and command.target is None:
        (judged,) = await second_opinions(
            ports, key, least, lambda bank: [query(bank)._replace(target=Target.NODES)]
        )
    return judged


class _PromptEvidence(NamedTuple):
    """What was found for a prompt, best first: as candidates, or where a target is named how it stands there."""

    hits: tuple[Hit, ...]
    sections: Sequence[Section] = ()
    evidence: BankEvidence | None = None


def _remembered(
    ports: HasSettings, bank: Bank, command: Augment, query: Query, opinions: Opinions | None, words: Wording
) -> _PromptEvidence:
    found = search(bank, query, opinions)
    if command.target is not None:
        hits, tried = _weighed(bank, found)
        conflicts = bank.open_conflicts()
        return _PromptEvidence(
            hits, memory_sections(hits, found.neighbors, conflicts, words, bank.tree.segment, tried)
        )
    top_k = command.top_k or ports.settings.retrieval.top_k_of(bank)
    around = search(bank, query._replace(target=Target.NODES, top_k=top_k, hops=1), opinions)
    hits, tried = _weighed(bank, around)
    memories = gathered(_waiting(bank, found.hits), hits, bank.nodes)
    tried |= _attempts(bank, (memory.node for memory in memories if memory.node))
    asked = words_of(query.text)
    settling = "" if command.query or not bank.insight.pending else bank.insight.pending[0].conflict_id
    evidence = bank_evidence(bank, found.hits, hits, around.neighbors, tried, asked, query.vector, settling)
    return _PromptEvidence(tuple(_hits(memories)), evidence=evidence)


def _weighed(bank: Bank, found: QueryResult) -> tuple[tuple[Hit, ...], frozenset[NodeId]]:
    """Returns the hits, of which nodes that stand only for failed steps weigh less; and which of all nodes found do
    so."""
    tried = _attempts(bank, (*(hit.node for hit in found.hits if hit.node), *found.neighbors))
    if not tried:
        return found.hits, tried
    hits = [
        hit._replace(score=hit.score * FAILED) if hit.node and hit.node.node_id in tried else hit
        for hit in found.hits
    ]
    return tuple(sorted(hits, key=attrgetter("score"), reverse=True)), tried


def _attempts(bank: Bank, nodes: Iterable[Node]) -> frozenset[NodeId]:
    return frozenset(node.node_id for node in nodes if bank.tree.is_attempt(node))


def _waiting(bank: Bank, said: Sequence[Hit]) -> list[Hit]:
    """Returns segments, those marked that no node summarises yet."""
    return [
        hit._replace(unstructured=True) if hit.segment and bank.tree.is_unsummarised(hit.segment.ref) else hit
        for hit in said
    ]


def _hits(memories: Sequence[Memory]) -> Iterator[Hit]:
    """Yields nodes with the segment that scores best of theirs, and segments that have none."""
    for memory in memories:
        best = max(memory.evidence, key=attrgetter("score"), default=memory.hit)
        assert best is not None, "a memory was found by its node, or by what was said"
        if memory.node is None or best.segment is None:
            yield best
        else:
            yield best._replace(node=memory.node, segment=None, best_segment=best.segment.ref)


def _query(
    ports: CommonPorts, bank: Bank, command: Augment, asked: str, vector: Vector | None, said: int
) -> Query:
    """Returns the search for what is to be shown: without a target for what was reported last."""
    gathers = command.target is None
    return Query(
        text=asked,
        vector=vector,
        top_k=command.top_k or (said if gathers else ports.settings.retrieval.top_k_of(bank)),
        alpha=ports.settings.retrieval.alpha_of(bank) if command.alpha is None else command.alpha,
        mode=command.mode,
        target=command.target or Target.SEGMENTS,
        hops=0 if gathers else 1,
        structure=ports.settings.retrieval.structure if command.structure is None else command.structure,
        now=ports.clock.now(),
    )


def next_step(bank: Bank) -> str:
    """Returns what the framework is about to do: the first pending task, of a validation the statements of its
    sides; else the goal."""
    if sides := _sides(bank):
        return "\n".join(side.text for side in sides)
    if bank.insight.pending:
        task = bank.insight.pending[0]
        return task.description
    return bank.insight.goal


def _sides(bank: Bank) -> list[SideText]:
    """Returns the statements of the sides of the conflict that is to be settled next; nothing where another task
    comes next."""
    conflict_id = bank.insight.pending[0].conflict_id if bank.insight.pending else ""
    conflict = bank.conflicts.get(ConflictId(conflict_id))
    return side_texts(conflict, bank.nodes, bank.tree.segment) if conflict else []
