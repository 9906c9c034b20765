"""The MCP server, driven by the official SDK's client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from memorybank.v1.conversation_pb2 import Turn
from memorybank_client import MemoryBankClient
from memorybank_client.adapters.mcp import MemoryTools, memory_server
from service.cli.demo.server import running_server
from tests.support.mcp_process import mcp_command, mcp_environment, mcp_over_http
from tests.support.process import CHECKOUT

TOOLS = {"retrieve_facts", "recall_episodes", "store_fact", "load_instructions", "edit_instructions"}
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


async def test_a_refusal_is_told_to_the_model(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        server = memory_server(MemoryTools(memory, user=f"u-{uuid4()}"))
        async with Client(server) as client:
            result = await client.call_tool("store_fact", {"content": "My password is hunter2."})

    assert result.is_error
    assert "credential" in str(result.content)


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
        await memory.memorize(bank_id=bank_id, text="The ferry leaves from pier 3 at nine in the morning.")
        tools = MemoryTools(memory, user="ada", bank_id=bank_id)
        async with Client(memory_server(tools)) as client:
            named = {tool.name for tool in (await client.list_tools()).tools}
            found = await told(client, "search_memory", query="when does the ferry leave?")
            place = found.split("[")[1].split("]")[0]
            read = await told(client, "deep_retrieval", node_id=place)

    assert named == TOOLS | OF_A_BANK
    assert "pier 3" in found
    assert "The ferry leaves from pier 3" in read


async def test_what_was_said_earlier_in_a_conversation_is_searched(address: str) -> None:
    async with MemoryBankClient(address) as memory:
        user = f"u-{uuid4()}"
        turn = Turn(input="The ferry leaves from pier 3.", reply="Noted.")
        await memory.add_turns(user=user, conversation_id="c1", turns=[turn])
        tools = MemoryTools(memory, user=user, conversation_id="c1")
        async with Client(memory_server(tools)) as client:
            named = {tool.name for tool in (await client.list_tools()).tools}
            found = await told(client, "search_turns", query="Where does the ferry leave?")

    assert named == {*TOOLS, "search_turns"}
    assert "[turn 1]" in found
    assert "pier 3" in found


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
