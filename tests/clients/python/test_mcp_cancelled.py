"""Calls of tools that the host cancels: each ends at the service too, and the next one is answered."""

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from memorybank_client.methods import Method
from tests.clients.python.scripted import Script, scripted
from tests.support.mcp_process import mcp_command, mcp_environment, mcp_over_http
from tests.support.process import CHECKOUT
from tests.support.scale import scaled

ROUNDS = 1 if scaled(1) == 1 else scaled(2)  # of each tool
TYPESCRIPT = CHECKOUT / "tests/clients/typescript"
WORDS = ("--bank", "trip", "--conversation", "c1")
CALLS: dict[str, dict[str, Any]] = {
    "retrieve_facts": {"query": "渡轮几点开？"},
    "recall_episodes": {"query": "booking a ferry"},
    "list_recent": {},
    "search_conversations": {"query": "渡轮"},
    "store_fact": {"content": "The ferry leaves at nine."},
    "correct": {"record_id": "r-1", "content": "The ferry leaves at ten."},
    "forget": {"record_ids": ["r-1"]},
    "create_instructions": {"path": "AGENTS.md", "text": "Be brief."},
    "load_instructions": {},
    "edit_instructions": {"path": "AGENTS.md", "old_text": "nine", "new_text": "ten"},
    "search_turns": {"query": "ferry"},
    "search_memory": {"query": "ferry"},
    "deep_retrieval": {"node_id": "n1"},
}


class Silent(Script):
    """A service that answers no call while it is `silent`."""

    silent = False

    async def _next(self, method: Method, context: Any) -> Any:
        if not self.silent:
            return method.response()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()

    async def cancellation(self) -> None:
        """Waits until a call was cancelled, and answers from then on."""
        await self.cancelled.wait()
        self.cancelled.clear()
        self.silent = False


@asynccontextmanager
async def host(wire: str, mode: str, address: str, folder: Path) -> AsyncIterator[Client]:
    """A host's connection to a server of its own."""
    if wire == "stdio":
        command, *words = mcp_command(address, "ada", *WORDS)
        server = StdioServerParameters(command=command, args=words, env=mcp_environment(), cwd=CHECKOUT)
        async with Client(server, mode=mode) as client:
            yield client
        return
    async with mcp_over_http(folder, address, "ada", *WORDS) as url, Client(url, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("wire", ["stdio", "http"])
async def test_after_each_cancelled_call_the_next_is_answered(wire: str, mode: str, tmp_path: Path) -> None:
    script, answered = Silent(), 0

    async with scripted(script) as address, host(wire, mode, address, tmp_path) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        for tool in list(CALLS) * ROUNDS:
            script.silent = True
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, tool, CALLS[tool])
                await script.arrived.wait()
                group.cancel_scope.cancel()
            await script.cancellation()
            answered += not (await client.call_tool(tool, CALLS[tool])).is_error
            script.arrived.clear()

    assert offered == set(CALLS)
    assert answered == ROUNDS * len(CALLS)


@asynccontextmanager
async def typescript_host(wire: str, address: str, folder: Path) -> AsyncIterator[Process]:
    """A host in TypeScript, connected to a server of its own."""
    if wire == "stdio":
        async with running(wire, *mcp_command(address, "ada", *WORDS)) as process:
            yield process
        return
    async with mcp_over_http(folder, address, "ada", *WORDS) as url, running(wire, url) as process:
        yield process


@asynccontextmanager
async def running(*words: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *("node", str(TYPESCRIPT / "host.js"), *words),
        cwd=CHECKOUT,
        env=mcp_environment(),
        stdin=PIPE,
        stdout=PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize("wire", ["stdio", "http"])
async def test_so_it_is_for_a_host_in_typescript(wire: str, tmp_path: Path) -> None:
    if not (TYPESCRIPT / "node_modules").exists():
        pytest.skip("`make languages` has not installed the MCP SDK of TypeScript: npm is missing")
    script, ended = Silent(), []

    async with scripted(script) as address, typescript_host(wire, address, tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for tool in list(CALLS) * ROUNDS:
            call = f"call {json.dumps({'name': tool, 'arguments': CALLS[tool]})}\n".encode()
            script.silent = True
            process.stdin.write(call)
            await script.arrived.wait()
            process.stdin.write(b"cancel\n")
            await script.cancellation()
            process.stdin.write(call)
            ended += [await process.stdout.readline(), await process.stdout.readline()]
            script.arrived.clear()

    assert ended == [b"cancelled\n", b"answered\n"] * ROUNDS * len(CALLS)
