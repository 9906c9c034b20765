"""Whether many runs at once get in the way of other memories: reads of facts and turns beside 50 invocations.

The real server, offline: 50 agents start a run at the same time, add 100 items each, ten a call, read their working
memory after each, and end it. Meanwhile one client reads, from a process of its own, as in life: beside 50 agents on
one loop it would wait for them, not for the server. The first rows are of the reader alone.

    python -m tests.bench.bench_invocations [RUNS]
"""

import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from memorybank.v1 import conversation_pb2 as pb
from memorybank_client import MemoryBankClient
from tests.support.process import server_process

RUNS, ITEMS, AT_ONCE = 50, 100, 10
FACTS, TURNS, ALONE = 200, 60, 5.0


async def fill(client: MemoryBankClient) -> None:
    for number in range(FACTS):
        await client.store_fact(
            user="reader", content=f"Ferry {number} leaves pier {number % 7} at {number % 24}:00."
        )
    turns = [pb.Turn(input=f"When does ferry {n} leave?", reply=f"At {n % 24}:00.") for n in range(TURNS)]
    await client.add_turns(user="reader", conversation_id="c1", turns=turns)


async def run(client: MemoryBankClient, number: int) -> None:
    user, name = f"agent{number % 10}", f"i{number}"
    await client.start_invocation(
        user=user,
        conversation_id=f"c{number}",
        invocation_id=name,
        query="Which ferry is it?",
        enable_memory=True,
    )
    for first in range(0, ITEMS, AT_ONCE):
        items = [
            pb.Item(
                step=step,
                type=pb.ITEM_TYPE_ACTION if step % 2 else pb.ITEM_TYPE_OBSERVATION,
                tool="timetable",
                content=f"Ferry {step} leaves at {step % 24}:30 from pier {step % 7}. " * 4,
            )
            for step in range(first, first + AT_ONCE)
        ]
        await client.add_working_items(user=user, invocation_id=name, items=items)
        await client.get_working_memory(user=user, invocation_id=name)
    await client.end_invocation(user=user, invocation_id=name, result="Ferry 7.", succeeded=True, wait=True)


async def read(client: MemoryBankClient, until: Callable[[], bool]) -> dict[str, list[float]]:
    async def facts() -> object:
        return await client.retrieve_facts(user="reader", query="When does ferry 17 leave?")

    async def turns() -> object:
        return await client.search_turns(
            user="reader", conversation_id="c1", text="When does ferry 17 leave?"
        )

    async def record() -> object:
        return await client.get_conversation(user="reader", conversation_id="c1")

    reads: dict[str, Callable[[], Awaitable[object]]] = {
        "RetrieveFacts": facts,
        "SearchTurns": turns,
        "GetConversation": record,
    }
    took: dict[str, list[float]] = {name: [] for name in reads}
    while not until():
        for name, act in reads.items():
            start = time.perf_counter()
            await act()
            took[name].append((time.perf_counter() - start) * 1e3)
        await asyncio.sleep(0.02)  # a reader, not another load
    return took


def show(label: str, took: dict[str, list[float]]) -> None:
    for name, times in took.items():
        p50, p99 = np.percentile(times, [50, 99])
        print(f"{label:10} {name:16} p50 {p50:7.1f} ms   p99 {p99:7.1f} ms   reads {len(times)}")


async def work(address: str, runs: int) -> None:
    """All agents, in this process."""
    async with MemoryBankClient(address).within(180) as client:
        await asyncio.gather(*(run(client, number) for number in range(runs)))


async def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with server_process(Path(folder), {}) as server, server.client() as client:
            await fill(client)
            end = time.perf_counter() + ALONE
            show("alone", await read(client, lambda: time.perf_counter() > end))
            start = time.perf_counter()
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as agents:
                at_work = agents.submit(at_once, server.address, runs)
                show(f"{runs} runs", await read(client, at_work.done))
                at_work.result()
            print(f"{runs} runs of {ITEMS} items took {time.perf_counter() - start:.1f} s")


def at_once(address: str, runs: int) -> None:
    asyncio.run(work(address, runs))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS))
