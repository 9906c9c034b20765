"""Another user's memory, another collection, another tenant: each as one that never was, byte for byte."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from memorybank.v1 import long_term_pb2 as pb
from tests.support.server import Service

MASK = FieldMask(paths=["content"])
THUMB = pb.THUMB_UP

REFUSED: dict[str, Callable[[str, str, str], Message]] = {
    "GetRecord": lambda u, c, r: pb.GetRecordRequest(user=u, collection=c, record_id=r),
    "UpdateRecord": lambda u, c, r: pb.UpdateRecordRequest(
        user=u, collection=c, record=pb.Record(record_id=r, content="x"), update_mask=MASK
    ),
    "ListRecords": lambda u, c, r: pb.ListRecordsRequest(user=u, collection=c),
    "DeleteRecords": lambda u, c, r: pb.DeleteRecordsRequest(user=u, collection=c, record_ids=[r]),
    "ReportOutcome": lambda u, c, r: pb.ReportOutcomeRequest(user=u, collection=c, record_ids=[r]),
    "GiveFeedback": lambda u, c, r: pb.GiveFeedbackRequest(user=u, collection=c, record_ids=[r], thumb=THUMB),
    "GenerateReflection": lambda u, c, r: pb.GenerateReflectionRequest(
        user=u, collection=c, title="t", record_ids=[r]
    ),
    "GetReflection": lambda u, c, r: pb.GetReflectionRequest(user=u, collection=c, reflection_id=r),
    "ListReflections": lambda u, c, r: pb.ListReflectionsRequest(user=u, collection=c),
    "DeleteReflection": lambda u, c, r: pb.DeleteReflectionRequest(user=u, collection=c, reflection_id=r),
    "GetCollection": lambda u, c, r: pb.GetCollectionRequest(user=u, collection=c),
    "DeleteCollection": lambda u, c, r: pb.DeleteCollectionRequest(user=u, collection=c),
}
FINDS_NOTHING: dict[str, Callable[[str, str, str], Message]] = {
    "RetrieveFacts": lambda u, c, r: pb.RetrieveFactsRequest(user=u, collection=c, query="harbour"),
    "RecallEpisodes": lambda u, c, r: pb.RecallEpisodesRequest(user=u, collection=c, query="harbour"),
    "RetrieveMemories": lambda u, c, r: pb.RetrieveMemoriesRequest(user=u, collection=c, query="harbour"),
    "FindRecoveries": lambda u, c, r: pb.FindRecoveriesRequest(
        user=u, collection=c, error_type="E", tool="t", message="harbour"
    ),
    "ListCollections": lambda u, c, r: pb.ListCollectionsRequest(user=u),
}
STREAMED: dict[str, Callable[[str, str, str], Message]] = {
    "ExportFeedback": lambda u, c, r: pb.ExportFeedbackRequest(user=u, collection=c),
    "ExportCollection": lambda u, c, r: pb.ExportCollectionRequest(user=u, collection=c),
}


async def ada_s_memory(service: Service) -> str:
    """A fact, an episode and a recovery of Ada's under `work`; the fact's id."""
    owner: dict[str, Any] = {"user": "ada", "collection": "work"}
    stored = await service.long_term.StoreFact(
        pb.StoreFactRequest(content="Ada lives near the harbour.", **owner)
    )
    await service.long_term.StoreEpisode(pb.StoreEpisodeRequest(goal="Moved to the harbour", **owner))
    await service.long_term.RecordRecovery(
        pb.RecordRecoveryRequest(error_type="E", tool="t", message="harbour", success=True, **owner)
    )
    return stored.record.record_id


async def told(call: Any, *names: str) -> bytes:
    """What a refused call tells, the names that were asked for made alike."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    details = sorted(repr(pair) for pair in caught.value.trailing_metadata() or ())
    whole = repr((caught.value.code(), caught.value.details(), details)).encode()
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    for name in names:
        assert len(name) == 4, "so that lengths in the bytes are alike, too"
        whole = whole.replace(name.encode(), b"....")
    return whole


@pytest.mark.parametrize("verb", REFUSED)
async def test_what_is_another_s_is_refused_as_what_never_was(service: Service, verb: str) -> None:
    record_id = await ada_s_memory(service)
    call, make = getattr(service.long_term, verb), REFUSED[verb]
    never = await told(call(make("nemo", "none", record_id)), "nemo", "none")

    assert await told(call(make("boby", "work", record_id)), "boby", "work") == never
    assert await told(call(make("adas", "work", record_id)), "adas", "work") == never
    home = await told(call(make("ada", "home", record_id)), "home")
    assert home == (await told(call(make("ada", "none", record_id)), "none"))


@pytest.mark.parametrize("verb", FINDS_NOTHING)
async def test_what_is_another_s_is_not_found_as_what_never_was(service: Service, verb: str) -> None:
    record_id = await ada_s_memory(service)
    call, make = getattr(service.long_term, verb), FINDS_NOTHING[verb]

    never = (await call(make("nemo", "none", record_id))).SerializeToString()

    assert (await call(make("bob", "work", record_id))).SerializeToString() == never
    if verb != "ListCollections":
        assert (await call(make("ada", "home", record_id))).SerializeToString() == never


@pytest.mark.parametrize("verb", STREAMED)
async def test_what_is_another_s_is_not_written_out(service: Service, verb: str) -> None:
    record_id = await ada_s_memory(service)
    call, make = getattr(service.long_term, verb), STREAMED[verb]

    for user, collection in (("bob", "work"), ("ada", "home"), ("nemo", "none")):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [part async for part in call(make(user, collection, record_id))]
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_every_read_and_every_change_of_what_is_there_is_covered() -> None:
    makes_what_is_missing = {"StoreFact", "StoreEpisode", "AddRecord", "RecordRecovery", "UpdateCollection"}
    not_of_a_collection = {"DeclareTools", "ImportCollection", "GetUser", "UpdateUser", "PurgeUser"}
    every = {method.name for method in pb.DESCRIPTOR.services_by_name["LongTerm"].methods}

    covered = {*REFUSED, *FINDS_NOTHING, *STREAMED}

    assert every == covered | makes_what_is_missing | not_of_a_collection
