"""Admission over a real channel: who begins, who waits, who is refused. Time is as the test says."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from core.caller import Caller as Who
from core.errors import Overloaded
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.admission import Admission, ConcurrencyLimit, Kind, MemoryQuota, kind_of
from service.api.endpoint import Endpoint, RequestLimits, bidi_stream, handlers, identity, unary
from service.api.gate import Gate
from service.process.calling import Caller
from tests.support.server import held_open, refused, serving, stream_refused

WRITE = "test.Work/Write"


class Work:
    """A kind of work that takes until `go` is set, and notes what it began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.entered = asyncio.Event()
        self.go = asyncio.Event()

    async def write(self, said: str) -> StringValue:
        self.begun.append(said)
        self.entered.set()
        await self.go.wait()
        return StringValue(value=said)

    async def follow(
        self, messages: AsyncIterator[StringValue], caller: Who
    ) -> AsyncGenerator[StringValue, None]:
        async for message in messages:
            yield StringValue(value=str(len(message.value)))


def said(message: StringValue, caller: Who) -> str:
    return message.value


@asynccontextmanager
async def open_work(
    work: Work, room: ConcurrencyLimit, hold: MemoryQuota | None = None, most: int | None = None
) -> AsyncIterator[str]:
    """The address of a server with it, its writes in the room."""
    endpoints: dict[str, Endpoint] = {
        "Write": unary(StringValue, said, work.write, identity),
        "Follow": bidi_stream(StringValue, work.follow, identity),
    }
    server = grpc.aio.server()
    gate, desk = (
        Gate((), Admission(rooms={Kind.WRITE: room}, most=most)),
        RequestLimits(max_message_bytes=1_000_000, hold=hold or MemoryQuota()),
    )
    server.add_generic_rpc_handlers((handlers("test.Work", endpoints, gate, desk),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


def write(channel: Any, text: str, timeout: float | None = None) -> Any:
    stub = channel.unary_unary("/test.Work/Write", response_deserializer=StringValue.FromString)
    return stub(StringValue(value=text).SerializeToString(), timeout=timeout)


async def slow(seconds: float) -> ConcurrencyLimit:
    """A room with one place, of which it is known that a call keeps it for so long."""
    room = ConcurrencyLimit("writes", 1)
    for _ in range(100):
        await room.enter(Caller(name="", deadline=None), 0.0, WRITE)
        room.leave(WRITE, 0, seconds, is_done=True)
    return room


async def test_what_would_come_too_late_is_refused_at_once_and_told_when_to_come_again() -> None:
    work = Work()
    async with open_work(work, await slow(20.0)) as address, grpc.aio.insecure_channel(address) as channel:
        first = write(channel, "first")
        await work.entered.wait()

        answer = await refused(write(channel, "late", timeout=10.0))
        work.go.set()

        assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
        assert answer.metadata["work"] == "writes"
        assert answer.retry_after == pytest.approx(20.0, rel=0.01)
        assert float(answer.pushback) == pytest.approx(20_000, rel=0.01)
        assert (await first).value == "first"
        assert work.begun == ["first"]


async def test_no_call_waits_longer_than_half_a_minute_to_begin_deadline_or_not() -> None:
    work = Work()
    async with open_work(work, await slow(40.0)) as address, grpc.aio.insecure_channel(address) as channel:
        first = write(channel, "first")
        await work.entered.wait()

        answer = await refused(write(channel, "patient"))
        work.go.set()

        assert answer.reason == "OVERLOADED"
        await first


async def test_what_its_caller_gave_up_does_not_begin() -> None:
    work, room = Work(), await slow(0.001)
    async with open_work(work, room) as address, grpc.aio.insecure_channel(address) as channel:
        first = write(channel, "first")
        await work.entered.wait()
        gone, stays = write(channel, "gone"), write(channel, "stays")
        await waiting(room, 2)

        gone.cancel()
        await waiting(room, 1)
        work.go.set()

        assert (await first).value == "first"
        assert (await stays).value == "stays"
        assert work.begun == ["first", "stays"]


async def test_turns_are_fair_between_connections() -> None:
    work, room = Work(), await slow(0.001)
    private = [("grpc.use_local_subchannel_pool", 1)]
    async with (
        open_work(work, room) as address,
        grpc.aio.insecure_channel(address, options=private) as greedy,
        grpc.aio.insecure_channel(address, options=private) as modest,
    ):
        calls = [write(greedy, "first")]
        await work.entered.wait()
        for number in range(3):
            calls.append(write(greedy, f"g{number}"))
            await waiting(room, number + 1)
        calls.append(write(modest, "m"))
        await waiting(room, 4)

        work.go.set()
        await asyncio.gather(*calls)

        assert work.begun == ["first", "g0", "m", "g1", "g2"]


async def test_a_call_is_reckoned_by_its_method_and_its_size() -> None:
    room, who = await slow(2.0), Caller(name="one", deadline=10.0)
    other = "test.Work/Other"
    for _ in range(100):
        await room.enter(who, 0.0, other)
        room.leave(other, 99_000, 8.0, is_done=True)
    await room.enter(who, 0.0, WRITE)

    with pytest.raises(Overloaded) as large:
        await room.enter(who, 0.0, other, 99_000)
    with pytest.raises(Overloaded):
        await room.enter(who, 7.0, WRITE)
    small = asyncio.create_task(room.enter(who, 0.0, other, 0))
    await waiting(room, 1)

    assert large.value.wait == pytest.approx(8.0, rel=0.01)
    small.cancel()


async def test_what_refused_calls_took_is_not_what_a_call_takes() -> None:
    room, who = await slow(20.0), Caller(name="one", deadline=10.0)
    for _ in range(100):
        await room.enter(who, 0.0, WRITE)
        room.leave(WRITE, 0, 0.001, is_done=False)
    await room.enter(who, 0.0, WRITE)

    with pytest.raises(Overloaded) as late:
        await room.enter(who, 0.0, WRITE)

    assert late.value.wait == pytest.approx(20.0, rel=0.01)


async def test_calls_that_their_deadlines_ended_tell_that_calls_take_longer() -> None:
    room, who = await slow(0.001), Caller(name="one", deadline=10.0)
    for _ in range(100):
        await room.enter(who, 0.0, WRITE)
        room.leave(WRITE, 0, 20.0, is_done=False)
    await room.enter(who, 0.0, WRITE)

    with pytest.raises(Overloaded):
        await room.enter(who, 0.0, WRITE)


async def waiting(room: ConcurrencyLimit, count: int) -> None:
    """Until so many wait for a place."""
    while room.waiting != count:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0)


async def test_a_place_is_free_again_however_a_call_ended() -> None:
    room = await slow(0.001)
    who = Caller(name="one", deadline=None)
    await room.enter(who, 0.0, WRITE)
    leaving = asyncio.create_task(room.enter(who, 0.0, WRITE))
    await waiting(room, 1)
    room.leave(WRITE, 0, 0.001, is_done=True)  # its turn comes
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)

    await asyncio.wait_for(room.enter(who, 0.0, WRITE), 60)

    assert room.waiting == 0


async def test_bytes_in_flight_have_a_bound_of_all_calls_together_and_are_given_back() -> None:
    hold = MemoryQuota(1_000)
    pieces = [StringValue(value="x" * 400).SerializeToString() for _ in range(3)]
    async with (
        open_work(Work(), ConcurrencyLimit("writes", 1), hold) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        calls: Any = channel  # whose types know no calls of bare bytes
        stream = calls.stream_stream("/test.Work/Follow")

        answer = await stream_refused(stream(held_open(pieces)))

        assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
        assert answer.metadata["work"] == "bytes in flight"
        assert hold.taken == 0
        assert len([one async for one in stream(iter(pieces[:2]))]) == 2
        assert hold.taken == 0


async def test_an_import_counts_what_it_keeps_and_not_the_files_that_it_passes_on() -> None:
    large, most = 1_000_000, 16_777_216
    async with serving(grpc={"bytes_in_flight": most}) as service:
        await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b"))

        async def file() -> AsyncIterator[pb.UploadAttachmentRequest]:
            yield pb.UploadAttachmentRequest(header=pb.UploadAttachmentHeader(bank_id="b"))
            for _ in range(20):
                yield pb.UploadAttachmentRequest(chunk=bytes(large))

        await service.bank.UploadAttachment(file())
        written = [one.record async for one in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b"))]

        async def imported(bank_id: str, records: list[pb.ExportRecord]) -> pb.ImportBankResponse:
            def sent() -> Iterator[pb.ImportBankRequest]:
                yield pb.ImportBankRequest(options=pb.ImportOptions(bank_id=bank_id))
                yield from (pb.ImportBankRequest(record=record) for record in records)

            return await service.bank.ImportBank(sent())

        def talk(number: int) -> pb.ExportRecord:
            record = pb.ExportRecord()
            record.interaction.interaction_id, record.interaction.source = f"i{number}", "x" * large
            record.interaction.event_time.seconds = record.interaction.create_time.seconds = 1
            record.interaction.origin = types_pb2.INTERACTION_ORIGIN_CONTEXT
            return record

        await imported("copy", written)
        answer = await refused(imported("endless", [*written[:3], *(talk(n) for n in range(20))]))

        assert (answer.reason, answer.metadata["work"]) == ("OVERLOADED", "bytes in flight")
        assert sorted(await service.bank_ids()) == ["b", "copy"]


def test_a_call_that_passes_its_pieces_on_keeps_but_the_newest() -> None:
    hold = MemoryQuota(1_000)

    with hold.load() as load:
        for _ in range(10):
            load.replace(600)
        with hold.load() as other, pytest.raises(Overloaded):
            other.add(600)

        assert hold.taken == 600
    assert hold.taken == 0


def test_reads_and_writes_are_told_apart_by_the_contract() -> None:
    assert kind_of("memorybank.v1.Retrieval/Search") is Kind.READ
    assert kind_of("memorybank.v1.QueryGraph/AddNode") is Kind.WRITE


def test_batches_long_jobs_and_streams_are_kinds_of_their_own() -> None:
    assert kind_of("memorybank.v1.QueryGraph/BatchAddNodes") is Kind.BATCH
    assert kind_of("memorybank.v1.MemoryBank/Memorize") is Kind.LONG
    assert kind_of("memorybank.v1.MemoryBank/UploadAttachment", streams=True) is Kind.STREAM
    assert kind_of("memorybank.v1.MemoryBank/WatchBank", streams=True, endless=True) is Kind.ENDLESS


def test_only_reads_and_writes_and_batches_get_a_deadline_that_they_did_not_bring() -> None:
    admission = Admission(default_deadline=7.0)

    given = {kind: admission.deadline_of(kind, None) for kind in Kind}

    assert given == dict.fromkeys((Kind.READ, Kind.WRITE, Kind.BATCH), 7.0) | dict.fromkeys(
        (Kind.LONG, Kind.STREAM, Kind.ENDLESS)
    )
    assert admission.deadline_of(Kind.READ, 1.0) == 1.0


async def test_calls_beyond_what_a_connection_may_have_wait_at_the_caller() -> None:
    async with serving(grpc={"calls_per_connection": 3}) as service:
        answers = await asyncio.gather(*(service.bank_ids() for _ in range(20)))

    assert answers == [[]] * 20


async def test_calls_beyond_the_most_at_once_are_refused() -> None:
    work = Work()
    async with (
        open_work(work, ConcurrencyLimit("writes", 2), most=1) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        first = write(channel, "first")
        await work.entered.wait()

        answer = await refused(write(channel, "second"))
        work.go.set()

        assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
        assert answer.metadata["work"] == "calls"
        assert (await first).value == "first"
        assert (await write(channel, "third")).value == "third"
