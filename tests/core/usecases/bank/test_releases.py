"""What comes back after a retraction, beside what came and what went meanwhile."""

from core.agents.roles import ConflictOpinion
from core.ids import InteractionId, NodeId
from core.model.conflict import ConflictStatus
from core.model.node import NodeState
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.close_interactions import CloseInteractions, close_interactions
from core.usecases.bank.verbs.delete_node import DeleteNode, delete_node
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.retract_interactions import RetractInteractions, retract_interactions
from core.usecases.house import House
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents

SAID = "The night ferry to Naxos leaves the northern harbour at nine."


async def memorized(house: House, *names: str) -> None:
    for name in names:
        context = Context(text=SAID, interaction_id=InteractionId(name))
        await memorize(house, Memorize(key=KEY, context=context))


async def taken_back(house: House, name: str, retraction_id: str) -> None:
    command = RetractInteractions(
        key=KEY, interaction_ids=(InteractionId(name),), retraction_id=retraction_id
    )
    await retract_interactions(house, command)


async def test_a_node_comes_back_without_copies_that_were_taken_back_meanwhile() -> None:
    async with open_house() as house:
        await make_bank(house)
        await memorized(house, "i1", "i2", "i3")
        await taken_back(house, "i1", "x1")
        await taken_back(house, "i3", "x2")

        await close_interactions(house, CloseInteractions(key=KEY, retraction_id="x1", erases=False))

        async with house.banks.reading(KEY) as bank:
            (node,) = bank.nodes.values()
            copies = bank.copies[node.node_id]
            records = bank.records(node)
    assert copies.count == 1
    assert sorted(records) == ["i1", "i2"]


async def test_a_node_that_also_rests_on_what_was_taken_back_meanwhile_does_not_come_back() -> None:
    i1, i2 = InteractionId("i1"), InteractionId("i2")
    both = NewNode(summary="Ferries and tickets.", node_id=NodeId("both"), interaction_ids=(i1, i2))
    async with open_house() as house:
        await make_bank(house)
        await memorized(house, "i1")
        context = Context(text="A ticket costs twelve euros.", interaction_id=i2)
        await memorize(house, Memorize(key=KEY, context=context))
        await add_nodes(house, AddNodes(key=KEY, nodes=(both,)))
        await taken_back(house, "i1", "x1")
        await taken_back(house, "i2", "x2")

        await close_interactions(house, CloseInteractions(key=KEY, retraction_id="x1", erases=False))

        async with house.banks.reading(KEY) as bank:
            (node,) = bank.nodes.values()
    assert (node.summary, node.interaction_ids) == (SAID, (i1,))


async def test_a_node_whose_opponent_was_deleted_meanwhile_comes_back_undisputed() -> None:
    agents = ScriptedAgents()
    other = NewNode(summary="The night ferry leaves at ten.", node_id=NodeId("a"))
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        await add_nodes(house, AddNodes(key=KEY, nodes=(other,)))
        opinion = ConflictOpinion(
            existing=NodeId("a"), confidence=1, reasoning="", description="when it leaves"
        )
        agents.judge.first.then((opinion,))
        await memorized(house, "i1")
        await taken_back(house, "i1", "x1")
        await delete_node(house, DeleteNode(key=KEY, node_id=NodeId("a")))

        await close_interactions(house, CloseInteractions(key=KEY, retraction_id="x1", erases=False))

        async with house.banks.reading(KEY) as bank:
            (node,) = bank.nodes.values()
            (conflict,) = bank.conflicts.values()
            pending = bank.insight.pending
    assert (node.state, conflict.status) == (NodeState.ACTIVE, ConflictStatus.MOOT)
    assert not any(task.conflict_id for task in pending)


async def test_what_joined_a_node_meanwhile_stays_when_a_copy_is_released() -> None:
    async with open_house() as house:
        await make_bank(house)
        await memorized(house, "i1", "i2", "i3")
        await taken_back(house, "i2", "x1")
        await memorized(house, "i4")

        await close_interactions(house, CloseInteractions(key=KEY, retraction_id="x1", erases=False))

        async with house.banks.reading(KEY) as bank:
            (node,) = bank.nodes.values()
            copies = bank.copies[node.node_id]
            records = bank.records(node)
    assert copies.count == 3
    assert sorted(records) == ["i1", "i2", "i3", "i4"]
