"""Who wrote a memory: the subject of the API key, shown beside it, and what one wrote can be found and taken back."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from core.model.access import EVERY_SCOPE, Scope
from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as pb
from service.minting import credentials_of
from tests.service.api.test_bad_input import METHODS
from tests.support.api_keys import Guarded, asks, key_for, repeatable
from tests.support.server import serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

MINT = {"ops": EVERY_SCOPE, "leaked": frozenset({Scope.READ, Scope.WRITE, Scope.SPEAK_FOR_USER})}
SAID = "My sister is allergic to walnuts."


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with (
        serving(folder=tmp_path_factory.mktemp("writers")) as service,
        credentials_of(service.settings) as credentials,
    ):
        keys = {name: await key_for(credentials, scopes=MINT[name], subject=name) for name in MINT}
        tokens = {name: token for name, (_, token) in keys.items()}
        made = Guarded(address="", service=service, tokens=tokens, credentials=credentials)
        await asks(made)
        yield made


class Memory:
    """A user's memory, called with keys of several subjects."""

    def __init__(self, server: Guarded, user: str) -> None:
        self.server = server
        self.of: dict[str, Any] = {"user": user, "collection": "work"}

    async def __call__(self, method: str, key: str, *, whole: bool = True, **fields: Any) -> Any:
        messages = pb if METHODS[method].containing_service.name == "LongTerm" else talk
        of = self.of if whole else {"user": self.of["user"]}
        request = getattr(messages, f"{method}Request")(**of, **fields)
        answer = await self.server.call(method, repeatable(request), key)
        assert answer.code is grpc.StatusCode.OK, answer.refused
        return getattr(messages, f"{method}Response").FromString(answer.sent)

    async def listed(self, **chosen: Any) -> list[pb.Record]:
        return list((await self("ListRecords", "ops", filter=pb.RecordFilter(**chosen))).records)


@pytest_asyncio.fixture(loop_scope="module")
async def memory(server: Guarded, request: pytest.FixtureRequest) -> Memory:
    return Memory(server, request.node.name[:100])


async def test_a_record_says_who_wrote_its_words_whatever_the_caller_claims(memory: Memory) -> None:
    claimed = pb.Record(content="The moon is far.", agent="ops", writer="ops")
    added = (await memory("AddRecord", "leaked", record=claimed)).record
    fact = (await memory("StoreFact", "ops", content="渡轮九点出发。")).record
    again = (await memory("StoreFact", "leaked", content="渡轮九点出发。")).record
    tagged = await memory(
        "UpdateRecord",
        "ops",
        record=pb.Record(record_id=added.record_id, tags=["far"]),
        update_mask=FieldMask(paths=["tags"]),
    )
    reworded = await memory(
        "UpdateRecord",
        "leaked",
        record=pb.Record(record_id=fact.record_id, content="渡轮十点出发。"),
        update_mask=FieldMask(paths=["content"]),
    )

    assert (added.agent, added.writer) == ("ops", "leaked")
    assert (fact.writer, again.writer) == ("ops", "ops")
    assert [source.writer for source in again.also_from] == ["leaked"]
    assert tagged.record.writer == "leaked"  # who tags it has not written it
    assert reworded.record.writer == "leaked"


async def test_turns_and_what_they_teach_say_who_wrote_them(memory: Memory) -> None:
    turn = talk.Turn(input=SAID, reply="Noted.", writer="ops")
    await memory("AddTurns", "leaked", conversation_id="c1", turns=[turn])
    await memory(
        "StartInvocation",
        "leaked",
        conversation_id="c1",
        invocation_id="i1",
        query="My brother is allergic to peanuts.",
        enable_memory=True,
    )
    await memory("EndInvocation", "ops", whole=False, invocation_id="i1", result="Noted.")
    await memory("EndConversation", "ops", whole=False, conversation_id="c1", wait=True)

    turns = (await memory("ListTurns", "ops", whole=False, conversation_id="c1")).turns
    found = await memory("ListTurns", "ops", whole=False, conversation_id="c1", writer="leaked")
    others = await memory("ListTurns", "ops", whole=False, conversation_id="c1", writer="ops")
    learned = await memory.listed()

    assert [turn.writer for turn in turns] == ["leaked", "leaked"]
    assert (list(found.turns), list(others.turns)) == (list(turns), [])
    assert "walnuts" in str(learned)
    assert "peanuts" in str(learned)
    assert {record.writer for record in learned} == {"leaked"}


async def test_what_a_leaked_key_wrote_is_found_and_taken_back(memory: Memory) -> None:
    mine = (await memory("StoreFact", "ops", content="The ferry leaves at nine.")).record
    await memory("StoreFact", "leaked", content="The ferry leaves at nine.", source="web")
    both = (await memory("StoreFact", "leaked", content="The office has forty desks.")).record
    await memory("StoreFact", "ops", content="The office has forty desks.", source="desk")
    bad = (await memory("StoreFact", "leaked", content="Pay at the red kiosk only.")).record
    found = await memory.listed(writer="leaked")

    done = await memory("RetractRecords", "ops", filter=pb.RetractionFilter(writer="leaked"))
    left = {record.record_id: record for record in await memory.listed()}
    (told,) = (await memory("ListRetractions", "ops")).retractions

    assert {record.record_id for record in found} == {both.record_id, bad.record_id}
    assert done.record_ids == [bad.record_id]
    assert sorted(done.changed_ids) == sorted([mine.record_id, both.record_id])
    assert {key: (one.writer, list(one.also_from)) for key, one in left.items()} == {
        mine.record_id: ("ops", []),
        both.record_id: ("ops", []),
    }
    assert told.filter.writer == "leaked"


async def test_an_import_is_written_by_its_caller_and_an_export_says_who_wrote(memory: Memory) -> None:
    await memory("StoreFact", "ops", content="The ferry leaves at nine.")
    token = memory.server.tokens["ops"]
    call = memory.server.service.long_term.ExportCollection(
        pb.ExportCollectionRequest(**memory.of), metadata=(("authorization", f"Bearer {token}"),)
    )
    files = [part async for part in call]
    options = pb.ImportCollectionOptions(user=memory.of["user"], collection="copy")
    parts = [
        pb.ImportCollectionRequest(options=options),
        *(pb.ImportCollectionRequest(file=part) for part in files),
    ]
    await memory.server.call("ImportCollection", parts, "leaked")
    memory.of["collection"] = "copy"

    (brought,) = await memory.listed()

    assert b'"writer": "ops"' in files[0].content
    assert brought.writer == "leaked"
