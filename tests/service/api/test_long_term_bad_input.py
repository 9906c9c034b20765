"""What LongTerm cannot accept is refused by its field's name, and nothing is made of it."""

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import types_pb2 as types
from tests.support.server import Service, refused

ADA: dict[str, Any] = {"user": "ada", "collection": "work"}
FUTURE = Timestamp(seconds=4_000_000_000)
NONE = Timestamp(nanos=-1)
RECORD: dict[str, Any] = {"kind": pb.RECORD_KIND_FACT, "content": "x"}
TOLD = pb.Episode(goal="g")

BAD: list[tuple[str, Message]] = [
    ("user", pb.StoreFactRequest(content="x")),
    ("user", pb.StoreFactRequest(content="x", user="u" * 129)),
    ("collection", pb.StoreFactRequest(content="x", user="ada", collection="c" * 129)),
    ("user", pb.StoreFactRequest(content="x", user="a\0b")),
    ("content", pb.StoreFactRequest(**ADA)),
    ("content", pb.StoreFactRequest(content="  ", **ADA)),
    ("content", pb.StoreFactRequest(content="x" * 4_097, **ADA)),
    ("category", pb.StoreFactRequest(content="x", category="Work", **ADA)),
    ("category", pb.StoreFactRequest(content="x", category="a" * 65, **ADA)),
    ("source", pb.StoreFactRequest(content="x", source="s" * 1_025, **ADA)),
    ("conversation_id", pb.StoreFactRequest(content="x", conversation_id="-c", **ADA)),
    ("event_time", pb.StoreFactRequest(content="x", event_time=FUTURE, **ADA)),
    ("event_time", pb.StoreFactRequest(content="x", event_time=NONE, **ADA)),
    ("metadata_json", pb.StoreFactRequest(content="x", metadata_json="{", **ADA)),
    ("metadata_json", pb.StoreFactRequest(content="x", metadata_json="[1]", **ADA)),
    ("metadata_json", pb.StoreFactRequest(content="x", metadata_json='{"a": NaN}', **ADA)),
    ("metadata_json", pb.StoreFactRequest(content="x", metadata_json="[" * 50_000, **ADA)),
    ("metadata_json", pb.StoreFactRequest(content="x", metadata_json=f'{{"a": "{"x" * 65_536}"}}', **ADA)),
    ("ttl", pb.StoreFactRequest(content="x", ttl=Duration(seconds=-1), **ADA)),
    ("request_id", pb.StoreFactRequest(content="x", request_id="-", **ADA)),
    ("query", pb.RetrieveFactsRequest(**ADA)),
    ("query", pb.RetrieveFactsRequest(query=" ", **ADA)),
    ("query", pb.RetrieveFactsRequest(query="q" * 16_385, **ADA)),
    ("embedding", pb.RetrieveFactsRequest(embedding=types.Vector(values=[0.0]), **ADA)),
    ("embedding", pb.RetrieveFactsRequest(embedding=types.Vector(values=[1.0]), **ADA)),
    ("top_k", pb.RetrieveFactsRequest(query="q", top_k=0, **ADA)),
    ("top_k", pb.RetrieveFactsRequest(query="q", top_k=1_001, **ADA)),
    ("categories[0]", pb.RetrieveFactsRequest(query="q", categories=["A"], **ADA)),
    ("categories", pb.RetrieveFactsRequest(query="q", categories=["a"] * 65, **ADA)),
    ("min_similarity", pb.RetrieveFactsRequest(query="q", min_similarity=1.1, **ADA)),
    ("min_similarity", pb.RetrieveFactsRequest(query="q", min_similarity=float("nan"), **ADA)),
    ("min_revision", pb.RetrieveFactsRequest(query="q", min_revision=-1, **ADA)),
    ("goal", pb.StoreEpisodeRequest(**ADA)),
    ("steps", pb.StoreEpisodeRequest(goal="g", steps=["s"] * 101, **ADA)),
    ("steps[0]", pb.StoreEpisodeRequest(goal="g", steps=[""], **ADA)),
    ("outcome", pb.StoreEpisodeRequest(goal="g", outcome="o" * 16_385, **ADA)),
    ("state", pb.RecallEpisodesRequest(query="q", state="s" * 16_385, **ADA)),
    ("record.record_id", pb.AddRecordRequest(record=pb.Record(**RECORD, record_id="-r"), **ADA)),
    ("record.kind", pb.AddRecordRequest(record=pb.Record(content="x", kind=99), **ADA)),  # type: ignore[arg-type]
    ("record.confidence", pb.AddRecordRequest(record=pb.Record(**RECORD, confidence=1.01), **ADA)),
    ("record.reward", pb.AddRecordRequest(record=pb.Record(**RECORD, reward=-1.01), **ADA)),
    ("record.reward", pb.AddRecordRequest(record=pb.Record(**RECORD, reward=float("nan")), **ADA)),
    ("record.tags", pb.AddRecordRequest(record=pb.Record(**RECORD, tags=["t"] * 65), **ADA)),
    ("record.steps", pb.AddRecordRequest(record=pb.Record(**RECORD, steps=[1] * 1_001), **ADA)),
    ("record.detail", pb.AddRecordRequest(record=pb.Record(**RECORD, detail="d" * 65_537), **ADA)),
    ("record.episode", pb.AddRecordRequest(record=pb.Record(**RECORD, episode=TOLD), **ADA)),
    ("record.episode", pb.AddRecordRequest(record=pb.Record(kind=pb.RECORD_KIND_EPISODE), **ADA)),
    ("record.recovery", pb.AddRecordRequest(record=pb.Record(**RECORD, recovery=pb.Recovery()), **ADA)),
    ("update_mask", pb.UpdateRecordRequest(record=pb.Record(record_id="r"), **ADA)),
    (
        "update_mask",
        pb.UpdateRecordRequest(
            record=pb.Record(record_id="r"), update_mask=FieldMask(paths=["access_count"]), **ADA
        ),
    ),
    (
        "record.state",
        pb.UpdateRecordRequest(
            record=pb.Record(record_id="r", state=pb.RECORD_STATE_CONTESTED),
            update_mask=FieldMask(paths=["state"]),
            **ADA,
        ),
    ),
    ("filter", pb.DeleteRecordsRequest(**ADA)),
    ("filter", pb.DeleteRecordsRequest(record_ids=["r"], filter=pb.RecordFilter(category="work"), **ADA)),
    ("record_ids", pb.DeleteRecordsRequest(record_ids=[f"r{n}" for n in range(101)], **ADA)),
    ("page_size", pb.ListRecordsRequest(page_size=1_001, **ADA)),
    ("route.categories[0]", pb.RetrieveMemoriesRequest(query="q", route=pb.Route(categories=["?"]), **ADA)),
    ("success", pb.RecordRecoveryRequest(error_type="E", tool="t", **ADA)),
    ("error_type", pb.RecordRecoveryRequest(tool="t", success=True, **ADA)),
    ("fixed_json", pb.RecordRecoveryRequest(error_type="E", tool="t", fixed_json="no", success=True, **ADA)),
    ("min_match", pb.FindRecoveriesRequest(error_type="E", tool="t", min_match=-0.1, **ADA)),
    ("record_ids", pb.ReportOutcomeRequest(**ADA)),
    ("stars", pb.GiveFeedbackRequest(record_ids=["r"], stars=0, **ADA)),
    ("stars", pb.GiveFeedbackRequest(record_ids=["r"], stars=6, **ADA)),
    ("stars", pb.GiveFeedbackRequest(record_ids=["r"], stars=5, thumb=pb.THUMB_UP, **ADA)),
    ("stars", pb.GiveFeedbackRequest(record_ids=["r"], **ADA)),
    ("thumb", pb.GiveFeedbackRequest(record_ids=["r"], thumb=9, **ADA)),  # type: ignore[arg-type]
    ("title", pb.GenerateReflectionRequest(category="work", **ADA)),
    ("title", pb.GenerateReflectionRequest(title="a\nb", category="work", **ADA)),
    ("category", pb.GenerateReflectionRequest(title="t", **ADA)),
    (
        "collection.half_life_days[work]",
        pb.UpdateCollectionRequest(
            collection=pb.Collection(half_life_days={"work": -1.0}, **ADA),
            update_mask=FieldMask(paths=["half_life_days"]),
        ),
    ),
    ("update_mask", pb.UpdateCollectionRequest(collection=pb.Collection(**ADA))),
    ("tool_format", pb.DeclareToolsRequest(tool_format=9)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("field", "request_"), BAD, ids=[f"{type(r).__name__}-{f}" for f, r in BAD])
async def test_a_wrong_value_is_refused_by_its_field_and_nothing_is_made(
    service: Service, field: str, request_: Message
) -> None:
    verb = type(request_).__name__.removesuffix("Request")

    error = await refused(getattr(service.long_term, verb)(request_))

    assert error.reason in ("INVALID_FIELD", "EMBEDDING_SPACE_MISMATCH")
    assert error.metadata["field"].startswith(field)
    listed = await service.long_term.ListCollections(pb.ListCollectionsRequest(user="ada"))
    assert not listed.collections


async def test_an_import_that_cannot_be_read_makes_nothing(service: Service) -> None:
    bad = [
        "",
        "no",
        "[]x",
        '{"memories": 3}',
        '{"memories": [{}]}',
        '{"memories": [{"memory_id": "/", "content": "x"}]}',
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
