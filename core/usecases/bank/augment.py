"""Augment: the prompt for the next step, from the insight document and what memory holds on it."""

from dataclasses import dataclass

from core.aggregate.change import Vector
from core.bank.bank import Bank
from core.bank.query import Hit, Query, Target
from core.bank.search import search
from core.context.budget import Assembled, LeftOut, SectionSize, assemble
from core.context.prompt import ToolFormat, least_budget, prompt_sections, tools, wording
from core.errors import BudgetTooSmall
from core.ids import BankKey
from core.index.scoring import Mode
from core.model.insight import Insight
from core.text.tokens import estimate
from core.usecases.bank.reranking import UNJUDGED, Reranked, second_opinions
from core.usecases.bank.search import query_vector
from core.usecases.house import House, require_own_space
from core.verbatim.structure import Structure


@dataclass(frozen=True, slots=True, kw_only=True)
class Augment:
    """`query` defaults to the first pending task, else the goal. No number: the bank's, or the configured one."""

    key: BankKey
    query: str = ""
    top_k: int | None = None
    alpha: float | None = None
    mode: Mode = Mode.HYBRID
    target: Target = Target.NODES
    structure: Structure | None = None
    token_budget: int | None = None
    tool_format: ToolFormat = ToolFormat.OPENAI
    min_revision: int = 0
    skip_reranker: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Augmented:
    """`tools` are JSON declarations in the format asked for; they stand in the prompt too."""

    prompt: str
    tools: tuple[str, ...]
    hits: tuple[Hit, ...]
    sections: tuple[SectionSize, ...]
    left_out: tuple[LeftOut, ...]
    tokens: int
    revision: int
    reranked: Reranked = Reranked.UNASKED


async def augment(house: House, command: Augment) -> Augmented:
    """Search for the query and assemble the prompt. Raises BankNotFound, BudgetTooSmall,
    EmbeddingSpaceMismatch."""
    async with house.banks.reading(command.key, command.min_revision) as bank:
        asked = command.query or _next_step(bank)
        require_own_space(house, bank)
        embeds = bank.embeds
    vector = await query_vector(house, asked) if asked and embeds else None

    def query(bank: Bank) -> Query:
        return _query(house, bank, command, asked, vector)

    budget = _budget(house, command)
    judged = UNJUDGED
    if house.reranking and asked and command.mode is Mode.HYBRID and not command.skip_reranker:
        (judged,) = await second_opinions(
            house, command.key, command.min_revision, lambda bank: [query(bank)]
        )
    async with house.banks.reading(command.key, command.min_revision) as bank:
        found = search(bank, query(bank), judged.opinions)
        declared = tools(wording(bank.insight), command.tool_format)
        sections = prompt_sections(
            bank.insight,
            bank.open_conflicts(),
            found.hits,
            found.neighbors,
            declared,
            bank.tree.segment,
            budget,
            house.retrieval.history_share,
        )
    made: Assembled = assemble(sections, budget, estimate, "token_budget")
    return Augmented(
        prompt=made.text,
        tools=tuple(declared),
        hits=found.hits,
        sections=made.sections,
        left_out=made.left_out,
        tokens=made.tokens,
        revision=found.revision,
        reranked=judged.reranked,
    )


def require_budget(house: House, insight: Insight, command: Augment) -> None:
    """Raises BudgetTooSmall unless every later prompt of the task fits: a call that writes asks this first."""
    needed, budget = least_budget(insight, command.tool_format), _budget(house, command)
    if budget < needed:
        raise BudgetTooSmall("token_budget", needed, budget)


def _budget(house: House, command: Augment) -> int:
    return command.token_budget or house.retrieval.token_budget


def _query(house: House, bank: Bank, command: Augment, asked: str, vector: Vector | None) -> Query:
    return Query(
        text=asked,
        vector=vector,
        top_k=command.top_k or house.retrieval.top_k_of(bank),
        alpha=house.retrieval.alpha_of(bank) if command.alpha is None else command.alpha,
        mode=command.mode,
        target=command.target,
        structure=house.retrieval.structure if command.structure is None else command.structure,
        now=house.clock.now(),
    )


def _next_step(bank: Bank) -> str:
    """What the framework is about to do: the first pending task, else the goal."""
    if bank.insight.pending:
        task = bank.insight.pending[0]
        return task.description
    return bank.insight.goal
