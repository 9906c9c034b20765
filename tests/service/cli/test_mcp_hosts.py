"""The snippets that hosts of MCP read: in the host's own form, and what they start answers."""

import asyncio
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from service.cli.mcp_hosts import HOSTS
from tests.support.mcp_process import mcp_environment
from tests.support.process import CHECKOUT, running_server
from tests.support.shell import Ended, Shell

COMMAND = str(Path(sys.executable).with_name("memorybank"))
NOWHERE = "127.0.0.1:1"
ROOTS = {"codex": "mcp_servers", "vscode": "servers"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as found:
        yield found


def printed(*words: str) -> Ended:
    return Shell(server=NOWHERE)("mcp", *words)


def server_in(host: str, snippet: str) -> dict[str, Any]:
    read = tomllib.loads(snippet) if host == "codex" else json.loads(snippet)
    server: dict[str, Any] = read[ROOTS.get(host, "mcpServers")]["memorybank"]
    return server


@pytest.mark.parametrize("host", sorted(HOSTS))
async def test_a_host_starts_what_its_snippet_says(host: str, address: str) -> None:
    given = ("--server", address, "--user", "Ada 洛夫莱斯", "--bank", "trip")
    shown = printed(*given, "--print-config", host)
    server = server_in(host, shown.out)

    assert shown.err.strip().endswith(":")
    assert server["args"] == ["mcp", *given]
    if host == "claude":  # one of them is started, as the program itself says: they start the same
        command = [COMMAND, "mcp", *given, "--print-config", host]
        itself = await asyncio.to_thread(subprocess.check_output, command, text=True, cwd=CHECKOUT)
        server = server_in(host, itself)
        started = StdioServerParameters(
            command=server["command"], args=server["args"], env=mcp_environment(), cwd=CHECKOUT
        )
        async with Client(started) as client:
            assert "search_memory" in {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("host", sorted(set(HOSTS) - {"claude"}))
def test_of_a_server_over_http_a_snippet_has_the_url(host: str) -> None:
    server = server_in(host, printed("--user", "ada", "--http", "127.0.0.1:7800", "--print-config", host).out)

    assert "http://127.0.0.1:7800/mcp" in server.values()
    assert "command" not in server


def test_a_host_that_takes_no_url_says_so() -> None:
    shown = printed("--user", "ada", "--http", "127.0.0.1:7800", "--print-config", "claude")

    assert shown.exit_code == 2
    assert "leave --http out" in shown.err
