"""What is looked up for an opinion is cut into portions, between which others have the loop."""

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest

from core.agents.opinions import MOST_TURNS, PORTION, OpinionPending, Opinions

LOOKUPS = 30
EACH = PORTION // 3  # segments of a lookup


def opinions() -> Opinions:
    nothing: Any = None
    return Opinions(nothing, nothing, nothing, nothing)


async def decided(look_all: Callable[[], None]) -> int:
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
