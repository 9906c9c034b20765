"""Runs of an agent in a user's memory, over the real service."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memorybank.v1.conversation_pb2 import ITEM_TYPE_ACTION, ITEM_TYPE_OBSERVATION, ITEM_TYPE_THOUGHT
from memorybank.v1.types_pb2 import Message
from memorybank_client import AsyncChatMemory, MemoryBankClient, NotFound, Owner
from memorybank_client.adapters.react import ReActAdapter
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[MemoryBankClient]:
    async with (
        running(settings_for(tmp_path), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        yield client


async def seats(to: str, currency: str = "USD") -> str:
    if currency != "EUR":
        raise ValueError(f"currency {currency} is not accepted, only EUR")
    return f"4 seats to {to} at nine, 63 EUR"


async def test_what_a_run_does_is_before_its_model_and_gone_when_it_has_ended(
    client: MemoryBankClient,
) -> None:
    memory = AsyncChatMemory(client, user="ada", conversation="c1", system="You plan journeys.")

    async with memory.run("Book the ferry to Naxos.") as run:
        await run.thought("I look for seats first.")
        await run.call("seats", {"to": "Naxos", "currency": "EUR"}, seats)
        shown = "\n".join(message["content"] for message in await run.messages())
        kept = (await client.get_working_memory(user="ada", invocation_id=run.invocation_id)).items
        run.answer("Booked: four seats at nine.")

    assert [(item.type, item.tool) for item in kept] == [
        (ITEM_TYPE_THOUGHT, ""),
        (ITEM_TYPE_ACTION, "seats"),
        (ITEM_TYPE_OBSERVATION, "seats"),
    ]
    assert "4 seats to Naxos at nine, 63 EUR" in shown
    turns = (await client.list_turns(user="ada", conversation_id="c1")).turns
    assert [(turn.input, turn.reply) for turn in turns] == [
        ("Book the ferry to Naxos.", "Booked: four seats at nine.")
    ]
    with pytest.raises(NotFound):
        await client.add_working_items(user="ada", invocation_id=run.invocation_id, items=kept)


async def test_a_run_whose_work_raises_is_ended_as_failed_and_the_error_comes_as_it_was(
    client: MemoryBankClient,
) -> None:
    memory = AsyncChatMemory(client, user="ada", conversation="c1")

    with pytest.raises(ValueError, match="only EUR"):
        async with memory.run("Book the ferry to Naxos.") as run:
            await run.call("seats", {"to": "Naxos"}, seats)

    (left,) = (await client.list_invocations(user="ada", conversation_id="c1")).invocations
    assert not left.succeeded
    assert "only EUR" in left.result


async def test_what_mended_a_failure_in_one_run_is_before_the_model_in_the_next(
    client: MemoryBankClient,
) -> None:
    memory = AsyncChatMemory(client, user="ada", conversation="c1", collection="work")
    async with memory.run("Book the ferry to Naxos.") as run:
        with pytest.raises(ValueError, match="only EUR"):
            await run.call("seats", {"to": "Naxos", "currency": "USD"}, seats)
        await run.call("seats", {"to": "Naxos", "currency": "EUR"}, seats)
        run.answer("Booked.")

    found = await client.find_recoveries(
        user="ada",
        collection="work",
        error_type="ValueError",
        tool="seats",
        message="currency USD is not accepted",
    )

    (recovery,) = found.recoveries
    assert json.loads(recovery.record.recovery.fixed_json) == {"to": "Naxos", "currency": "EUR"}


async def test_a_task_loop_carries_its_user_along(client: MemoryBankClient) -> None:
    owner = Owner(user="ada", conversation="c1", collection="work")
    await client.add_key(user="ada", conversation_id="c1", text="The budget is 500 euros.")
    await client.store_fact(
        user="ada", collection="work", content="Ada gets seasick on small ferries.", wait=True
    )
    loop = ReActAdapter(client, bank_id="trip", owner=owner, token_budget=8_000)

    prompts = [await loop.enhance("Which ferry to Naxos shall Ada take?")]
    while not loop.finished:
        prompts.append(
            await loop.intercept(
                [
                    Message(role="assistant", text="I look for the size of the ferries."),
                    Message(
                        role="tool", speaker="search", text="The Blue Star is the largest ferry to Naxos."
                    ),
                    Message(role="assistant", text="Ada takes the Blue Star at nine."),
                ]
            )
        )

    assert all("The budget is 500 euros." in prompt for prompt in prompts[:-1])
    assert all("Ada gets seasick on small ferries." in prompt for prompt in prompts[:-1])
    assert "The Blue Star is the largest ferry to Naxos." in prompts[1]
    (turn,) = (await client.list_turns(user="ada", conversation_id="c1")).turns
    assert (turn.input, turn.reply) == (
        "Which ferry to Naxos shall Ada take?",
        "Ada takes the Blue Star at nine.",
    )
    (run,) = (await client.list_invocations(user="ada", conversation_id="c1")).invocations
    assert run.succeeded


async def test_the_next_task_of_a_loop_is_the_next_run(client: MemoryBankClient) -> None:
    loop = ReActAdapter(client, bank_id="trip", owner=Owner(user="ada", conversation="c1"))
    for question in ("When does the ferry leave?", "What does a ticket cost?"):
        await loop.enhance(question)
        while not loop.finished:
            await loop.intercept("Answer: nine o'clock, 42 euro.")

    runs = (await client.list_invocations(user="ada", conversation_id="c1")).invocations

    assert [run.query for run in runs] == ["When does the ferry leave?", "What does a ticket cost?"]


@pytest.mark.parametrize("odd", ["a\0b", "a\udc80b"], ids=["NUL", "half a character"])
async def test_whatever_a_tool_answers_or_raises_comes_back_and_the_run_ends(
    client: MemoryBankClient, odd: str
) -> None:
    memory = AsyncChatMemory(client, user="ada", conversation="c1")

    async def echo(text: str) -> str:
        return text

    async def fail(text: str) -> str:
        raise OSError(text)

    async with memory.run("What is in the file?") as run:
        answered = await run.call("read", {"text": odd}, echo)
        kept = (await client.get_working_memory(user="ada", invocation_id=run.invocation_id)).items
        run.answer(odd)
    with pytest.raises(OSError, match=odd):
        async with memory.run("And in the other?") as run:
            await run.call("read", {"text": odd}, fail)

    assert answered == odd
    assert [item.content for item in kept] == ["", "a\ufffdb"]
    left = (await client.list_invocations(user="ada", conversation_id="c1")).invocations
    assert [run.result for run in left] == ["a\ufffdb", "OSError: a\ufffdb"]


async def test_arguments_that_are_no_json_are_left_out(client: MemoryBankClient) -> None:
    memory = AsyncChatMemory(client, user="ada", conversation="c1")
    endless: list[object] = []
    endless.append(endless)

    async def count(**given: object) -> int:
        return len(given)

    async with memory.run("How many?") as run:
        counted = [
            await run.call("count", {"text": given}, count) for given in (endless, {(1, 2): 3}, float("nan"))
        ]
        kept = (await client.get_working_memory(user="ada", invocation_id=run.invocation_id)).items
        run.answer("One each.")

    assert counted == [1, 1, 1]
    assert {item.arguments_json for item in kept} == {""}
