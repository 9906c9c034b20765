"""A reference document is remembered without being judged: its nodes go straight to related."""

from collections.abc import Sequence

import pytest

from core.agents.roles import ConflictOpinion, RelatedOpinion, Topic
from core.errors import AgentUnavailable, StructuringFailed
from core.ids import InteractionId
from core.model.structuring import Purpose, StructuringState
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.support.house import KEY, CountingIds, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents

OLD, LICENCE, LATER = "You must name the author.", "You need not name the author.", "Never name the author."


def contradicting(_new: Topic, candidates: Sequence[Topic]) -> list[ConflictOpinion]:
    return [
        ConflictOpinion(existing=c.node_id, confidence=0.9, reasoning="it says so", description="the author")
        for c in candidates
    ]


def near(new: Topic, candidates: Sequence[Topic]) -> list[RelatedOpinion]:
    return [
        RelatedOpinion(
            existing=c.node_id,
            confidence=0.8,
            reasoning="one matter",
            context_new=new.context,
            context_existing=c.context,
            keywords_new=(),
            keywords_existing=(),
        )
        for c in candidates
    ]


def quarrelsome() -> ScriptedAgents:
    """Agents to whom everything contradicts everything, and is near to it."""
    agents = ScriptedAgents()
    agents.judge.first.otherwise = contradicting
    agents.judge.second.otherwise = near
    return agents


async def tell(house: House, text: str, *, skip_judging: bool = False) -> MemorizeResult:
    return await memorize(house, Memorize(key=KEY, context=Context(text=text), skip_judging=skip_judging))


async def test_a_reference_is_related_to_its_neighbours_and_not_judged() -> None:
    agents = quarrelsome()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        old = await tell(house, OLD)

        told = await tell(house, LICENCE, skip_judging=True)

        assert agents.judge.first.asked == []
        assert (told.state, told.conflict_ids, told.merges) == (StructuringState.DONE, (), ())
        assert told.related == ((told.node_ids[0], old.node_ids[0]),)
        async with house.banks.reading(KEY) as bank:
            assert told.node_ids[0] in bank.node_vectors
            assert bank.insight.pending == ()


async def test_what_is_remembered_later_is_judged_against_a_reference() -> None:
    agents = quarrelsome()
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        reference = await tell(house, LICENCE, skip_judging=True)

        told = await tell(house, LATER)

        ((_, candidates),) = agents.judge.first.asked
        assert [c.node_id for c in candidates] == list(reference.node_ids)
        assert len(told.conflict_ids) == 1


async def test_a_process_that_takes_up_a_reference_does_not_judge_it_either() -> None:
    store, agents, ids = MemoryStore(), quarrelsome(), CountingIds()
    async with open_house(store=store, agents=agents.roles, ids=ids) as house:
        await make_bank(house)
        await tell(house, OLD)
        agents.structurer.summaries.then(AgentUnavailable("structurer", "killed"))
        with pytest.raises(StructuringFailed) as left:
            await tell(house, LICENCE, skip_judging=True)

    async with open_house(store=store, agents=agents.roles, ids=ids) as house:
        await restructure(house, Restructure(key=KEY))

        async with house.banks.reading(KEY) as bank:
            done = bank.tree.structuring(InteractionId(left.value.interaction_id))
            assert (done.purpose, done.state) == (Purpose.REFERENCE, StructuringState.DONE)
            assert len(bank.nodes) == 2
            assert list(bank.open_conflicts()) == []
        assert agents.judge.first.asked == []
