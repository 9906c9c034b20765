import asyncio
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import pytest
from google.protobuf.wrappers_pb2 import BytesValue

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.steps import InteractionAdd
from core.index.giving_way import yield_to_loop
from service.api.endpoint import LARGE, RequestLimits, unary
from service.process.giving_way import (
    AT_ONCE,
    FEW,
    LONGEST,
    NOTHING,
    PATIENCE,
    QUIET,
    LoopFirst,
    free_in_background,
    loop_first,
)
from tests.support.changes import Story, interaction, node_put


def bank_with(nodes: int) -> Bank:
    story = Story()
    steps = [node_put(f"n{number}") for number in range(nodes)]
    return Bank.found(story.founding(*steps), story.uid, Tuning())


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_call_of_several_steps_passes_while_it_is_let() -> None:
    passing = asyncio.create_task(turns(10))

    await yield_to_loop()

    assert passing.done()


@pytest.mark.parametrize(
    ("size", "passed"), [(LARGE, [False, True, True]), (LARGE - 10, [False, False, False])]
)
async def test_others_pass_before_and_behind_the_carrying_out_of_a_large_request_alone(
    size: int, passed: list[bool]
) -> None:
    passing: list[asyncio.Task[None]] = []
    seen: list[bool] = []

    def noted(said: BytesValue, *_: object) -> BytesValue:
        seen.append(bool(passing) and passing[-1].done())
        passing.append(asyncio.create_task(turns(10)))
        return said

    async def carried_out(said: BytesValue) -> BytesValue:
        return noted(said)

    echo = unary(BytesValue, noted, carried_out, noted).bind(
        "test/Echo", RequestLimits(max_message_bytes=10 * LARGE)
    )
    answer = await echo(request := BytesValue(value=bytes(size)).SerializeToString(), cast(Any, None))

    assert answer == request
    assert seen == passed


async def test_a_bank_that_is_referenced_stays_as_it_is() -> None:
    bank = bank_with(2 * FEW)

    free_in_background(bank)
    await turns(100)

    assert len(bank.nodes) == 2 * FEW


async def test_a_bank_without_references_goes_a_little_at_a_time() -> None:
    bank = bank_with(3 * FEW)
    nodes = bank.nodes
    free_in_background(bank)

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
    free_in_background(bank)

    del bank
    await turns(20)

    assert not interactions


async def test_a_bank_that_leaves_twice_leaves_once() -> None:
    bank = bank_with(FEW)
    nodes = bank.nodes
    free_in_background(bank)
    free_in_background(bank)

    del bank
    await turns(20)

    assert not nodes


def test_a_bank_that_outlives_its_loop_goes_all_the_same() -> None:
    async def left() -> Bank:
        bank = bank_with(1)
        free_in_background(bank)
        return bank

    bank = asyncio.run(left())
    nodes = bank.nodes

    del bank

    assert len(nodes) == 1


# ---- threads that let the loop go first ----


class Machine:
    """A clock, and a loop that takes a processor for `busy` seconds of it, and then nothing."""

    def __init__(self, busy: float = 0.0) -> None:
        self.time = self.slept = 0.0
        self.taken = 1_000_000
        self.busy = busy
        self.waiting = 0.0  # seconds of work for which the loop has no processor yet
        self.stepped_behind = 0

    def now(self) -> float:
        return self.time

    def work(self, seconds: float) -> None:
        """Of a thread beside the loop."""
        took = min(seconds, self.busy)
        self.busy -= took
        self.taken += round(took * 1e9)
        self.time += seconds

    def sleep(self, seconds: float) -> None:
        self.work(seconds)
        self.slept += seconds

    def step_behind(self) -> None:
        self.stepped_behind += 1
        self.busy, self.waiting = self.busy + self.waiting, 0.0
        self.work(NOTHING * 1e-9)

    def guest(self) -> LoopFirst:
        return LoopFirst(lambda: self.taken, self.now, self.sleep, self.step_behind)


def in_a_thread(act: Callable[[], object]) -> None:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_a_thread_goes_on_when_the_loop_rests() -> None:
    machine = Machine()
    give_way = machine.guest()
    machine.work(1.0)
    machine.busy = 5 * QUIET

    in_a_thread(give_way)

    assert machine.slept == pytest.approx(6 * QUIET)


def test_a_thread_beside_a_loop_that_did_nothing_since_does_not_wait() -> None:
    machine = Machine()
    give_way = machine.guest()
    machine.work(1.0)
    in_a_thread(give_way)
    slept = machine.slept
    machine.taken += NOTHING - 1

    in_a_thread(give_way)

    assert machine.slept == slept


def test_beside_a_loop_that_never_rests_threads_have_a_quarter_of_the_time() -> None:
    machine, worked = Machine(busy=1e9), 0.0
    give_way = machine.guest()

    def load() -> None:
        nonlocal worked
        for _ in range(1_000):
            machine.work(0.0004)
            worked += 0.0004
            give_way()

    in_a_thread(load)

    assert machine.slept == pytest.approx(PATIENCE * worked, rel=0.1)


def test_no_wait_is_longer_than_the_longest() -> None:
    machine = Machine(busy=1e9)
    give_way = machine.guest()
    machine.work(100.0)

    in_a_thread(give_way)

    assert machine.slept == pytest.approx(LONGEST, abs=QUIET)


def test_a_thread_beside_a_loop_at_rest_lets_others_have_its_processor_now_and_then() -> None:
    machine = Machine()
    give_way = machine.guest()
    in_a_thread(give_way)
    slept = machine.slept

    def load() -> None:
        for _ in range(100):
            machine.work(AT_ONCE / 4)
            give_way()

    in_a_thread(load)

    assert machine.stepped_behind == pytest.approx(25, abs=1)
    assert machine.slept == slept


def test_a_loop_that_had_waited_for_the_processor_of_a_thread_goes_first() -> None:
    machine = Machine()
    give_way = machine.guest()
    machine.work(AT_ONCE)
    machine.waiting = 5 * QUIET  # for a processor: it shows as working once it has one

    in_a_thread(give_way)

    assert machine.slept == pytest.approx(6 * QUIET)


def test_on_the_loops_own_thread_nothing_waits() -> None:
    machine = Machine(busy=1e9)
    give_way = machine.guest()
    machine.work(1.0)

    give_way()

    assert (machine.slept, machine.stepped_behind) == (0.0, 0)


async def test_a_thread_goes_on_beside_the_real_loop() -> None:
    give_way = loop_first()

    async with asyncio.timeout(180):
        for _ in range(10):
            await asyncio.to_thread(give_way)
