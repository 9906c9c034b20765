"""What goes up and comes down in streams: cut, broken, refused, left early."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank_client import MemoryBankClient, NotFound, StaleRevision, SyncMemoryBankClient
from memorybank_client.pieces import BYTES
from tests.clients.python.scripted import NEVER, Refusal, Script, asking, error_info, scripted


async def test_a_long_text_goes_up_in_pieces_that_one_message_may_hold(kind: str) -> None:
    script = Script()
    text = "渡轮九点开。The ferry leaves at nine. 🚢" * 50_000

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("memorize_stream", text, bank_id="trip", source="timetable")

    header, *pieces = script.asked["MemorizeStream"][0].messages
    assert (header.header.bank_id, header.header.source) == ("trip", "timetable")
    assert header.header.request_id != ""
    assert "".join(piece.text for piece in pieces) == text
    assert max(len(piece.text.encode()) for piece in pieces) <= BYTES
    assert len(pieces) < 10


async def test_pieces_files_and_whole_contents_go_up_alike(kind: str) -> None:
    script = Script()
    content = bytes(range(256)) * 8192

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("upload_attachment", content, bank_id="trip")
        await ask("upload_attachment", io.BytesIO(content), bank_id="trip")
        await ask("upload_attachment", iter((content[:9], content[9:])), bank_id="trip")
        await ask("memorize_stream", io.StringIO("一\n二\n" * 9), bank_id="trip")

    for asked in script.asked["UploadAttachment"]:
        assert b"".join(message.chunk for message in asked.messages[1:]) == content
        assert max(len(message.chunk) for message in asked.messages) <= BYTES
    (pieces,) = script.asked["MemorizeStream"]
    assert [message.text for message in pieces.messages[1:]] == ["一\n二\n" * 9]


async def test_pieces_may_come_asynchronously() -> None:
    script = Script()

    async def pieces() -> AsyncIterator[str]:
        for word in ("渡轮", "九点", "开"):
            yield word

    async with scripted(script) as target, MemoryBankClient(target) as client:
        async for _ in client.memorize_stream(pieces(), bank_id="trip"):
            pass

    texts = [message.text for message in script.asked["MemorizeStream"][0].messages[1:]]
    assert texts == ["渡轮", "九点", "开"]


async def test_what_a_source_raises_is_raised_by_the_call(kind: str) -> None:
    script = Script()

    def breaking(half: str | bytes) -> Iterator[str | bytes]:
        yield half
        raise OSError("disk gone")

    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(OSError, match="disk gone"):
            await ask("memorize_stream", breaking("half"), bank_id="trip")
        with pytest.raises(OSError, match="disk gone"):
            await ask("upload_attachment", breaking(b"half"), bank_id="trip")


@pytest.mark.parametrize("verb", ["memorize_stream", "upload_attachment"])
async def test_a_refusal_is_told_while_the_source_still_waits(verb: str) -> None:
    script = Script()
    refusal = Refusal(code=grpc.StatusCode.NOT_FOUND, at_once=True)
    script.answers["MemorizeStream"] = script.answers["UploadAttachment"] = [refusal]

    async def waiting() -> AsyncIterator[str]:
        await asyncio.Event().wait()
        yield "never"

    async with scripted(script) as target, asking("asynchronous", target) as ask:
        with pytest.raises(NotFound):
            await ask(verb, waiting(), bank_id="trip")


async def test_a_stream_left_early_is_cancelled_on_the_server() -> None:
    script = Script()
    script.answers["WatchBank"] = [memory.WatchBankResponse(revision=1), NEVER]

    async with scripted(script) as target, MemoryBankClient(target) as client:
        async with aclosing(client.watch_bank(bank_id="trip", from_revision=0)) as changes:
            first = await anext(changes)

        assert first.revision == 1
        await asyncio.wait_for(script.cancelled.wait(), 180)


async def test_a_synchronous_stream_left_early_is_cancelled_on_the_server() -> None:
    script = Script()
    script.answers["WatchBank"] = [memory.WatchBankResponse(revision=1), NEVER]

    def first_revision(target: str) -> int:
        with SyncMemoryBankClient(target) as client:
            for change in client.watch_bank(bank_id="trip", from_revision=0):
                return change.revision
        return 0

    async with scripted(script) as target:
        revision = await asyncio.to_thread(first_revision, target)

        assert revision == 1
        await asyncio.wait_for(script.cancelled.wait(), 180)


async def test_a_stream_that_is_refused_midway_raises_after_what_came_before(kind: str) -> None:
    script = Script()
    refusal = Refusal(code=grpc.StatusCode.ABORTED, details=(error_info("STALE_REVISION"),))
    script.answers["ExportBank"] = [memory.ExportBankResponse(), refusal]

    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(StaleRevision):
            await ask("export_bank", bank_id="trip")


@pytest.mark.parametrize("content", [bytearray(b"abc"), memoryview(b"abc")])
async def test_whatever_holds_bytes_goes_up_as_they_are(kind: str, content: Any) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("upload_attachment", content, bank_id="trip")
        await ask("upload_attachment", [content], bank_id="trip")

    sent = [[message.chunk for message in asked.messages[1:]] for asked in script.asked["UploadAttachment"]]
    assert sent == [[b"abc"], [b"abc"]]


@pytest.mark.parametrize(
    ("verb", "source", "named"),
    [
        ("upload_attachment", None, "not None"),
        ("upload_attachment", Path("/tmp/report.pdf"), "not PosixPath"),
        ("upload_attachment", ["abc"], "a piece of a file is bytes, not 'abc', a str: open"),
        ("memorize_stream", 5, "not 5, a int"),
        ("memorize_stream", [None], "a piece of a text is a str, not None"),
    ],
)
async def test_what_cannot_be_streamed_is_a_type_error_that_says_what_can(
    kind: str, verb: str, source: Any, named: str
) -> None:
    script = Script()

    async with scripted(script) as target, asking(kind, target) as ask:
        with pytest.raises(TypeError, match=named):
            await ask(verb, source, bank_id="trip")
