"""Invocations over a real channel."""

from typing import Any

import grpc

from memorybank.v1 import conversation_pb2 as pb
from memorybank.v1 import long_term_pb2
from tests.support.server import Service, refused


async def start(service: Service, **fields: object) -> pb.StartInvocationResponse:
    asked = {"conversation_id": "c1", "invocation_id": "i1", "query": "渡轮几点开？", "enable_memory": True}
    return await service.conversation.StartInvocation(
        pb.StartInvocationRequest(user="ada", **(asked | fields))  # type: ignore[arg-type]
    )


async def add(service: Service, *items: pb.Item) -> pb.AddWorkingItemsResponse:
    return await service.conversation.AddWorkingItems(
        pb.AddWorkingItemsRequest(user="ada", invocation_id="i1", items=items)
    )


def saw(step: int, text: str) -> pb.Item:
    return pb.Item(step=step, type=pb.ITEM_TYPE_OBSERVATION, tool="timetable", content=text)


async def seen(service: Service, *, raw: bool = False) -> pb.GetWorkingMemoryResponse:
    return await service.conversation.GetWorkingMemory(
        pb.GetWorkingMemoryRequest(user="ada", invocation_id="i1", raw=raw)
    )


async def end(service: Service, **fields: object) -> pb.EndInvocationResponse:
    asked = {"invocation_id": "i1", "result": "九点。", "succeeded": True, "wait": True, "request_id": "e1"}
    return await service.conversation.EndInvocation(
        pb.EndInvocationRequest(user="ada", **(asked | fields))  # type: ignore[arg-type]
    )


async def test_a_working_memory_is_bounded_at_every_read_and_gone_at_the_end(service: Service) -> None:
    await start(service)
    for step in range(1, 31):
        added = await add(service, saw(step, f"渡轮{step}号，九点开。" + "码头很热闹。" * 100))
        assert (await seen(service)).tokens <= 2_000
    raw = await seen(service, raw=True)
    ended = await end(service)
    again = await end(service)

    assert added.compressed
    assert (len(raw.items), raw.tokens) == (30, added.tokens)
    assert (ended.step, ended.summary.step, ended.summary.result) == (1, 1, "九点。")
    assert again.replayed
    assert again.summary == ended.summary
    assert (await refused(seen(service))).reason == "INVOCATION_NOT_FOUND"
    turns = await service.conversation.ListTurns(pb.ListTurnsRequest(user="ada", conversation_id="c1"))
    assert [(turn.input, turn.reply, turn.invocation_id) for turn in turns.turns] == [
        ("渡轮几点开？", "九点。", "i1")
    ]
    listed = await service.conversation.ListInvocations(
        pb.ListInvocationsRequest(user="ada", conversation_id="c1")
    )
    assert list(listed.invocations) == [ended.summary]


async def test_without_memory_a_loop_may_make_every_call(service: Service) -> None:
    started = await start(service, enable_memory=False)
    nothing: dict[str, Any] = {"user": "ada", "invocation_id": started.invocation_id}
    added = await service.conversation.AddWorkingItems(
        pb.AddWorkingItemsRequest(**nothing, items=[saw(1, "x")])
    )
    read = await service.conversation.GetWorkingMemory(pb.GetWorkingMemoryRequest(**nothing))

    assert started == pb.StartInvocationResponse()
    assert added == pb.AddWorkingItemsResponse()
    assert read == pb.GetWorkingMemoryResponse()
    assert await end(service, invocation_id="") == pb.EndInvocationResponse()


async def test_an_ended_invocation_a_taken_id_and_too_many_items_are_refused(service: Service) -> None:
    await start(service)
    taken = await refused(start(service))
    for _ in range(10):
        await add(service, *[saw(1, "9")] * 100)
    full = await refused(add(service, saw(1, "9")))
    await end(service, wait=False, request_id="e1")
    other = await refused(end(service, request_id="e2", wait=False))

    assert (taken.code, taken.reason) == (grpc.StatusCode.ALREADY_EXISTS, "INVOCATION_EXISTS")
    assert (full.code, full.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert other.reason in ("INVOCATION_ENDED", "INVOCATION_NOT_FOUND")


async def test_results_of_a_megabyte_are_told_in_ten_items_and_shown_within_the_tokens(
    service: Service,
) -> None:
    await start(service)
    whole = await refused(add(service, saw(1, "9:00 " * 200_000)))
    for step in range(1, 11):
        await add(service, saw(step, f"ferry {step} fails: 12.5 EUR\n" + "pier 7 " * 14_000))
    more = await refused(add(service, saw(11, "pier 7 " * 5_000)))
    shown = await seen(service)
    ended = await end(service)

    assert (whole.code, whole.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("items[0].content",))
    assert more.reason == "LIMIT_REACHED"
    assert shown.tokens <= 2_000
    assert "12.5 EUR" in shown.items[-1].content
    assert ended.summary.invocation_id == "i1"


async def test_what_a_run_left_elsewhere_joins_the_conversation_and_is_answered_with_it(
    service: Service,
) -> None:
    left = pb.InvocationSummary(
        invocation_id="i9", query="When?", summary="Looked it up: nine.", result="At nine.", succeeded=True
    )
    asked = pb.AddInvocationSummaryRequest(user="ada", conversation_id="c9", summary=left, request_id="r1")
    first = await service.conversation.AddInvocationSummary(asked)
    again = await service.conversation.AddInvocationSummary(asked)
    found = await service.conversation.GetConversation(
        pb.GetConversationRequest(user="ada", conversation_id="c9", include_invocations=True)
    )
    left.step = 7
    no_turn = await refused(
        service.conversation.AddInvocationSummary(
            pb.AddInvocationSummaryRequest(user="ada", conversation_id="c9", summary=left)
        )
    )

    assert (first.replayed, again.replayed) == (False, True)
    assert [(one.invocation_id, one.summary) for one in found.invocations] == [("i9", "Looked it up: nine.")]
    assert no_turn.reason == "TURN_NOT_FOUND"


async def test_an_end_tells_what_it_taught_and_a_turns_deletion_takes_it_back(service: Service) -> None:
    await start(service, query="My sister Anna lives in Lyon. Find her a ferry!")
    ended = await end(service)
    await service.conversation.DeleteTurns(
        pb.DeleteTurnsRequest(user="ada", conversation_id="c1", steps=[ended.step])
    )
    gone = await refused(
        service.long_term.GetRecord(long_term_pb2.GetRecordRequest(user="ada", record_id=ended.fact_ids[0]))
    )

    assert len(ended.fact_ids) == 1
    assert {role.role for role in ended.usage.roles} == {"summariser", "extractor", "distiller"}
    assert gone.reason == "RECORD_NOT_FOUND"
