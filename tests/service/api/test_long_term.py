"""LongTerm over the wire: facts, episodes and records of one user under one name."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import retrieval_pb2, types_pb2
from tests.support.server import Service, refused

ADA: dict[str, Any] = {"user": "ada", "collection": "work"}


async def stored(service: Service, content: str, **fields: Any) -> pb.Record:
    request = pb.StoreFactRequest(content=content, wait=True, **{**ADA, **fields})
    return (await service.long_term.StoreFact(request)).record


async def retrieved(service: Service, query: str, **fields: Any) -> list[str]:
    request = pb.RetrieveFactsRequest(query=query, **{**ADA, **fields})
    return [found.record.content for found in (await service.long_term.RetrieveFacts(request)).facts]


async def eventually(call: Callable[[], Awaitable[Any]]) -> Any:
    """The answer of a call that is refused until a chore is done."""
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise


async def test_a_stored_fact_is_found_at_once_with_what_made_its_score(service: Service) -> None:
    await service.long_term.StoreFact(pb.StoreFactRequest(content="Ada's desk is in Zürich.", **ADA))

    answer = await service.long_term.RetrieveFacts(
        pb.RetrieveFactsRequest(query="Where is Ada's desk?", **ADA)
    )

    (found,) = answer.facts
    assert found.record.content == "Ada's desk is in Zürich."
    assert found.record.confidence == 0.8
    assert found.score == pytest.approx(found.similarity * found.weight * found.decay)
    assert found.weight == pytest.approx(0.4)
    assert found.decay == 1.0
    assert answer.revision > 0


async def test_what_another_user_or_collection_holds_is_not_found(service: Service) -> None:
    await stored(service, "用户住在杭州。")

    assert await retrieved(service, "用户住在哪里？") == ["用户住在杭州。"]
    assert await retrieved(service, "用户住在哪里？", user="bob") == []
    assert await retrieved(service, "用户住在哪里？", collection="home") == []


async def test_the_same_words_again_make_the_known_fact_surer(service: Service) -> None:
    first = await stored(service, "The build runs on Linux.")

    again = await service.long_term.StoreFact(
        pb.StoreFactRequest(content="  the build runs on LINUX. ", source="c-7", **ADA)
    )

    assert again.known
    assert again.record.record_id == first.record_id
    assert again.record.confidence == pytest.approx(0.82)
    assert [origin.source for origin in again.record.also_from] == ["c-7"]


async def test_a_repeated_request_answers_as_the_first(service: Service) -> None:
    request = pb.StoreFactRequest(content="The key is under the mat.", request_id="r-1", **ADA)
    first = await service.long_term.StoreFact(request)

    again = await service.long_term.StoreFact(request)

    assert again.replayed
    assert again.record.record_id == first.record.record_id
    assert again.revision == first.revision


async def test_a_contradicting_fact_contests_the_older_one_and_comes_first(service: Service) -> None:
    old = await stored(service, "The database of the project is MySQL.")

    answer = await service.long_term.StoreFact(
        pb.StoreFactRequest(content="The database of the project is PostgreSQL.", wait=True, **ADA)
    )

    assert (list(answer.superseded_ids), list(answer.contested_ids)) == ([], [old.record_id])
    assert await retrieved(service, "Which database does the project use?") == [
        "The database of the project is PostgreSQL.",
        "The database of the project is MySQL.",
    ]


async def test_a_fact_takes_the_place_of_those_that_the_caller_names(service: Service) -> None:
    old = await stored(service, "The database of the project is MySQL.")

    answer = await service.long_term.StoreFact(
        pb.StoreFactRequest(
            content="The database of the project is PostgreSQL.", supersedes=[old.record_id], **ADA
        )
    )
    past = (await service.long_term.GetRecord(pb.GetRecordRequest(record_id=old.record_id, **ADA))).record

    assert list(answer.superseded_ids) == [old.record_id]
    assert past.state == pb.RECORD_STATE_SUPERSEDED
    assert (past.superseded_by, past.superseded_reason) == (
        answer.record.record_id,
        pb.SUPERSEDED_REASON_CALLER,
    )
    assert await retrieved(service, "Which database does the project use?") == [
        "The database of the project is PostgreSQL."
    ]
    both = await retrieved(service, "Which database does the project use?", include_superseded=True)
    assert len(both) == 2


async def test_what_cannot_be_superseded_is_refused_and_nothing_is_stored(service: Service) -> None:
    mine = await stored(service, "The database of the project is MySQL.")
    episode = await service.long_term.StoreEpisode(pb.StoreEpisodeRequest(goal="Move it", **ADA))
    theirs = await service.long_term.StoreFact(pb.StoreFactRequest(content="It is Oracle.", user="bob"))

    async def refusal(content: str, *ids: str) -> tuple[str, str]:
        error = await refused(
            service.long_term.StoreFact(pb.StoreFactRequest(content=content, supersedes=ids, **ADA))
        )
        return error.reason, error.metadata.get("field", "")

    assert await refusal("It is PostgreSQL.", theirs.record.record_id) == ("RECORD_NOT_FOUND", "")
    assert await refusal("It is PostgreSQL.", mine.record_id, "nowhere") == ("RECORD_NOT_FOUND", "")
    assert await refusal("It is PostgreSQL.", episode.record.record_id) == ("INVALID_FIELD", "supersedes[0]")
    assert await refusal(mine.content, mine.record_id) == ("INVALID_FIELD", "supersedes[0]")
    assert await refusal("It is PostgreSQL.", *map(str, range(21))) == ("INVALID_FIELD", "supersedes")
    listed = await service.long_term.ListRecords(pb.ListRecordsRequest(**ADA))
    assert {record.state for record in listed.records} == {pb.RECORD_STATE_ACTIVE}
    assert len(listed.records) == 2


async def test_a_superseded_fact_is_brought_back_contested_with_what_took_its_place(service: Service) -> None:
    old = await stored(service, "The office is in Graz.")
    new = await service.long_term.StoreFact(
        pb.StoreFactRequest(content="The office is in Linz.", supersedes=[old.record_id], **ADA)
    )

    brought_back = await service.long_term.UpdateRecord(
        pb.UpdateRecordRequest(
            record=pb.Record(record_id=old.record_id, state=pb.RECORD_STATE_CONTESTED),
            update_mask=FieldMask(paths=["state"]),
            **ADA,
        )
    )
    again = await refused(
        service.long_term.UpdateRecord(
            pb.UpdateRecordRequest(
                record=pb.Record(record_id=old.record_id, state=pb.RECORD_STATE_CONTESTED),
                update_mask=FieldMask(paths=["state"]),
                **ADA,
            )
        )
    )

    assert brought_back.record.state == pb.RECORD_STATE_CONTESTED
    assert brought_back.record.superseded_reason == pb.SUPERSEDED_REASON_UNSPECIFIED
    assert list(brought_back.record.contested_with) == [new.record.record_id]
    assert (again.reason, again.metadata["field"]) == ("INVALID_FIELD", "record.state")


async def test_what_held_at_an_earlier_time_is_found_as_of_then(service: Service) -> None:
    old = pb.StoreFactRequest(content="项目的数据库是MySQL。", wait=True, **ADA)
    old.event_time.FromJsonString("2023-01-01T00:00:00Z")
    await service.long_term.StoreFact(old)
    new = pb.StoreFactRequest(content="项目的数据库是PostgreSQL。", wait=True, **ADA)
    new.event_time.FromJsonString("2024-01-01T00:00:00Z")
    await service.long_term.StoreFact(new)

    asked = pb.RetrieveFactsRequest(query="项目用什么数据库？", **ADA)
    asked.as_of.FromJsonString("2023-06-01T00:00:00Z")
    then = await service.long_term.RetrieveFacts(asked)

    assert [f.record.content for f in then.facts] == ["项目的数据库是MySQL。"]


async def test_a_tool_s_claim_contests_what_the_user_said_and_never_supersedes_it(service: Service) -> None:
    said = await service.long_term.AddRecord(
        pb.AddRecordRequest(
            record=pb.Record(
                kind=pb.RECORD_KIND_FACT,
                content="The user's favourite drink is tea.",
                origin=pb.RECORD_ORIGIN_STATED,
            ),
            **ADA,
        )
    )
    await service.long_term.AddRecord(
        pb.AddRecordRequest(
            record=pb.Record(
                kind=pb.RECORD_KIND_FACT,
                content="The user's favourite drink is coffee.",
                origin=pb.RECORD_ORIGIN_OBSERVED,
            ),
            **ADA,
        )
    )
    await stored(service, "Something else entirely: the moon landing was in 1969.")  # waits for the judge

    listed = await service.long_term.ListRecords(
        pb.ListRecordsRequest(filter=pb.RecordFilter(states=[pb.RECORD_STATE_CONTESTED]), **ADA)
    )
    decided = await service.long_term.UpdateRecord(
        pb.UpdateRecordRequest(
            record=pb.Record(record_id=said.record.record_id, state=pb.RECORD_STATE_ACTIVE),
            update_mask=FieldMask(paths=["state"]),
            **ADA,
        )
    )

    assert len(listed.records) == 2
    assert decided.record.state == pb.RECORD_STATE_ACTIVE
    assert await retrieved(service, "favourite drink", top_k=1) == ["The user's favourite drink is tea."]


async def test_episodes_are_recalled_by_query_and_state(service: Service) -> None:
    for goal, outcome in (
        ("Migrate the database to PostgreSQL", "It took two nights; indexes had to be rebuilt."),
        ("Plan the team's trip", "We went by train."),
    ):
        await service.long_term.StoreEpisode(
            pb.StoreEpisodeRequest(goal=goal, steps=["asked", "did"], outcome=outcome, lessons="", **ADA)
        )

    answer = await service.long_term.RecallEpisodes(
        pb.RecallEpisodesRequest(query="migrate a database", state="indexes are missing", top_k=1, **ADA)
    )

    (found,) = answer.episodes
    assert found.record.episode.goal == "Migrate the database to PostgreSQL"
    assert list(found.record.episode.steps) == ["asked", "did"]


async def test_a_deleted_fact_does_not_come_back_out_of_older_text(service: Service) -> None:
    secret = await stored(service, "Ada is looking for another job in Berlin.")
    deleted = await service.long_term.DeleteRecords(
        pb.DeleteRecordsRequest(record_ids=[secret.record_id], **ADA)
    )
    older = pb.Record(
        kind=pb.RECORD_KIND_FACT,
        content="Ada is looking for another job in Berlin",
        origin=pb.RECORD_ORIGIN_STATED,
    )
    older.event_time.FromJsonString("2020-01-01T00:00:00Z")

    extracted = await service.long_term.AddRecord(pb.AddRecordRequest(record=older, **ADA))
    told_again = await service.long_term.StoreFact(
        pb.StoreFactRequest(content="Ada is looking for another job in Berlin.", **ADA)
    )

    assert deleted.records == 1
    assert extracted.forgotten
    assert not extracted.HasField("record")
    assert told_again.record.record_id != secret.record_id
    assert not told_again.known


async def test_deleting_a_contesting_fact_revives_what_it_contested(service: Service) -> None:
    old = await stored(service, "The lead of the project is Anna.")
    new = await stored(service, "The lead of the project is Boris.")

    answer = await service.long_term.DeleteRecords(pb.DeleteRecordsRequest(record_ids=[new.record_id], **ADA))

    assert list(answer.revived_ids) == [old.record_id]
    assert await retrieved(service, "Who is the lead of the project?") == ["The lead of the project is Anna."]


@pytest.mark.parametrize(
    ("old", "new", "asked", "mark"),
    [
        ("Ada's boat lies in Brest.", "Ada's boat lies in Cork.", "Where does Ada's boat lie?", "IN DOUBT"),
        ("艾达的船停在青岛。", "艾达的船停在大连。", "艾达的船停在哪里？", "存疑"),
    ],
)
async def test_a_fact_that_comes_back_as_its_successor_is_deleted_is_in_doubt(
    service: Service, old: str, new: str, asked: str, mark: str
) -> None:
    user = f"doubt-{mark}"
    first = (await service.long_term.StoreFact(pb.StoreFactRequest(content=old, user=user))).record
    second = await service.long_term.StoreFact(
        pb.StoreFactRequest(content=new, supersedes=[first.record_id], wait=True, user=user)
    )

    deleted = await service.long_term.DeleteRecords(
        pb.DeleteRecordsRequest(record_ids=[second.record.record_id], user=user)
    )
    doubtful = pb.ListRecordsRequest(filter=pb.RecordFilter(needs_revision=True), user=user)
    (back,) = (await service.long_term.ListRecords(doubtful)).records
    made = await service.retrieval.AssembleContext(
        retrieval_pb2.AssembleContextRequest(input=asked, observe=True, collection="", user=user)
    )

    assert list(deleted.revived_ids) == [first.record_id] == [back.record_id]
    assert f"{mark} {old}" in made.prompt


@pytest.mark.parametrize(
    ("content", "sort"),
    [
        ("My password is hunter2.", "credential"),
        ("卡号是4111 1111 1111 1111。", "card number"),
        ("身份证号11010519491231002X", "identity number"),
    ],
)
async def test_secrets_are_refused_unless_allowed(service: Service, content: str, sort: str) -> None:
    request = pb.StoreFactRequest(content=content, **ADA)

    error = await refused(service.long_term.StoreFact(request))
    request.allow_sensitive = True
    allowed = await service.long_term.StoreFact(request)

    assert (error.reason, error.metadata) == ("SENSITIVE_CONTENT", {"field": "content", "sort": sort})
    assert allowed.record.content == content


async def test_a_recovery_is_found_for_the_same_failure_in_other_words(service: Service) -> None:
    recovery = pb.RecordRecoveryRequest(
        error_type="ValueError",
        tool="search_documents",
        message="参数 'query' 不能为空",
        original_json=json.dumps({"query": "", "limit": 10}),
        fixed_json=json.dumps({"query": "用户输入的搜索词", "limit": 10}, ensure_ascii=False),
        success=True,
        **ADA,
    )
    first = await service.long_term.RecordRecovery(recovery)
    again = await service.long_term.RecordRecovery(recovery)

    found = await service.long_term.FindRecoveries(
        pb.FindRecoveriesRequest(
            error_type="ValueError", tool="search_documents", message="参数 'q' 不能为空", **ADA
        )
    )
    other = await service.long_term.FindRecoveries(
        pb.FindRecoveriesRequest(error_type="TimeoutError", tool="search_documents", message="slow", **ADA)
    )

    record = first.record
    assert (record.category, record.subcategory) == ("strategy", "error_recovery")
    assert list(record.tags) == ["error_recovery", "tool:search_documents", "error:ValueError"]
    assert record.confidence == pytest.approx(0.7)
    assert again.known
    assert again.record.recovery.successes == 2
    assert found.recoveries[0].match >= 0.8
    assert not other.recoveries


async def test_feedback_moves_worth_and_pairs_liked_with_disliked_answers(service: Service) -> None:
    fact = await stored(service, "Replies should be short.")
    for thumb, response in ((pb.THUMB_UP, "Yes."), (pb.THUMB_DOWN, "Well, it depends on many things.")):
        answer = await service.long_term.GiveFeedback(
            pb.GiveFeedbackRequest(
                record_ids=[fact.record_id],
                thumb=thumb,
                query="Is it open?",
                response=response,
                reason="length",
                **ADA,
            )
        )

    pairs = [pair async for pair in service.long_term.ExportFeedback(pb.ExportFeedbackRequest(**ADA))]

    record = answer.records[0]
    assert record.reward == pytest.approx(0.3 + 0.3 * (-1 - 0.3))
    assert record.confidence == pytest.approx(0.82 * 0.8)
    assert record.needs_revision
    assert [(pair.chosen, pair.rejected) for pair in pairs] == [("Yes.", "Well, it depends on many things.")]


async def test_a_reflection_stands_over_its_records_and_is_made_anew_without_a_deleted_one(
    service: Service,
) -> None:
    ids = []
    for step in ("Ask for the schema first.", "Retry with smaller pages."):
        added = await service.long_term.AddRecord(
            pb.AddRecordRequest(record=pb.Record(category="strategy", content=step), **ADA)
        )
        ids.append(added.record.record_id)
    made = await service.long_term.GenerateReflection(
        pb.GenerateReflectionRequest(title="What works", category="strategy", **ADA)
    )

    await service.long_term.DeleteRecords(pb.DeleteRecordsRequest(record_ids=ids[:1], **ADA))

    assert made.reflection.text.startswith("# What works")
    assert "Retry with smaller pages." in made.reflection.text
    asked = pb.GetReflectionRequest(reflection_id=made.reflection.reflection_id, **ADA)
    anew = await eventually(lambda: service.long_term.GetReflection(asked))
    assert "Ask for the schema first." not in anew.reflection.text
    assert list(anew.reflection.record_ids) == ids[1:]


async def test_an_import_of_an_export_equals_the_original(service: Service) -> None:
    await stored(service, "The database is MySQL.", metadata_json='{"page": 3}')
    await stored(service, "The database is PostgreSQL.")
    await service.long_term.StoreEpisode(pb.StoreEpisodeRequest(goal="Move", steps=["pack"], **ADA))
    await service.long_term.RecordRecovery(
        pb.RecordRecoveryRequest(
            error_type="E",
            tool="t",
            message="m",
            original_json='{"a": 1}',
            fixed_json='{"a": 2}',
            success=True,
            **ADA,
        )
    )
    await service.long_term.GenerateReflection(
        pb.GenerateReflectionRequest(title="All", category="strategy", **ADA)
    )
    parts = [part async for part in service.long_term.ExportCollection(pb.ExportCollectionRequest(**ADA))]

    async def stream() -> AsyncIterator[pb.ImportCollectionRequest]:
        yield pb.ImportCollectionRequest(options=pb.ImportCollectionOptions(user="bob", collection="copy"))
        for part in parts:
            yield pb.ImportCollectionRequest(file=part)

    done = await service.long_term.ImportCollection(stream())
    copied = [
        part
        async for part in service.long_term.ExportCollection(
            pb.ExportCollectionRequest(user="bob", collection="copy")
        )
    ]

    assert (done.records, done.reflections) == (4, 1)
    assert [(part.path, part.content) for part in copied] == [(part.path, part.content) for part in parts]
    index = json.loads(parts[0].content)
    assert {entry["layer"] for entry in index["memories"]} == {"L2"}


async def test_memory_that_is_off_takes_nothing_shows_nothing_and_forgets_still(service: Service) -> None:
    fact = await stored(service, "The alarm is set for six.")
    off = await service.long_term.UpdateCollection(
        pb.UpdateCollectionRequest(
            collection=pb.Collection(enabled=False, **ADA), update_mask=FieldMask(paths=["enabled"])
        )
    )

    off_now = await refused(service.long_term.StoreFact(pb.StoreFactRequest(content="More.", **ADA)))
    found = await retrieved(service, "When is the alarm?")
    seen = await service.long_term.GetRecord(pb.GetRecordRequest(record_id=fact.record_id, **ADA))
    deleted = await service.long_term.DeleteRecords(
        pb.DeleteRecordsRequest(record_ids=[fact.record_id], **ADA)
    )

    assert not off.collection.enabled
    assert (off_now.reason, off_now.metadata) == ("MEMORY_OFF", {"scope": "collection"})
    assert found == []
    assert seen.record.content == "The alarm is set for six."
    assert deleted.records == 1


async def test_a_purged_collection_is_as_one_that_never_was(service: Service) -> None:
    await stored(service, "Ada likes opera.")
    purged = await service.long_term.DeleteCollection(pb.DeleteCollectionRequest(**ADA))

    gone = await refused(service.long_term.GetCollection(pb.GetCollectionRequest(**ADA)))
    never = await refused(
        service.long_term.GetCollection(pb.GetCollectionRequest(user="ada", collection="never"))
    )

    assert purged.counts.facts == 1
    assert gone.reason == never.reason == "COLLECTION_NOT_FOUND"
    assert await retrieved(service, "opera") == []


async def test_tools_are_declared_in_either_form(service: Service) -> None:
    openai = await service.long_term.DeclareTools(pb.DeclareToolsRequest())
    anthropic = await service.long_term.DeclareTools(
        pb.DeclareToolsRequest(tool_format=types_pb2.TOOL_FORMAT_ANTHROPIC)
    )

    names = [json.loads(tool)["function"]["name"] for tool in openai.tools]
    assert names == ["RetrieveFacts", "RecallEpisodes", "StoreFact"]
    assert {"name", "description", "input_schema"} == set(json.loads(anthropic.tools[0]))


@pytest.mark.parametrize(
    ("told", "other", "asked"),
    [
        (
            "The ferry to Naxos leaves at nine.",
            "A ticket for the ferry to Naxos is 42 euros.",
            "When does the ferry to Naxos leave?",
        ),
        ("去纳克索斯的渡船九点开。", "去纳克索斯的船票要四十二欧元。", "去纳克索斯的渡船几点开？"),
    ],
)
async def test_a_fact_stands_under_a_handle_by_which_an_answer_cites_it_and_feedback_names_it(
    service: Service, told: str, other: str, asked: str
) -> None:
    fact, beside = await stored(service, told), await stored(service, other)

    made = await service.retrieval.AssembleContext(retrieval_pb2.AssembleContextRequest(input=asked, **ADA))

    items = [item for section in made.sections for item in section.items]
    handles = {item.id: item.handle for item in items}
    line = next(line for line in made.prompt.splitlines() if told in line)
    handle = handles[fact.record_id]
    assert len(handle) >= 5
    assert fact.record_id.endswith(handle)
    assert line.startswith(f"- [{handle}] ")
    assert not any(each.endswith(handle) for each in handles if each != fact.record_id)
    both = [handle, handles[beside.record_id]]
    rated = await service.long_term.GiveFeedback(
        pb.GiveFeedbackRequest(
            thumb=pb.THUMB_UP, record_ids=both, response=f"[{handle}]", by_citation=True, **ADA
        )
    )
    reported = await service.long_term.ReportOutcome(
        pb.ReportOutcomeRequest(record_ids=[handle], succeeded=True, **ADA)
    )
    assert [record.record_id for record in rated.records] == [fact.record_id, beside.record_id]
    assert list(rated.shares) == [1.0, 0.0]
    read = await service.long_term.GetRecord(pb.GetRecordRequest(record_id=handle, **ADA))
    assert [record.record_id for record in reported.records] == [fact.record_id]
    assert read.record.record_id == fact.record_id


async def test_feedback_refuses_a_record_named_twice_and_a_handle_of_none(service: Service) -> None:
    fact = await stored(service, "The ferry to Naxos leaves at nine.")
    twice = pb.ReportOutcomeRequest(record_ids=[fact.record_id, fact.record_id[-6:]], **ADA)

    refusal = await refused(service.long_term.ReportOutcome(twice))
    none = await refused(
        service.long_term.GiveFeedback(pb.GiveFeedbackRequest(record_ids=["zzzzzz"], stars=5, **ADA))
    )

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == ("record_ids",)
    assert none.reason == "RECORD_NOT_FOUND"


async def test_what_an_answer_cites_has_the_credit_and_a_repetition_tells_the_same(service: Service) -> None:
    cited = await stored(service, "The ferry to Naxos leaves at nine.")
    other = await stored(service, "渡轮票价为四十二欧元。")
    of = [cited.record_id, other.record_id]
    handle = cited.record_id[-6:]
    asked: dict[str, Any] = {"record_ids": of, "response": f"At nine [{handle}].", "by_citation": True, **ADA}

    rated = await service.long_term.GiveFeedback(
        pb.GiveFeedbackRequest(thumb=pb.THUMB_UP, request_id="r1", **asked)
    )
    again = await service.long_term.GiveFeedback(
        pb.GiveFeedbackRequest(thumb=pb.THUMB_UP, request_id="r1", **asked)
    )
    failed = await service.long_term.ReportOutcome(
        pb.ReportOutcomeRequest(**{**asked, "response": "I cannot say."})
    )
    plain = await service.long_term.ReportOutcome(
        pb.ReportOutcomeRequest(record_ids=of, succeeded=True, **ADA)
    )

    assert list(rated.shares) == list(again.shares) == [1.0, 0.0]
    assert rated.records[0].reward > 0.0
    assert rated.records[1].reward == other.reward
    assert again.replayed
    assert list(failed.shares) == [0.5, 0.5]
    assert all(
        after.confidence < before.confidence
        for after, before in zip(failed.records, rated.records, strict=True)
    )
    assert list(plain.shares) == [1.0, 1.0]
