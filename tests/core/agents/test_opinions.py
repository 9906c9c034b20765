"""What is looked up for an opinion is cut into portions, between which others have the loop. Bounds are told."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from core.agents.opinions import MOST_TURNS, PORTION, OpinionPending, Opinions
from core.agents.roles import Topic
from core.agents.usage import Ledger, note_uncompared
from core.ids import NodeId
from tests.support.house import TickingClock

LOOKUPS = 30
EACH = PORTION // 3  # segments of a lookup


def opinions() -> Opinions:
    nothing: Any = None
    return Opinions(nothing, nothing, nothing, nothing)


async def decided(look_all: Callable[[], object]) -> int:
    """Decides again and again until nothing is missing; how often others had a turn."""
    for turns in count():
        try:
            look_all()
            return turns
        except OpinionPending as missing:
            await missing.ask()
    raise AssertionError


async def test_others_have_a_turn_between_two_portions_and_each_thing_is_looked_up_once() -> None:
    known, looked = opinions(), list[int]()

    def look_all() -> None:
        for number in range(LOOKUPS):
            known.once("head", number, partial(looked.append, number), EACH)

    turns = await decided(look_all)

    assert looked == list(range(LOOKUPS))
    assert turns == LOOKUPS * EACH // PORTION


async def test_a_turn_is_long_enough_for_a_call_of_several_steps() -> None:
    async def call() -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    known, passing = opinions(), asyncio.create_task(call())

    with pytest.raises(OpinionPending) as missing:
        known.once("head", "what", lambda: None, PORTION)
    await missing.value.ask()

    assert passing.done()


async def test_a_bank_that_moves_at_each_turn_is_decided_on_all_the_same() -> None:
    known, heads = opinions(), count()

    def look_all() -> None:
        head = next(heads)
        for number in range(LOOKUPS):
            known.once(head, number, lambda: None, EACH)

    assert await decided(look_all) == MOST_TURNS


async def test_what_is_left_out_is_counted_of_the_topics_that_are_decided_on() -> None:
    asked = list[int]()

    class Bounded:
        """A judge that leaves out a pair for each topic that it is asked about."""

        async def conflicts_and_merges(self, _new: Topic, candidates: Sequence[Topic]) -> Sequence[Any]:
            asked.append(len(candidates))
            note_uncompared(len(candidates))
            return ()

    agents: Any = SimpleNamespace(judge=Bounded())
    nothing: Any = None
    known = Opinions(agents, nothing, nothing, Ledger(TickingClock()))
    new, old, other, reworded = (
        Topic(node_id=NodeId("n"), summary=words, context="", keywords=()) for words in "abcd"
    )

    await decided(lambda: known.conflicts_and_merges(new, [old, other]))
    await decided(lambda: known.conflicts_and_merges(new, [old, reworded]))  # the bank has moved

    assert asked == [2, 1]
    assert known.uncompared_pairs(new, [reworded]) == 1
    assert known.uncompared_pairs(new, [old, reworded]) == 3
    assert known.uncompared_pairs(old, [new]) == 0
