"""Which nodes a new one is judged against."""

from collections.abc import Callable, Hashable
from dataclasses import replace

import numpy as np

from core.bank.search import Found, judging_candidates
from core.ids import NodeId
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house

NEAR, FAR = np.array([1, 0, 0, 0], np.float32), np.array([0, 1, 0, 0], np.float32)


async def test_nodes_with_the_words_of_a_new_one_leave_room_for_what_it_means() -> None:
    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)
        wordy = [
            NewNode(node_id=NodeId(f"n-{n}"), summary=f"degree {n}", keywords=("software",), embedding=FAR)
            for n in range(4)
        ]
        hiking = NewNode(node_id=NodeId("n-hiking"), summary="she climbs mountains", embedding=NEAR)
        await add_nodes(house, AddNodes(key=KEY, nodes=(*wordy, hiking)))

        async with house.banks.reading(KEY) as bank:
            new = replace(
                bank.nodes[NodeId("n-hiking")], summary="all day at software", context="", base_context=""
            )
            found = judging_candidates(bank, new, NEAR, 4, 0.9, frozenset())

        assert NodeId("n-hiking") in found
        assert len(found) == 4


async def test_a_search_for_candidates_is_cut_into_parts_a_segment_each() -> None:
    async with open_house() as house:
        await make_bank(house, space=CLIENT_SPACE)
        nodes = [NewNode(node_id=NodeId(f"n-{n}"), summary=f"degree {n}", embedding=FAR) for n in range(6)]
        long = NewNode(
            node_id=NodeId("n-long"), summary="sports", verbatim="She climbs. " * 90, embedding=NEAR
        )
        await add_nodes(house, AddNodes(key=KEY, nodes=(*nodes, long)))
        parts: list[object] = []

        def part(name: Hashable, look: Callable[[], Found], /) -> Found:
            parts.append(name)
            return look()

        async with house.banks.reading(KEY) as bank:
            new = bank.nodes[NodeId("n-long")]
            found = judging_candidates(bank, new, NEAR, 4, 0.9, frozenset(), part)
            at_once = judging_candidates(bank, new, NEAR, 4, 0.9, frozenset())

        assert len(new.segments) > 1
        assert parts == ["nearest", "meaning", *new.segments]
        assert found == at_once
