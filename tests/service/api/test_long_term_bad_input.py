"""Fields of LongTerm that do not go together, and imports that cannot be read. Wrong values of one field are in the
table that all services share."""

import asyncio
import json
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import types_pb2 as types
from tests.support.server import Service, refused, serving

ADA: dict[str, Any] = {"user": "ada", "collection": "work"}

TOGETHER: list[tuple[str, Message]] = [
    ("query", pb.RetrieveFactsRequest(**ADA)),
    ("embedding", pb.RetrieveFactsRequest(embedding=types.Vector(values=[1.0]), **ADA)),
    ("record.episode", pb.AddRecordRequest(record=pb.Record(kind=pb.RECORD_KIND_EPISODE), **ADA)),
    (
        "record.content",
        pb.AddRecordRequest(
            record=pb.Record(kind=pb.RECORD_KIND_EPISODE, content="x", episode=pb.Episode(goal="g")), **ADA
        ),
    ),
    (
        "record.episode.goal",
        pb.AddRecordRequest(record=pb.Record(kind=pb.RECORD_KIND_EPISODE, episode=pb.Episode()), **ADA),
    ),
    (
        "record.event_time",
        pb.UpdateRecordRequest(
            record=pb.Record(record_id="r"), update_mask=FieldMask(paths=["event_time"]), **ADA
        ),
    ),
    ("filter", pb.DeleteRecordsRequest(**ADA)),
    ("filter", pb.DeleteRecordsRequest(record_ids=["r"], filter=pb.RecordFilter(category="work"), **ADA)),
    ("stars", pb.GiveFeedbackRequest(record_ids=["r"], stars=5, thumb=pb.THUMB_UP, **ADA)),
    ("stars", pb.GiveFeedbackRequest(record_ids=["r"], **ADA)),
    ("category", pb.GenerateReflectionRequest(title="t", **ADA)),
]


@pytest.mark.parametrize(
    ("field", "request_"), TOGETHER, ids=[f"{n}-{type(r).__name__}" for n, (_, r) in enumerate(TOGETHER)]
)
async def test_fields_that_do_not_go_together_are_refused_and_nothing_is_made(
    service: Service, field: str, request_: Message
) -> None:
    verb = type(request_).__name__.removesuffix("Request")

    error = await refused(getattr(service.long_term, verb)(request_))

    assert error.reason in ("INVALID_FIELD", "EMBEDDING_SPACE_MISMATCH")
    assert error.metadata["field"].startswith(field)
    listed = await service.long_term.ListCollections(pb.ListCollectionsRequest(user="ada"))
    assert not listed.collections


async def test_metadata_too_deep_to_store_hinders_no_change_of_another_field(service: Service) -> None:
    record = (await service.long_term.StoreFact(pb.StoreFactRequest(content="x", **ADA))).record
    record.source, record.metadata_json = "a book", '{"a":' * 101 + "1" + "}" * 101

    def changing(*fields: str) -> Any:
        mask = FieldMask(paths=fields)
        return service.long_term.UpdateRecord(pb.UpdateRecordRequest(record=record, update_mask=mask, **ADA))

    changed = await changing("source")
    error = await refused(changing("source", "metadata_json"))

    assert (changed.record.source, changed.record.metadata_json) == ("a book", "")
    assert error.metadata["field"] == "record.metadata_json"


UNREADABLE = (
    '"access_count": 99999999999999999999999',
    '"access_count": -5',
    '"steps": [99999999999999999999999]',
    '"steps": [0]',
    '"steps": "12"',
    '"tags": "abc"',
    '"metadata": [1]',
    f'"metadata": {{"a": "{"x" * 2**20}"}}',
    '"metadata": ' + '{"a":' * 101 + "1" + "}" * 101,
    '"metadata": {"error_type": "e", "tool_name": "t", "fix_pattern": 3}',
    '"metadata": {"error_type": "e", "tool_name": "t", "fix_pattern": {"fixed": [1]}}',
    '"metadata": {"error_type": "e", "tool_name": "t", "fix_pattern": {}, "successes": -1}',
    '"kind": "episode", "episode": {"goal": 5}',
    '"also_from": [{}]',
    '"reward": 1e999',
    '"source": "half an emoji: \\ud83d"',
    '"ttl_seconds": -1',
    '"created_at": [1, 2]',
    f'"tags": {json.dumps(["t"] * 201)}',
    f'"steps": {list(range(1, 1_002))}',
    f'"also_from": {[{}] * 101}',
    f'"kind": "episode", "episode": {json.dumps({"goal": "x", "steps": ["s"] * 101})}',
    '"metadata": {"a": 1e999}',
    '"metadata": {"a": "\\ud83d"}',
    '"created_at": "0001-01-01T00:00:00+14:00"',
    '"created_at": "9999-12-31T23:59:59-23:59"',
)
"""What an entry of an import may not hold."""


async def test_an_import_that_cannot_be_read_makes_nothing(service: Service) -> None:
    bad = [
        "",
        "no",
        "[]x",
        '{"memories": 3}',
        '{"memories": [], "reflections": true}',
        '{"memories": [], "reflections": [{"memory_id": "m", "title": "\\ud83d"}]}',
        '{"memories": [{}]}',
        '{"memories": [{"memory_id": "/", "content": "x"}]}',
        *(f'{{"memories": [{{"memory_id": "r", "content": "x", {own}}}]}}' for own in UNREADABLE),
    ]
    for text in bad:

        async def stream(content: str = text) -> Any:
            yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(**ADA))
            yield pb.ImportCollectionRequest(
                file=pb.ExportCollectionResponse(path="memory.json", content=content.encode())
            )

        error = await refused(service.long_term.ImportCollection(stream()))

        assert error.reason == "IMPORT_INVALID"
    listed = await service.long_term.ListCollections(pb.ListCollectionsRequest(user="ada"))
    assert not listed.collections


@pytest.mark.slow
async def test_reading_an_import_however_long_lets_other_calls_pass(service: Service) -> None:
    entries = [{"memory_id": f"r{n}", "content": "The ferry leaves at nine. " * 20} for n in range(3_000)]
    content = json.dumps({"memories": entries}).encode()
    passed = 0

    async def stream() -> Any:
        yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(**ADA))
        yield pb.ImportCollectionRequest(
            file=pb.ExportCollectionResponse(path="memory.json", content=content)
        )

    importing = asyncio.ensure_future(service.long_term.ImportCollection(stream()))
    while not importing.done():
        await service.long_term.ListCollections(pb.ListCollectionsRequest(user="bob"))
        passed += 1

    assert (await importing).records == 3_000
    assert passed > 20


async def test_an_import_keeps_to_the_limit_of_reflections() -> None:
    index = {
        "memories": [{"memory_id": "r", "content": "x"}],
        "reflections": [{"memory_id": name, "title": "t", "record_ids": ["r", "r"]} for name in ("m1", "m2")],
    }

    async def stream() -> Any:
        yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(**ADA))
        for path, text in (
            ("memory.json", json.dumps(index)),
            *((f"reflections/{m}.md", "a") for m in ("m1", "m2")),
        ):
            yield pb.ImportCollectionRequest(
                file=pb.ExportCollectionResponse(path=path, content=text.encode())
            )

    async with serving(limits={"reflections_per_collection": 1}) as service:
        error = await refused(service.long_term.ImportCollection(stream()))
        listed = await service.long_term.ListRecords(pb.ListRecordsRequest(**ADA))

    assert error.reason == "LIMIT_REACHED"
    assert not listed.records
