"""What the measurements stand on: closed loops, another process's processor time, tables, the floor."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from itertools import repeat
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.bench.floor import teach
from tests.bench.measuring import calm, closed_loop, cpu_seconds, open_loop, table, together
from tests.support.process import server_process

METHOD = "/memorybank.v1.Retrieval/Search"


@pytest.fixture
async def floor(tmp_path: Path) -> AsyncIterator[Any]:
    async with (
        server_process(tmp_path, program=("-m", "tests.bench.floor")) as server,
        grpc.aio.insecure_channel(server.address) as channel,
    ):
        yield channel


async def test_a_closed_loop_makes_so_many_calls_and_never_more_at_once() -> None:
    waiting, most = 0, 0

    async def call(request: bytes) -> bytes:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0)
        waiting -= 1
        return request

    one = await closed_loop(call, repeat(b"?"), os.getpid(), calls=50, in_flight=4)

    assert (len(one.latencies), most) == (50, 4)
    assert len(together([one, one]).latencies) == 100
    assert one.rate > 0


async def test_an_open_loop_sends_what_is_due_while_earlier_calls_wait() -> None:
    released, waiting = asyncio.Event(), 0

    async def call(request: bytes) -> bytes:
        nonlocal waiting
        waiting += 1
        if waiting == 5:
            released.set()
        await released.wait()
        return request

    latencies = await open_loop(call, repeat(b"?"), rate=100.0, seconds=0.05)

    assert len(latencies) == 5
    assert max(latencies) >= 0.03, "the first waited for the last to be sent"


def test_the_processor_time_of_a_process_is_what_the_process_says_itself() -> None:
    before = time.process_time()

    seen = cpu_seconds(os.getpid())

    assert before <= seen <= time.process_time()


def test_a_table_is_as_wide_as_its_widest_cells() -> None:
    shown = table(("what", "ms"), [("a search", "1.25"), ("b", "10.00")])

    assert shown.splitlines() == [
        "what         ms",
        "────────  ─────",
        "a search   1.25",
        "b         10.00",
    ]


async def test_the_floor_answers_any_method_with_what_it_was_taught_in_turn(floor: Any) -> None:
    call = floor.unary_unary(METHOD)
    await teach(floor, METHOD, [b"one", b"two"])

    answers = [await call(b"?") for _ in range(3)]

    assert answers == [b"one", b"two", b"one"]


async def test_the_floor_forgets_what_it_was_taught_before(floor: Any) -> None:
    await teach(floor, METHOD, [b"one"])

    await teach(floor, "/another/Method", [b"two"])

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await floor.unary_unary(METHOD)(b"?")
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.slow
@pytest.mark.parametrize(("program", "idle"), [("input()", True), ("while True: pass", False)])
async def test_a_process_is_calm_when_it_has_nothing_to_do(program: str, idle: bool) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdin=pipe)
    try:
        assert await calm(process.pid, within=2.0) is idle
    finally:
        process.kill()
        await process.communicate()
