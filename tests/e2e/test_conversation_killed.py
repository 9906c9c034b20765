"""A server killed the moment that a conversation's tiers moved on disk: nothing is there twice, nothing is lost."""

import asyncio
import contextlib
from itertools import pairwise
from pathlib import Path

import pytest

from memorybank.v1 import conversation_pb2 as pb
from memorybank_client import MemoryBankClient
from tests.support.killing import killed_when
from tests.support.process import Server, modelless_process
from tests.support.scale import scaled

KILLS = scaled(4) - 3  # at each moment: one, in soak 37
QUICK = {"banks.resume_after_seconds": "0.1", "banks.upkeep_seconds": "0.1"}
SHORT, EVERY = 3, 4
SETTINGS = pb.ConversationSettings(short_turns=SHORT, summary_every=EVERY, hit_threshold=1)
TURNS = 14
MOMENTS = {  # what is on disk when the process is killed
    "before placing": "SELECT 1 FROM vectors WHERE kind = 'conversation' AND name = ?",
    "placing": "SELECT 1 FROM items WHERE kind = 'conversation' AND name = ? AND part = 'clusters'",
    "summarising": "SELECT 1 FROM items WHERE kind = 'conversation' AND name = ? AND part = 'summaries'",
    "before promoting": "SELECT 1 FROM items WHERE kind = 'conversation' AND name = ? AND part = 'hits'",
    "promoting": "SELECT 1 FROM items WHERE kind = 'conversation' AND name = ? AND part = 'keys'",
}
MATTERS = (
    ("When does ferry {} leave?", "Ferry {} leaves the harbour at nine."),
    ("第{}次备份成功了吗？", "数据库的第{}次备份已经完成。"),
)


async def talk(client: MemoryBankClient, of: str) -> None:
    turns = []
    for number in range(1, TURNS + 1):
        asked, answered = MATTERS[number % 2]
        turns.append(pb.Turn(input=asked.format(number), reply=answered.format(number)))
    await client.add_turns(user="ada", conversation_id=of, turns=turns)


async def recall(client: MemoryBankClient, of: str) -> None:
    """By two questions, so that what was recalled is to become a key."""
    for asked in ("When does ferry 3 leave?", "Tell me when ferry 3 leaves the harbour"):
        await client.assemble_context(user="ada", conversation_id=of, input=asked)


async def clusters(client: MemoryBankClient, of: str) -> list[pb.Cluster]:
    return list((await client.list_clusters(user="ada", conversation_id=of)).clusters)


async def settled(client: MemoryBankClient, of: str) -> None:
    """Waits until nothing is left to do for it."""
    async with asyncio.timeout(120):
        while True:
            counts = (await client.get_conversation(user="ada", conversation_id=of)).counts
            told = counts.turns // EVERY
            ripe = [c for c in await clusters(client, of) if c.hits > 1 and not c.promoted]
            waiting = counts.unembedded_turns or counts.unplaced_turns or counts.long_summaries < told
            if not waiting and not ripe:
                return
            await asyncio.sleep(0.01)


async def is_whole(client: MemoryBankClient, of: str, turns: int) -> None:
    """Every turn is there once, in one tier; every stretch has one summary, every promoted cluster one key."""
    steps = [turn.step for turn in (await client.list_turns(user="ada", conversation_id=of)).turns]
    found = await clusters(client, of)
    summaries = (await client.list_summaries(user="ada", conversation_id=of)).summaries
    keys = (await client.list_keys(user="ada", conversation_id=of)).keys

    assert steps == list(range(1, turns + 1))
    assert sorted(step for cluster in found for step in cluster.steps) == steps[:-SHORT]
    assert [(s.first_step, s.last_step) for s in summaries] == [
        (first, first + EVERY - 1) for first in range(1, turns - EVERY + 2, EVERY)
    ]
    assert sorted(key.cluster_id for key in keys) == sorted(c.cluster_id for c in found if c.promoted)


async def killed(server: Server, folder: Path, moment: str, of: str) -> None:
    """A talk in whose tending the server is killed."""
    async with server.client(retries=False) as client:
        await client.create_conversation(user="ada", conversation_id=of, settings=SETTINGS)
        with killed_when(server.pid, folder, MOMENTS[moment], [f"ada/{of}"]) as killed:
            with contextlib.suppress(Exception):  # the process may die amid a call
                await talk(client, of)
                if "promoting" in moment:
                    await settled(client, of)
                    await recall(client, of)
            assert await asyncio.to_thread(killed.wait, 60), moment
    await server.process.wait()


async def is_brought_to_its_end(server: Server, moment: str, of: str) -> None:
    """What a turn brings about, a turn of the next process does, too."""
    async with server.client() as client:
        await client.add_turns(user="ada", conversation_id=of, turns=[pb.Turn(input="And now?")])
        await settled(client, of)
        await is_whole(client, of, TURNS + 1)
        if "promoting" in moment:
            assert any(cluster.promoted for cluster in await clusters(client, of))


@pytest.mark.slow
async def test_tiers_killed_at_each_step_are_brought_to_their_end_by_the_next_process(tmp_path: Path) -> None:
    rounds = [
        (moment, f"{moment.replace(' ', '-')}-{number}") for moment in MOMENTS for number in range(KILLS)
    ]
    for before, after in pairwise([None, *rounds, None]):  # each process ends one talk and dies of the next
        async with modelless_process(tmp_path, QUICK) as server:
            if before is not None:
                await is_brought_to_its_end(server, *before)
            if after is not None:
                await killed(server, tmp_path, *after)
    print(f"{len(rounds)} kills, {KILLS} at each of: {', '.join(MOMENTS)}")
