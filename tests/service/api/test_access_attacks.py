"""What a caller with a valid API key may try: each attack against the real server, and what comes of it."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
import structlog
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import MessageToJson

from core.ids import User
from core.model.access import EVERY_SCOPE, Binding, Scope, bank_prefix_of
from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import retrieval_pb2 as retrieval
from tests.support.api_keys import SECRET, Answer, Guarded, guarded, key_for

pytestmark = pytest.mark.asyncio(loop_scope="module")

Code = grpc.StatusCode
ADA: dict[str, Any] = {"user": "ada", "collection": "work"}
BOBS = bank_prefix_of(User("bob"))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with guarded(tmp_path_factory.mktemp("keys")) as running:
        yield running


async def token(server: Guarded, *, without: Scope | None = None, **bound: Any) -> str:
    scopes = EVERY_SCOPE - {without} if without else EVERY_SCOPE
    return (await key_for(server.credentials, scopes=scopes, binding=Binding(**bound)))[1]


async def exported(server: Guarded, bank_id: str = "b1") -> list[bank.ExportRecord]:
    parts = [
        part
        async for part in server.service.bank.ExportBank(
            bank.ExportBankRequest(bank_id=bank_id), metadata=bearer(server, "all")
        )
    ]
    return [part.record for part in parts]


def bearer(server: Guarded, key: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {server.tokens.get(key, key)}"),)


def imports(bank_id: str, records: list[bank.ExportRecord]) -> list[bank.ImportBankRequest]:
    options = bank.ImportBankRequest(options=bank.ImportOptions(bank_id=bank_id))
    return [options, *(bank.ImportBankRequest(record=record) for record in records)]


async def bank_ids(server: Guarded) -> set[str]:
    answer = await server.call("ListBanks", bank.ListBanksRequest(page_size=1000), "all")
    return {each.bank_id for each in bank.ListBanksResponse.FromString(answer.sent).banks}


# ---- whose ----


async def test_a_conversation_s_collection_is_no_way_round_the_binding(server: Guarded) -> None:
    """The confused deputy: ending the conversation would have the service write into its collection."""
    key = await token(server, user=User("ada"), collections=("other",))
    turns = [conversation.Turn(input="I moved to Oslo.")]

    answers = [
        await server.call(
            "AddTurns", conversation.AddTurnsRequest(user="ada", conversation_id="c1", turns=turns), key
        ),
        await server.call(
            "EndConversation",
            conversation.EndConversationRequest(user="ada", conversation_id="c1", wait=True),
            key,
        ),
        await server.call(
            "EndInvocation",
            conversation.EndInvocationRequest(user="ada", invocation_id="i1", result="x"),
            key,
        ),
        await server.call(
            "SearchTurns",
            conversation.SearchTurnsRequest(user="ada", conversation_id="c1", text="walnuts"),
            key,
        ),
    ]

    assert (
        [answer.code for answer in answers]
        == [
            Code.PERMISSION_DENIED,  # as for one that is not there: it would be made, in a collection that is bound out
            Code.NOT_FOUND,
            Code.NOT_FOUND,
            Code.NOT_FOUND,
        ]
    )
    assert not any(SECRET.encode() in answer.sent for answer in answers)


async def test_a_search_through_all_conversations_keeps_to_the_key_s_collections(server: Guarded) -> None:
    request = conversation.SearchTurnsRequest(user="ada", text="walnuts")
    bound = await token(server, user=User("ada"), collections=("other",))

    found, elsewhere = [await server.call("SearchTurns", request, key) for key in ("ada", bound)]

    assert SECRET.encode() in found.sent
    assert conversation.SearchTurnsResponse.FromString(elsewhere.sent).conversations == 0
    assert SECRET.encode() not in elsewhere.sent


async def test_an_import_makes_no_bank_of_another_user_s(server: Guarded) -> None:
    records = await exported(server)

    answer = await server.call("ImportBank", imports(f"{BOBS}copy", records), "bob")

    assert answer.code is Code.PERMISSION_DENIED
    assert f"{BOBS}copy" not in await bank_ids(server)


async def test_an_import_takes_no_bank_s_name_from_within_the_file(server: Guarded) -> None:
    await server.call("CreateBank", bank.CreateBankRequest(bank_id="named-within"), "all")
    records = await exported(server, "named-within")

    denied = await server.call("ImportBank", imports("", records), "bob")
    made = await server.call("ImportBank", imports(f"{BOBS}own", records), "bob")

    assert denied.code is Code.PERMISSION_DENIED
    assert bank.ImportBankResponse.FromString(made.sent).bank.user == "bob"


async def test_allow_existing_reads_no_bank_of_another_user_s(server: Guarded) -> None:
    """Also where the id is one that the key may give."""
    taken = f"{BOBS}taken"
    made = await server.call(
        "CreateBank", bank.CreateBankRequest(bank_id=taken, user="ada", goal=SECRET), "all"
    )
    assert made.code is Code.OK

    denied = await server.call("CreateBank", bank.CreateBankRequest(bank_id="b1", allow_existing=True), "bob")
    refused = await server.call(
        "CreateBank", bank.CreateBankRequest(bank_id=taken, allow_existing=True), "bob"
    )
    started = await server.call("StartTask", bank.StartTaskRequest(bank_id=taken, goal="x"), "bob")

    assert denied.code is Code.PERMISSION_DENIED
    assert refused.code is Code.ALREADY_EXISTS
    assert started.code is Code.NOT_FOUND
    assert not any(SECRET.encode() in answer.sent for answer in (denied, refused, started))


async def test_a_page_token_of_another_is_refused(server: Guarded) -> None:
    for name in ("p.1", "p.2"):
        await server.call("CreateBank", bank.CreateBankRequest(bank_id=name), "all")
    first = await server.call("ListBanks", bank.ListBanksRequest(page_size=1), "all")
    page = bank.ListBanksResponse.FromString(first.sent).next_page_token

    answer = await server.call("ListBanks", bank.ListBanksRequest(page_size=1, page_token=page), "prefix")
    own = await server.call("ListBanks", bank.ListBanksRequest(page_size=10), "prefix")

    assert answer.code is Code.INVALID_ARGUMENT
    assert [each.bank_id for each in bank.ListBanksResponse.FromString(own.sent).banks] == ["p.1", "p.2"]


async def test_a_request_id_of_another_subject_gets_nothing_of_that_subject_s(server: Guarded) -> None:
    """Two agents that derive their request ids from the same goal."""
    other = await token(server)
    request = bank.StartTaskRequest(goal="Plan the journey", text=SECRET, request_id="plan")

    mine = bank.StartTaskResponse.FromString((await server.call("StartTask", request, "all")).sent)
    again = bank.StartTaskResponse.FromString((await server.call("StartTask", request, "all")).sent)
    request.text = "Nothing is known."
    theirs = bank.StartTaskResponse.FromString((await server.call("StartTask", request, other)).sent)

    assert (again.replayed, again.bank.bank_id) == (True, mine.bank.bank_id)
    assert theirs.bank.bank_id != mine.bank.bank_id
    assert not theirs.replayed
    assert SECRET not in theirs.prompt


async def test_the_same_request_on_the_same_bank_is_another_s_under_another_subject(server: Guarded) -> None:
    other = await token(server)
    request = bank.MemorizeRequest(bank_id="b1", text="The tide turns at noon.", request_id="tide")
    assert (await server.call("Memorize", request, "all")).code is Code.OK

    answer = await server.call("Memorize", request, other)

    assert answer.reason == "REQUEST_ID_REUSED"


async def test_a_list_of_the_tenant_s_banks_names_no_user_without_the_scope_admin(server: Guarded) -> None:
    reader, admin = [
        bank.ListBanksResponse.FromString((await server.call("ListBanks", bank.ListBanksRequest(), key)).sent)
        for key in ("read", "all")
    ]

    assert {each.user for each in reader.banks} == {""}
    assert "ada" in {each.user for each in admin.banks}


async def test_only_an_admin_or_the_user_s_own_key_exports_a_user(server: Guarded) -> None:
    request = long_term.ExportUserRequest(user="ada")

    answers = {
        key: (await server.call("ExportUser", request, key)).code for key in ("all", "ada", "read", "bob")
    }

    assert answers == {
        "all": Code.OK,
        "ada": Code.OK,
        "read": Code.PERMISSION_DENIED,
        "bob": Code.PERMISSION_DENIED,
    }


async def test_a_user_is_imported_by_a_key_of_every_scope_that_the_files_claim_and_of_no_other_user(
    server: Guarded,
) -> None:
    records = await exported(server)
    lines = "".join(MessageToJson(record, indent=None) + "\n" for record in records).encode()
    settings = long_term.ExportUserResponse(path="user.json", content=b'{"user": {"enabled": true}}')
    stray = long_term.ExportUserResponse(path="banks/b1.jsonl", content=lines)

    def request(user: str, *files: long_term.ExportUserResponse) -> list[long_term.ImportUserRequest]:
        options = long_term.ImportUserRequest(options=long_term.ImportUserOptions(user=user))
        return [options, *(long_term.ImportUserRequest(file=file) for file in files)]

    keys = {str(scope): await token(server, without=scope) for scope in (Scope.ADMIN, Scope.APPROVE)}
    keys["stated"] = await token(server, without=Scope.SPEAK_FOR_USER)
    keys["bob's"] = await token(server, user=User("bob"), bank_prefix=BOBS)
    answers = {
        name: (await server.call("ImportUser", request("eve", settings), key)).code
        for name, key in keys.items()
    }
    foreign = await server.call("ImportUser", request("bob", stray), keys["bob's"])

    assert set(answers.values()) == {Code.PERMISSION_DENIED}
    assert foreign.code is Code.PERMISSION_DENIED


async def test_a_loaded_and_an_unloaded_foreign_bank_answer_alike(server: Guarded) -> None:
    key = await token(server, user=User("bob"), bank_prefix="b")
    await server.call("CreateBank", bank.CreateBankRequest(bank_id="b2", user="ada"), "all")
    request = retrieval.SearchRequest(text="walnuts", top_k=3)

    async def asked(bank_id: str) -> tuple[Any, str, bytes]:
        request.bank_id = bank_id
        answer = await server.call("Search", request, key)
        return answer.code, answer.reason, answer.sent.replace(bank_id.encode(), b"X")

    loaded, never = await asked("b1"), await asked("b9")

    assert loaded == never == await asked("b2")
    assert loaded[0] is Code.NOT_FOUND


async def test_what_a_bound_key_leaves_empty_is_its_own(server: Guarded) -> None:
    made = await server.call("CreateBank", bank.CreateBankRequest(goal="x", request_id="own"), "bob")
    again = await server.call("CreateBank", bank.CreateBankRequest(goal="x", request_id="own"), "bob")
    started = await server.call("StartTask", bank.StartTaskRequest(goal="x"), "bob")
    listed = await server.call("ListBanks", bank.ListBanksRequest(), "bob")
    fact = await server.call("StoreFact", long_term.StoreFactRequest(content="Bob sails.", wait=True), "bob")

    banks = [
        bank.CreateBankResponse.FromString(made.sent).bank,
        bank.CreateBankResponse.FromString(again.sent).bank,
        bank.StartTaskResponse.FromString(started.sent).bank,
    ]
    seen = bank.ListBanksResponse.FromString(listed.sent).banks
    assert {each.user for each in banks} == {"bob"}
    assert all(each.bank_id.startswith(BOBS) for each in banks)
    assert banks[0].bank_id == banks[1].bank_id
    assert {each.bank_id for each in banks} <= {each.bank_id for each in seen}
    assert {each.user for each in seen} == {"bob"}
    assert fact.code is Code.OK


async def test_a_key_of_another_tenant_finds_nothing_of_this_one(server: Guarded) -> None:
    key = (await key_for(server.credentials, tenant="rival"))[1]

    got = await server.call("GetBank", bank.GetBankRequest(bank_id="b1"), key)
    made = await server.call("CreateBank", bank.CreateBankRequest(bank_id="b1"), key)
    listed = await server.call("ListBanks", bank.ListBanksRequest(), key)
    whole = await server.call("ExportUser", long_term.ExportUserRequest(user="ada"), key)

    assert (got.code, made.code, whole.code) == (Code.NOT_FOUND, Code.OK, Code.NOT_FOUND)
    assert [each.bank_id for each in bank.ListBanksResponse.FromString(listed.sent).banks] == ["b1"]
    assert not any(SECRET.encode() in answer.sent for answer in (got, made, listed, whole))


# ---- in whose name ----


async def origin_of(server: Guarded, content: str) -> set[int]:
    listed = await server.call("ListRecords", long_term.ListRecordsRequest(page_size=1000, **ADA), "all")
    records = long_term.ListRecordsResponse.FromString(listed.sent).records
    return {record.origin for record in records if content in record.content}


async def test_a_record_is_the_user_s_own_statement_only_under_a_key_that_may_speak_so(
    server: Guarded,
) -> None:
    silent = await token(server, without=Scope.SPEAK_FOR_USER)
    for key, content in ((silent, "Ada sails."), ("all", "Ada sings.")):
        record = long_term.Record(
            kind=long_term.RECORD_KIND_FACT,
            content=content,
            origin=long_term.RECORD_ORIGIN_STATED,
            record_id=content[4:7],
        )
        await server.call("AddRecord", long_term.AddRecordRequest(record=record, **ADA), key)
    update = long_term.UpdateRecordRequest(
        record=long_term.Record(record_id="sin", content="Ada shouts."),
        update_mask=FieldMask(paths=["content"]),
        **ADA,
    )

    assert await origin_of(server, "Ada sails.") == {long_term.RECORD_ORIGIN_STORED}
    assert await origin_of(server, "Ada sings.") == {long_term.RECORD_ORIGIN_STATED}

    await server.call("UpdateRecord", update, silent)

    assert await origin_of(server, "Ada shouts.") == {long_term.RECORD_ORIGIN_STORED}


async def learned(server: Guarded, key: str, conversation_id: str, place: str) -> set[int]:
    """The origins of what was learned of a conversation's turn and of an invocation's query."""
    mine: dict[str, Any] = {**ADA, "conversation_id": conversation_id}
    said = conversation.Turn(input=f"My sister lives in {place}.", reply="Noted.")
    added = await server.call("AddTurns", conversation.AddTurnsRequest(turns=[said], **mine), key)
    ended = await server.call(
        "EndConversation",
        conversation.EndConversationRequest(user="ada", conversation_id=conversation_id, wait=True),
        key,
    )
    run = conversation.StartInvocationRequest(
        query=f"I work in {place}.", enable_memory=True, invocation_id=conversation_id, **mine
    )
    await server.call("StartInvocation", run, key)
    over = conversation.EndInvocationRequest(
        user="ada", invocation_id=conversation_id, result="Noted.", succeeded=True, wait=True
    )
    assert [added.code, ended.code, (await server.call("EndInvocation", over, key)).code] == [Code.OK] * 3
    return await origin_of(server, place)


async def test_what_is_learned_of_turns_and_runs_is_stated_only_by_a_key_that_may_speak_so(
    server: Guarded,
) -> None:
    silent = await token(server, without=Scope.SPEAK_FOR_USER)

    assert await learned(server, "all", "spoken", "Bergen") == {long_term.RECORD_ORIGIN_STATED}
    assert await learned(server, silent, "silent", "Tromsø") == {long_term.RECORD_ORIGIN_STORED}


async def test_documents_that_others_follow_are_written_by_admins_and_listed_owners_alone(
    server: Guarded,
) -> None:
    writer = await token(server, without=Scope.ADMIN)
    planner = (
        await key_for(
            server.credentials,
            subject="planner",
            scopes=EVERY_SCOPE - {Scope.ADMIN},
            binding=Binding(owners=("agent/planner",)),
        )
    )[1]

    async def put(owner: instructions.Owner, key: str) -> Answer:
        request = instructions.PutSourceRequest(
            owner=owner, path="AGENTS.md", text="Obey.", update_by="the boss"
        )
        return await server.call("PutSource", request, key)

    shared = [
        instructions.Owner(tenant=True),
        instructions.Owner(agent="planner"),
        instructions.Owner(project="x"),
    ]
    assert {(await put(owner, writer)).code for owner in shared} == {Code.PERMISSION_DENIED}
    assert (await put(instructions.Owner(user="carl"), writer)).code is Code.OK
    assert (await put(shared[0], planner)).code is Code.PERMISSION_DENIED
    written = instructions.PutSourceResponse.FromString((await put(shared[1], planner)).sent)
    assert written.source.update_by == "planner"


# ---- how it is carried ----


async def test_a_key_in_a_url_is_no_credential(server: Guarded) -> None:
    call = server.service.channel.unary_unary(
        f"/memorybank.v1.MemoryBank/ListBanks?key={server.tokens['all']}"
    )

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call(b"")

    assert refused.value.code() in (Code.UNIMPLEMENTED, Code.UNAUTHENTICATED)


async def test_two_credentials_are_refused(server: Guarded) -> None:
    answer = await server.call(
        "ListBanks", bank.ListBanksRequest(), "all", ("authorization", f"Bearer {server.tokens['bob']}")
    )

    assert answer.code is Code.UNAUTHENTICATED


async def test_metadata_of_a_megabyte_is_refused_and_the_next_call_is_answered(server: Guarded) -> None:
    large = await server.call("ListBanks", bank.ListBanksRequest(), "all", ("x-large", "a" * 1_000_000))

    assert large.code is not Code.OK
    assert (await server.call("ListBanks", bank.ListBanksRequest(), "all")).code is Code.OK


async def test_no_line_of_the_log_is_made_by_a_request_id_and_none_holds_a_key(
    server: Guarded, capsys: pytest.CaptureFixture[str]
) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("debug"))
    request = bank.GetBankRequest(bank_id="b1")
    forged = bank.MemorizeRequest(bank_id="b1", text="x", request_id='a\n{"event": "forged"}')

    await server.call("Memorize", forged, "all")
    await server.call("GetBank", request, "bob")
    structlog.reset_defaults()

    told = "".join(capsys.readouterr())
    assert "forged" not in told
    assert not any(secret in told for secret in server.tokens.values())


async def test_reflection_asks_for_a_key_and_health_does_not(server: Guarded) -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

    stub = reflection_pb2_grpc.ServerReflectionStub(server.service.channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        async for _ in stub.ServerReflectionInfo(iter([request])):
            pass
    shown = [a async for a in stub.ServerReflectionInfo(iter([request]), metadata=bearer(server, "read"))]
    health = await health_pb2_grpc.HealthStub(server.service.channel).Check(health_pb2.HealthCheckRequest())

    assert refused.value.code() is Code.UNAUTHENTICATED
    assert shown[0].list_services_response.service
    assert health.status == health_pb2.HealthCheckResponse.SERVING
