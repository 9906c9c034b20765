"""A server killed while it carries out the end of an invocation: nothing is there twice, nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from memorybank.v1 import conversation_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankError
from tests.support.process import server_process

QUICK = {"banks.upkeep_seconds": "0.1"}


@pytest.mark.parametrize("pause", [0.0, 0.002, 0.005, 0.02])
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
