"""A server killed while it carries out the end of an invocation: nothing is there twice, nothing is lost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memorybank.v1 import conversation_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankError
from tests.support.process import server_process
from tests.support.scale import scaled

QUICK = {"banks.upkeep_seconds": "0.1"}
PAUSES = [0.0, 0.002, 0.005, 0.02]
QUERY = "My sister Anna lives in Lyon. When does her ferry leave?"
ITEMS = (
    pb.Item(type=pb.ITEM_TYPE_ACTION, tool="ferry", arguments_json='{"day": "5 May"}'),
    pb.Item(
        type=pb.ITEM_TYPE_OBSERVATION,
        tool="ferry",
        content="the day must be YYYY-MM-DD",
        failed=True,
        error_type="ValueError",
    ),
    pb.Item(type=pb.ITEM_TYPE_ACTION, tool="ferry", arguments_json='{"day": "2024-05-05"}'),
    pb.Item(type=pb.ITEM_TYPE_ACTION, tool="pier"),
    pb.Item(type=pb.ITEM_TYPE_OBSERVATION, tool="pier", content="Ferry 7 leaves at 9:00."),
)
TAUGHT = {
    "User: My sister Anna lives in Lyon.",
    "pier: Ferry 7 leaves at 9:00.",
    QUERY,  # the episode
    f"For “{QUERY}”: ferry → pier",
    "ferry failed with ValueError: recovered by changing day",
}


@pytest.mark.parametrize("number", range(scaled(1)))
async def test_what_a_run_teaches_is_there_once_whenever_the_server_is_killed(
    tmp_path: Path, number: int
) -> None:
    talk: dict[str, Any] = {"user": "ada", "conversation_id": "c1"}
    end: dict[str, Any] = {"user": "ada", "invocation_id": "i1", "result": "At nine.", "succeeded": True}
    end["request_id"] = "e1"
    async with server_process(tmp_path, QUICK) as server, server.client() as client:
        await client.start_invocation(**talk, invocation_id="i1", query=QUERY, enable_memory=True)
        await client.add_working_items(user="ada", invocation_id="i1", items=ITEMS)
        await client.end_invocation(**end)
        await asyncio.sleep(0.004 * (1 + number % 20))  # the moment of the kill is what varies
        await server.kill()
    async with server_process(tmp_path, QUICK) as server, server.client() as client:
        ended = await client.end_invocation(**end, wait=True)
        await client.end_conversation(**talk, wait=True)
        listed = await client.list_records(user="ada", page_size=100)

    of_run = [record for record in listed.records if record.invocation_id]
    assert sorted(record.content for record in of_run) == sorted(TAUGHT)
    assert len(listed.records) == len(TAUGHT) + 1  # the whole conversation, which had a run of several calls
    assert (len(ended.fact_ids), len(ended.strategy_ids)) == (2, 2)


@pytest.mark.parametrize("pause", PAUSES)
async def test_an_end_that_was_acknowledged_is_carried_out_once(tmp_path: Path, pause: float) -> None:
    async with server_process(tmp_path, QUICK) as server, server.client() as client:
        await client.start_invocation(
            user="ada", conversation_id="c1", invocation_id="i1", query="When?", enable_memory=True
        )
        item = pb.Item(type=pb.ITEM_TYPE_OBSERVATION, tool="timetable", content="hidden-word 9:00")
        await client.add_working_items(user="ada", invocation_id="i1", items=[item])
        await client.end_invocation(
            user="ada", invocation_id="i1", result="At nine.", succeeded=True, request_id="e1"
        )
        await asyncio.sleep(pause)  # the moment of the kill is what varies
        await server.kill()
    async with server_process(tmp_path, QUICK) as server, server.client() as client:
        ended = await client.end_invocation(
            user="ada", invocation_id="i1", result="At nine.", succeeded=True, wait=True, request_id="e1"
        )
        turns = await client.list_turns(user="ada", conversation_id="c1")
        listed = await client.list_invocations(user="ada", conversation_id="c1")
        with pytest.raises(MemoryBankError) as gone:
            await client.get_working_memory(user="ada", invocation_id="i1")

    assert (ended.replayed, ended.step) == (True, 1)
    assert [(turn.input, turn.reply) for turn in turns.turns] == [("When?", "At nine.")]
    assert list(listed.invocations) == [ended.summary]
    assert gone.value.reason == ErrorReason.ERROR_REASON_INVOCATION_NOT_FOUND
