"""Metadata of records of more than 64 KiB, which stands apart from them, over a real channel."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as pb
from tests.service.api.test_put_records import EQ, Memory, condition
from tests.service.api.test_retractions import without
from tests.support.server import Service, refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def service() -> AsyncIterator[Service]:
    async with serving(store={"scrub_seconds": 1}) as served:
        yield served


@pytest.fixture
def memory(service: Service) -> Memory:
    return Memory(service)


def large(mark: str, size: int = 70_000) -> str:
    return json.dumps({"mark": mark, "of": {"城": "纳克索斯", "n": 3}, "list": [1], "long": "x" * size})


HEAD = {"mark": "m", "of": {"城": "纳克索斯", "n": 3}}


async def test_a_mebibyte_comes_whole_with_its_record_and_as_a_head_in_lists(memory: Memory) -> None:
    written = large("m", 2**20 - 120)
    put = await memory.put("r", "Naxos 纳克索斯", metadata_json=written)

    listed = (await memory.stub.ListRecords(pb.ListRecordsRequest(**memory.of))).records
    whole = await memory.get("r")

    for record in (put.record, *listed):
        assert json.loads(record.metadata_json) == HEAD
        assert record.metadata_bytes == len(written.encode())
    assert (whole.metadata_json, whole.metadata_bytes) == (written, 0)
    assert await memory.listed(metadata=[condition("of.城", EQ, '"纳克索斯"')]) == ["r"]
    assert await memory.listed(metadata=[condition("of.n", EQ, "4")]) == []


async def test_what_a_later_call_sets_takes_its_place(memory: Memory) -> None:
    await memory.batch(*(pb.Record(record_id=r, content=r, metadata_json=large(r)) for r in ("a", "b", "c")))

    await memory.put("a", metadata_json=large("again"))
    await memory.put("b", metadata_json='{"b": 1}')
    mask = FieldMask(paths=["metadata_json"])
    changed = pb.Record(record_id="c", metadata_json='{"c": 1}')
    await memory.stub.UpdateRecord(pb.UpdateRecordRequest(record=changed, update_mask=mask, **memory.of))
    other = FieldMask(paths=["source"])
    sourced = pb.Record(record_id="a", source="a book")
    await memory.stub.UpdateRecord(pb.UpdateRecordRequest(record=sourced, update_mask=other, **memory.of))

    found = [await memory.get(r) for r in ("a", "b", "c")]
    assert [each.metadata_json for each in found] == [large("again"), '{"b": 1}', '{"c": 1}']
    assert [each.metadata_bytes for each in found] == [0, 0, 0]
    assert found[0].source == "a book"


async def test_a_repeated_put_answers_the_same(memory: Memory) -> None:
    first = await memory.put("r", metadata_json=large("m"), request_id="q")

    again = await memory.put("r", metadata_json=large("m"), request_id="q")

    assert again.replayed
    assert again.record.metadata_bytes == first.record.metadata_bytes > 0


async def test_more_than_a_mebibyte_is_refused_by_name(memory: Memory) -> None:
    refusal = await refused(memory.put("r", metadata_json=large("m", 2**20)))

    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("record.metadata_json",))


@pytest.mark.parametrize("verb", ["put", "update"])
async def test_a_secret_in_it_is_refused_wherever_it_stands(memory: Memory, verb: str) -> None:
    secret = json.dumps({"long": "x " * 40_000 + "password=hunter2hunter2 " + "y " * 9_000})
    await memory.put("r")

    if verb == "put":
        error = await refused(memory.put("r", metadata_json=secret))
    else:
        mask, record = FieldMask(paths=["metadata_json"]), pb.Record(record_id="r", metadata_json=secret)
        changing = pb.UpdateRecordRequest(record=record, update_mask=mask, **memory.of)
        error = await refused(memory.stub.UpdateRecord(changing))

    assert (error.reason, error.metadata["field"]) == ("SENSITIVE_CONTENT", "record.metadata_json")


async def test_it_is_exported_and_imported_whole(service: Service, memory: Memory) -> None:
    await memory.put("r", metadata_json=large("m"))
    parts = [part async for part in memory.stub.ExportCollection(pb.ExportCollectionRequest(**memory.of))]

    async def stream(**of: Any) -> AsyncIterator[pb.ImportCollectionRequest]:
        yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(**of))
        for part in parts:
            yield pb.ImportCollectionRequest(file=part)

    other = Memory(service)
    await service.long_term.ImportCollection(stream(**other.of))

    assert json.loads((await other.get("r")).metadata_json) == json.loads(large("m"))
    (listed,) = (await other.stub.ListRecords(pb.ListRecordsRequest(**other.of))).records
    assert json.loads(listed.metadata_json) == HEAD


async def test_a_record_that_names_what_is_erased_there_goes(service: Service, memory: Memory) -> None:
    named = json.dumps({"long": "x" * 70_000, "who": ["\u5de6\u514b\u7c73"]})
    await memory.batch(
        pb.Record(record_id="named", content="Tea", metadata_json=named),
        pb.Record(record_id="other", content="Plums", metadata_json=large("m")),
    )

    await service.long_term.EraseMentions(
        pb.EraseMentionsRequest(user=memory.of["user"], mentions=["zorkmid", "左克米"])
    )

    assert await memory.listed() == ["other"]


async def test_it_goes_for_good_with_a_retraction_and_the_record_comes_back(memory: Memory) -> None:
    await memory.put("r", "Plums 李子", metadata_json=large("m"))
    taken = await memory.stub.RetractRecords(pb.RetractRecordsRequest(record_ids=["r"], **memory.of))
    release = pb.ReleaseRetractionRequest(retraction_id=taken.retraction.retraction_id, **memory.of)

    await memory.stub.ReleaseRetraction(release)

    back = await memory.get("r")
    assert (back.content, back.metadata_json, back.metadata_bytes) == ("Plums 李子", "", 0)


@pytest.mark.slow
async def test_it_goes_from_the_files_with_its_record_and_another_process_reads_it_before(
    tmp_path: Path,
) -> None:
    async with serving(folder=tmp_path, store={"scrub_seconds": 1}) as one, serving(folder=tmp_path) as two:
        memory, beside = Memory(one), Memory(two)
        beside.of = memory.of
        put = await memory.put("r", metadata_json=large("marmalade"))
        asked = pb.GetRecordRequest(record_id="r", min_revision=put.revision, **beside.of)
        seen = (await beside.stub.GetRecord(asked)).record

        await memory.stub.DeleteRecords(pb.DeleteRecordsRequest(record_ids=["r"], **memory.of))

        assert seen.metadata_json == large("marmalade")
        await without(tmp_path, "marmalade")
