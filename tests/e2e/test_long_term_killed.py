"""A server killed amid the chores of long-term memory: the next process ends them as if nothing had happened."""

import asyncio
import random
import time
from pathlib import Path
from typing import Any

import pytest

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import MemoryBankClient
from tests.e2e.test_purge_killed import files_with
from tests.support.process import modelless_process
from tests.support.scale import scaled

KILLS = scaled(4) - 3  # one, in soak 37
QUICK = {
    "banks.resume_after_seconds": "0.1",
    "banks.upkeep_seconds": "0.1",
    "long_term.prune_days": "0.000005",
}
DATABASES = ("MySQL", "PostgreSQL", "Redis", "Oracle", "SQLite")
STRATEGIES = 5  # as many as make a reflection
WEAK, STRONG = 20, 10

Standing = tuple[Any, ...]


def owner(number: int) -> dict[str, Any]:
    return {"user": f"ada-{number}", "collection": "工作"}


def weak(number: int) -> dict[str, Any]:
    return {"user": f"ada-{number}", "collection": "weak"}


async def tell(client: MemoryBankClient, number: int) -> None:
    """Facts that contradict one another, and strategies enough for a reflection: chores begin at once."""
    for name in DATABASES:
        await client.store_fact(**owner(number), content=f"The project's database is {name}.")
    for n in range(STRATEGIES):
        strategy = pb.Record(
            content=f"接口返回{500 + n}时，先等{n}秒再重试。", category="strategy", subcategory="retry"
        )
        await client.add_record(**owner(number), record=strategy)


async def settled(client: MemoryBankClient, number: int) -> Standing:
    """How facts stand, and what reflections rest on; once nothing waits to be judged or written."""
    async with asyncio.timeout(120):
        while True:
            records = list((await client.list_records(**owner(number))).records)
            reflections = list((await client.list_reflections(**owner(number))).reflections)
            if all(record.judged for record in records) and reflections:
                break
            await asyncio.sleep(0.05)
    content = {record.record_id: record.content for record in records}
    assert len(content) == len(set(content.values())) == len(DATABASES) + STRATEGIES
    return (
        sorted((r.content, r.state, content.get(r.superseded_by, "")) for r in records),
        [sorted(content[key] for key in reflection.record_ids) for reflection in reflections],
        [reflection.text for reflection in reflections],
    )


async def weak_and_strong(client: MemoryBankClient, number: int) -> None:
    for n in range(WEAK + STRONG):
        mark, confidence = ("weakquokka", 0.1) if n < WEAK else ("strongquokka", 0.9)
        record = pb.Record(
            content=f"{mark} {n}", category="strategy", subcategory=f"s{n}", confidence=confidence
        )
        await client.add_record(**weak(number), record=record)


async def are_pruned(client: MemoryBankClient, number: int) -> None:
    """Wait until nothing is left to prune, and see what stays."""
    async with asyncio.timeout(120):
        while True:
            counts = (await client.get_collection(**weak(number))).counts
            if counts.memories <= STRONG:
                break
            await asyncio.sleep(0.05)
    listed = (await client.list_records(**weak(number))).records
    assert (counts.memories, counts.tombstones) == (STRONG, 0)
    assert {record.content.split()[0] for record in listed} == {"strongquokka"}


@pytest.mark.slow
async def test_judging_reflecting_and_pruning_killed_at_random_moments_end_as_they_would_have(
    tmp_path: Path,
) -> None:
    chance, amid_judging, expected, whole = random.Random(5), 0, None, 0.0
    for number in range(1, KILLS + 1):
        async with modelless_process(tmp_path, QUICK) as server, server.client() as client:
            if expected is None:
                await tell(client, 0)
                start = time.perf_counter()
                expected = await settled(client, 0)
                whole = max(0.5, time.perf_counter() - start)  # pruning begins 0.43 s after the last use
            else:
                assert await settled(client, number - 1) == expected
                await are_pruned(client, number - 1)
            await weak_and_strong(client, number)
            await tell(client, number)
            await asyncio.sleep(chance.uniform(0.0, whole))  # the moment of the kill is the point
            amid_judging += (await client.get_collection(**owner(number))).counts.unjudged > 0
            await server.kill()
    async with modelless_process(tmp_path, QUICK) as server, server.client() as client:
        assert await settled(client, KILLS) == expected
        await are_pruned(client, KILLS)
        await server.stop()
    async with modelless_process(tmp_path, QUICK) as server:
        await server.stop()  # what a scrub owed was made up for at the start
    assert files_with(tmp_path, [b"weakquokka"]) == []
    print(f"{KILLS} kills within {whole * 1_000:.0f} ms of chores, {amid_judging} of them amid judging")
