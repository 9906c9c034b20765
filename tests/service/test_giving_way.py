import asyncio
from itertools import pairwise

from core.bank.bank import Bank, Tuning
from core.bank.change import InteractionAdd
from service.giving_way import FEW, leave_by_and_by
from tests.support.changes import Story, interaction, node_put


def bank_with(nodes: int) -> Bank:
    story = Story()
    steps = [node_put(f"n{number}") for number in range(nodes)]
    return Bank.found(story.founding(*steps), story.uid, Tuning())


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_bank_that_somebody_has_stays_as_it_is() -> None:
    bank = bank_with(2 * FEW)

    leave_by_and_by(bank)
    await turns(100)

    assert len(bank.nodes) == 2 * FEW


async def test_a_bank_that_nobody_has_goes_a_little_at_a_time() -> None:
    bank = bank_with(3 * FEW)
    nodes = bank.nodes
    leave_by_and_by(bank)

    del bank
    left = [len(nodes)]
    while left[-1]:
        await asyncio.sleep(0)
        left.append(len(nodes))

    assert max(before - after for before, after in pairwise(left)) == FEW


async def test_interactions_go_with_the_bank() -> None:
    story = Story()
    told = InteractionAdd(interaction=interaction("i1", "One.", "Two."))
    bank = Bank.found(story.founding(told), story.uid, Tuning())
    interactions = bank.tree.interactions
    leave_by_and_by(bank)

    del bank
    await turns(20)

    assert not interactions


async def test_a_bank_that_leaves_twice_leaves_once() -> None:
    bank = bank_with(FEW)
    nodes = bank.nodes
    leave_by_and_by(bank)
    leave_by_and_by(bank)

    del bank
    await turns(20)

    assert not nodes


def test_a_bank_that_outlives_its_loop_goes_all_the_same() -> None:
    async def left() -> Bank:
        bank = bank_with(1)
        leave_by_and_by(bank)
        return bank

    bank = asyncio.run(left())
    nodes = bank.nodes

    del bank

    assert len(nodes) == 1
