"""A task's loop as a run in its user's memory, where one of a step's calls fails."""

import grpc
import pytest

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank_client import MemoryBankClient, Owner, Unavailable
from memorybank_client.adapters.react import ReActAdapter
from tests.clients.python.scripted import Refusal, Script, scripted

DOWN = Refusal(code=grpc.StatusCode.UNAVAILABLE, is_final=True)
BEGUN = talk.StartInvocationResponse(invocation_id="i1")
FINISHED = memory.AdvanceTaskResponse(finished=True)


def request_ids(script: Script, rpc: str) -> set[str]:
    return {asked.request.request_id for asked in script.asked[rpc]}


@pytest.mark.parametrize("failing", ["StartInvocation", "AssembleContext"])
async def test_a_beginning_repeated_after_it_failed_begins_one_task_and_one_run(failing: str) -> None:
    script = Script()
    script.answers["StartInvocation"] = [BEGUN, BEGUN]
    script.answers[failing].insert(0, DOWN)

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip", owner=Owner(user="ada"))
        with pytest.raises(Unavailable):
            await adapter.enhance("Which ferry?")
        await adapter.enhance("Which ferry?")

    assert len(request_ids(script, "StartTask")) == 1
    assert len(request_ids(script, "StartInvocation")) == 1


@pytest.mark.parametrize("failing", ["AddWorkingItems", "AdvanceTask", "AssembleContext"])
async def test_a_step_repeated_after_any_of_its_calls_failed_is_taken_once(failing: str) -> None:
    script = Script()
    script.answers["StartInvocation"] = [BEGUN]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip", owner=Owner(user="ada"))
        await adapter.enhance("Which ferry?")
        script.answers[failing] = [DOWN]
        with pytest.raises(Unavailable):
            await adapter.intercept("The Blue Star.")
        await adapter.intercept("The Blue Star.")

    assert len(request_ids(script, "AdvanceTask")) == 1
    assert len(request_ids(script, "AddWorkingItems")) == 1
    assert {item.step for asked in script.asked["AddWorkingItems"] for item in asked.request.items} == {1}


async def test_an_end_repeated_after_it_failed_ends_the_task_and_the_run_once() -> None:
    script = Script()
    script.answers["StartInvocation"] = [BEGUN]
    script.answers["AdvanceTask"] = [FINISHED, FINISHED]
    script.answers["EndInvocation"] = [DOWN]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip", owner=Owner(user="ada"))
        await adapter.enhance("Which ferry?")
        with pytest.raises(Unavailable):
            await adapter.intercept("The Blue Star.")
        finished_before = adapter.finished
        await adapter.intercept("The Blue Star.")

    assert not finished_before
    assert adapter.finished
    assert len(request_ids(script, "AdvanceTask")) == 1
    assert len(request_ids(script, "EndInvocation")) == 1
    assert len(script.asked["AddWorkingItems"]) == 1
