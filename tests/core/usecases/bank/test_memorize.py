"""Memorize around its rounds: racing memories, resumed work, repeated requests, texts of many chunks."""

import asyncio

import pytest

from core.agents.roles import MergeOpinion
from core.errors import AgentReplyInvalid, AgentUnavailable, StructuringFailed
from core.ids import NodeId
from core.keys import BankKey
from core.model.structuring import StructuringState
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.memorize import Memorize, Wait, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from tests.core.usecases.bank.test_rounds import conflicting, of, tell
from tests.support.house import KEY, make_bank, open_house, request
from tests.support.scripted_agents import ScriptedAgents


async def test_two_racing_contradictions_always_see_each_other() -> None:
    agents = ScriptedAgents()
    agents.judge.first.otherwise = of("CEO", conflicting)
    async with open_house(agents=agents.roles) as house:
        for number in range(10):
            key = await make_bank(house, BankKey(tenant=KEY.tenant, bank_id=f"race-{number}"))  # type: ignore[arg-type]

            told = await asyncio.gather(tell(house, "The CEO is A.", key), tell(house, "The CEO is B.", key))

            assert len([c for one in told for c in one.conflict_ids]) == 1


async def test_an_agent_that_fails_leaves_the_record_and_the_work_can_be_resumed() -> None:
    agents = ScriptedAgents()
    agents.structurer.summaries.then(AgentUnavailable("structurer", "down"))
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)

        with pytest.raises(StructuringFailed) as failed:
            await tell(house, "alpha one")

        async with house.banks.reading(KEY) as bank:
            (unfinished,) = bank.tree.unfinished()
            assert unfinished.interaction_id == failed.value.interaction_id
            assert unfinished.state is StructuringState.FAILED
            assert bank.nodes == {}
        done = await restructure(house, Restructure(key=KEY))
        assert [s.state for s in done.structurings] == [StructuringState.DONE]
        async with house.banks.reading(KEY) as bank:
            assert len(bank.nodes) == 1


async def test_an_opinion_on_a_node_that_was_not_in_question_is_refused_and_changes_nothing() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await tell(house, "alpha one")
        agents.judge.first.then(
            [MergeOpinion(existing=NodeId("invented"), confidence=0.9, reasoning="", strategy="")]
        )

        with pytest.raises(StructuringFailed) as failed:
            await tell(house, "beta two")

        assert isinstance(failed.value.cause, AgentReplyInvalid)
        async with house.banks.reading(KEY) as bank:
            assert len(bank.nodes) == 1


async def test_a_repeated_request_is_structured_once_and_gets_the_same_answer() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        command = Memorize(key=KEY, context=Context(text="alpha one"), request=request("r1"))

        first = await memorize(house, command)
        again = await memorize(house, command)

        assert (again.interaction_id, again.node_ids, again.replayed) == (
            first.interaction_id,
            first.node_ids,
            True,
        )
        assert len(agents.structurer.summaries.asked) == 1


async def test_stored_returns_at_once_and_a_repetition_that_waits_attaches() -> None:
    agents = ScriptedAgents()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        context = Context(text="alpha one")

        stored = await memorize(
            house, Memorize(key=KEY, context=context, wait=Wait.STORED, request=request("r1"))
        )
        waited = await memorize(house, Memorize(key=KEY, context=context, request=request("r1")))

        assert (stored.state, stored.node_ids) == (StructuringState.PENDING, ())
        assert (waited.state, len(waited.node_ids)) == (StructuringState.DONE, 1)
        assert len(agents.structurer.summaries.asked) == 1


async def test_a_long_context_is_structured_chunk_by_chunk() -> None:
    agents = ScriptedAgents()
    agents.clusterer.window = 100
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        text = "\n\n".join(
            f"Paragraph {n} speaks of matter {n} and of nothing else at all." for n in range(30)
        )

        told = await tell(house, text)

        chunks = [len(pieces) for pieces, _ in agents.clusterer.clusters.asked]
        assert len(chunks) > 3
        assert sum(chunks) == 30
        async with house.banks.reading(KEY) as bank:
            assert sorted(ref.index for n in told.node_ids for ref in bank.nodes[n].segments) == list(
                range(30)
            )
