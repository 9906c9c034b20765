"""Many searches of one call: others have the loop between portions of them, and all answers are of one revision."""

import asyncio

import pytest

from core.ids import NodeId
from core.index.giving_way import PASSES
from core.usecases.bank.verbs import search as searching
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.search import PORTION, Ask, Searches, run_searches
from core.usecases.house import House
from tests.support.house import KEY, make_bank, open_house

MANY = Searches(key=KEY, asks=(Ask(text="ferry"),) * (3 * PORTION))


async def add(house: House, name: str) -> None:
    new = NewNode(node_id=NodeId(name), summary=f"the ferry {name}")
    await add_nodes(house, AddNodes(key=KEY, nodes=(new,)))


async def turns_beside(house: House, command: Searches) -> int:
    """How many turns others have while these searches are made."""
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    passing = asyncio.create_task(others())
    await run_searches(house, command)
    passing.cancel()
    return turns


async def test_others_have_turns_between_portions_of_many_searches() -> None:
    async with open_house() as house:
        await make_bank(house)
        await add(house, "naxos")

        few = await turns_beside(house, MANY._replace(asks=MANY.asks[:PORTION]))
        many = await turns_beside(house, MANY)

    assert many - few > PASSES


async def test_of_a_bank_that_moves_between_portions_all_answers_are_of_the_later_revision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_house() as house:
        await make_bank(house)
        await add(house, "naxos")

        async def adding() -> None:
            await add(house, "paros")

        monkeypatch.setattr(searching, "yield_to_loop", adding)
        found = await run_searches(house, MANY)

        assert len(found.answers) == len(MANY.asks)
        assert {each.found.revision for each in found.answers} == {found.revision}
        assert {len(each.found.hits) for each in found.answers} == {2}
