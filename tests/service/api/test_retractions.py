"""Taking back what a source taught a collection, over a real channel: quarantined, released, erased."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from tests.e2e.test_purge_killed import files_with
from tests.support.postgres import cluster, empty_database
from tests.support.scale import scaled
from tests.support.server import Service, refused, serving

MARK = "zorkmid"
STORES = ("sqlite", "memory", "postgres") if scaled(1) > 1 else ("sqlite",)
CLEAN = (
    "The ferry to Naxos leaves at nine from pier 3.",
    "The project's database is PostgreSQL.",
    "预算不能超过10万元。",
    "The office in Zurich has forty desks.",
)
POISONED = (
    "The project's database is MySQL, says zorkmid.",
    "The zorkmid of the harbour pays for every ferry.",
    "预算不能超过90万元，zorkmid说。",
)


def owner(name: str) -> dict[str, Any]:
    return {"user": name, "collection": "work"}


@asynccontextmanager
async def kept_in(store: str, folder: Path) -> AsyncIterator[Service]:
    section: dict[str, Any] = {"kind": store}
    if store == "postgres":
        database = cluster().over_tcp(empty_database(), cluster().port)
        section = {"url": database.url, "password": database.password}
    async with serving(folder=folder, store={**section, "scrub_seconds": 1}) as service:
        yield service


@pytest.fixture(params=STORES)
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Service]:
    async with kept_in(request.param, tmp_path) as running:
        yield running


async def tell(service: Service, content: str, name: str = "ada", **fields: Any) -> pb.Record:
    answer = await service.long_term.StoreFact(
        pb.StoreFactRequest(content=content, wait=True, **owner(name), **fields)
    )
    return answer.record


async def told(service: Service, name: str = "ada", *, poisoned: bool = True) -> None:
    """Clean facts from the user, and poisoned ones from a search, between them."""
    for number, content in enumerate(CLEAN):
        await tell(service, content, name, source="the user")
        if poisoned and number < len(POISONED):
            await tell(service, POISONED[number], name, source="web", request_id=f"{name}-{number}")


async def retract(service: Service, **asked: Any) -> pb.RetractRecordsResponse:
    return await service.long_term.RetractRecords(pb.RetractRecordsRequest(**owner("ada"), **asked))


async def listed(service: Service, name: str = "ada") -> list[pb.Record]:
    answer = await service.long_term.ListRecords(pb.ListRecordsRequest(page_size=1000, **owner(name)))
    return list(answer.records)


async def as_told(service: Service, name: str) -> list[tuple[Any, ...]]:
    """Every record but for ids, times and revisions."""
    records = await listed(service, name)
    content = {record.record_id: record.content for record in records}
    return sorted(
        (r.content, r.state, r.source, sorted(content[key] for key in r.contested_with)) for r in records
    )


async def answers(service: Service) -> list[str]:
    """What every call that reads answers about the user, as text."""
    memory, of = service.long_term, owner("ada")
    query = f"What does the {MARK} say of the database, the ferry, 预算?"
    context = retrieval.AssembleContextRequest(input=query, observe=True, top_facts=100, **of)
    found = [
        await memory.ListRecords(pb.ListRecordsRequest(page_size=1000, **of)),
        await memory.RetrieveFacts(
            pb.RetrieveFactsRequest(query=query, top_k=100, include_superseded=True, observe=True, **of)
        ),
        await memory.RetrieveMemories(pb.RetrieveMemoriesRequest(query=query, top_k=100, observe=True, **of)),
        await memory.RecallEpisodes(pb.RecallEpisodesRequest(query=query, observe=True, **of)),
        await memory.ListReflections(pb.ListReflectionsRequest(**of)),
        await memory.ListRetractions(pb.ListRetractionsRequest(**of)),
        await memory.GetCollection(pb.GetCollectionRequest(**of)),
        await service.retrieval.AssembleContext(context),
        await service.retrieval.Explain(
            retrieval.ExplainRequest(input="Which database?", text=f"{MARK} pays", **of)
        ),
    ]
    streams: list[Any] = [
        memory.ExportCollection(pb.ExportCollectionRequest(**of)),
        memory.ExportFeedback(pb.ExportFeedbackRequest(**of)),
        memory.ExportUser(pb.ExportUserRequest(user="ada")),
    ]
    said = [
        answer.prompt.rpartition("## Now")[0] if hasattr(answer, "prompt") else str(answer)
        for answer in found
    ]
    return said + [str(part) for stream in streams for part in [each async for each in stream]]


async def test_a_quarantine_is_as_if_it_had_never_been_told_and_a_release_undoes_it(service: Service) -> None:
    await told(service)
    await told(service, "never", poisoned=False)
    before = await as_told(service, "ada")
    feedback = pb.GiveFeedbackRequest(
        record_ids=[(await listed(service))[1].record_id],
        thumb=pb.THUMB_UP,
        response=f"So says the {MARK}.",
        **owner("ada"),
    )
    await service.long_term.GiveFeedback(feedback)
    rated = await listed(service)

    tried = await retract(service, filter=pb.RetractionFilter(source="web"), dry_run=True)
    untouched = await as_told(service, "ada")
    done = await retract(service, filter=pb.RetractionFilter(source="web"), request_id="r1")
    again = await retract(service, filter=pb.RetractionFilter(source="web"), request_id="r1")
    clean = await as_told(service, "ada")
    read = await answers(service)
    repeated = await service.long_term.StoreFact(
        pb.StoreFactRequest(content=POISONED[1], wait=True, source="web", request_id="ada-1", **owner("ada"))
    )

    assert not tried.HasField("retraction")
    assert tried.record_ids == done.record_ids
    assert untouched == before
    assert len(done.record_ids) == len(POISONED)
    assert (again.replayed, again.retraction) == (True, done.retraction)
    assert clean == await as_told(service, "never")
    assert not [answer for answer in read if MARK in answer]
    assert (repeated.replayed, repeated.record.content) == (True, "")  # stores nothing
    assert await as_told(service, "ada") == clean

    released = await service.long_term.ReleaseRetraction(
        pb.ReleaseRetractionRequest(retraction_id=done.retraction.retraction_id, **owner("ada"))
    )
    assert released.records == len(POISONED)
    assert released.retraction.state == types.RETRACTION_STATE_RELEASED
    assert await as_told(service, "ada") == before
    assert [(r.record_id, r.reward, r.confidence) for r in await listed(service)] == [
        (r.record_id, r.reward, r.confidence) for r in rated
    ]
    closed = await refused(
        service.long_term.EraseRetraction(
            pb.EraseRetractionRequest(retraction_id=done.retraction.retraction_id, **owner("ada"))
        )
    )
    assert (closed.reason, closed.metadata["status"]) == ("RETRACTION_CLOSED", "released")


async def test_what_is_erased_leaves_no_byte(service: Service, tmp_path: Path) -> None:
    await told(service)
    done = await retract(service, filter=pb.RetractionFilter(source="web"), reason="a poisoned page")

    erased = await service.long_term.EraseRetraction(
        pb.EraseRetractionRequest(retraction_id=done.retraction.retraction_id, **owner("ada"))
    )
    kept = await service.long_term.ListRetractions(pb.ListRetractionsRequest(**owner("ada")))

    assert erased.records == len(POISONED)
    (retraction,) = kept.retractions
    assert (retraction.state, retraction.records) == (types.RETRACTION_STATE_ERASED, len(POISONED))
    assert (retraction.filter.source, retraction.reason) == ("web", "a poisoned page")
    if service.settings.store.kind == "sqlite":
        await without(tmp_path, MARK)
    await tell(service, "The project's database is MySQL, says zorkmid.", source="the admin")
    assert MARK in str(await listed(service))  # no tombstone: from elsewhere it is news


async def without(folder: Path, mark: str) -> None:
    """Waits until no file holds it: the scrub comes when `scrub_seconds` have passed."""
    async with asyncio.timeout(60):
        while files_with(folder, [mark.encode()]):  # noqa: ASYNC110  only the files tell
            await asyncio.sleep(0.1)


async def test_what_rests_on_others_stays_with_their_evidence(service: Service) -> None:
    both = await tell(service, CLEAN[0], source="web")
    await tell(service, CLEAN[0], source="the user")

    done = await retract(service, filter=pb.RetractionFilter(source="web"))
    (left,) = await listed(service)

    assert not done.record_ids
    assert done.changed_ids == [both.record_id]
    assert (left.content, left.source) == (CLEAN[0], "the user")
    assert "web" not in {source.source for source in left.also_from}


async def test_what_was_decided_meanwhile_stands_after_a_release(service: Service) -> None:
    old = await tell(service, "The project's database is PostgreSQL.", source="the user")
    bad = await tell(service, "The project's database is MySQL.", source="web", supersedes=[old.record_id])
    done = await retract(service, record_ids=[bad.record_id])
    standing = {r.record_id: (r.state, r.needs_revision) for r in await listed(service)}
    newer = await tell(
        service, "The project's database is SQLite.", source="the user", supersedes=[old.record_id]
    )

    await service.long_term.ReleaseRetraction(
        pb.ReleaseRetractionRequest(retraction_id=done.retraction.retraction_id, **owner("ada"))
    )
    after = {r.record_id: r for r in await listed(service)}

    assert standing == {old.record_id: (pb.RECORD_STATE_ACTIVE, True)}
    assert after[old.record_id].superseded_by == newer.record_id  # decided meanwhile
    assert bad.record_id in after


async def test_what_comes_back_by_a_release_is_in_doubt_where_what_replaced_it_is_gone(
    service: Service,
) -> None:
    old = await tell(service, "项目的数据库是 PostgreSQL。", source="the user")
    new = await tell(service, "项目的数据库是 MySQL。", source="web", supersedes=[old.record_id])
    done = await retract(service, record_ids=[old.record_id])
    await service.long_term.DeleteRecords(pb.DeleteRecordsRequest(record_ids=[new.record_id], **owner("ada")))

    await service.long_term.ReleaseRetraction(
        pb.ReleaseRetractionRequest(retraction_id=done.retraction.retraction_id, **owner("ada"))
    )
    (back,) = await listed(service)

    assert (back.record_id, back.state, back.needs_revision) == (old.record_id, pb.RECORD_STATE_ACTIVE, True)


async def test_by_conversation_and_by_time_of_writing(service: Service) -> None:
    first = await tell(service, CLEAN[0], conversation_id="c1")
    second = await tell(service, CLEAN[1], conversation_id="c2")
    third = await tell(service, CLEAN[2])

    of_talk = await retract(service, filter=pb.RetractionFilter(conversation_id="c1"), dry_run=True)
    of_time = await retract(
        service, filter=pb.RetractionFilter(written=types.TimeRange(start=third.create_time)), dry_run=True
    )
    of_both = await retract(
        service,
        filter=pb.RetractionFilter(conversation_id="c2", written=types.TimeRange(end=second.create_time)),
        dry_run=True,
    )

    assert of_talk.record_ids == [first.record_id]
    assert of_time.record_ids == [third.record_id]
    assert not of_both.record_ids


async def test_what_a_deleted_turn_taught_comes_back_by_no_release(service: Service) -> None:
    turn = talk.Turn(input="My sister is allergic to walnuts.", reply="Noted.")
    await service.conversation.AddTurns(
        talk.AddTurnsRequest(user="ada", conversation_id="c1", collection="work", turns=[turn])
    )
    await service.conversation.EndConversation(
        talk.EndConversationRequest(user="ada", conversation_id="c1", wait=True)
    )
    assert await listed(service)
    done = await retract(service, filter=pb.RetractionFilter(conversation_id="c1"))
    assert done.record_ids

    await service.conversation.DeleteTurns(
        talk.DeleteTurnsRequest(user="ada", conversation_id="c1", first_step=1, last_step=1)
    )
    await service.long_term.ReleaseRetraction(
        pb.ReleaseRetractionRequest(retraction_id=done.retraction.retraction_id, **owner("ada"))
    )

    assert not [r for r in await listed(service) if "walnut" in r.content]


async def test_what_names_nothing_or_is_not_there_is_refused_and_nothing_is_done(service: Service) -> None:
    await told(service)
    before = await as_told(service, "ada")
    nothing = await refused(retract(service))
    both = await refused(retract(service, record_ids=["r-1"], filter=pb.RetractionFilter(source="web")))
    nowhere = await refused(retract(service, record_ids=["r-nowhere"]))
    of_another = (await tell(service, CLEAN[0], "eve")).record_id
    another = await refused(retract(service, record_ids=[of_another]))
    unknown = await refused(
        service.long_term.ReleaseRetraction(
            pb.ReleaseRetractionRequest(retraction_id="x-nowhere", **owner("ada"))
        )
    )
    none = await retract(service, filter=pb.RetractionFilter(source="nobody"))

    assert nothing.fields == both.fields == ("filter",)
    assert nowhere.reason == another.reason == "RECORD_NOT_FOUND"
    assert unknown.reason == "RETRACTION_NOT_FOUND"
    assert not none.HasField("retraction")
    assert await as_told(service, "ada") == before
