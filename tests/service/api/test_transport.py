"""What every call passes, over a real channel: bytes, deadlines, defects, the closing of the gate."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from structlog.testing import capture_logs

from core.caller import Caller
from core.errors import BankNotFound
from core.usecases.house import House
from memorybank.v1 import deep_retrieval_pb2, memory_bank_pb2, operations_pb2, query_graph_pb2, retrieval_pb2
from memorybank.v1 import memory_bank_pb2 as pb
from service.api.endpoint import Endpoint, RequestLimits, handlers, identity, server_stream, unary
from service.api.gate import Gate
from service.assembly.bootstrap import open_house
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import free_port
from tests.support.server import Service, held_open, refused, serving, settings_for, stream_refused

CREATE = "/memorybank.v1.MemoryBank/CreateBank"
MEMORIZE = "/memorybank.v1.MemoryBank/MemorizeStream"


class Ended:
    """Notes how calls ended, which may be a moment after the caller knows."""

    def __init__(self) -> None:
        self._calls: asyncio.Queue[tuple[str, grpc.StatusCode]] = asyncio.Queue()

    def __call__(self, method: str, code: grpc.StatusCode, seconds: float) -> None:
        assert seconds >= 0
        self._calls.put_nowait((method, code))

    async def first(self, count: int) -> list[tuple[str, grpc.StatusCode]]:
        return [await self._calls.get() for _ in range(count)]


class Room:
    """A service with a method that answers, one that fails, one that waits, and one without an end."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.release = asyncio.Event()
        self.cancelled = asyncio.Event()

    def endpoints(self) -> dict[str, Endpoint]:
        return {
            "Echo": unary(StringValue, parsed, self.echo, identity),
            "Fail": unary(StringValue, parsed, self.fail, identity),
            "Wait": unary(StringValue, parsed, self.wait, identity),
            "Follow": server_stream(StringValue, parsed, self.follow, identity, endless=True),
        }

    async def echo(self, said: str) -> StringValue:
        return StringValue(value=said)

    async def fail(self, said: str) -> StringValue:
        raise BankNotFound(said) if said else ZeroDivisionError("a secret memory")

    async def wait(self, said: str) -> StringValue:
        self.entered.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return StringValue(value=said)

    async def follow(self, said: str) -> AsyncGenerator[StringValue, None]:
        yield StringValue(value=said)
        await self.wait(said)


def parsed(message: StringValue, caller: Caller) -> str:
    assert caller.tenant == "default"
    return message.value


@asynccontextmanager
async def open_room(gate: Gate, room: Room) -> AsyncIterator[Any]:
    server = grpc.aio.server()
    desk = RequestLimits(max_message_bytes=1_000)
    server.add_generic_rpc_handlers((handlers("test.Room", room.endpoints(), gate, desk),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    await server.stop(None)


def call(channel: Any, method: str, said: str = "x", timeout: float | None = None) -> Any:
    stub = channel.unary_unary(f"/test.Room/{method}", response_deserializer=StringValue.FromString)
    return stub(StringValue(value=said).SerializeToString(), timeout=timeout)


# ---- bytes ----


async def test_bytes_that_are_no_message_are_the_caller_s_mistake(service: Service) -> None:
    answer = await refused(service.channel.unary_unary(CREATE)(b"\xff\xff\xff"))

    assert (answer.code, answer.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "UNDECODABLE_REQUEST")
    assert answer.metadata == {"method": "memorybank.v1.MemoryBank/CreateBank"}


async def test_text_that_is_not_utf8_is_the_caller_s_mistake(service: Service) -> None:
    answer = await refused(service.channel.unary_unary(CREATE)(b"\x0a\x02\xc3\x28"))

    assert answer.reason == "UNDECODABLE_REQUEST"


async def test_a_message_over_the_limit_is_refused_with_the_way_out() -> None:
    async with serving(grpc={"max_message_bytes": 1_048_576}) as service:
        large = pb.MemorizeRequest(bank_id="b1", text="x" * 1_048_576)

        answer = await refused(service.bank.Memorize(large))

        assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")
        assert answer.metadata["allowed"] == "1048576"
        assert "MemorizeStream" in answer.message


async def test_a_message_far_over_the_limit_is_refused_unread() -> None:
    async with serving(grpc={"max_message_bytes": 1_048_576}) as service:
        answer = await refused(service.bank.Memorize(pb.MemorizeRequest(text="x" * 5_000_000)))

        assert answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "larger than max" in answer.message


# ---- errors ----


async def test_a_defect_is_answered_without_its_words_and_logged_with_them(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ended = Ended()
    async with open_room(Gate([ended]), Room()) as channel:
        answer = await refused(call(channel, "Fail", ""))

    assert (answer.code, answer.reason) == (grpc.StatusCode.INTERNAL, "DEFECT")
    assert "secret" not in answer.message
    logged = capfd.readouterr().out
    assert answer.metadata["incident"] in logged
    assert "ZeroDivisionError" in logged
    assert await ended.first(1) == [("test.Room/Fail", grpc.StatusCode.INTERNAL)]


async def test_every_call_is_observed_once_with_its_status() -> None:
    ended = Ended()
    async with open_room(Gate([ended]), Room()) as channel:
        await call(channel, "Echo")
        await refused(call(channel, "Fail"))

    assert await ended.first(2) == [
        ("test.Room/Echo", grpc.StatusCode.OK),
        ("test.Room/Fail", grpc.StatusCode.NOT_FOUND),
    ]


# ---- deadlines and cancelling ----


async def test_a_call_past_its_deadline_stops_working() -> None:
    room, ended = Room(), Ended()
    async with open_room(Gate([ended]), room) as channel:
        seconds = 0.1
        while not room.entered.is_set():  # a deadline may pass on the way
            answer = await refused(call(channel, "Wait", timeout=seconds))
            seconds *= 2
        await room.cancelled.wait()

    assert answer.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert (await ended.first(1))[0][1] in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)


async def test_a_cancelled_call_stops_working() -> None:
    room = Room()
    async with open_room(Gate(), room) as channel:
        waiting = call(channel, "Wait")
        await room.entered.wait()

        waiting.cancel()

        await room.cancelled.wait()


async def test_a_cancelled_write_that_was_stored_stands(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
    request = pb.MemorizeRequest(bank_id="b1", text="一件事。" * 50, request_id="r1")
    watch = service.bank.WatchBank(pb.WatchBankRequest(bank_id="b1"))
    await watch.read()
    writing = service.bank.Memorize(request)
    await watch.read()  # its first change is there: the record is stored

    writing.cancel()
    again = await service.bank.Memorize(request)

    assert again.replayed
    assert again.node_ids
    counts = (await service.bank.GetBank(pb.GetBankRequest(bank_id="b1"))).counts
    assert (counts.interactions, counts.unstructured_interactions) == (1, 0)


# ---- starting ----


async def test_while_the_service_loads_callers_are_told_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = asyncio.Event()
    monkeypatch.setattr("service.assembly.server.open_house", _once(loaded))
    settings = settings_for(tmp_path).model_copy(update={"listen": f"127.0.0.1:{free_port()}"})
    async with AsyncExitStack() as closing:
        server = running(settings, HashingEmbedder())
        starting = asyncio.create_task(closing.enter_async_context(server))
        options = [("grpc.enable_retries", 0)]
        channel: Any = await closing.enter_async_context(grpc.aio.insecure_channel(settings.listen, options))
        health = health_pb2_grpc.HealthStub(channel)
        check = health_pb2.HealthCheckRequest()

        before = await health.Check(check, wait_for_ready=True)
        early = asyncio.create_task(refused(channel.unary_unary(CREATE)(b"")))
        streamed = asyncio.create_task(stream_refused(channel.stream_stream(MEMORIZE)(held_open([]))))
        await health.Check(check)  # by now they have come, too
        loaded.set()
        await starting
        late = await refused(channel.unary_unary(CREATE)(b"\xff"))
        after = await health.Check(check)

    assert ((await early).code, (await early).reason) == (grpc.StatusCode.UNAVAILABLE, "STARTING")
    assert ((await streamed).reason, late.reason) == ("STARTING", "UNDECODABLE_REQUEST")
    statuses = health_pb2.HealthCheckResponse
    assert (before.status, after.status) == (statuses.NOT_SERVING, statuses.SERVING)


def _once(loaded: asyncio.Event) -> Callable[..., Any]:
    """Opens a house, but not before it has `loaded`."""

    @asynccontextmanager
    async def opened(*of: Any) -> AsyncIterator[House]:
        await loaded.wait()
        async with open_house(*of) as house:
            yield house

    return opened


# ---- closing ----


async def test_closing_waits_for_calls_at_work_and_refuses_new_ones() -> None:
    room, gate = Room(), Gate()
    async with open_room(gate, room) as channel:
        waiting = call(channel, "Wait", "done")
        await room.entered.wait()
        closing = asyncio.create_task(gate.close(60))
        await asyncio.sleep(0)  # lets it begin

        late = await refused(call(channel, "Echo"))
        room.release.set()
        answered = await waiting
        await closing

    assert (late.code, late.reason, late.pushback) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN", "")
    assert answered.value == "done"


async def test_closing_ends_streams_without_an_end_at_once_and_says_why() -> None:
    room, gate = Room(), Gate()
    async with open_room(gate, room) as channel:
        stub = channel.unary_stream("/test.Room/Follow", response_deserializer=StringValue.FromString)
        following = stub(b"")
        await following.read()
        await room.entered.wait()

        await gate.close(60)
        answer = await refused(following.read())

    assert answer.reason == "SHUTTING_DOWN"
    assert 0 <= int(answer.pushback) <= 100, "it may go on elsewhere at once, not all in the same moment"


async def test_closing_cuts_short_what_takes_too_long() -> None:
    room, gate = Room(), Gate()
    async with open_room(gate, room) as channel:
        waiting = call(channel, "Wait")
        await room.entered.wait()

        with capture_logs() as told:
            await gate.close(0)
        answer = await refused(waiting)

    assert answer.reason == "SHUTTING_DOWN"
    assert room.cancelled.is_set()
    (cut,) = [line for line in told if line["event"] == "calls cut short"]
    assert (cut["calls"], cut["methods"]) == (1, {"test.Room/Wait": 1})


# ---- standard services ----


async def test_health_is_told_for_each_service_and_as_a_whole(service: Service) -> None:
    health = health_pb2_grpc.HealthStub(service.channel)

    for name in ("", "memorybank.v1.MemoryBank", "memorybank.v1.Retrieval"):
        answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_reflection_lists_the_services(service: Service) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(service.channel)

    asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
    answers = [answer async for answer in stub.ServerReflectionInfo(iter(asked))]

    names = {s.name for s in answers[0].list_services_response.service}
    assert {f"memorybank.v1.{s}" for s in ("MemoryBank", "QueryGraph", "Retrieval", "DeepRetrieval")} <= names


async def test_reflection_answers_under_its_newer_name_too_and_tells_of_it(service: Service) -> None:
    v1 = service.channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )

    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="memorybank.v1.LongTerm"),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="grpc.reflection.v1.ServerReflection"),
        reflection_pb2.ServerReflectionRequest(file_by_filename="grpc/reflection/v1/reflection.proto"),
    ]
    listed, *files = [answer async for answer in v1(iter(asked))]

    names = {one.name for one in listed.list_services_response.service}
    assert {"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"} <= names
    assert all(file.file_descriptor_response.file_descriptor_proto for file in files)


async def test_reflection_finds_the_file_of_a_service_and_of_a_method_and_none_for_an_unknown_one(
    service: Service,
) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(service.channel)
    names = (
        "memorybank.v1.Retrieval",
        "memorybank.v1.Retrieval.Search",
        "memorybank.v1.Retrieval.Seek",
        "x.y",
    )

    asked = [reflection_pb2.ServerReflectionRequest(file_containing_symbol=name) for name in names]
    answers = [answer async for answer in stub.ServerReflectionInfo(iter(asked))]

    found = [answer.HasField("file_descriptor_response") for answer in answers]
    assert found == [True, True, False, False]


async def test_every_method_of_the_contract_is_served(service: Service) -> None:
    for file in (memory_bank_pb2, query_graph_pb2, retrieval_pb2, deep_retrieval_pb2, operations_pb2):
        for offered in file.DESCRIPTOR.services_by_name.values():
            for name in offered.methods_by_name:
                stub = service.channel.stream_stream(f"/{offered.full_name}/{name}")

                answer = await stream_refused(stub(iter([b"\xff"])))

                assert answer.reason == "UNDECODABLE_REQUEST", name
