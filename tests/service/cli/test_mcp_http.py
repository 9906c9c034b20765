"""Who may ask `memorybank mcp --http`: by which address, under which names, from which pages."""

import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

pytest.importorskip("mcp")

import httpx2

from service.cli.mcp_http import allowed
from tests.support.mcp_process import mcp_over_http
from tests.support.shell import Ended, Shell

NOWHERE = "127.0.0.1:1"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
METHODS = ["GET", "POST", "DELETE", "OPTIONS"]
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


async def answered(url: str, method: str = "POST", **headers: str) -> httpx2.Response:
    """What a request gets that asks for nothing but to begin."""
    async with httpx2.AsyncClient() as client:
        return await client.request(
            method, url, headers={**ACCEPTED, **headers}, content=json.dumps(INITIALIZE)
        )


def refused(*words: str) -> Ended:
    return Shell(server=NOWHERE)("mcp", "--user", "ada", *words)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Of a server that is told two more names."""
    allowed = ("--allow-host", "Memory.Internal", "--allow-host", "proxy.internal:8443")
    async with mcp_over_http(tmp_path_factory.mktemp("mcp"), NOWHERE, "ada", *allowed) as listening:
        yield listening


@pytest.mark.asyncio(loop_scope="module")
async def test_only_under_its_own_names_and_those_allowed_it_answers(url: str) -> None:
    port = urlsplit(url).port
    right = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    right += ["memory.internal", f"memory.internal:{port}", "proxy.internal:8443"]
    wrong = [
        "evil.example",
        f"evil.example:{port}",
        "localhost:1",
        "127.0.0.1",
        "proxy.internal",
        "localhost",
    ]
    wrong += [f"localhost:{port}.evil.example", f"memory.internal.evil.example:{port}", "0.0.0.0:80"]
    let_in = {host: (await answered(url, Host=host)).status_code for host in right}
    kept_out = {host: (await answered(url, Host=host)).status_code for host in wrong}

    assert let_in == dict.fromkeys(right, 200)
    assert kept_out == dict.fromkeys(wrong, 421)


@pytest.mark.asyncio(loop_scope="module")
async def test_only_to_pages_of_those_names_it_answers(url: str) -> None:
    port = urlsplit(url).port
    right = [f"http://127.0.0.1:{port}", f"http://localhost:{port}", "https://memory.internal"]
    wrong = [
        "https://evil.example",
        f"http://evil.example:{port}",
        "null",
        "http://localhost:1",
        "memory.internal",
    ]
    let_in = {origin: (await answered(url, Origin=origin)).status_code for origin in right}
    kept_out = {origin: (await answered(url, Origin=origin)).status_code for origin in wrong}

    assert let_in == dict.fromkeys(right, 200)
    assert kept_out == dict.fromkeys(wrong, 403)


def test_on_the_port_of_http_itself_the_names_stand_alone_too() -> None:
    checks = allowed(("127.0.0.1",), ("memory.internal",), 80)

    assert checks.allowed_hosts == ["127.0.0.1", "127.0.0.1:80", "memory.internal", "memory.internal:80"]


@pytest.mark.asyncio(loop_scope="module")
async def test_each_request_is_checked_whatever_it_asks_for(url: str) -> None:
    elsewhere = url.removesuffix("mcp")
    forged: list[tuple[str, dict[str, Any]]] = [
        (url, {"Host": "evil.example"}),
        (url, {"Host": "evil.example", "Mcp-Session-Id": "unknown"}),
        (url, {"Host": "evil.example", "MCP-Protocol-Version": "2026-07-28"}),
        (elsewhere, {"Host": "evil.example"}),
        (url, {"Origin": "https://evil.example"}),
        (elsewhere, {"Origin": "https://evil.example"}),
    ]
    told = {
        method: [(await answered(place, method, **headers)).status_code for place, headers in forged]
        for method in METHODS
    }

    assert told == {method: [421, 421, 421, 421, 403, 403] for method in METHODS}


async def test_beyond_this_machine_it_listens_where_it_is_told_to(tmp_path: Path) -> None:
    async with mcp_over_http(tmp_path, NOWHERE, "ada", "--insecure", listen="0.0.0.0:0") as url:
        port = urlsplit(url).port
        reached = url.replace("0.0.0.0", "127.0.0.1")
        known = (await answered(reached)).status_code
        unknown = (await answered(reached, Host=f"192.0.2.7:{port}")).status_code

    assert (known, unknown) == (200, 421)


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.7:7800", "memory.internal:7800"])
def test_beyond_this_machine_it_does_not_listen_by_itself(address: str) -> None:
    done = refused("--http", address)

    assert (done.exit_code, done.out) == (1, "")
    assert done.err.startswith(f"memorybank: will not serve MCP on {address}: ")
    assert "--insecure" in done.err


@pytest.mark.parametrize(
    ("option", "value", "form"),
    [
        ("--http", "7800", "HOST:PORT"),
        ("--http", "", "HOST:PORT"),
        ("--http", "localhost:70000", "HOST:PORT"),
        ("--allow-host", "https://memory.internal", "HOST or HOST:PORT"),
        ("--allow-host", "memory.internal:*", "HOST or HOST:PORT"),
        ("--allow-host", "", "HOST or HOST:PORT"),
    ],
)
def test_what_is_no_address_is_wrong_usage(option: str, value: str, form: str) -> None:
    done = refused(option, value)

    assert (done.exit_code, done.out) == (2, "")
    assert f"Invalid value for '{option}': must be {form}" in done.err


def test_an_address_that_is_taken_is_said_in_a_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        done = refused("--http", taken)

    assert done.exit_code == 1
    assert done.err.startswith(f"memorybank: cannot listen on {taken}: Address already in use")
