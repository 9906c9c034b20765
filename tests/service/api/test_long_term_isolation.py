"""Another user's memory, another collection, another tenant: each as one that never was, byte for byte.

As long as there are no credentials every call is of one tenant; here a call's metadata names another.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from core.caller import DEFAULT_TENANT, Caller
from core.ids import Tenant
from memorybank.v1 import long_term_pb2 as pb
from service.process.current_call import CURRENT
from tests.protos.test_contract import is_read
from tests.service.api.every_violation import RIGHT
from tests.support.server import Service

RIVAL = (("x-tenant", "rival"),)
"""Metadata of a call of another tenant."""

MASK = FieldMask(paths=["content"])
THUMB = pb.THUMB_UP

REFUSED: dict[str, Callable[[str, str, str], Message]] = {
    "GetRecord": lambda u, c, r: pb.GetRecordRequest(user=u, collection=c, record_id=r),
    "UpdateRecord": lambda u, c, r: pb.UpdateRecordRequest(
        user=u, collection=c, record=pb.Record(record_id=r, content="x"), update_mask=MASK
    ),
    "ListRecords": lambda u, c, r: pb.ListRecordsRequest(user=u, collection=c),
    "DeleteRecords": lambda u, c, r: pb.DeleteRecordsRequest(user=u, collection=c, record_ids=[r]),
    "ReviewRecords": lambda u, c, r: pb.ReviewRecordsRequest(
        user=u, collection=c, record_ids=[r], decision=pb.REVIEW_DECISION_APPROVE
    ),
    "RetractRecords": lambda u, c, r: pb.RetractRecordsRequest(user=u, collection=c, record_ids=[r]),
    "ReleaseRetraction": lambda u, c, r: pb.ReleaseRetractionRequest(user=u, collection=c, retraction_id=r),
    "EraseRetraction": lambda u, c, r: pb.EraseRetractionRequest(user=u, collection=c, retraction_id=r),
    "ListRetractions": lambda u, c, r: pb.ListRetractionsRequest(user=u, collection=c),
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


def _of_collection(right: Any) -> Callable[[str, str, str], Message]:
    """Makes a right request one for a user's collection."""

    def request(user: str, collection: str, _: str) -> Any:
        made = type(right)()
        made.CopyFrom(right)
        made.user, made.collection = user, collection
        return made

    return request


REFUSED |= {
    method.name: _of_collection(RIGHT[method.name])
    for method in pb.DESCRIPTOR.services_by_name["LongTerm"].methods
    if is_read(method)
    and "collection" in method.input_type.fields_by_name
    and method.name not in {*REFUSED, *FINDS_NOTHING, *STREAMED}
}
"""Reads of a collection that no line above has."""


@pytest.fixture(autouse=True)
def _tenants(monkeypatch: pytest.MonkeyPatch) -> None:
    def caller_now() -> Caller:
        call = CURRENT.get()
        assert call is not None
        sent = dict(call.metadata() or ())
        return Caller.local(Tenant(str(sent.get("x-tenant", DEFAULT_TENANT))))

    monkeypatch.setattr("service.api.endpoint.caller_now", caller_now)


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
    rival = await told(call(make("adaa", "work", record_id), metadata=RIVAL), "adaa", "work")
    assert rival == never
    rival = await told(call(make("ada", "work", record_id), metadata=RIVAL), "work")
    assert rival == await told(call(make("ada", "none", record_id), metadata=RIVAL), "none")


@pytest.mark.parametrize("verb", FINDS_NOTHING)
async def test_what_is_another_s_is_not_found_as_what_never_was(service: Service, verb: str) -> None:
    record_id = await ada_s_memory(service)
    call, make = getattr(service.long_term, verb), FINDS_NOTHING[verb]

    never = (await call(make("nemo", "none", record_id))).SerializeToString()

    assert (await call(make("bob", "work", record_id))).SerializeToString() == never
    assert (await call(make("ada", "work", record_id), metadata=RIVAL)).SerializeToString() == never
    if verb != "ListCollections":
        assert (await call(make("ada", "home", record_id))).SerializeToString() == never


@pytest.mark.parametrize("verb", STREAMED)
async def test_what_is_another_s_is_not_written_out(service: Service, verb: str) -> None:
    record_id = await ada_s_memory(service)
    call, make = getattr(service.long_term, verb), STREAMED[verb]

    async def written(user: str, collection: str, metadata: Any = ()) -> None:
        async for _ in call(make(user, collection, record_id), metadata=metadata):
            pass

    never = await told(written("nemo", "none"), "nemo", "none")
    assert await told(written("boby", "work"), "boby", "work") == never
    assert await told(written("ada", "home"), "home") == await told(written("ada", "none"), "none")
    assert await told(written("ada", "work", RIVAL), "work") == await told(written("ada", "none"), "none")


USERS: dict[str, Message] = {
    "GetUser": pb.GetUserRequest(user="ada"),
    "ListUsers": pb.ListUsersRequest(),
    "UpdateUser": pb.UpdateUserRequest(
        user=pb.User(user="ada", enabled=False), update_mask=FieldMask(paths=["enabled"])
    ),
    "PurgeUser": pb.PurgeUserRequest(user="ada", include_banks=True),
    "EraseMentions": pb.EraseMentionsRequest(user="ada", mentions=["Bob"]),
    "ExportUser": pb.ExportUserRequest(user="ada"),
}
MAKES: dict[str, Callable[[str], Message]] = {
    "StoreFact": lambda r: pb.StoreFactRequest(
        user="ada", collection="work", content="Ada lives near the harbour.", request_id="q1"
    ),
    "StoreEpisode": lambda r: pb.StoreEpisodeRequest(
        user="ada", collection="work", goal="Moved", request_id="q1"
    ),
    "AddRecord": lambda r: pb.AddRecordRequest(
        user="ada", collection="work", record=pb.Record(record_id=r, content="Mine"), request_id="q1"
    ),
    "PutRecord": lambda r: pb.PutRecordRequest(
        user="ada", collection="work", record=pb.Record(record_id="p1", content="Mine"), request_id="q1"
    ),
    "BatchPutRecords": lambda r: pb.BatchPutRecordsRequest(
        user="ada", collection="work", records=[pb.Record(record_id="p1", content="Mine")], delete_ids=[r]
    ),
    "RecordRecovery": lambda r: pb.RecordRecoveryRequest(
        user="ada", collection="work", error_type="E", tool="t", message="harbour", success=True
    ),
    "UpdateCollection": lambda r: pb.UpdateCollectionRequest(
        collection=pb.Collection(user="ada", collection="work", enabled=False),
        update_mask=FieldMask(paths=["enabled"]),
    ),
}


async def all_of_ada(service: Service) -> list[bytes]:
    """Everything that is kept of her, as it is written out."""
    return [part.content async for part in service.long_term.ExportUser(pb.ExportUserRequest(user="ada"))]


@pytest.mark.parametrize("verb", USERS)
async def test_a_user_of_another_tenant_is_one_that_never_was(service: Service, verb: str) -> None:
    await ada_s_memory(service)
    before = await all_of_ada(service)
    answer = getattr(service.long_term, verb)(USERS[verb], metadata=RIVAL)

    if verb == "ExportUser":
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [part async for part in answer]
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    elif verb == "ListUsers":
        assert not (await answer).users
    elif verb == "GetUser":
        await told(answer)
    elif verb == "PurgeUser":
        assert await answer == pb.PurgeUserResponse()
    elif verb == "EraseMentions":
        assert await answer == pb.EraseMentionsResponse()
    else:
        assert not (await answer).user.enabled  # a user of that tenant's own

    assert await all_of_ada(service) == before


@pytest.mark.parametrize("verb", MAKES)
async def test_what_is_written_for_another_tenant_neither_meets_nor_changes_what_is_there(
    service: Service, verb: str
) -> None:
    record_id = await ada_s_memory(service)
    before = await all_of_ada(service)

    made = await getattr(service.long_term, verb)(MAKES[verb](record_id), metadata=RIVAL)

    assert not getattr(made, "known", False)
    assert not made.replayed
    assert await all_of_ada(service) == before


async def test_an_import_for_another_tenant_is_that_tenant_s(service: Service) -> None:
    await ada_s_memory(service)
    before = await all_of_ada(service)
    whole = pb.ExportCollectionRequest(user="ada", collection="work")
    parts = [part async for part in service.long_term.ExportCollection(whole)]

    async def again() -> AsyncIterator[pb.ImportCollectionRequest]:
        yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(user="ada", collection="work"))
        for part in parts:
            yield pb.ImportCollectionRequest(file=part)

    made = await service.long_term.ImportCollection(again(), metadata=RIVAL)

    assert (made.records, list(made.known_ids)) == (3, [])
    assert await all_of_ada(service) == before


async def test_a_user_imported_by_another_tenant_is_that_tenant_s(service: Service) -> None:
    await ada_s_memory(service)
    before = await all_of_ada(service)
    whole = pb.ExportUserRequest(user="ada", omit_banks=True)
    files = [file async for file in service.long_term.ExportUser(whole)]

    async def again() -> AsyncIterator[pb.ImportUserRequest]:
        yield pb.ImportUserRequest(options=pb.ImportUserOptions(user="ada"))
        for file in files:
            yield pb.ImportUserRequest(file=file)

    made = await service.long_term.ImportUser(again(), metadata=RIVAL)

    assert made.rows["records"] == 3
    assert await all_of_ada(service) == before


def test_every_call_is_covered() -> None:
    every = {method.name for method in pb.DESCRIPTOR.services_by_name["LongTerm"].methods}

    covered = {*REFUSED, *FINDS_NOTHING, *STREAMED, *USERS, *MAKES, "ImportCollection", "ImportUser"}

    assert every == covered | {"DeclareTools"}  # which are the same for all
