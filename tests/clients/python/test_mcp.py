"""The MCP server, driven by the official SDK's client."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from memorybank.v1.conversation_pb2 import Turn
from memorybank_client import MemoryBankClient, timestamp
from memorybank_client.adapters.mcp import MemoryTools, memory_server
from tests.support.mcp_process import mcp_command, mcp_environment, mcp_over_http
from tests.support.process import CHECKOUT, running_server

TOOLS = {
    "retrieve_facts",
    "recall_episodes",
    "list_recent",
    "search_conversations",
    "store_fact",
    "correct",
    "forget",
    "load_instructions",
    "create_instructions",
    "edit_instructions",
}
BOUNDS = {"maxLength", "maximum", "maxItems", "enum"}
TEXTS = {"load_instructions", "deep_retrieval"}  # whose answer is a document as it is
OF_A_BANK = {"search_memory", "deep_retrieval"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as found:
        yield found


async def told(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content if part.type == "text")


async def test_facts_are_stored_found_and_brought_up_to_date_through_tools(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        server = memory_server(MemoryTools(memory, user=f"u-{uuid4()}"))
        async with Client(server) as client:
            named = {tool.name for tool in (await client.list_tools()).tools}
            await told(client, "store_fact", content="The project's database is MySQL.")
            again = await told(client, "store_fact", content="The project's database is PostgreSQL.")
            found = await told(client, "retrieve_facts", query="Which database does the project use?")

    assert named == TOOLS
    assert "it contradicts" in again
    assert "PostgreSQL" in found
    assert found.index("PostgreSQL") < found.index("MySQL")
    assert re.search(rf"\[r-\w+\] {datetime.now(UTC):%Y}-\d\d-\d\d .*PostgreSQL", found)


async def test_a_refusal_is_told_to_the_model(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        server = memory_server(MemoryTools(memory, user=f"u-{uuid4()}"))
        async with Client(server) as client:
            result = await client.call_tool("store_fact", {"content": "My password is hunter2."})

    assert result.is_error
    assert "holds a credential; leave it out" in str(result.content)
    assert "allow_sensitive" not in str(result.content)


async def test_an_id_may_stand_in_its_brackets_and_a_missing_document_comes_with_a_remedy(
    address: str,
) -> None:
    async with MemoryBankClient(address) as memory:
        server = memory_server(MemoryTools(memory, user=f"u-{uuid4()}"))
        async with Client(server) as client:
            stored = await told(client, "store_fact", content="The cat is called Mio.")
            named = re.search(r"\[r-\w+\]", stored)
            assert named
            going = await told(client, "forget", record_ids=[named[0]])
            refused = await told(
                client, "edit_instructions", path="AGENTS.md", old_text="in English", new_text="in Chinese"
            )

    assert "The cat is called Mio." in going
    assert "there is no document AGENTS.md: create_instructions makes it" in refused


@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        (
            "retrieve_facts",
            {"query": "cat", "categories": ["work"]},
            "'categories'; its arguments: query, top_k",
        ),
        ("recall_episodes", {"query": "cat", "k": 2}, "'k'; its arguments: query, state, top_k"),
        ("store_fact", {"content": "The cat is called Mio.", "user": "bob"}, "'user'"),
        (
            "forget",
            {"record_ids": ["r-1"], "force": True},
            "'force'; its arguments: record_ids, dry_run, chain",
        ),
        ("load_instructions", {"path": "AGENTS.md"}, "'path'; its arguments: none"),
    ],
)
async def test_an_argument_that_a_tool_does_not_have_is_refused_by_name(
    address: str, tool: str, given: dict[str, Any], named: str
) -> None:
    async with MemoryBankClient(address) as memory:
        server = memory_server(MemoryTools(memory, user=f"u-{uuid4()}"))
        async with Client(server) as client:
            result = await client.call_tool(tool, given)

    assert result.is_error
    assert f"{tool} has no argument {named}" in str(result.content)


async def test_a_bank_is_searched_and_read_deeply(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        bank_id = f"b-{uuid4()}"
        await memory.create_bank(bank_id=bank_id, goal="get to Bygdøy")
        await memory.memorize(
            bank_id=bank_id,
            text="The ferry leaves from pier 3 at nine in the morning.",
            source="timetable.md",
            event_time=timestamp(datetime(2026, 3, 1, tzinfo=UTC)),
        )
        tools = MemoryTools(memory, user="ada", bank_id=bank_id)
        async with Client(memory_server(tools)) as client:
            named = {tool.name for tool in (await client.list_tools()).tools}
            found = await told(client, "search_memory", query="when does the ferry leave?")
            place = found.split("[")[1].split("]")[0]
            read = await told(client, "deep_retrieval", node_id=place)

    assert named == TOOLS | OF_A_BANK
    assert "] 2026-03-01 timetable.md: The ferry leaves from pier 3" in found
    assert "The ferry leaves from pier 3" in read


async def test_what_a_verdict_refuted_is_told_as_refuted(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        bank_id = f"b-{uuid4()}"
        await memory.create_bank(bank_id=bank_id, goal="get to Naxos")
        await memory.memorize(bank_id=bank_id, text="The ferry to Naxos leaves at nine.", source="old.md")
        await memory.memorize(bank_id=bank_id, text="The ferry to Naxos leaves at ten.", source="new.md")
        [conflict] = (await memory.list_conflicts(bank_id=bank_id)).conflicts
        verdict = "The ferry to Naxos leaves at ten; nine was last year's timetable."
        await memory.resolve_conflict(bank_id=bank_id, conflict_id=conflict.conflict_id, verdict=verdict)
        async with Client(memory_server(MemoryTools(memory, user="ada", bank_id=bank_id))) as client:
            found = await told(client, "search_memory", query="When does the ferry leave?")

    [refuted] = [line for line in found.splitlines() if "old.md" in line]
    assert refuted.endswith("(REFUTED by a verdict since: “The ferry to Naxos leaves at nine.”)")


async def test_what_was_said_earlier_in_a_conversation_is_searched(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        user = f"u-{uuid4()}"
        days = (timestamp(datetime(2026, 3, day, tzinfo=UTC)) for day in (1, 2))
        turns = [
            Turn(input="The ferry leaves from pier 3.", reply="Noted.", event_time=next(days)),
            Turn(input="And in Chinese?", reply="渡轮从三号码头出发。", event_time=next(days)),
        ]
        await memory.add_turns(user=user, conversation_id="c1", turns=turns)
        tools = MemoryTools(memory, user=user, conversation_id="c1")
        async with Client(memory_server(tools)) as client:
            named = {tool.name for tool in (await client.list_tools()).tools}
            found = await told(client, "search_turns", query="Where does the ferry leave?")
            anywhere = await told(client, "search_conversations", query="Where does the ferry leave?")

    assert named == {*TOOLS, "search_turns"}
    assert "[turn 1] 2026-03-01 User: The ferry leaves from pier 3." in found
    assert "[c1, turn 2] 2026-03-02 助手：渡轮从三号码头出发。" in anywhere


async def test_over_streamable_http_it_is_the_same(address: str, tmp_path: Path) -> None:
    async with mcp_over_http(tmp_path, address, f"u-{uuid4()}") as url, Client(url) as client:
        stored = await told(client, "store_fact", content="The alarm is set for six.")

    assert stored.startswith("stored: [")


async def test_over_standard_input_and_output_it_is_the_command_that_hosts_start(address: str) -> None:
    command, *words = mcp_command(address, f"u-{uuid4()}")
    server = StdioServerParameters(command=command, args=words, env=mcp_environment(), cwd=CHECKOUT)
    async with Client(server) as client:
        await told(client, "store_fact", content="用户住在杭州。")
        found = await told(client, "retrieve_facts", query="用户住在哪里？")

    assert "用户住在杭州。" in found


@asynccontextmanager
async def host(address: str) -> AsyncIterator[Client]:
    """A host of a user's memory, with a bank and a conversation to read."""
    async with MemoryBankClient(address) as memory:
        tools = MemoryTools(memory, user=f"u-{uuid4()}", bank_id="b1", conversation_id="c1")
        async with Client(memory_server(tools)) as connected:
            yield connected


async def structured(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_each_tool_says_what_it_is_called_does_takes_and_answers(address: str) -> None:
    async with host(address) as client:
        tools = (await client.list_tools()).tools

        assert {tool.name for tool in tools} == TOOLS | OF_A_BANK | {"search_turns"}
        for tool in tools:
            assert tool.title
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is not None
            assert tool.annotations.open_world_hint is False
            assert (tool.output_schema is None) == (tool.name in TEXTS)
            for argument in tool.input_schema["properties"].values():
                assert argument["description"]
                assert argument["type"] == "boolean" or BOUNDS & set(argument), (tool.name, argument)
        destructive = {tool.name for tool in tools if tool.annotations and tool.annotations.destructive_hint}
        assert destructive == {"correct", "forget", "edit_instructions"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The project's database is MySQL.", "The project's database is PostgreSQL."),
        ("渡轮九点开往纳克索斯。", "渡轮十点开往纳克索斯。"),
    ],
)
async def test_a_contradiction_is_settled_by_correcting_the_wrong_one(
    address: str, old: str, new: str
) -> None:
    async with host(address) as client:
        wrong = await structured(client, "store_fact", content=old)
        stored = await structured(client, "store_fact", content=new)

        settled = await structured(client, "correct", record_id=wrong["id"], content=new)
        held = await structured(client, "list_recent", kind="fact")

        assert [one["id"] for one in stored["contested"]] == [wrong["id"]]
        assert (settled["id"], settled["known"]) == (stored["id"], True)
        assert settled["superseded_ids"] == [wrong["id"]]
        assert [(one["content"], one["state"]) for one in held["memories"]] == [(new, "active")]


async def test_a_contradiction_is_settled_by_forgetting_one_side(address: str) -> None:
    async with host(address) as client:
        wrong = await structured(client, "store_fact", content="The project's database is MySQL.")
        right = await structured(client, "store_fact", content="The project's database is PostgreSQL.")

        told_first = await structured(client, "forget", record_ids=[wrong["id"]])
        before = await structured(client, "list_recent")
        gone = await structured(client, "forget", record_ids=[wrong["id"]], dry_run=False)
        after = await structured(client, "list_recent", limit=50, kind=None)

        assert told_first["dry_run"]
        assert (
            [one["id"] for one in told_first["memories"]]
            == [one["id"] for one in gone["memories"]]
            == [wrong["id"]]
        )
        assert {one["id"] for one in before["memories"]} == {wrong["id"], right["id"]}
        assert [(one["id"], one["state"]) for one in after["memories"]] == [(right["id"], "active")]


@pytest.mark.parametrize("chain", [False, True])
async def test_what_a_fact_had_replaced_comes_back_unless_it_goes_with_it(address: str, chain: bool) -> None:
    async with host(address) as client:
        first = await structured(client, "store_fact", content="Ada lives in Oslo.", time="2025-03-01")
        second = await structured(client, "correct", record_id=first["id"], content="Ada lives in Bergen.")

        tried = await structured(client, "forget", record_ids=[second["id"]], chain=chain)
        done = await structured(client, "forget", record_ids=[second["id"]], chain=chain, dry_run=False)
        held = await structured(client, "list_recent")

        going = [second["id"], first["id"]] if chain else [second["id"]]
        back = [] if chain else [first["id"]]
        assert [one["id"] for one in tried["memories"]] == [one["id"] for one in done["memories"]] == going
        assert [one["id"] for one in tried["revived"]] == [one["id"] for one in done["revived"]] == back
        assert [one["id"] for one in held["memories"]] == back


@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        ("forget", {"record_ids": ["r-none"]}, "r-none"),
        ("forget", {"record_ids": []}, "record_ids"),
        ("correct", {"record_id": "r-none", "content": "Ada lives in Bergen."}, "r-none"),
        ("retrieve_facts", {"query": "Ada", "top_k": 51}, "top_k"),
        ("retrieve_facts", {"query": None}, "query"),
        ("store_fact", {"content": "Ada lives in Bergen.", "time": "yesterday"}, "time: not ISO 8601"),
        ("list_recent", {"kind": "dream"}, "kind"),
        (
            "edit_instructions",
            {"path": "AGENTS.md", "old_text": "a", "new_text": "b"},
            "there is no document AGENTS.md",
        ),
        ("deep_retrieval", {"node_id": "n-none"}, "BANK_NOT_FOUND"),
    ],
)
async def test_what_cannot_be_done_is_a_failure_that_names_why(
    address: str, tool: str, given: dict[str, Any], named: str
) -> None:
    async with host(address) as client:
        result = await client.call_tool(tool, given)

        assert result.is_error
        assert named in str(result.content)


async def test_null_for_what_may_be_left_out_is_absence(address: str) -> None:
    async with host(address) as client:
        await structured(client, "store_fact", content="Ada has a boat.", category=None, time=None)

        found = await structured(client, "retrieve_facts", query="boat", top_k=None)

        assert [one["content"] for one in found["memories"]] == ["Ada has a boat."]


async def test_a_document_is_created_once_and_read_as_a_resource(address: str) -> None:
    async with host(address) as client:
        made = await structured(
            client, "create_instructions", path="AGENTS.md", text="- Answer in Norwegian."
        )
        again = await client.call_tool(
            "create_instructions", {"path": "AGENTS.md", "text": "- Answer in English."}
        )
        edited = await structured(
            client, "edit_instructions", path="AGENTS.md", old_text="Norwegian", new_text="Chinese"
        )
        read = await client.read_resource("memorybank://instructions")

        assert (made["version"], edited["version"]) == (1, 2)
        assert again.is_error
        assert "- Answer in Chinese." in str(read.contents)
        assert {str(one.uri) for one in (await client.list_resources()).resources} == {
            "memorybank://instructions",
            "memorybank://memory",
        }


async def test_a_prompt_shows_the_user_all_that_is_known(address: str) -> None:
    async with host(address) as client:
        await structured(client, "store_fact", content="Ada has a boat.")
        await structured(client, "store_fact", content="艾达喜欢喝乌龙茶。")

        shown = await client.read_resource("memorybank://memory")
        (prompt,) = (await client.list_prompts()).prompts
        asked = await client.get_prompt(prompt.name)

        for text in (str(shown.contents), str(asked.messages)):
            assert "Ada has a boat." in text
            assert "艾达喜欢喝乌龙茶。" in text
