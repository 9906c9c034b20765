"""Asking the Planner what comes next, and holding its answer to core's rules (see `planning`).

Law: an empty plan where the goal is not reached is asked for once more, with the reason; then the offline rule decides.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.offline.planner import next_steps
from core.agents.roles import Plan, Progress
from core.agents.usage import Ledger
from core.bank.query import Hit, Query
from core.bank.search import search
from core.context.condensing import clipped
from core.errors import AgentReplyInvalid, AgentUnavailable, BudgetSpent
from core.ids import TaskId
from core.keys import BankKey
from core.model.insight import CompletedTask, Insight
from core.text.analysis import terms
from core.text.brevity import brief, is_brief
from core.text.tokens import estimate
from core.usecases.bank.plans.planning import allowed, missing, with_id, with_plan, with_report
from core.usecases.bank.plans.retries import as_attempt
from core.usecases.bank.ports import BankPorts, NodePorts
from core.usecases.spaces import require_own_space
from core.usecases.vectors import query_vector

AROUND_TASK = 30  # tokens: its id, type and status


async def plan(
    ports: NodePorts, key: BankKey, insight: Insight, progress: Progress, ledger: Ledger
) -> Insight:
    """Returns the insight document with what was reported, and the next step or the end."""

    def new_id() -> TaskId:
        return TaskId(ports.ids.new("t"))

    if progress.report is not None:
        report = await as_attempt(ports, insight, with_id(insight, progress.report, new_id), ledger)
        progress = replace(progress, report=report)
    known = bool(insight.done or progress.new_nodes) or await _knows(ports, key, insight.goal, ledger)
    progress = replace(progress, knows_of_goal=known, attempts=ports.settings.attempts)
    with ledger.spending("planner"):
        planned = await ports.agents.planner.plan(insight, progress)
    after = insight
    if progress.report is not None:
        told = _stated(progress.report.result) or brief(planned.completed_context)
        after = with_report(insight, progress.report, told, new_id, ports.settings.attempts)
    if not any(task.conflict_id for task in after.pending) and not allowed(
        after, planned, ports.settings.attempts
    ):
        planned = await _once_more(ports, insight, after, progress, ledger)
    return await _condensed(ports, with_plan(after, planned, new_id, ports.settings.attempts), ledger)


def _stated(answer: str) -> str:
    """Returns what the agent answered, where that is short enough to stand as it is."""
    return " ".join(answer.split()) if is_brief(answer) else ""


async def _once_more(
    ports: NodePorts, insight: Insight, after: Insight, progress: Progress, ledger: Ledger
) -> Plan:
    """Returns a plan that has a next step wherever there is one to be had."""
    problem = missing(after)
    if not problem:
        return Plan()
    asked = replace(progress, problem=problem)
    with ledger.spending("planner"):
        planned = await ports.agents.planner.plan(insight, asked)
    if allowed(after, planned, ports.settings.attempts):
        return planned
    return Plan(pending=tuple(next_steps(insight, asked)))


async def _condensed(ports: NodePorts, insight: Insight, ledger: Ledger) -> Insight:
    """Returns the document, its oldest tasks in the Planner's words once they take more than their share of a
    prompt.

    Where the Planner has none, or fails, prompts condense them by rule: no step is lost for it.
    """
    limit = int(ports.settings.retrieval.token_budget * ports.settings.retrieval.history_share)
    left = insight.completed[insight.digested_tasks :]
    if fitting(left, limit) == len(left):
        return insight
    older = left[: len(left) - fitting(left, limit // 2)]
    try:
        with ledger.spending("planner"):
            digest = await ports.agents.planner.condense(insight.goal, older, insight.digest)
    except (AgentUnavailable, AgentReplyInvalid, BudgetSpent):
        return insight
    if not digest.strip():
        return insight
    return replace(
        insight,
        digest=clipped(digest.strip(), limit // 4),
        digested_tasks=insight.digested_tasks + len(older),
    )


def fitting(tasks: Sequence[CompletedTask], limit: int) -> int:
    """Returns how many of the latest fit into so many tokens."""
    filled = 0
    for number, task in enumerate(reversed(tasks)):
        filled += AROUND_TASK + estimate(task.description) + estimate(task.context)
        if filled > limit:
            return number
    return len(tasks)


async def _knows(ports: BankPorts, key: BankKey, goal: str, ledger: Ledger) -> bool:
    """Whether the bank holds anything on the goal: what is related to it, or speaks of half of what it names."""
    async with ports.banks.reading(key) as bank:
        if not goal or not bank.embeds:
            return True  # there is no telling
        if not bank.nodes and not bank.tree.has_unsummarised:
            return False
        require_own_space(ports, bank)
    with ledger.spending("embedder"):
        vector = await query_vector(ports, goal)
    async with ports.banks.reading(key) as bank:
        alpha = ports.settings.retrieval.alpha_of(bank)
        found = search(bank, Query(top_k=1, alpha=alpha, text=goal, vector=vector, hops=0))
    named = frozenset(terms(goal))
    return any(
        hit.embedding_score >= ports.embedder.thresholds.related
        or 2 * len(named.intersection(terms(_said(hit)))) >= len(named)
        for hit in found.hits
    )


def _said(hit: Hit) -> str:
    if hit.node is not None:
        return f"{hit.node.summary}\n{hit.node.context}"
    return hit.segment.text if hit.segment is not None else ""
