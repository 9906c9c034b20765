"""Edges that callers draw, and the nodes around a node."""

import pytest

from core.errors import EdgeNotFound, InvalidField, NodeNotFound, StaleRevision
from core.ids import NodeId
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.list_neighbors import ListNeighbors, list_neighbors
from core.usecases.bank.verbs.relate import Relate, relate
from core.usecases.bank.verbs.unrelate import Unrelate, unrelate
from core.usecases.bank.verbs.update_node import UpdateNode, update_node
from core.usecases.house import House
from tests.support.house import KEY, make_bank, open_house, request

A, B, C, D = (NodeId(n) for n in "abcd")


async def _line(house: House) -> None:
    """a – b – c – d."""
    await make_bank(house)
    nodes = (
        NewNode(node_id=A, summary="a", related_node_ids=(B,)),
        NewNode(node_id=B, summary="b", related_node_ids=(C,)),
        NewNode(node_id=C, summary="c", related_node_ids=(D,)),
        NewNode(node_id=D, summary="d"),
    )
    await add_nodes(house, AddNodes(key=KEY, nodes=nodes))


async def test_relating_twice_changes_nothing_the_second_time() -> None:
    async with open_house() as house:
        await _line(house)

        first = await relate(house, Relate(key=KEY, node_id=A, other_node_id=D))
        second = await relate(house, Relate(key=KEY, node_id=D, other_node_id=A))

        assert (first.result.created, first.revision) == (True, 3)
        assert (second.result.created, second.revision) == (False, 3)


async def test_an_edge_needs_two_nodes_that_are_there() -> None:
    async with open_house() as house:
        await _line(house)

        with pytest.raises(InvalidField):
            await relate(house, Relate(key=KEY, node_id=A, other_node_id=A))
        with pytest.raises(NodeNotFound):
            await relate(house, Relate(key=KEY, node_id=A, other_node_id=NodeId("gone")))


async def test_an_edge_goes_once() -> None:
    async with open_house() as house:
        await _line(house)

        command = Unrelate(key=KEY, node_id=B, other_node_id=A, request=request("r1"))
        gone = await unrelate(house, command)

        assert gone.revision == 3
        assert (await unrelate(house, command)).replayed
        with pytest.raises(EdgeNotFound):
            await unrelate(house, Unrelate(key=KEY, node_id=A, other_node_id=B))


async def test_an_edge_whose_nodes_changed_since_is_not_taken_away_by_an_old_look() -> None:
    async with open_house() as house:
        await _line(house)
        await update_node(house, UpdateNode(key=KEY, node_id=B, summary="b2"))

        with pytest.raises(StaleRevision):
            await unrelate(house, Unrelate(key=KEY, node_id=A, other_node_id=B, if_revision=2))

        await unrelate(house, Unrelate(key=KEY, node_id=C, other_node_id=D, if_revision=2))


async def test_neighbours_come_nearest_first_page_after_page() -> None:
    async with open_house() as house:
        await _line(house)
        await add_nodes(
            house,
            AddNodes(key=KEY, nodes=(NewNode(node_id=NodeId("z"), summary="z", related_node_ids=(A,)),)),
        )

        first = await list_neighbors(house, ListNeighbors(key=KEY, node_id=A, hops=3, page_size=3))
        rest = await list_neighbors(
            house, ListNeighbors(key=KEY, node_id=A, hops=3, page_token=first.next_page_token)
        )

        assert [(n.node_id, hops) for n, hops in first.neighbors] == [(B, 1), ("z", 1), (C, 2)]
        assert [(n.node_id, hops) for n, hops in rest.neighbors] == [(D, 3)]
        assert rest.next_page_token == ""
