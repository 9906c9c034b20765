"""How much of a question's evidence stands in the augmented prompt of so many tokens.

Law: the prompt is the one that Augment answers with, counted by the service's own counter. *Shown* is evidence whose
whole message stands in it word for word; *reachable* is that, and what lies behind a node whose id stands in it, so
that one call of the deep-retrieval tool brings it. A budget too small for what every prompt must hold gives no prompt.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.bank.query import Target
from core.context.lines import one_line
from core.errors import BudgetTooSmall
from core.ids import NodeId, SegmentRef
from core.keys import BankKey
from core.usecases.bank.verbs.augment import Augment, augment
from core.usecases.house import House
from evaluation.figures import BUDGETS, Standing
from evaluation.methods import Method
from evaluation.sets import Question

LEAST_TOKENS = {Target.SEGMENTS: 40, Target.NODES: 200, Target.BOTH: 200}
"""Of a memory shown whole: so many are looked for that they would fill the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorizedWorld:
    """A world memorized: its bank, the message behind every segment, and of messages their words and nodes (ids,
    handles)."""

    key: BankKey
    message_of: Mapping[SegmentRef, str]
    lines: Mapping[str, str]
    nodes_of: Mapping[str, frozenset[NodeId]]


async def standings(
    house: House, asked: MemorizedWorld, question: Question, method: Method
) -> tuple[Standing | None, ...]:
    """Returns how the evidence stands, by budget; None where no prompt can be that small."""
    return tuple([await _standing(house, asked, question, method, budget) for budget in BUDGETS])


async def _standing(
    house: House, asked: MemorizedWorld, question: Question, method: Method, budget: int
) -> Standing | None:
    command = Augment(
        key=asked.key,
        query=question.text,
        top_k=None if method.by_default else budget // LEAST_TOKENS[method.target],
        alpha=method.alpha,
        token_budget=budget,
        mode=method.mode,
        target=None if method.by_default else method.target,
        structure=method.structure,
        skip_reranker=not method.reranked,
    )
    try:
        made = await augment(house, command)
    except BudgetTooSmall:
        return None
    return standing(asked, question, made.prompt)


def standing(asked: MemorizedWorld, question: Question, prompt: str) -> Standing:
    """Returns what a prompt holds of a question's evidence."""
    line = one_line(prompt)
    shown = {message for message in question.evidence if asked.lines[message] in line}
    reachable = shown | {
        message
        for message in question.evidence
        if any(f"[{node_id}]" in line for node_id in asked.nodes_of.get(message, ()))
    }
    needed = len(question.evidence)
    return Standing(shown=len(shown) / needed, reachable=len(reachable) / needed)
