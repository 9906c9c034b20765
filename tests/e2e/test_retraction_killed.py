"""A server killed amid retractions, releases and erasures: each has happened whole, or not at all."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from memorybank.v1.types_pb2 import RETRACTION_STATE_QUARANTINED, Node
from memorybank_client import MemoryBankClient
from tests.support.process import modelless_process
from tests.support.scale import scaled

KILLS = scaled(4)  # 40: in soak alone, as each takes two processes
SOURCES = 4
QUICK = {"banks.resume_after_seconds": "0.1", "banks.upkeep_seconds": "0.1"}
LATEST = 0.1  # seconds after a call is sent


async def told(client: MemoryBankClient) -> None:
    await client.create_bank(bank_id="b")
    for number in range(SOURCES):
        for told_ in (f"Ferry {number} leaves at nine from pier {number}.", f"第{number}号渡轮九点出发。"):
            await client.memorize(bank_id="b", text=told_, source=f"s{number}")


async def standing(client: MemoryBankClient, number: int) -> tuple[int, int, bool]:
    """How many records and nodes of a source there are, and whether it is in quarantine."""
    source = f"s{number}"
    records = (await client.list_interactions(bank_id="b", page_size=1000)).interactions
    nodes = (await client.list_nodes(bank_id="b", page_size=1000)).nodes
    listed = (await client.list_interaction_retractions(bank_id="b")).retractions
    return (
        sum(each.source == source for each in records),
        sum(_is_of(node, number) for node in nodes),
        any(r.source == source and r.state == RETRACTION_STATE_QUARANTINED for r in listed),
    )


def _is_of(node: Node, number: int) -> bool:
    return f"erry {number} " in node.summary or f"第{number}号" in node.summary


async def act(client: MemoryBankClient, number: int, chance: random.Random) -> None:
    """Takes a source back, or brings back or erases what was taken; a killed server answers nothing."""
    listed = (await client.list_interaction_retractions(bank_id="b")).retractions
    held = [r for r in listed if r.source == f"s{number}" and r.state == RETRACTION_STATE_QUARANTINED]
    if not held:
        await client.retract_interactions(bank_id="b", source=f"s{number}")
    elif chance.random() < 0.7:
        await client.release_interactions(bank_id="b", retraction_id=held[0].retraction_id)
    else:
        await client.erase_interactions(bank_id="b", retraction_id=held[0].retraction_id)


@pytest.mark.skipif(scaled(1) == 1, reason="in soak")
async def test_a_retraction_that_is_killed_is_whole_or_never_was(tmp_path: Path) -> None:
    chance = random.Random(51)
    async with modelless_process(tmp_path, QUICK) as server, server.client() as client:
        await told(client)
        whole = [await standing(client, number) for number in range(SOURCES)]
    seen: Counter[str] = Counter()
    for _ in range(KILLS):
        number = chance.randrange(SOURCES)
        async with modelless_process(tmp_path, QUICK) as server, server.client(retries=False) as client:
            calling = asyncio.create_task(act(client, number, chance))
            await asyncio.sleep(chance.uniform(0.0, LATEST))  # the moment of the kill is the point
            await server.kill()
            await asyncio.gather(calling, return_exceptions=True)
        async with modelless_process(tmp_path, QUICK) as server, server.client() as client:
            for each in range(SOURCES):
                records, nodes, is_held = await standing(client, each)
                is_gone = (records, nodes) == (0, 0)
                assert is_gone or (records, nodes, is_held) == whole[each], (each, records, nodes, is_held)
                seen["held" if is_held else "gone" if is_gone else "whole"] += 1
    print(f"{KILLS} kills amid retractions: {dict(seen)}")
