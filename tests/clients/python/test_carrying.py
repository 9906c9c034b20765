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


@pytest.mark.parametrize("failing", ["StartTask", "StartInvocation"])
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


@pytest.mark.parametrize("failing", ["AddWorkingItems", "AdvanceTask"])
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


FOUND = [
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "fares", "input": {"to": "Paros"}}],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "It costs 38 euros."}],
    },
    {"role": "assistant", "content": "38 euros."},
    {"role": "assistant", "tool_calls": [{"function": {"name": "log", "arguments": "{}"}, "id": "u"}]},
    {"role": "tool", "tool_call_id": "u", "content": "A very long log."},
]


async def test_a_run_takes_dicts_where_it_takes_objects_and_ends_with_what_the_agent_answered() -> None:
    script = Script()
    script.answers["StartInvocation"] = [BEGUN]
    script.answers["AdvanceTask"] = [FINISHED]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip", owner={"user": "ada", "conversation": "c1"})
        await adapter.enhance("What does it cost?")
        await adapter.intercept(FOUND)

    items = [item for asked in script.asked["AddWorkingItems"] for item in asked.request.items]
    (ended,) = script.asked["EndInvocation"]
    assert [(item.type, item.tool, item.content) for item in items] == [
        (talk.ITEM_TYPE_THOUGHT, "", '[tool fares] {"to": "Paros"}'),
        (talk.ITEM_TYPE_OBSERVATION, "fares", "It costs 38 euros."),
        (talk.ITEM_TYPE_THOUGHT, "", "38 euros."),
        (talk.ITEM_TYPE_THOUGHT, "", "[tool log] {}"),
        (talk.ITEM_TYPE_OBSERVATION, "log", "A very long log."),
    ]
    assert ended.request.result == "38 euros."


async def test_a_result_that_the_caller_states_is_the_steps_and_the_runs() -> None:
    script = Script()
    script.answers["StartInvocation"] = [BEGUN]
    script.answers["AdvanceTask"] = [FINISHED]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        adapter = ReActAdapter(client, bank_id="trip", owner=Owner(user="ada"))
        await adapter.enhance("What does it cost?")
        await adapter.intercept(FOUND, result="It costs 38 euros.")

    assert script.asked["AdvanceTask"][0].request.result == "It costs 38 euros."
    assert script.asked["EndInvocation"][0].request.result == "It costs 38 euros."


async def test_a_step_asks_for_what_its_client_saw_of_the_user_and_for_no_revision_of_its_bank() -> None:
    script = Script()
    script.answers["AddKey"] = [talk.AddKeyResponse(revision=3)]
    script.answers["StartTask"] = [
        memory.StartTaskResponse(revision=7, revisions={"conversation/ada/c1": 4}),
        memory.StartTaskResponse(),
    ]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        await client.add_key(user="ada", conversation_id="c1", text="Be brief.")
        for _ in range(2):
            await client.start_task(bank_id="trip", goal="Which ferry?", user="ada", conversation_id="c1")
        await client.get_bank(bank_id="trip")

    first, second = (dict(asked.request.min_revisions) for asked in script.asked["StartTask"])
    assert (first, second) == ({"conversation/ada/c1": 3}, {"conversation/ada/c1": 4})
    assert script.asked["GetBank"][0].request.min_revision == 7
