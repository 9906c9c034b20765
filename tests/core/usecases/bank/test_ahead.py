"""Work begun before its turn: results in order, so many at a time, nothing left behind."""

import asyncio
from contextlib import aclosing
from functools import partial

import pytest

from core.errors import AgentUnavailable
from core.usecases.bank.plans.ahead import ahead


async def test_results_come_in_order_whichever_is_done_first() -> None:
    gates = [asyncio.Event() for _ in range(4)]

    async def work(number: int) -> int:
        if number < 2:
            await gates[number + 1].wait()  # the first waits for the second, the second for the third
        gates[number].set()
        return number

    works = (partial(work, number) for number in range(4))

    async with aclosing(ahead(works, 3)) as coming:
        assert [made async for made in coming] == [0, 1, 2, 3]


async def test_no_more_are_begun_than_may_be_under_way() -> None:
    begun: list[int] = []

    async def work(number: int) -> int:
        begun.append(number)
        await asyncio.sleep(0)
        return number

    works = (partial(work, number) for number in range(10))

    async with aclosing(ahead(works, 3)) as coming:
        assert await anext(coming) == 0
        assert len(begun) <= 4

        assert await anext(coming) == 1
        assert len(begun) <= 5


async def test_a_failure_is_raised_in_its_turn_and_the_rest_is_cancelled() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def work(number: int) -> int:
        begun.append(number)
        try:
            if number == 1:
                raise AgentUnavailable("structurer", "down")
            if number > 1:
                await asyncio.Event().wait()
            return number
        finally:
            ended.append(number)

    works = (partial(work, number) for number in range(10))

    async with aclosing(ahead(works, 3)) as coming:
        assert await anext(coming) == 0
        with pytest.raises(AgentUnavailable):
            await anext(coming)

    assert sorted(ended) == sorted(begun)


async def test_leaving_early_cancels_what_is_under_way() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def work(number: int) -> int:
        begun.append(number)
        try:
            if number:
                await asyncio.Event().wait()
            return number
        finally:
            ended.append(number)

    works = (partial(work, number) for number in range(5))

    async with aclosing(ahead(works, 2)) as coming:
        async for _ in coming:
            await asyncio.sleep(0)  # lets the next ones begin
            break

    assert sorted(ended) == sorted(begun) == [0, 1, 2]
