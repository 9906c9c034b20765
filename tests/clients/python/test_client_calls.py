"""What the clients send, try again, give up and remember, against a real gRPC server that answers by a script."""

import asyncio

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from memorybank_client import (
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    MemoryBankClient,
    NotFound,
    Unavailable,
)
from tests.clients.python.scripted import NEVER, Refusal, Script, asking, error_info, scripted

DOWN = Refusal(code=grpc.StatusCode.UNAVAILABLE)


# ---- tried again ----


async def test_a_read_is_tried_again_until_a_replica_answers(kind: str) -> None:
    script = Script()
    script.answers["Search"] = [DOWN, retrieval.SearchResponse(revision=7)]

    async with scripted(script) as target, asking(kind, target) as ask:
        found = await ask("search", bank_id="trip", text="ferry")

    assert found.revision == 7
    assert len(script.asked["Search"]) == 2


async def test_a_mutation_is_tried_again_under_the_same_request_id(kind: str) -> None:
    script = Script()
    script.answers["Memorize"] = [DOWN, memory.MemorizeResponse(interaction_id="i1")]

    async with scripted(script) as target, asking(kind, target) as ask:
        memorized = await ask("memorize", bank_id="trip", text="九点开船。")

    assert memorized.interaction_id == "i1"
    ids = [asked.request.request_id for asked in script.asked["Memorize"]]
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert ids[0] != ""


async def test_a_purge_is_not_tried_again(kind: str) -> None:
    script = Script()
    script.answers["DeleteBank"] = [DOWN]

    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(Unavailable):
            await ask("delete_bank", bank_id="trip")

    assert len(script.asked["DeleteBank"]) == 1


async def test_what_no_repetition_mends_is_not_tried_again(kind: str) -> None:
    script = Script()
    script.answers["Search"] = [Refusal(code=grpc.StatusCode.NOT_FOUND)]

    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(NotFound):
            await ask("search", bank_id="trip", text="ferry")

    assert len(script.asked["Search"]) == 1


async def test_options_of_the_channel_take_the_place_of_the_clients_own() -> None:
    script = Script()
    script.answers["Search"] = [DOWN]

    async with (
        scripted(script) as target,
        MemoryBankClient(target, options=[("grpc.enable_retries", 0)]) as client,
    ):
        with pytest.raises(Unavailable):
            await client.search(bank_id="trip", text="ferry")

    assert len(script.asked["Search"]) == 1


# ---- request ids, metadata ----


async def test_two_calls_have_two_request_ids_and_the_callers_own_is_kept(kind: str) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("relate", bank_id="trip", node_id="a", other_node_id="b")
        await ask("relate", bank_id="trip", node_id="a", other_node_id="b")
        await ask("relate", bank_id="trip", node_id="a", other_node_id="b", request_id="mine")

    first, second, own = (asked.request.request_id for asked in script.asked["Relate"])
    assert first != second
    assert own == "mine"


async def test_each_call_names_its_bank_to_the_proxy_and_carries_the_clients_metadata(kind: str) -> None:
    script = Script()

    async with (
        scripted(script) as target,
        asking(kind, target, metadata=[("authorization", "Bearer k")]) as ask,
    ):
        await ask("get_bank", bank_id="trip")
        await ask("upload_attachment", b"%PDF", bank_id="trip", type="document")
        await ask("watch_bank", bank_id="trip")
        await ask("list_banks")

    for name in ("GetBank", "UploadAttachment", "WatchBank"):
        assert script.asked[name][0].metadata["x-memory-bank"] == "trip"
    assert "x-memory-bank" not in script.asked["ListBanks"][0].metadata
    assert script.asked["ListBanks"][0].metadata["authorization"] == "Bearer k"


async def test_an_id_that_cannot_be_one_is_left_to_the_service_to_refuse(kind: str) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("get_bank", bank_id="银行\n")

    assert script.asked["GetBank"][0].request.bank_id == "银行\n"
    assert "x-memory-bank" not in script.asked["GetBank"][0].metadata


# ---- deadlines ----


async def test_a_verb_has_a_deadline_of_its_own_that_the_client_or_the_call_may_change(kind: str) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target, timeouts={"get_insight": 60.0}) as ask:
        await ask("get_bank", bank_id="trip")
        await ask("memorize", bank_id="trip", text="a")
        await ask("get_insight", bank_id="trip")
        await ask.within(30.0)("memorize", bank_id="trip", text="a")
        await ask("watch_bank", bank_id="trip")

    seconds = [
        asked.seconds for name in ("GetBank", "Memorize", "GetInsight") for asked in script.asked[name]
    ]
    assert seconds == pytest.approx([10, 300, 30, 60], abs=9)  # less the way there
    assert script.asked["WatchBank"][0].seconds is None


async def test_a_call_that_brings_much_is_given_longer(kind: str) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("batch_add_nodes", bank_id="trip", nodes=[graph.NewNode(summary="a" * 65_536)] * 50)

    assert script.asked["BatchAddNodes"][0].seconds == pytest.approx(30 + 200, abs=9)


# ---- messages of chat APIs ----


async def test_messages_are_taken_as_chat_apis_have_them(kind: str) -> None:
    script = Script()
    call = {"id": "c1", "type": "function", "function": {"name": "timetable", "arguments": '{"day": 1}'}}
    spoken = [
        {"role": "user", "name": "Ada", "content": "When does the ferry leave?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "at nine"}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "这里"}, {"type": "image_url", "image_url": {}}],
        },
        {"role": "assistant", "content": ""},
        types.Message(role="assistant", text="At nine."),
    ]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("memorize", bank_id="trip", messages=spoken)

    assert list(script.asked["Memorize"][0].request.messages) == [
        types.Message(role="user", speaker="Ada", text="When does the ferry leave?"),
        types.Message(role="assistant", text='[tool timetable] {"day": 1}'),
        types.Message(role="tool", speaker="timetable", text="at nine"),
        types.Message(role="user", text="这里\n[image_url]"),
        types.Message(role="assistant", text="At nine."),
    ]


async def test_a_deadline_that_passed_is_told_with_the_request_id_to_repeat_under(kind: str) -> None:
    script = Script()
    script.answers["Memorize"] = [NEVER]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("get_bank", bank_id="trip")  # connects, which takes its time
        with pytest.raises(DeadlineExceeded) as caught:
            await ask.within(1.0)("memorize", bank_id="trip", text="a")

    assert caught.value.request_id == script.asked["Memorize"][0].request.request_id


# ---- reading one's own writes ----


async def test_a_read_asks_for_the_highest_revision_seen_of_its_bank(kind: str) -> None:
    script = Script()
    script.answers["Memorize"] = [memory.MemorizeResponse(revision=9), memory.MemorizeResponse(revision=8)]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("memorize", bank_id="trip", text="a")
        await ask("memorize", bank_id="trip", text="b")
        await ask("search", bank_id="trip", text="a")
        await ask("search", bank_id="trip", text="a", min_revision=2)
        await ask("search", bank_id="other", text="a")

    own, chosen, other = (asked.request for asked in script.asked["Search"])
    assert own.min_revision == 9
    assert chosen.min_revision == 2
    assert not other.HasField("min_revision")


async def test_the_revision_of_a_bank_that_the_service_named_is_remembered(kind: str) -> None:
    script = Script()
    script.answers["StartTask"] = [memory.StartTaskResponse(bank=types.Bank(bank_id="b-1"), revision=4)]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("start_task", goal="find the ferry")
        await ask("augment", bank_id="b-1")

    assert script.asked["Augment"][0].request.min_revision == 4


async def test_a_streamed_answer_tells_its_revision_too(kind: str) -> None:
    script = Script()
    script.answers["MemorizeStream"] = [
        memory.MemorizeStreamResponse(progress=memory.Progress(revision=5)),
        memory.MemorizeStreamResponse(result=memory.MemorizeResponse(revision=6)),
    ]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("memorize_stream", "a", bank_id="trip")
        await ask("get_bank", bank_id="trip")

    assert script.asked["GetBank"][0].request.min_revision == 6


async def test_a_client_may_leave_revisions_alone(kind: str) -> None:
    script = Script()
    script.answers["Memorize"] = [memory.MemorizeResponse(revision=9)]

    async with scripted(script) as target, asking(kind, target, read_your_writes=False) as ask:
        await ask("memorize", bank_id="trip", text="a")
        await ask("get_bank", bank_id="trip")

    assert not script.asked["GetBank"][0].request.HasField("min_revision")


async def test_a_bank_is_read_as_of_its_purge(kind: str) -> None:
    """No later bank has a revision as low: whoever has not heard of the purge asks the store."""
    script = Script()
    script.answers["Memorize"] = [memory.MemorizeResponse(revision=9)]
    script.answers["DeleteBank"] = [memory.DeleteBankResponse(revision=10)]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("memorize", bank_id="trip", text="a")
        await ask("delete_bank", bank_id="trip")
        await ask("get_bank", bank_id="trip")

    assert script.asked["GetBank"][0].request.min_revision == 10


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.NOT_FOUND, "BANK_NOT_FOUND"),
        (grpc.StatusCode.FAILED_PRECONDITION, "REVISION_NOT_REACHED"),
    ],
)
async def test_a_bank_that_others_purged_holds_up_one_read_and_no_more(
    kind: str, code: grpc.StatusCode, reason: str
) -> None:
    script = Script()
    script.answers["Memorize"] = [memory.MemorizeResponse(revision=9)]
    script.answers["GetBank"] = [Refusal(code=code, details=(error_info(reason),))]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("memorize", bank_id="trip", text="a")
        with pytest.raises((NotFound, FailedPrecondition)):
            await ask("get_bank", bank_id="trip")
        await ask("get_bank", bank_id="trip")

    first, second = (asked.request for asked in script.asked["GetBank"])
    assert first.min_revision == 9
    assert not second.HasField("min_revision")


async def test_what_stands_of_a_structuring_that_failed_is_read_too(kind: str) -> None:
    script = Script()
    info = error_info("STRUCTURING_FAILED", interaction_id="i1", cause="AGENT_UNAVAILABLE", revision="12")
    script.answers["Memorize"] = [Refusal(code=grpc.StatusCode.UNAVAILABLE, details=(info,), is_final=True)]

    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(Unavailable) as caught:
            await ask("memorize", bank_id="trip", text="a")
        await ask("get_bank", bank_id="trip")

    assert caught.value.metadata["interaction_id"] == "i1"
    assert script.asked["GetBank"][0].request.min_revision == 12


# ---- life of a client ----


async def test_a_cancelled_call_is_cancelled_and_not_an_error() -> None:
    script = Script()
    script.answers["GetBank"] = [NEVER]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        call = asyncio.create_task(client.get_bank(bank_id="trip"))
        await script.arrived.wait()
        call.cancel()

        with pytest.raises(asyncio.CancelledError):
            await call


async def test_a_call_that_waits_while_its_client_is_closed_is_an_error() -> None:
    script = Script()
    script.answers["DeleteBank"] = [NEVER]

    async with scripted(script) as target:
        client = MemoryBankClient(target)
        call = asyncio.create_task(client.delete_bank(bank_id="trip", request_id="r1"))
        await script.arrived.wait()
        await client.close()

        with pytest.raises(Cancelled) as caught:
            await call

    assert caught.value.request_id == "r1"


def test_a_client_may_be_made_before_there_is_a_loop_and_closed_unused() -> None:
    client = MemoryBankClient("127.0.0.1:1")

    asyncio.run(client.close())


async def test_threads_may_share_a_synchronous_client() -> None:
    script = Script()

    async with scripted(script) as target, asking("synchronous", target) as ask:
        await asyncio.gather(*(ask("get_bank", bank_id=f"b{number}") for number in range(32)))

    assert {asked.request.bank_id for asked in script.asked["GetBank"]} == {f"b{n}" for n in range(32)}


async def test_what_one_key_has_seen_binds_no_reads_with_another() -> None:
    """The same name with another key may be another tenant's bank, with revisions of its own."""
    script = Script()
    script.answers["Search"] = [retrieval.SearchResponse(revision=seen) for seen in (700, 3, 700, 3)]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        for key in ("mb_one", "mb_other", "mb_one", "mb_other"):
            await client.with_key(key).search(bank_id="trip", text="ferry")

    asked = [asked.request.min_revision for asked in script.asked["Search"]]
    assert asked == [0, 0, 700, 3]
