"""Agents behind agents: when the second answers, and that it is counted."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.fallback import with_fallback
from core.agents.roles import Agents, Piece, Progress, Topic
from core.agents.usage import Ledger
from core.errors import AgentReplyInvalid, AgentUnavailable, BudgetSpent, MemoryBankError
from core.ids import NodeId
from core.model.insight import Insight
from core.model.lineage import MergeReason
from core.model.usage import RoleUsage
from tests.support.scripted_agents import Script, ScriptedAgents, ScriptedClusterer

NODE = Topic(node_id=NodeId("n-1"), summary="s", context="c", keywords=())
Ask = Callable[[Agents], Awaitable[Any]]
Told = Callable[[ScriptedAgents], Script[Any]]
QUESTIONS: dict[str, tuple[Ask, Told]] = {
    "cluster": (
        lambda a: a.clusterer.cluster([Piece(number=0, text="t")], ""),
        lambda s: s.clusterer.clusters,
    ),
    "split": (lambda a: a.clusterer.split("p"), lambda s: s.clusterer.splits),
    "structure": (lambda a: a.structurer.structure("t", "c", ()), lambda s: s.structurer.summaries),
    "first judgement": (lambda a: a.judge.conflicts_and_merges(NODE, [NODE]), lambda s: s.judge.first),
    "second judgement": (lambda a: a.judge.related(NODE, [NODE]), lambda s: s.judge.second),
    "consolidate": (
        lambda a: a.consolidator.consolidate([], [], MergeReason.MERGE, "", ""),
        lambda s: s.consolidator.consolidations,
    ),
    "plan": (lambda a: a.planner.plan(Insight(), Progress()), lambda s: s.planner.plans),
}


class StandingClock:
    def now(self) -> datetime:
        return datetime(2024, 5, 1, tzinfo=UTC)


@pytest.fixture(params=QUESTIONS)
def question(request: pytest.FixtureRequest) -> tuple[Ask, Told]:
    return QUESTIONS[request.param]


async def test_the_second_answers_where_the_first_cannot_be_had_and_it_is_counted(
    question: tuple[Ask, Told],
) -> None:
    ask, told = question
    first, second, ledger = ScriptedAgents(), ScriptedAgents(), Ledger(StandingClock())
    told(first).then(AgentUnavailable("role", "down"))
    told(second).then("the second's answer")

    with ledger.spending("role"):
        answer = await ask(with_fallback(first.roles, second.roles))

    assert answer == "the second's answer"
    assert told(first).asked == told(second).asked
    assert ledger.total().roles == {"role": RoleUsage(calls=1, fell_back=1)}


async def test_the_second_is_not_asked_where_the_first_answers(question: tuple[Ask, Told]) -> None:
    ask, told = question
    first, second, ledger = ScriptedAgents(), ScriptedAgents(), Ledger(StandingClock())
    told(first).then("the first's answer")

    with ledger.spending("role"):
        answer = await ask(with_fallback(first.roles, second.roles))

    assert answer == "the first's answer"
    assert told(second).asked == []
    assert ledger.total().roles == {"role": RoleUsage(calls=1)}


@pytest.mark.parametrize(
    "failure",
    [
        AgentReplyInvalid("role", "no JSON"),
        BudgetSpent("tokens_per_call", 9, 8),
        AgentUnavailable("role", "b"),
    ],
)
async def test_a_failure_that_is_no_absence_or_is_the_seconds_own_stands(
    question: tuple[Ask, Told], failure: MemoryBankError
) -> None:
    ask, told = question
    first, second = ScriptedAgents(), ScriptedAgents()
    told(first).then(failure)
    told(second).then(failure)

    with pytest.raises(MemoryBankError) as raised:
        await ask(with_fallback(first.roles, second.roles))

    assert raised.value is failure
    assert len(told(second).asked) == isinstance(failure, AgentUnavailable)


def test_chunks_are_cut_for_the_first() -> None:
    both = with_fallback(
        ScriptedAgents(clusterer=ScriptedClusterer(window=9_000)).roles, ScriptedAgents().roles
    )

    assert both.clusterer.window == 9_000
