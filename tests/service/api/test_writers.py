"""Who wrote a memory: the subject of the API key, shown beside it, and what one wrote can be found and taken back."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from core.model.access import EVERY_SCOPE, Scope
from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import types_pb2
from service.assembly.minting import credentials_of
from tests.service.api.every_violation import METHODS
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
    await memory("EndInvocation", "ops", whole=False, invocation_id="i1", result="Noted.", wait=True)
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


# ---- banks ----

MESSAGES = {"MemoryBank": bank, "QueryGraph": graph, "DeepRetrieval": deep}


async def of_bank(server: Guarded, method: str, key: str, **fields: Any) -> Any:
    messages: Any = MESSAGES[METHODS[method].containing_service.name]
    request = getattr(messages, f"{method}Request")(**fields)
    answer = await server.call(method, repeatable(request), key)
    assert answer.code is grpc.StatusCode.OK, answer.refused
    return getattr(messages, f"{method}Response").FromString(answer.sent)


async def test_records_and_nodes_of_a_bank_say_who_wrote_them_and_are_taken_back_by_it(
    server: Guarded,
) -> None:
    of: dict[str, Any] = {"bank_id": "written"}
    await of_bank(server, "CreateBank", "ops", **of)
    structured: dict[str, Any] = {**of, "wait": types_pb2.WAIT_STRUCTURED}
    mine = await of_bank(server, "Memorize", "ops", text="The ferry leaves at nine.", **structured)
    bad = await of_bank(server, "Memorize", "leaked", text="红色售货亭只收现金。", source="ops", **structured)
    added = await of_bank(server, "AddNode", "leaked", node_id="n1", summary="Pay at the kiosk.", **of)
    reworded = await of_bank(
        server,
        "UpdateNode",
        "ops",
        node=types_pb2.Node(node_id="n1", summary="Pay at the desk."),
        update_mask=FieldMask(paths=["summary"]),
        **of,
    )
    nodes = (await of_bank(server, "ListNodes", "ops", **of)).nodes
    found = await of_bank(server, "ListInteractions", "ops", writer="leaked", **of)

    done = await of_bank(server, "RetractInteractions", "ops", writer="leaked", **of)
    (told,) = (await of_bank(server, "ListInteractionRetractions", "ops", **of)).retractions
    left = (await of_bank(server, "ListInteractions", "ops", **of)).interactions

    assert (added.node.writer, reworded.node.writer) == ("leaked", "ops")
    assert {node.node_id: node.writer for node in nodes} == {
        "n1": "ops",
        mine.node_ids[0]: "ops",
        bad.node_ids[0]: "leaked",
    }
    assert [(each.interaction_id, each.writer) for each in found.interactions] == [
        (bad.interaction_id, "leaked")
    ]
    assert list(done.interaction_ids) == [bad.interaction_id]
    assert told.writer == "leaked"
    assert [each.writer for each in left] == ["ops"]


async def test_a_bank_brought_in_is_written_by_its_caller(server: Guarded) -> None:
    of: dict[str, Any] = {"bank_id": "brought"}
    await of_bank(server, "CreateBank", "ops", **of)
    await of_bank(
        server, "Memorize", "ops", text="The ferry leaves at nine.", wait=types_pb2.WAIT_STRUCTURED, **of
    )
    token = server.tokens["ops"]
    exported = server.service.bank.ExportBank(
        bank.ExportBankRequest(**of), metadata=(("authorization", f"Bearer {token}"),)
    )
    records = [part.record async for part in exported]
    options = bank.ImportOptions(bank_id="copied")
    parts = [
        bank.ImportBankRequest(options=options),
        *(bank.ImportBankRequest(record=record) for record in records),
    ]
    await server.call("ImportBank", parts, "leaked")

    brought = await of_bank(server, "ListInteractions", "ops", bank_id="copied")
    nodes = await of_bank(server, "ListNodes", "ops", bank_id="copied")

    assert {"ops"} == {record.interaction.writer for record in records if record.HasField("interaction")}
    assert [each.writer for each in (*brought.interactions, *nodes.nodes)] == ["leaked", "leaked"]
