"""Two servers over one SQLite file; what each has read stays in its memory as long as a test lasts. No write is refused
for what the other one has changed since.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1.conversation_pb2 import ConversationRecord, Turn
from memorybank.v1.instructions_pb2 import Owner
from memorybank.v1.long_term_pb2 import RECORD_KIND_FACT, Collection, Record
from memorybank.v1.long_term_pb2 import User as UserMessage
from memorybank.v1.types_pb2 import Node
from memorybank_client import MemoryBankClient, MemoryBankError
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import CLIENT_SPACE, vector
from tests.support.server import settings_for

FOREVER = 3_600.0  # seconds: no copy is confirmed by time within a test
ADA, OWNER = "ada", Owner(user="ada")

Act = Callable[[MemoryBankClient], Awaitable[Any]]


@dataclass(frozen=True)
class Two:
    """Clients of two servers; what one answered is never asked of the other."""

    one: MemoryBankClient
    other: MemoryBankClient


@pytest_asyncio.fixture
async def two(tmp_path: Path) -> AsyncIterator[Two]:
    settings = settings_for(tmp_path, banks={"max_staleness_seconds": FOREVER})
    async with AsyncExitStack() as closing:
        clients: list[MemoryBankClient] = []
        for _ in range(2):
            address = await closing.enter_async_context(running(settings, HashingEmbedder()))
            client = MemoryBankClient(str(address), read_your_writes=False).within(60)
            clients.append(await closing.enter_async_context(client))
        yield Two(*clients)


def acts(*given: Act) -> Act:
    async def each(client: MemoryBankClient) -> None:
        for act in given:
            await act(client)

    return each


def make_bank(**fields: Any) -> Act:
    return lambda client: client.create_bank(bank_id="b", **fields)


def add_node(node_id: str, **fields: Any) -> Act:
    return lambda client: client.add_node(bank_id="b", node_id=node_id, summary="ferries 渡轮", **fields)


def update_user(*, enabled: bool) -> Act:
    user, mask = UserMessage(user=ADA, enabled=enabled), FieldMask(paths=["enabled"])
    return lambda client: client.update_user(user=user, update_mask=mask)


def start_invocation(client: MemoryBankClient) -> Awaitable[Any]:
    return client.start_invocation(user=ADA, query="Go", enable_memory=True)


def add_turn(client: MemoryBankClient) -> Awaitable[Any]:
    return client.add_turns(user=ADA, conversation_id="talk", turns=[Turn(input="你好", reply="hello")])


def store_fact(text: str, **fields: Any) -> Act:
    return lambda client: client.store_fact(user=ADA, collection="facts", content=text, **fields)


def add_record(client: MemoryBankClient) -> Awaitable[Any]:
    record = Record(record_id="r", kind=RECORD_KIND_FACT, content="喜欢游泳。")
    return client.add_record(user=ADA, collection="facts", record=record)


def put_source(text: str, **fields: Any) -> Act:
    return lambda client: client.put_source(owner=OWNER, path="a.md", text=text, **fields)


def enable(*, enabled: bool) -> Act:
    async def update(client: MemoryBankClient) -> None:
        mask = FieldMask(paths=["enabled"])
        talk = ConversationRecord(enabled=enabled)
        await client.update_conversation(
            user=ADA, conversation_id="talk", conversation=talk, update_mask=mask
        )
        kept = Collection(user=ADA, collection="facts", enabled=enabled)
        await client.update_collection(collection=kept, update_mask=mask)

    return update


async def memorize_stream(client: MemoryBankClient) -> None:
    async for _ in client.memorize_stream(["The ferry ", "leaves at nine."], bank_id="b"):
        pass


def delete_bank(client: MemoryBankClient) -> Awaitable[Any]:
    return client.delete_bank(bank_id="b")


def purge(client: MemoryBankClient) -> Awaitable[Any]:
    return client.purge_user(user=ADA)


def update_node(client: MemoryBankClient) -> Awaitable[Any]:
    node, mask = Node(node_id="n1", summary="trains"), FieldMask(paths=["summary"])
    return client.update_node(bank_id="b", node=node, update_mask=mask)


def relate(client: MemoryBankClient) -> Awaitable[Any]:
    return client.relate(bank_id="b", node_id="n1", other_node_id="n2")


OFF, ON = update_user(enabled=False), update_user(enabled=True)
EMPTY, KEPT = make_bank(), acts(add_turn, store_fact("Lives in Oslo."))
FULL = acts(EMPTY, add_node("n1"), add_node("n2"))
OF_CALLER = acts(make_bank(embedding_space=CLIENT_SPACE), add_node("n1", embedding=vector(1)))

CASES: dict[str, tuple[Act, Act, Act]] = {
    # what both know, what the first then does, what the other must be able to do
    "a node of a bank purged since": (FULL, acts(delete_bank, EMPTY), add_node("n1")),
    "a node deleted since": (FULL, lambda c: c.delete_node(bank_id="b", node_id="n1"), add_node("n1")),
    "a node added since": (EMPTY, add_node("n1"), update_node),
    "nodes added since": (EMPTY, acts(add_node("n1"), add_node("n2")), relate),
    "a bank purged since": (EMPTY, delete_bank, EMPTY),
    "a task in a bank purged since": (EMPTY, delete_bank, lambda c: c.start_task(bank_id="b", goal="Go")),
    "a bank of another space since": (
        OF_CALLER,
        acts(delete_bank, EMPTY),
        lambda c: c.memorize(bank_id="b", text="The ferry leaves at nine."),
    ),
    "a stream into a bank of another space since": (OF_CALLER, acts(delete_bank, EMPTY), memorize_stream),
    "a turn, memory on again": (acts(KEPT, OFF), ON, add_turn),
    "a fact, memory on again": (acts(KEPT, OFF), ON, store_fact("Has a dog.")),
    "a source, memory on again": (acts(KEPT, OFF), ON, put_source("Be brief.")),
    "a conversation, memory on again": (
        acts(KEPT, OFF),
        ON,
        lambda c: c.create_conversation(user=ADA, conversation_id="new"),
    ),
    "a run, memory on again": (acts(KEPT, OFF), ON, start_invocation),
    "a turn, its user purged": (KEPT, purge, add_turn),
    "a fact, its user purged": (KEPT, purge, store_fact("Lives in Oslo.")),
    "a source, its user purged": (put_source("Be brief."), purge, put_source("请简短。", if_version=0)),
    "a conversation, its user purged": (
        acts(KEPT, lambda c: c.create_conversation(user=ADA, conversation_id="new")),
        purge,
        lambda c: c.create_conversation(user=ADA, conversation_id="new"),
    ),
    "a turn, its conversation on again": (acts(KEPT, enable(enabled=False)), enable(enabled=True), add_turn),
    "a fact, its collection on again": (
        acts(KEPT, enable(enabled=False)),
        enable(enabled=True),
        store_fact("Has a dog."),
    ),
    "a turn, its conversation made again": (
        acts(KEPT, enable(enabled=False)),
        acts(lambda c: c.delete_conversation(user=ADA, conversation_id="talk"), add_turn),
        add_turn,
    ),
    "a record, its collection made again": (
        acts(KEPT, add_record),
        acts(lambda c: c.delete_collection(user=ADA, collection="facts"), store_fact("Has a dog.")),
        add_record,
    ),
    "feedback on a record added since": (
        KEPT,
        add_record,
        lambda c: c.give_feedback(user=ADA, collection="facts", record_ids=["r"], stars=5),
    ),
    "a source deleted since": (
        put_source("Be brief."),
        lambda c: c.delete_source(owner=OWNER, path="a.md"),
        put_source("Be kind.", if_version=0),
    ),
    "a passage written since": (
        put_source("Be brief."),
        put_source("Be kind."),
        lambda c: c.edit_source(owner=OWNER, path="a.md", old_text="kind", new_text="good"),
    ),
    "a request that was refused before": (
        acts(EMPTY, add_node("n1")),
        acts(delete_bank, EMPTY, add_node("n1", request_id="q")),
        add_node("n1", request_id="q"),
    ),
}


async def read(client: MemoryBankClient) -> None:
    """Has the server read what there is."""
    for look in (
        lambda: client.list_nodes(bank_id="b"),
        lambda: client.get_user(user=ADA),
        lambda: client.get_conversation(user=ADA, conversation_id="talk"),
        lambda: client.get_conversation(user=ADA, conversation_id="new"),
        lambda: client.get_collection(user=ADA, collection="facts"),
        lambda: client.list_records(user=ADA, collection="facts"),
        lambda: client.list_sources(owner=OWNER),
    ):
        try:
            await look()
        except MemoryBankError:
            continue  # it is not of this case


@pytest.mark.parametrize("case", CASES)
async def test_a_write_is_not_refused_by_what_another_process_has_changed_since(two: Two, case: str) -> None:
    before, since, write = CASES[case]
    await before(two.one)
    await read(two.other)
    await since(two.one)

    await write(two.other)


async def test_a_refusal_leaves_where_the_store_says_the_same(two: Two) -> None:
    await FULL(two.one)
    await read(two.other)
    await add_node("n3")(two.one)

    for node_id in ("n1", "n3"):
        with pytest.raises(MemoryBankError, match=node_id):
            await add_node(node_id)(two.other)


async def test_the_bank_that_is_there_already_is_the_one_that_the_store_has(two: Two) -> None:
    await make_bank(goal="Go")(two.one)
    await read(two.other)
    await acts(delete_bank, make_bank(goal="Stay 留下"))(two.one)

    made = await make_bank(goal="Come", allow_existing=True)(two.other)

    assert made.bank.goal == "Stay 留下"
