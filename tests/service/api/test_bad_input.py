"""Every field of every request with values that cannot be accepted: named in the answer, nothing written."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.message import Message

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2, types_pb2
from tests.service.api.every_violation import HARMLESS, METHODS, RIGHT, WRONG
from tests.service.api.violations import paths, put
from tests.support.server import Service, refusal, refused, serving


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def service() -> AsyncIterator[Service]:
    """One for all of them, as none may change what it keeps; nor does its upkeep, meanwhile."""
    async with serving(banks={"upkeep_seconds": 3600.0}) as running:
        await running.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
        await running.graph.AddNode(graph.AddNodeRequest(bank_id="b1", node_id="n1", summary="s"))
        turns = [conversation.Turn(input="Hello")]
        await running.conversation.AddTurns(
            conversation.AddTurnsRequest(user="ada", conversation_id="c1", turns=turns)
        )
        await running.long_term.StoreFact(long_term.StoreFactRequest(user="ada", content="x", wait=True))
        yield running


@pytest.mark.parametrize("method", METHODS)
def test_every_field_has_values_that_are_refused_or_a_reason_why_none_is(method: str) -> None:
    harmless = HARMLESS.get(method, {})
    table = {path for path in WRONG[method] if not has_inner(path, WRONG[method])}

    asked = set(paths(METHODS[method].input_type, frozenset(harmless)))

    assert asked == table | set(harmless)


def has_inner(path: str, table: Any) -> bool:
    return any(other.startswith((f"{path}[].", f"{path}.")) for other in table) or path == "header.messages"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("method", METHODS)
async def test_a_wrong_value_is_refused_by_its_field_and_nothing_is_written(
    service: Service, method: str
) -> None:
    before, kept, unexpected = await service.revision("b1"), await kept_of_ada(service), []

    for path, values in WRONG[method].items():
        for value in values:
            code, fields = await answer(service, method, wrong(method, path, value))
            expected = path.replace("[]", "[0]")
            if code is not grpc.StatusCode.INVALID_ARGUMENT or not any(
                f.startswith(expected) for f in fields
            ):
                unexpected.append((path, str(value)[:60], code, fields))

    assert not unexpected
    assert await service.revision("b1") == before
    assert await service.bank_ids() == ["b1"]
    assert await kept_of_ada(service) == kept


async def kept_of_ada(service: Service) -> tuple[str, ...]:
    """Her settings and counts, her collections, and the records of the unnamed one."""
    answers: list[Message] = [
        await service.long_term.GetUser(long_term.GetUserRequest(user="ada")),
        await service.long_term.ListCollections(long_term.ListCollectionsRequest(user="ada")),
        await service.long_term.ListRecords(long_term.ListRecordsRequest(user="ada")),
    ]
    return tuple(map(str, answers))


def wrong(method: str, path: str, value: Any) -> list[Message]:
    """The right request but for one field; of a stream, the piece that is wrong after the header."""
    right = RIGHT[method]
    request = type(right)()
    first = type(right)()
    first.CopyFrom(right)
    if METHODS[method].input_type.oneofs_by_name.get("part") and "." not in path:
        put(request, path, value)
        return [first, request]
    put(first, path, value)
    if path.endswith(("messages[].text", "messages[].role", "messages[].speaker", "messages[].message_id")):
        first.ClearField("text")
    return [first]


async def answer(
    service: Service, method: str, requests: list[Message]
) -> tuple[grpc.StatusCode, tuple[str, ...]]:
    full = METHODS[method].containing_service.full_name
    call = service.channel.stream_stream(f"/{full}/{method}")(iter([r.SerializeToString() for r in requests]))
    try:
        async for _ in call:
            pass
    except grpc.aio.AioRpcError as error:
        return error.code(), refusal(error).fields
    return grpc.StatusCode.OK, ()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_signalling_nan_is_refused_like_any_other(service: Service) -> None:
    signalling = types_pb2.Vector(f32=bytes.fromhex("0100a07f") * 4)

    refusal = await refused(
        service.retrieval.Search(retrieval_pb2.SearchRequest(bank_id="b1", embedding=signalling))
    )

    assert refusal.reason == "INVALID_FIELD"
    assert refusal.fields == ("embedding.f32",)
