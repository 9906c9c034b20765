"""What a conversation takes at the most, and what it says where that is passed, over a real channel."""

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1.types_pb2 import TimeRange
from tests.support.server import Service, refused

LONG_KEY = "预算不能超过十万元。" * 100  # 1,000 characters, as long as a key may be


async def add(service: Service, *turns: pb.Turn) -> pb.AddTurnsResponse:
    return await service.conversation.AddTurns(
        pb.AddTurnsRequest(user="ada", conversation_id="c1", turns=turns)
    )


async def keep(service: Service, text: str) -> pb.AddKeyResponse:
    return await service.conversation.AddKey(pb.AddKeyRequest(user="ada", conversation_id="c1", text=text))


async def test_a_hundred_turns_a_call_are_taken_whatever_the_order_of_their_times(service: Service) -> None:
    days = [n * 37 % 100 for n in range(100)]
    turns = [pb.Turn(input=f"Day {day}", event_time=Timestamp(seconds=day * 86_400)) for day in days]
    added = await add(service, *turns)
    listed = await service.conversation.ListTurns(
        pb.ListTurnsRequest(user="ada", conversation_id="c1", page_size=100)
    )
    one_day = TimeRange(start=Timestamp(seconds=42 * 86_400), end=Timestamp(seconds=43 * 86_400))
    found = await service.conversation.SearchTurns(
        pb.SearchTurnsRequest(user="ada", conversation_id="c1", text="day", event_time=one_day)
    )

    assert [turn.step for turn in added.turns] == list(range(1, 101))
    assert [turn.input for turn in listed.turns] == [f"Day {day}" for day in days]
    assert [hit.turn.input for hit in found.hits] == ["Day 42"]


async def test_steps_that_are_not_there_are_named_and_ranges_beyond_the_last_are_empty(
    service: Service,
) -> None:
    await add(service, pb.Turn(input="Hello"))
    unknown = await refused(
        service.conversation.DeleteTurns(
            pb.DeleteTurnsRequest(user="ada", conversation_id="c1", steps=[1, 2])
        )
    )
    beyond = await service.conversation.ListTurns(
        pb.ListTurnsRequest(user="ada", conversation_id="c1", first_step=2, last_step=9)
    )
    backwards = await refused(
        service.conversation.ListTurns(
            pb.ListTurnsRequest(user="ada", conversation_id="c1", first_step=9, last_step=2)
        )
    )
    kept = await service.conversation.ListTurns(pb.ListTurnsRequest(user="ada", conversation_id="c1"))

    assert (unknown.code, unknown.reason) == (grpc.StatusCode.NOT_FOUND, "TURN_NOT_FOUND")
    assert unknown.metadata["step"] == "2"
    assert not beyond.turns
    assert backwards.code is grpc.StatusCode.INVALID_ARGUMENT
    assert [turn.step for turn in kept.turns] == [1]  # nothing was deleted by halves


async def test_keys_have_a_bound_of_their_own(service: Service) -> None:
    first = await keep(service, LONG_KEY)
    full = await refused(keep(service, LONG_KEY))
    listed = await service.conversation.ListKeys(pb.ListKeysRequest(user="ada", conversation_id="c1"))

    assert (full.code, full.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert full.quota == ("key_tokens",)
    assert [key.key_id for key in listed.keys] == [first.key.key_id]


async def test_a_budget_below_keys_and_system_is_refused_with_the_least_that_would_do(
    service: Service,
) -> None:
    await keep(service, LONG_KEY)
    asked = retrieval.AssembleContextRequest(
        user="ada", conversation_id="c1", system="You are terse.", input="多少？", token_budget=500
    )
    small = await refused(service.retrieval.AssembleContext(asked))
    asked.token_budget = int(small.metadata["needed"])
    enough = await service.retrieval.AssembleContext(asked)
    asked.token_budget -= 1

    assert (small.code, small.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUDGET_TOO_SMALL")
    assert enough.tokens == asked.token_budget + 1
    assert LONG_KEY in enough.prompt
    assert (await refused(service.retrieval.AssembleContext(asked))).reason == "BUDGET_TOO_SMALL"
