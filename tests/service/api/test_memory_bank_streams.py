"""The streams of MemoryBank over the wire."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from tests.service.api.test_memory_bank import contested, make_bank
from tests.support.server import Service, held_open, refused, stream_refused


def pieces(*texts: str, **header: object) -> Iterator[pb.MemorizeStreamRequest]:
    yield pb.MemorizeStreamRequest(header=pb.MemorizeRequest(bank_id="b1", **header))  # type: ignore[arg-type]
    yield from (pb.MemorizeStreamRequest(text=text) for text in texts)


async def test_a_streamed_text_is_memorized_whole_with_progress(service: Service) -> None:
    await make_bank(service)

    answers = [a async for a in service.bank.MemorizeStream(pieces("公司的CEO", "是张三。", request_id="r1"))]

    result = answers[-1].result
    stages = [a.progress.stage for a in answers[:-1]]
    assert result.state == types_pb2.STRUCTURING_STATE_DONE
    assert stages[0] == pb.PROGRESS_STAGE_STORED
    assert stages.index(pb.PROGRESS_STAGE_EMBEDDING) < stages.index(pb.PROGRESS_STAGE_CLUSTERING)
    assert pb.PROGRESS_STAGE_STRUCTURING in stages
    assert {a.progress.interaction_id for a in answers[:-1]} == {result.interaction_id}


async def test_a_streamed_text_may_come_again(service: Service) -> None:
    await make_bank(service)
    first = [a async for a in service.bank.MemorizeStream(pieces("公司的CEO", "是张三。", request_id="r1"))]

    again = [a async for a in service.bank.MemorizeStream(pieces("公司的", "CEO是张三。", request_id="r1"))]

    assert again[-1].result.replayed
    assert again[-1].result.interaction_id == first[-1].result.interaction_id


@pytest.mark.parametrize(
    ("requests", "field"),
    [
        ([pb.MemorizeStreamRequest(text="no header")], "header"),
        ([*pieces("one"), *pieces()], "header"),
        (pieces("x" * 1_048_577), "text"),
        (pieces("a\0b"), "text"),
        (pieces(text="too early"), "header.text"),
    ],
)
async def test_a_stream_out_of_order_is_refused(
    service: Service, requests: Iterable[pb.MemorizeStreamRequest], field: str
) -> None:
    await make_bank(service)

    refusal = await stream_refused(service.bank.MemorizeStream(held_open(requests)))

    assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", (field,))
    assert await service.revision("b1") == 1


@pytest.mark.parametrize(("requests", "field"), [([], "header"), (pieces("  ", "\n"), "text")])
async def test_a_stream_without_a_text_is_refused_at_its_end(
    service: Service, requests: Iterable[pb.MemorizeStreamRequest], field: str
) -> None:
    await make_bank(service)

    refusal = await stream_refused(service.bank.MemorizeStream(iter(requests)))

    assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", (field,))
    assert await service.revision("b1") == 1


async def test_a_file_is_kept_and_a_repetition_is_the_same_file(service: Service) -> None:
    await make_bank(service)
    header = pb.UploadAttachmentHeader(
        bank_id="b1", attachment_id="a1", media_type="text/plain", request_id="r1"
    )
    parts = [
        pb.UploadAttachmentRequest(header=header),
        pb.UploadAttachmentRequest(chunk=b"all of "),
        pb.UploadAttachmentRequest(chunk=b"it"),
    ]

    kept = await service.bank.UploadAttachment(iter(parts))
    again = await service.bank.UploadAttachment(iter(parts))

    assert (kept.attachment.size, kept.attachment.stored, kept.attachment.type) == (9, True, "document")
    assert again.replayed
    assert again.attachment == kept.attachment


async def test_a_watcher_sees_every_change_and_the_end(service: Service) -> None:
    await make_bank(service)
    watch: Any = service.bank.WatchBank(pb.WatchBankRequest(bank_id="b1", from_revision=0))
    followed = await watch.read()
    added = await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", node_id="n1", summary="新的"))
    seen = [await watch.read(), await watch.read()]

    await service.bank.DeleteBank(pb.DeleteBankRequest(bank_id="b1"))
    rest = await watch.read()

    assert (followed.revision, list(followed.events)) == (0, [])
    assert [s.revision for s in seen] == [1, 2]
    assert seen[0].events[0].HasField("bank_updated")
    assert seen[1].events[0].node_added == added.node
    assert rest.events[0].HasField("bank_deleted")
    assert await watch.code() is grpc.StatusCode.OK


async def test_an_export_is_imported_losslessly(service: Service) -> None:
    conflict_id = await contested(service)
    parts = [
        pb.UploadAttachmentRequest(header=pb.UploadAttachmentHeader(bank_id="b1", attachment_id="a1")),
        pb.UploadAttachmentRequest(chunk=b"bytes"),
    ]
    await service.bank.UploadAttachment(iter(parts))
    exported = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b1"))]

    options = pb.ImportBankRequest(options=pb.ImportOptions(bank_id="b2"))
    imported = await service.bank.ImportBank(
        iter([options, *(pb.ImportBankRequest(record=record) for record in exported)])
    )

    again = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b2"))]
    uris = {r.attachment.uri for r in (*exported, *again) if r.WhichOneof("record") == "attachment"}
    assert len(uris) == 2  # each bank keeps a file of its own
    assert [plain(r) for r in again] == [plain(r) for r in exported]
    assert imported.counts.open_conflicts == 1
    conflicts = (await service.bank.ListConflicts(pb.ListConflictsRequest(bank_id="b2"))).conflicts
    assert [c.conflict_id for c in conflicts] == [conflict_id]


def plain(record: pb.ExportRecord) -> pb.ExportRecord:
    """A record without what tells one bank's export from another's."""
    copy = pb.ExportRecord()
    copy.CopyFrom(record)
    if copy.HasField("header"):
        copy.header.Clear()
    if copy.HasField("trailer"):
        copy.trailer.sha256 = ""  # is over the files' URIs too
    if copy.HasField("attachment"):
        copy.attachment.uri = ""
    return copy


async def test_an_export_that_was_tampered_with_is_refused_and_leaves_nothing(service: Service) -> None:
    await contested(service)
    exported = [r.record async for r in service.bank.ExportBank(pb.ExportBankRequest(bank_id="b1"))]
    for record in exported:
        if record.WhichOneof("record") == "node":
            record.node.summary = "公司的CEO是王五。"

    refusal = await refused(
        service.bank.ImportBank(
            iter(
                [
                    pb.ImportBankRequest(options=pb.ImportOptions(bank_id="b2")),
                    *(pb.ImportBankRequest(record=record) for record in exported),
                ]
            )
        )
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "IMPORT_INVALID")
    assert await service.bank_ids() == ["b1"]


async def test_writers_at_once_all_succeed_with_revisions_of_their_own(service: Service) -> None:
    await make_bank(service)

    answers = await asyncio.gather(
        *(
            service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", summary=f"fact {number}"))
            for number in range(50)
        )
    )

    assert sorted(answer.revision for answer in answers) == list(range(2, 52))
