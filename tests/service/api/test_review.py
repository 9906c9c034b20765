"""What waits until a person approves it, over a real channel: seen nowhere, settled by who may, and not bypassed."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.field_mask_pb2 import FieldMask

from core.model.access import EVERY_SCOPE, Scope
from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import retrieval_pb2 as retrieval
from service.assembly.minting import credentials_of
from tests.service.api.every_violation import METHODS, RIGHT
from tests.service.api.test_retractions import STORES, kept_in
from tests.support.api_keys import Answer, Guarded, asks, key_for, repeatable
from tests.support.scale import scaled
from tests.support.server import refused, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = 1_000 if scaled(1) > 1 else 200
MARK = "zorkmid"
WORDS = f"The {MARK} of the harbour pays for every ferry. 渡轮由{MARK}支付。"
QUESTION = "Who of the harbour pays for every ferry? 渡轮由谁支付？"
KNOWN = "The ferry to Naxos leaves at nine from pier 3."
DENIED = grpc.StatusCode.PERMISSION_DENIED
READS = [
    name
    for name, method in METHODS.items()
    if method.GetOptions().idempotency_level != MethodOptions.IDEMPOTENCY_UNKNOWN
    and name not in ("ExportCollection", "ExportUser")  # these write out what waits as waiting
]
MINT = {
    "agent": frozenset({Scope.READ, Scope.WRITE}),
    "voice": frozenset({Scope.READ, Scope.WRITE, Scope.SPEAK_FOR_USER}),
    "admin": frozenset({Scope.READ, Scope.WRITE, Scope.ADMIN}),
    "person": EVERY_SCOPE,
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with (
        serving(folder=tmp_path_factory.mktemp("review")) as service,
        credentials_of(service.settings) as credentials,
    ):
        tokens = {
            name: (await key_for(credentials, scopes=scopes, subject=name))[1]
            for name, scopes in MINT.items()
        }
        made = Guarded(address="", service=service, tokens=tokens, credentials=credentials)
        await asks(made)
        yield made


class House:
    """A user's collection, and calls about it by callers of every sort."""

    def __init__(self, server: Guarded, user: str) -> None:
        self.server = server
        self.of: dict[str, Any] = {"user": user, "collection": "work"}

    async def __call__(self, method: str, key: str = "person", **fields: Any) -> Any:
        """Returns the answer of a call; fails where it is refused."""
        answer = await self.tried(method, key, **fields)
        assert answer.code is grpc.StatusCode.OK, (method, answer.refused)
        made = getattr(pb, f"{method}Response")()
        made.ParseFromString(answer.sent)
        return made

    async def tried(self, method: str, key: str = "agent", **fields: Any) -> Answer:
        request = getattr(pb, f"{method}Request")(**self.of, **fields)
        return await self.server.call(method, repeatable(request), key)

    async def set(self, review: pb.Review.ValueType, key: str = "person") -> Answer:
        asked = pb.UpdateCollectionRequest(
            collection=pb.Collection(review=review, **self.of), update_mask=FieldMask(paths=["review"])
        )
        return await self.server.call("UpdateCollection", asked, key)

    async def tell(self, content: str, key: str = "agent", **fields: Any) -> pb.StoreFactResponse:
        stored: pb.StoreFactResponse = await self("StoreFact", key, content=content, wait=True, **fields)
        return stored

    async def review(self, decision: str, *ids: str, **fields: Any) -> pb.ReviewRecordsResponse:
        number = pb.ReviewDecision.Value(f"REVIEW_DECISION_{decision}")
        done: pb.ReviewRecordsResponse = await self(
            "ReviewRecords", record_ids=ids, decision=number, **fields
        )
        return done

    async def listed(self, *, waiting: bool = False, key: str = "person") -> list[pb.Record]:
        chosen = pb.RecordFilter(awaits_review=waiting)
        return list((await self("ListRecords", key, filter=chosen, page_size=1000)).records)

    async def counts(self) -> pb.CollectionCounts:
        counts: pb.CollectionCounts = (await self("GetCollection")).counts
        return counts

    async def files(self) -> list[pb.ExportCollectionResponse]:
        token = self.server.tokens["person"]
        call = self.server.service.long_term.ExportCollection(
            pb.ExportCollectionRequest(**self.of), metadata=(("authorization", f"Bearer {token}"),)
        )
        return [part async for part in call]

    async def imported(
        self, files: Sequence[pb.ExportCollectionResponse], key: str
    ) -> pb.ImportCollectionResponse:
        options = pb.ImportCollectionRequest(options=repeatable(pb.ImportCollectionOptions(**self.of)))
        parts = [options, *(pb.ImportCollectionRequest(file=part) for part in files)]
        answer = await self.server.call("ImportCollection", parts, key)
        assert answer.code is grpc.StatusCode.OK, answer.refused
        return pb.ImportCollectionResponse.FromString(answer.sent)


@pytest_asyncio.fixture(loop_scope="module")
async def house(server: Guarded, request: pytest.FixtureRequest) -> House:
    """A collection that knows one fact and asks for a review of all but what the user states."""
    made = House(server, request.node.name[:100])
    await made.tell(KNOWN, "person")
    assert (await made.set(pb.REVIEW_LEARNED)).code is grpc.StatusCode.OK
    return made


# ---- what waits is nowhere ----


def asking(method: str, house: House, record_id: str) -> Any:
    """A request of any method that reads, about all that there may be to be found."""
    request: Any = deepcopy(RIGHT[method])
    names = request.DESCRIPTOR.fields_by_name
    for field, value in {**house.of, "conversation_id": "c1", "record_id": record_id, "owner": None}.items():
        if field in names and value is not None:
            setattr(request, field, value)
    for field in ("query", "text", "input", "message"):
        if field in names and names[field].type == names[field].TYPE_STRING:
            setattr(request, field, QUESTION)
    for field, most in (("page_size", 1_000), ("top_k", 1_000), ("top_facts", 1_000), ("min_match", 0.0)):
        if field in names:
            setattr(request, field, most)
    if "filter" in names:
        request.ClearField("filter")
    if "include_superseded" in names:
        request.include_superseded = True
    return request


async def answered(house: House, record_id: str) -> dict[str, Answer]:
    """What every call that reads answers; a watch goes on for ever, and tells of banks."""
    return {
        name: await house.server.call(name, asking(name, house, record_id), "person")
        for name in READS
        if name != "WatchBank"
    }


def telling(answers: dict[str, Answer]) -> set[str]:
    return {name for name, answer in answers.items() if MARK.encode() in answer.sent}


async def test_nothing_that_waits_is_in_any_answer_of_any_call_that_reads(house: House) -> None:
    fact = (await house.tell(WORDS)).record
    mended: dict[str, Any] = {
        "error_type": "E",
        "tool": "t",
        "message": WORDS,
        "explanation": WORDS,
        "success": True,
    }
    await house("RecordRecovery", "agent", original_json="{}", fixed_json='{"a": 1}', **mended)
    await house("StoreEpisode", "agent", goal=WORDS, lessons=WORDS)
    waiting = await house.listed(waiting=True)

    answers = await answered(house, fact.record_id)
    await house.review("APPROVE", *(record.record_id for record in waiting))
    after = await answered(house, fact.record_id)

    assert fact.awaits_review
    assert {record.kind for record in waiting} == set(pb.RecordKind.values()[1:])
    assert telling(answers) == set()
    assert answers["GetRecord"].reason == "RECORD_NOT_FOUND"
    assert telling(after) >= {  # the same requests find it once it is approved
        "AssembleContext",
        "FindRecoveries",
        "GetRecord",
        "ListRecords",
        "RecallEpisodes",
        "RetrieveFacts",
        "RetrieveMemories",
    }


async def test_what_waits_is_told_by_explain_without_its_words(house: House) -> None:
    stored = await house.tell(WORDS)
    asked = retrieval.ExplainRequest(input="Who pays?", record_id=stored.record.record_id, **house.of)

    answer = await house.server.call("Explain", asked, "agent")

    (memory,) = retrieval.ExplainResponse.FromString(answer.sent).memories
    assert memory.reason == retrieval.EXPLAIN_REASON_AWAITS_REVIEW
    assert MARK.encode() not in answer.sent


async def test_a_reflection_is_not_made_of_what_waits(house: House) -> None:
    stored = await house.tell(WORDS)
    named = await house.tried("GenerateReflection", "person", title="T", record_ids=[stored.record.record_id])
    made = await house("GenerateReflection", title="T", category="life")

    assert named.reason == "RECORD_NOT_FOUND"
    assert MARK not in made.reflection.text
    assert stored.record.record_id not in made.reflection.record_ids


# ---- who waits, and who settles it ----


async def test_what_waits_depends_on_the_setting_and_on_who_says_it(house: House) -> None:
    async def waits(key: str, content: str, **fields: Any) -> bool:
        added = await house("AddRecord", key, record=pb.Record(content=content, **fields))
        return bool(added.record.awaits_review)

    stated: dict[str, Any] = {"origin": pb.RECORD_ORIGIN_STATED, "kind": pb.RECORD_KIND_FACT}
    learned = [
        await waits("agent", "One."),
        await waits("agent", "Two.", **stated),
        await waits("voice", "Three.", **stated),
        await waits("voice", "Four."),
        await waits("person", "Five."),
    ]
    await house.set(pb.REVIEW_ALL)
    everything = [await waits("voice", "Six.", **stated), await waits("person", "Seven.")]
    await house.set(pb.REVIEW_NONE)
    none = await waits("agent", "Eight.")

    assert learned == [True, True, False, True, False]
    assert everything == [True, True]
    assert not none
    assert (await house.counts()).awaiting_review == 5  # what waits goes on waiting


async def test_an_agent_s_key_can_neither_approve_nor_switch_off_nor_bypass_it(house: House) -> None:
    waiting = (await house.tell(WORDS)).record.record_id
    (known,) = await house.listed()
    other = House(house.server, house.of["user"] + "-2")
    await other.tell(WORDS, "person", supersedes=[])
    await other("GenerateReflection", title=MARK, category="life")
    files = await other.files()
    approving: dict[str, Any] = {"record_ids": [waiting], "decision": pb.REVIEW_DECISION_APPROVE}

    rewords: list[dict[str, Any]] = [
        {"content": WORDS},
        {"detail": WORDS},
        {"tags": [MARK]},
        {"source": MARK},
    ]
    refusals = [
        await house.tried("ReviewRecords", "agent", **approving),
        await house.tried("ReviewRecords", "admin", **approving),
        await house.set(pb.REVIEW_NONE, "agent"),
        await house.set(pb.REVIEW_NONE, "admin"),
        await house.tried("DeleteCollection", "agent"),
        await house.tried("GenerateReflection", "agent", title=MARK, category="life"),
        *[
            await house.tried(
                "UpdateRecord",
                "agent",
                record=pb.Record(record_id=known.record_id, **words),
                update_mask=FieldMask(paths=list(words)),
            )
            for words in rewords
        ],
    ]
    unknown = [
        await house.tried(
            "UpdateRecord",
            "agent",
            record=pb.Record(record_id=waiting, state=pb.RECORD_STATE_ACTIVE),
            update_mask=FieldMask(paths=["state"]),
        ),
        await house.tried("DeleteRecords", "agent", record_ids=[waiting]),
        await house.tried("GiveFeedback", "agent", record_ids=[waiting], stars=5),
    ]
    active = pb.Record(content=f"{MARK} 2", state=pb.RECORD_STATE_ACTIVE, kind=pb.RECORD_KIND_FACT)
    added = await house("AddRecord", "agent", record=active)
    taking = await house.tell(KNOWN, supersedes=[known.record_id])
    imported = await house.imported(files, "agent")
    judged = await house.tried(
        "UpdateRecord",
        "agent",
        record=pb.Record(record_id=known.record_id, confidence=0.4),
        update_mask=FieldMask(paths=["confidence"]),
    )

    assert {(answer.code, answer.reason) for answer in refusals} == {(DENIED, "PERMISSION_DENIED")}
    assert {answer.reason for answer in unknown} == {"RECORD_NOT_FOUND"}
    assert added.record.awaits_review
    assert taking.record.awaits_review
    assert taking.superseded_ids == []
    assert (imported.records, imported.reflections) == (1, 0)
    assert judged.code is grpc.StatusCode.OK
    (left,) = await house.listed()
    assert (left.content, left.state) == (KNOWN, pb.RECORD_STATE_ACTIVE)
    assert not [each for each in (await house("ListReflections")).reflections if MARK in each.title]


async def test_what_is_put_waits_and_is_put_again_as_it_waits(house: House) -> None:
    def note(content: str) -> pb.Record:
        return pb.Record(record_id="note", content=content)

    first = await house("PutRecord", "agent", record=note(WORDS))
    again = await house("BatchPutRecords", "agent", records=[note(f"{WORDS} 2")])
    (waiting,) = await house.listed(waiting=True)
    approved = await house("PutRecord", "person", record=note("The pier is closed. 码头关闭。"))
    refused_ = await house.tried("PutRecord", "agent", record=note(WORDS))

    assert (first.created, first.record.awaits_review) == (True, True)
    assert (list(again.created_ids), list(again.awaiting_ids)) == ([], ["note"])
    assert waiting.content == f"{WORDS} 2"
    assert (approved.created, approved.record.awaits_review) == (False, False)
    assert await house.listed(waiting=True) == []
    assert (refused_.code, refused_.reason) == (DENIED, "PERMISSION_DENIED")
    assert "The pier is closed. 码头关闭。" in {each.content for each in await house.listed()}


async def test_a_mending_that_is_known_keeps_its_words_until_others_are_approved(house: House) -> None:
    of: dict[str, Any] = {
        "error_type": "Timeout",
        "tool": "search",
        "original_json": '{"n": 500}',
        "success": True,
    }
    first = await house("RecordRecovery", message='late: "nothing"', fixed_json='{"n": 50}', **of)
    again = await house("RecordRecovery", "agent", message=f'late: "{MARK}"', fixed_json='{"n": 51}', **of)

    assert again.record.record_id == first.record.record_id
    assert MARK not in str(again.record)
    assert (again.record.recovery.successes, again.record.recovery.fixed_json) == (2, '{"n": 50}')


# ---- what becomes of it ----


async def test_the_same_words_as_an_active_record_join_it_at_once_and_nothing_waits(house: House) -> None:
    (before,) = await house.listed()
    again = await house.tell(f" {KNOWN.upper()} ", source="web")

    assert again.known
    assert again.record.confidence == before.confidence  # it is evidence, and moves nothing
    assert (again.record.source, again.record.event_time) == (before.source, before.event_time)
    assert not again.record.awaits_review
    assert [source.source for source in again.record.also_from] == ["web"]
    assert (await house.counts()).awaiting_review == 0


async def test_what_is_approved_is_judged_as_if_it_came_now_with_its_own_time(house: House) -> None:
    old = (await house.tell("The project's database is PostgreSQL.", "person")).record
    said: dict[str, Any] = {"event_time": {"seconds": 1_700_000_000}}
    new = (await house.tell("The project's database is MySQL.", supersedes=[old.record_id], **said)).record
    same = (await house.tell("The project's database is MySQL.", source="web", **said)).record
    before = {record.record_id: record.state for record in await house.listed()}
    (waiting,) = await house.listed(waiting=True)

    done = await house.review("APPROVE", new.record_id, request_id="a")
    again = await house.review("APPROVE", new.record_id, request_id="a")

    assert same.record_id == new.record_id  # two who say the same wait as one
    assert waiting.supersedes == [old.record_id]  # whoever approves it sees what it comes to
    assert not new.judged
    assert before[old.record_id] == pb.RECORD_STATE_ACTIVE
    (stands,) = done.records
    assert (again.replayed, again.records[0].record_id) == (True, stands.record_id)
    assert (stands.awaits_review, stands.event_time.seconds) == (False, 1_700_000_000)
    assert stands.create_time == new.create_time
    after = {record.record_id: record for record in await house.listed()}
    assert after[old.record_id].superseded_by == new.record_id
    assert after[new.record_id].source == ""
    assert [source.source for source in after[new.record_id].also_from] == ["web"]
    late = await house.tried(
        "ReviewRecords", "person", record_ids=[new.record_id], decision=pb.REVIEW_DECISION_REJECT
    )
    assert late.reason == "RECORD_NOT_FOUND"


async def test_an_approved_fact_is_compared_with_what_is_known(house: House) -> None:
    old = (await house.tell("The budget is 40,000 euros.", "person")).record
    new = (await house.tell("The budget is 90,000 euros.")).record

    await house.review("APPROVE", new.record_id)
    async with asyncio.timeout(60):
        while (await house.counts()).unjudged:  # noqa: ASYNC110  judging goes on behind the answer
            await asyncio.sleep(0.05)

    states = {record.record_id: record.state for record in await house.listed()}
    assert states[old.record_id] == states[new.record_id] == pb.RECORD_STATE_CONTESTED


async def test_what_is_corrected_stands_with_other_words(house: House) -> None:
    fact = (await house.tell("The budget is 40,000 euros, says zorkmid.")).record
    episode = (await house("StoreEpisode", "agent", goal=MARK, lessons="Ask first.")).record
    secret = await house.tried(
        "ReviewRecords",
        "person",
        record_ids=[fact.record_id],
        decision=pb.REVIEW_DECISION_CORRECT,
        content="password: hunter2hunter2",
    )

    corrected = await house.review("CORRECT", fact.record_id, content="预算是四万欧元。")
    renamed = await house.review("CORRECT", episode.record_id, content="Ask for the budget")

    assert secret.reason == "SENSITIVE_CONTENT"
    assert corrected.records[0].content == "预算是四万欧元。"
    assert (renamed.records[0].content, renamed.records[0].episode.goal) == ("Ask for the budget",) * 2
    assert MARK not in str(await house.listed())


async def test_what_is_rejected_is_not_proposed_again_by_its_source_and_by_others_it_is(house: House) -> None:
    first = (await house.tell(WORDS, conversation_id="c1", request_id="first")).record
    rejected = await house.review("REJECT", first.record_id)
    counts = await house.counts()

    again = await house.tell(WORDS, conversation_id="c1")
    repeated = await house.tell(WORDS, conversation_id="c1", request_id="first")
    elsewhere = await house.tell(WORDS, conversation_id="c2")
    person = await house.tell(WORDS, "person", conversation_id="c1")

    assert not rejected.records
    assert (counts.awaiting_review, counts.tombstones) == (0, 1)
    assert (again.forgotten, again.HasField("record")) == (True, False)
    assert (repeated.replayed, repeated.record.content) == (True, "")
    assert elsewhere.record.awaits_review
    assert (person.forgotten, person.record.awaits_review) == (False, False)


async def test_what_a_conversation_teaches_waits_but_for_the_user_s_own_words(house: House) -> None:
    async def taught(key: str, name: str, said: str) -> None:
        turns = [talk.Turn(input=said, reply="Noted.")]
        adding = talk.AddTurnsRequest(conversation_id=name, turns=turns, **house.of)
        ending = talk.EndConversationRequest(user=house.of["user"], conversation_id=name, wait=True)
        for method, request in (("AddTurns", adding), ("EndConversation", ending)):
            answer = await house.server.call(method, repeatable(request), key)
            assert answer.code is grpc.StatusCode.OK

    await taught("agent", "c1", "My sister is allergic to walnuts.")
    await taught("voice", "c2", "My brother is allergic to peanuts.")
    waiting = await house.listed(waiting=True)
    stands = await house.listed()
    assert "walnuts" in str(waiting)
    assert "peanuts" in str(stands)
    assert "walnuts" not in str(stands)
    deleting = talk.DeleteTurnsRequest(user=house.of["user"], conversation_id="c1", first_step=1, last_step=1)
    await house.server.call("DeleteTurns", deleting, "person")

    assert "walnuts" not in str(await house.listed(waiting=True))  # it goes with the turns that taught it


async def test_a_retraction_takes_what_waits_and_a_release_lets_it_wait_again(house: House) -> None:
    waiting = (await house.tell(WORDS, source="web")).record
    both = (await house.tell("Both say it.", source="web")).record
    await house.tell("Both say it.", source="desk")

    done = await house("RetractRecords", filter=pb.RetractionFilter(source="web"))
    (left,) = await house.listed(waiting=True)
    await house("ReleaseRetraction", retraction_id=done.retraction.retraction_id)

    assert done.record_ids == [waiting.record_id]
    assert done.changed_ids == [both.record_id]
    assert (left.record_id, left.source) == (both.record_id, "desk")
    assert {r.record_id: r.source for r in await house.listed(waiting=True)} == {
        waiting.record_id: "web",
        both.record_id: "web",
    }


async def test_an_export_says_what_waits_and_its_import_lets_it_wait(house: House) -> None:
    (known,) = await house.listed()
    waiting = (await house.tell(WORDS, supersedes=[known.record_id])).record
    files = await house.files()
    index = json.loads(b"".join(part.content for part in files if part.path == "memory.json"))
    other = House(house.server, house.of["user"] + "-2")

    done = await other.imported(files, "person")
    again = await other.imported(files, "person")
    proposed = await other.listed(waiting=True)
    await other.review("APPROVE", waiting.record_id)

    assert [entry["memory_id"] for entry in index["awaiting_review"]] == [waiting.record_id]
    assert WORDS not in str(index["memories"])
    assert (done.records, list(again.known_ids)) == (2, sorted([known.record_id, waiting.record_id]))
    assert [record.record_id for record in proposed] == [waiting.record_id]
    states = {record.record_id: record.state for record in await other.listed()}
    assert states[known.record_id] == pb.RECORD_STATE_SUPERSEDED


async def test_many_that_wait_are_approved_by_twenty(house: House) -> None:
    desks = [{"memory_id": f"r{n}", "content": f"Desk {n} stands in room {n % 40}."} for n in range(MANY)]
    file = pb.ExportCollectionResponse(path="memory.json", content=json.dumps({"memories": desks}).encode())
    await house.imported([file], "agent")
    assert (await house.counts()).awaiting_review == MANY

    while True:
        page = await house("ListRecords", filter=pb.RecordFilter(awaits_review=True), page_size=20)
        if not page.records:
            break
        await house.review("APPROVE", *(record.record_id for record in page.records))

    counts = await house.counts()
    assert (counts.awaiting_review, counts.memories) == (0, MANY)


async def test_what_waits_has_a_time_to_live_and_stands_after_a_restart(tmp_path: Path) -> None:
    of: dict[str, Any] = {"user": "ada", "collection": "work"}
    async with serving(folder=tmp_path) as service:
        await service.long_term.UpdateCollection(
            pb.UpdateCollectionRequest(
                collection=pb.Collection(review=pb.REVIEW_ALL, **of), update_mask=FieldMask(paths=["review"])
            )
        )
        stored = await service.long_term.StoreFact(pb.StoreFactRequest(content=WORDS, **of))
        short = pb.StoreFactRequest(content="For a moment.", **of)
        short.ttl.FromMilliseconds(1)
        await service.long_term.StoreFact(short)

    async with serving(folder=tmp_path) as service:
        listing = pb.ListRecordsRequest(filter=pb.RecordFilter(awaits_review=True), **of)
        (record,) = (await service.long_term.ListRecords(listing)).records
        deleting = pb.DeleteRecordsRequest(filter=listing.filter, **of)
        wrong = await refused(service.long_term.DeleteRecords(deleting))
        approving = pb.ReviewRecordsRequest(
            record_ids=[record.record_id], decision=pb.REVIEW_DECISION_APPROVE, **of
        )
        done = await service.long_term.ReviewRecords(approving)

    assert (record.record_id, record.content) == (stored.record.record_id, WORDS)
    assert wrong.fields == ("filter.awaits_review",)
    assert done.records[0].content == WORDS


@pytest.mark.parametrize("store", STORES)
async def test_every_store_keeps_what_waits_and_what_became_of_it(tmp_path: Path, store: str) -> None:
    of: dict[str, Any] = {"user": "ada", "collection": "work"}
    async with kept_in(store, tmp_path) as service:
        long_term = service.long_term
        await long_term.UpdateCollection(
            pb.UpdateCollectionRequest(
                collection=pb.Collection(review=pb.REVIEW_ALL, **of), update_mask=FieldMask(paths=["review"])
            )
        )
        ids = [
            (await long_term.StoreFact(pb.StoreFactRequest(content=words, **of))).record.record_id
            for words in (WORDS, KNOWN, "灯是红的。")
        ]
        for record_id, decision in zip(
            ids, (pb.REVIEW_DECISION_REJECT, pb.REVIEW_DECISION_APPROVE), strict=False
        ):
            await long_term.ReviewRecords(
                pb.ReviewRecordsRequest(record_ids=[record_id], decision=decision, **of)
            )
        counts = (await long_term.GetCollection(pb.GetCollectionRequest(**of))).counts
        purged = await long_term.PurgeUser(pb.PurgeUserRequest(user="ada"))

    assert (counts.facts, counts.awaiting_review, counts.tombstones) == (1, 1, 1)
    assert (purged.rows["records"], purged.rows["proposals"]) == (1, 1)
