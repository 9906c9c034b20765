"""Likely conflicts: listed as suspected, in nobody's way, few, confirmed or ended."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from core.agents.roles import ConflictOpinion, Grade, MergeOpinion, Topic
from core.bank.bank import Bank
from core.context.prompt import frame
from core.errors import ConflictClosed
from core.ids import NodeId
from core.model.bank import RetrievalSettings
from core.model.conflict import Conflict, ConflictStatus, VerdictType
from core.model.insight import TaskOutcome
from core.model.node import NodeState
from core.usecases.bank.plans.planning import MOST_VALIDATIONS
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.suspicions import MOST_OF_NODE
from core.usecases.bank.verbs.confirm_conflict import ConfirmConflict, confirm_conflict
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.bank.verbs.list_conflicts import ListConflicts, list_conflicts
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from core.usecases.house import House
from tests.support.house import KEY, open_house
from tests.support.scripted_agents import ScriptedAgents, joined

FIRST, SECOND = "Acme is led by Ann.", "Acme is led by Bob."
SURE = 0.95

Likelihoods = Mapping[frozenset[str], float]


def judged(likelihoods: Likelihoods, merges: frozenset[frozenset[str]] = frozenset()) -> ScriptedAgents:
    """Agents whose Judge finds contradictions as likely as these, and merges these pairs."""
    agents = ScriptedAgents()
    agents.consolidator.consolidations.otherwise = joined

    def opinions(new: Topic, candidates: Sequence[Topic]) -> Iterator[ConflictOpinion | MergeOpinion]:
        for each in candidates:
            pair = frozenset((new.summary, each.summary))
            if pair in merges:
                yield MergeOpinion(existing=each.node_id, confidence=1.0, reasoning="", strategy="")
            if likelihood := likelihoods.get(pair):
                yield ConflictOpinion(
                    existing=each.node_id,
                    confidence=likelihood,
                    reasoning="",
                    description="at issue",
                    new_quote=new.summary,
                    existing_quote=each.summary,
                    grade=Grade.SURE if likelihood >= SURE else Grade.LIKELY,
                )

    agents.judge.first.otherwise = lambda new, candidates: list(opinions(new, candidates))
    return agents


@asynccontextmanager
async def told(
    agents: ScriptedAgents, *texts: str, floor: float | None = None
) -> AsyncIterator[tuple[House, list[MemorizeResult]]]:
    async with open_house(agents=agents.roles) as house:
        settings = RetrievalSettings(validation_floor=floor)
        await create_bank(house, CreateBank(tenant=KEY.tenant, bank_id=KEY.bank_id, settings=settings))
        yield house, [await memorize(house, Memorize(key=KEY, context=Context(text=text))) for text in texts]


def likely(*pairs: tuple[str, str], by: float = 0.7) -> Likelihoods:
    return {frozenset(pair): by for pair in pairs}


async def conflicts(house: House, *statuses: ConflictStatus) -> tuple[Conflict, ...]:
    return (await list_conflicts(house, ListConflicts(key=KEY, statuses=frozenset(statuses)))).conflicts


async def suspected(house: House) -> tuple[Conflict, ...]:
    return await conflicts(house, ConflictStatus.SUSPECTED)


async def test_what_is_likely_is_listed_as_suspected_and_stands_in_nobodys_way() -> None:
    async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND) as (house, _):
        (found,) = await suspected(house)
        assert await conflicts(house, ConflictStatus.OPEN) == ()
        assert found.confidence == 0.7
        assert [side.quote for side in found.sides] == [SECOND, FIRST]
        async with house.banks.reading(KEY) as bank:
            assert {node.state for node in bank.nodes.values()} == {NodeState.ACTIVE}
            assert bank.insight.pending == ()


async def test_confirmed_it_is_open_and_its_validation_is_planned() -> None:
    async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND) as (house, _):
        (found,) = await suspected(house)

        done = (await confirm_conflict(house, ConfirmConflict(key=KEY, conflict_id=found.conflict_id))).result
        again = (
            await confirm_conflict(house, ConfirmConflict(key=KEY, conflict_id=found.conflict_id))
        ).result

        assert done.conflict.status is again.conflict.status is ConflictStatus.OPEN
        assert [task.conflict_id for task in again.insight.pending] == [found.conflict_id]
        async with house.banks.reading(KEY) as bank:
            assert {node.state for node in bank.nodes.values()} == {NodeState.CONTESTED}


async def test_a_verdict_settles_it_and_then_it_cannot_be_confirmed() -> None:
    async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND) as (house, _):
        (found,) = await suspected(house)

        dismissal = ResolveConflict(key=KEY, conflict_id=found.conflict_id, type=VerdictType.DISMISS)
        done = await resolve_conflict(house, dismissal)

        assert done.conflict.status is ConflictStatus.DISMISSED
        assert await suspected(house) == ()
        with pytest.raises(ConflictClosed):
            await confirm_conflict(house, ConfirmConflict(key=KEY, conflict_id=found.conflict_id))


async def test_of_a_node_the_two_most_likely_stand() -> None:
    others = [f"Acme is led by {name}." for name in ("Ann", "Bob", "Cleo")]
    new = "Acme is led by Dan."
    likelihoods = {frozenset((new, other)): 0.6 + n / 10 for n, other in enumerate(others)}

    async with told(judged(likelihoods), *others, new) as (house, _):
        found = await suspected(house)

        assert len(found) == MOST_OF_NODE
        assert {one.sides[1].quote for one in found} == set(others[1:])


async def test_the_same_pair_is_suspected_once() -> None:
    third = "Acme has a fountain."
    agents = judged(likely((FIRST, SECOND), (SECOND, third)))

    async with told(agents, FIRST, SECOND, third) as (house, _):
        before = await suspected(house)
        (dismissed,) = [one for one in before if one.sides[0].quote == third]
        dismissal = ResolveConflict(key=KEY, conflict_id=dismissed.conflict_id, type=VerdictType.DISMISS)
        await resolve_conflict(house, dismissal)

        assert len(await suspected(house)) == 1


async def test_it_ends_when_a_side_is_deleted_or_says_otherwise() -> None:
    for ends in (
        lambda house, node_id: delete_node(house, DeleteNode(key=KEY, node_id=node_id)),
        lambda house, node_id: update_node(
            house, UpdateNode(key=KEY, node_id=node_id, summary="Acme is big.")
        ),
    ):
        async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND) as (house, (first, _)):
            await ends(house, NodeId(first.node_ids[0]))

            (found,) = await conflicts(house, ConflictStatus.MOOT)
            assert found.close_time is not None
            assert await suspected(house) == ()


async def test_its_nodes_may_be_merged_and_then_it_has_no_point() -> None:
    async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND) as (house, memories):
        nodes = tuple(NodeId(each.node_ids[0]) for each in memories)

        await merge_nodes(house, MergeNodes(key=KEY, node_ids=nodes))

        assert await suspected(house) == ()
        assert len(await conflicts(house, ConflictStatus.MOOT)) == 1


async def test_it_moves_to_the_node_that_stands_for_its_side() -> None:
    third = "Acme has a fountain."
    agents = judged(likely((FIRST, SECOND)), frozenset({frozenset((FIRST, third))}))

    async with told(agents, FIRST, SECOND, third) as (house, memories):
        (found,) = await suspected(house)

        assert {side.node_id for side in found.sides} == {memories[1].node_ids[0], memories[2].node_ids[0]}


async def test_a_banks_own_floor_opens_what_is_likely_enough() -> None:
    async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND, floor=0.6) as (house, _):
        assert len(await conflicts(house, ConflictStatus.OPEN)) == 1


async def test_three_validations_stand_planned_the_oldest_first_and_the_next_follows() -> None:
    pairs = [(f"Hall {n} is open.", f"Hall {n} is closed.") for n in range(5)]
    texts = [text for pair in pairs for text in pair]

    async with told(judged(likely(*pairs, by=0.97)), *texts) as (house, _):
        found = await conflicts(house, ConflictStatus.OPEN)
        planned = await _planned(house)
        dismissal = ResolveConflict(key=KEY, conflict_id=found[0].conflict_id, type=VerdictType.DISMISS)
        await resolve_conflict(house, dismissal)

        assert len(found) == 5
        assert planned == [one.conflict_id for one in found[:MOST_VALIDATIONS]]
        assert await _planned(house) == [one.conflict_id for one in found[1 : MOST_VALIDATIONS + 1]]


async def test_the_prompt_of_a_finished_task_counts_what_is_suspected() -> None:
    async with told(judged(likely((FIRST, SECOND))), FIRST, SECOND) as (house, _):
        async with house.banks.reading(KEY) as bank:
            done = replace(bank.insight, goal="find out", finished=True, outcome=TaskOutcome.SUCCEEDED)
            at_work = frame(bank.insight, bank.suspected_conflicts(), ())
            after = frame(done, bank.suspected_conflicts(), ())

        assert "Suspected contradictions that nobody confirmed: 1." in str(after.state.items)
        assert "uspected" not in str(at_work.state.items)


async def _planned(house: House) -> list[str]:
    async with house.banks.reading(KEY) as bank:
        return _validations(bank)


def _validations(bank: Bank) -> list[str]:
    return [task.conflict_id for task in bank.insight.pending if task.conflict_id]
